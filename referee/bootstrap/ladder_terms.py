"""What must stay as a ladder or tournament began, and what is said of the first that did not."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec

from referee.bootstrap.ladder_advice import place_of
from referee.bootstrap.ladder_plan import SECRET, LadderPlan
from referee.config.ladder_terms import written_terms
from referee.match.values import Settings
from referee.rules.errors import ConfigError
from referee.rules.options import options_dict

CARDS = "seed or public_salt"
_ROUNDS = "options.rounds"
PRACTICE = "practice"
_MOVEMENT = "movement."  # before what a tournament's movement is made of, as its file writes it
_ENTRANTS = "entry"  # their names, in their order


def terms_of(plan: LadderPlan, secret: bytes) -> dict[str, str]:
    """Return what makes boards of a ladder comparable, by the names that people know."""
    return {
        "name": plan.event,
        CARDS: cards_term(secret),
        **match_terms_of(plan),
        **{f"{_MOVEMENT}{key}": text for key, text in plan.movement.items()},
    }


def cards_term(secret: bytes) -> str:
    """Return what tells cards from others, and tells nothing of the secret."""
    return sha256(b"terms|" + secret).hexdigest()


def match_terms_of(plan: LadderPlan) -> dict[str, str]:
    """Return those that stand in the record of every match too."""
    settings = plan.settings
    return {
        "unit": plan.unit.value,
        "deals": plan.deals.value,
        **{
            f"match.{name}": term_text(getattr(settings, name))
            for name in Settings.__struct_fields__
            if name != "rules"
        },
        **{
            f"options.{name}": term_text(value)
            for name, value in options_dict(settings.rules, complete=True).items()
        },
        PRACTICE: term_text(plan.practice),
    }


def refuse_changed(plan: LadderPlan, *, began: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise `ConfigError` for the first term that changed, as the ladder's file writes it."""
    was, kind = _written(plan, began), plan.kind
    for key, value in _written(plan, now).items():
        if was[key] == value:
            continue
        section, _, name = key.rpartition(".")
        at, what = _place_of_term(plan, key), key
        if key == CARDS:
            said, cure = "", _cards_cure(plan)
        elif key == _ENTRANTS and plan.tournament is not None:
            at, what, said, cure = _entrants_words(plan, was[key].split(", "))
        else:
            said = f" ({was[key] or 'left out'} before, {value or 'left out'} now)"
            cure = f"Write {name} = {was[key]}" if was[key] else f"Leave {name} out"
            cure += f" in [{section}]" if section else ""
        raise ConfigError(
            f"{at}{what}: changed since this {kind} began{said}; its {plan.played}s would not "
            f"compare. {cure}, or begin another {kind} with another folder"
        )


def _cards_cure(plan: LadderPlan) -> str:
    if plan.seed is not None:
        return "Write what it was"
    return f"Write what it was; if the file {SECRET} is another one, bring it back"


def _entrants_words(plan: LadderPlan, was: Sequence[str]) -> tuple[str, str, str, str]:
    """Return where entrants or their order changed, the key, what they were, and the cure."""
    now = [entry.name for entry in plan.entries]
    at = next(
        (at for at, names in enumerate(zip(was, now, strict=False)) if len(set(names)) > 1),
        min(len(was), len(now)),
    )
    if at == len(was):
        place, key = place_of(plan, _ENTRANTS, at, "name"), f"{_ENTRANTS}.name"
        return place, key, f" ({now[at]} is new)", f"Take {now[at]} out"
    if at == len(now):
        cure = f"Write {was[at]} again; `referee tournament withdraw` is for who leaves"
        return place_of(plan, _ENTRANTS), _ENTRANTS, f" ({was[at]} is missing)", cure
    said = f" (entrant {at + 1} was {was[at]} before, and is {now[at]} now)"
    cure = f'Write name = "{was[at]}"'
    if set(was) == set(now):
        cure = f"Write the entrants in their order as it was: {', '.join(was)}"
    return place_of(plan, _ENTRANTS, at, "name"), f"{_ENTRANTS}.name", said, cure


def _written(plan: LadderPlan, terms: Mapping[str, str]) -> dict[str, str]:
    """Return terms as the file has them: in that of a tournament `deals` are the rounds."""
    found = {
        key.removeprefix(_MOVEMENT): text
        for key, text in terms.items()
        if key.startswith(_MOVEMENT)
    }
    found |= written_terms({key: terms[key] for key in terms if not key.startswith(_MOVEMENT)})
    if plan.tournament is None:
        return found
    return {
        "deals" if key == _ROUNDS else key: text
        for key, text in found.items()
        if key not in ("unit", "deals")
    }


def _place_of_term(plan: LadderPlan, key: str) -> str:
    if key != CARDS:
        return place_of(plan, *key.split("."))
    return place_of(plan, "seed" if plan.seed is not None else "public_salt")


def term_text(value: object) -> str:
    """Return a value of a setting or an option as terms have it."""
    return msgspec.json.encode(value).decode()

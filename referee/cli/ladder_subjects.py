"""What a ruling is about, as it stands in the journal."""

import difflib
from collections.abc import Iterator

from referee.bootstrap.ladder_plan import LadderPlan
from referee.bootstrap.ladder_versions import entry_versions
from referee.cli.ladder_table import Known
from referee.ladder.boards import annul_subject, is_about
from referee.ladder.rulings import decide, joined_version
from referee.ladder.values import RulingKind
from referee.rules.errors import ConfigError

_SAID = "hello:"  # before the version that a bot said of itself


def ruled_subject(plan: LadderPlan, known: Known, kind: RulingKind, text: str) -> str:
    """Return the subject of a ruling. Raises `ConfigError` where there is none such."""
    decided = decide(known.rulings)
    match kind:
        case RulingKind.ANNUL:
            return _annulled(known, text)
        case RulingKind.FREEZE:
            if decided.frozen:
                raise ConfigError(f"{plan.event}: is frozen already")
            return ""
        case _:
            _check_entry(plan, known, text)
    if decided.is_out(text):
        raise ConfigError(f"{text}: is disqualified, and that is final")
    if kind is RulingKind.WITHDRAW and text in decided.stopped:
        raise ConfigError(f"{text}: plays no more already ({decided.stopped[text].value})")
    return text


def _annulled(known: Known, text: str) -> str:
    """Return the subject of an annulment. Raises `ConfigError`: why nothing of it counts now."""
    try:
        return annul_subject(known.resolved(), text)
    except ConfigError:
        reasons = sorted(set(_reasons(known, text)))
        if not reasons:
            raise
    raise ConfigError(f"annul {text}: it does not count now: {'; '.join(reasons)}")


def _reasons(known: Known, text: str) -> Iterator[str]:
    """Yield why the legs that an operator named do not count."""
    counting = known.counting()
    for leg in known.results:
        if leg.match_id in counting.others and is_about(leg, text):
            yield counting.why_not(leg.match_id)


def _check_entry(plan: LadderPlan, known: Known, text: str) -> None:
    names = sorted({entry.name for entry in plan.entries} | set(known.owners))
    if text not in names:
        near = difflib.get_close_matches(text, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ConfigError(f"there is no entry {text!r}; {hint}")


def new_version(plan: LadderPlan, name: str, says: str | None) -> str:
    """Return the version that an entry has now: of its files, or as its bots say.

    Raises `ConfigError` for an entry that is not in the file, and where `says` is missing or has no
    place.
    """
    entry = next((one for one in plan.entries if one.name == name), None)
    if entry is None:
        raise ConfigError(f"there is no entry {name!r} in the file that could play on")
    if entry.dials_in and says is None:
        raise ConfigError(
            f"{name} dials in: its files cannot be seen; add --says and the version in its Hello"
        )
    if says is not None and not entry.dials_in:
        raise ConfigError(f"--says: the version of {name} is that of its files; leave it out")
    return joined_version([version or f"{_SAID}{says}" for version in entry_versions(plan, entry)])

"""Rows of the options table (RULES J) that change a game of four, as a seat was told them."""

from collections.abc import Mapping
from dataclasses import dataclass

TICHU, GRAND, NO_GRAND, GREAT_GRAND, NO_GREAT_GRAND = range(1, 6)  # as in `CallKind`
VALUE_OF_BET = {TICHU: 100, GRAND: 200, GREAT_GRAND: 400}

_WORDS = {
    "variant": {"tichu"},
    "tie_at_target": {"play_on", "draw"},
    "double_victory_points": {"200", "100"},
    "great_grand": {"false", "true"},
    "grand_allowed": {"true", "false"},
    "chaos": {"false"},
    "both_partners_may_call": {"true", "false"},
    "both_call_scoring": {"independent", "bsw"},
    "hopeless_call": {"allowed", "rejected"},
    "refuse_call": {"false"},
    "grand_order": {"together", "by_seat"},
    "exchange_rechoose": {"after_call", "until_all_gave", "never"},
    "call_before_exchange": {"true", "false"},
    "wish_optional": {"true", "false"},
    "wish_bomb_exempt": {"interrupt", "out_of_turn_only", "never", "also_lead"},
    "phoenix_choice": {"player", "highest"},
    "self_overtake": {"bombs_only", "any"},
    "bomb_after_all_pass": {"true", "false"},
    "bomb_arbitration": {"strongest", "seat_order"},
    "dragon_gift_to_finished": {"allowed", "forbidden"},
    "dragon_last_trick_gift": {"true", "false"},
    "dog_partner_out": {"next_after_partner", "next_opponent"},
}


def modelled(options: Mapping[str, str]) -> bool:
    """Whether an audit knows every one of these option values (names and values as on the wire).

    Rows of other games may have any value: with four players they say nothing.
    """
    return all(options[name] in values for name, values in _WORDS.items() if name in options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """The options in force."""

    target: int
    rounds: int | None
    options: Mapping[str, str]

    def on(self, name: str) -> bool:
        """A row that is true or false."""
        return self.options[name] == "true"

    def says(self, name: str, value: str) -> bool:
        return self.options[name] == value


DEFAULTS = {
    "target": "1000",
    "rounds": "none",
    "tie_at_target": "play_on",
    "double_victory_points": "200",
    "great_grand": "false",
    "grand_allowed": "true",
    "both_partners_may_call": "true",
    "both_call_scoring": "independent",
    "hopeless_call": "allowed",
    "grand_order": "together",
    "exchange_rechoose": "after_call",
    "call_before_exchange": "true",
    "wish_optional": "true",
    "wish_bomb_exempt": "interrupt",
    "phoenix_choice": "player",
    "self_overtake": "bombs_only",
    "bomb_after_all_pass": "true",
    "bomb_arbitration": "strongest",
    "dragon_gift_to_finished": "allowed",
    "dragon_last_trick_gift": "true",
    "dog_partner_out": "next_after_partner",
}


def rulebook(told: Mapping[str, str]) -> Rulebook:
    """The rulebook of a `Seating`."""
    options = {**DEFAULTS, **told}
    rounds = options["rounds"]
    return Rulebook(
        target=int(options["target"]),
        rounds=int(rounds) if rounds.isdigit() else None,
        options=options,
    )

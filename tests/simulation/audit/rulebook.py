"""Rows of the options table (RULES J), as a seat was told them, and what the games differ in."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.simulation.audit.seats import SOLOISTS

TICHU, GRAND, NO_GRAND, GREAT_GRAND, NO_GREAT_GRAND = range(1, 6)  # as in `CallKind`
BIDS = (6, 7, 8, 9)  # the place is the bid
ACCEPT, REFUSE = ANSWERS = (10, 11)
VALUE_OF_BET = {TICHU: 100, GRAND: 200, GREAT_GRAND: 400}

_YES_NO = {"true", "false"}
_WORDS = {
    "variant": {"tichu", "trichu", "tientsin", "grand_seigneur"},
    "tie_at_target": {"play_on", "draw"},
    "double_victory_points": {"200", "100"},
    "great_grand": _YES_NO,
    "grand_allowed": _YES_NO,
    "chaos": _YES_NO,
    "both_partners_may_call": _YES_NO,
    "both_call_scoring": {"independent", "bsw"},
    "hopeless_call": {"allowed", "rejected"},
    "refuse_call": _YES_NO,
    "grand_order": {"together", "by_seat"},
    "exchange_rechoose": {"after_call", "until_all_gave", "never"},
    "call_before_exchange": _YES_NO,
    "wish_optional": _YES_NO,
    "wish_bomb_exempt": {"interrupt", "out_of_turn_only", "never", "also_lead"},
    "phoenix_choice": {"player", "highest"},
    "self_overtake": {"bombs_only", "any"},
    "bomb_after_all_pass": _YES_NO,
    "bomb_arbitration": {"strongest", "seat_order"},
    "dragon_gift_to_finished": {"allowed", "forbidden"},
    "dragon_last_trick_gift": _YES_NO,
    "dog_partner_out": {"next_after_partner", "next_opponent"},
    "trichu_opponents_exchange": {"three", "two"},
    "trichu_grand": {"opponents", "nobody"},
    "trichu_last_burns_points": _YES_NO,
    "tientsin_deal_start": {"dealer", "after_dealer"},
    "tientsin_dog_no_partner": {"next", "left"},
    "tientsin_end_when_team_out": _YES_NO,
    "gs_dog": {"removed", "one"},
    "gs_exchange": {"levels", "all_to_first"},
    "gs_best_order": {"dragon_phoenix_mahjong", "mahjong_last"},
    "gs_second_phoenix": {"third", "half"},
    "gs_two_phoenix_in_combo": _YES_NO,
    "gs_seating": {"by_rank", "alternating"},
    "gs_return": {"free", "worst"},
    "gs_goal": {"rounds", "first_again"},
}


def modelled(options: Mapping[str, str]) -> bool:
    """Whether an audit knows every one of these option values (names and values as on the wire)."""
    return all(options[name] in values for name, values in _WORDS.items() if name in options)


DEFAULTS = {
    "variant": "tichu",
    "seats": "none",
    "target": "1000",
    "rounds": "none",
    "tie_at_target": "play_on",
    "double_victory_points": "200",
    "great_grand": "false",
    "grand_allowed": "true",
    "chaos": "false",
    "both_partners_may_call": "true",
    "both_call_scoring": "independent",
    "hopeless_call": "allowed",
    "refuse_call": "false",
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
    "trichu_opponents_exchange": "three",
    "trichu_grand": "opponents",
    "trichu_last_burns_points": "false",
    "tientsin_deal_start": "dealer",
    "tientsin_dog_no_partner": "next",
    "tientsin_end_when_team_out": "false",
    "gs_dog": "removed",
    "gs_exchange": "levels",
    "gs_best_order": "dragon_phoenix_mahjong",
    "gs_second_phoenix": "third",
    "gs_two_phoenix_in_combo": "false",
    "gs_seating": "by_rank",
    "gs_return": "free",
    "gs_goal": "rounds",
}
_ROUNDS = {"trichu": 9, "grand_seigneur": 4}  # where `rounds` is none (G9, I4)
_SEATS = {"tichu": 4, "trichu": 4, "tientsin": 6}
_FIRST_CARDS = {"tichu": 8, "trichu": 8, "tientsin": 6, "grand_seigneur": 0}  # A3, H2
_TRIPLE_VICTORY = 300  # H7


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """The options in force."""

    target: int
    rounds: int | None
    options: Mapping[str, str]
    variant: str = "tichu"
    seats: int = 4

    def on(self, name: str) -> bool:
        """A row that is true or false."""
        return self.options[name] == "true"

    def says(self, name: str, value: str) -> bool:
        return self.options[name] == value

    @property
    def has_teams(self) -> bool:
        return self.variant != "grand_seigneur"

    @property
    def columns(self) -> int:
        """How many scores a match has (F3, G8, I)."""
        return {"trichu": 4, "grand_seigneur": 0}.get(self.variant, 2)

    @property
    def players(self) -> tuple[int, ...]:
        """The seats with a player of their own (G)."""
        return SOLOISTS if self.variant == "trichu" else tuple(range(self.seats))

    @property
    def first_cards(self) -> int:
        """How many cards are dealt to each before the Grand decision; 0: all come at once."""
        return _FIRST_CARDS[self.variant]

    @property
    def two_packs(self) -> bool:
        """Whether the second pack is there (I1)."""
        return self.variant == "grand_seigneur" and self.seats > 6

    @property
    def two_phoenixes(self) -> bool:
        """Whether both Phoenixes may be in one combination."""
        return self.on("gs_two_phoenix_in_combo")

    @property
    def victory(self) -> int:
        """What it is worth that a team goes out before all others (F3, H7)."""
        if self.variant == "tientsin":
            return _TRIPLE_VICTORY
        return int(self.options["double_victory_points"])


def rulebook(told: Mapping[str, str], *, seats: int = 4) -> Rulebook:
    """The rulebook of a `Seating`; `seats` counts where the options name no number."""
    options = {**DEFAULTS, **told}
    rounds, named, variant = options["rounds"], options["seats"], options["variant"]
    fixed = None if options["gs_goal"] == "first_again" else _ROUNDS.get(variant)
    return Rulebook(
        target=int(options["target"]),
        rounds=int(rounds) if rounds.isdigit() else fixed,
        options=options,
        variant=variant,
        seats=int(named) if named.isdigit() else _SEATS.get(variant, seats),
    )

"""Why an action was refused: the codes, the clause each enforces, and a cure in one line."""

import enum
from collections.abc import Mapping
from types import MappingProxyType


class Refusal(enum.StrEnum):
    """Why an action was refused. Values travel on the wire: add members, never rename one."""

    WRONG_PHASE = "WRONG_PHASE"  # this kind of action has no place in this phase
    CARDS_NOT_HELD = "CARDS_NOT_HELD"  # also a card named twice
    NOT_A_COMBINATION = "NOT_A_COMBINATION"  # B1, B3, B4, B6
    PHOENIX_RANK = "PHOENIX_RANK"  # B7: the named reading is impossible
    NOT_YOUR_TURN = "NOT_YOUR_TURN"  # C1, D1: not on turn and not a bomb
    NO_BOMB_HERE = "NO_BOMB_HERE"  # D2: out of turn on an empty table
    DOG_ONLY_LEADS = "DOG_ONLY_LEADS"  # B4
    WRONG_COMBINATION = "WRONG_COMBINATION"  # B2: type or length differs from the table
    TOO_LOW = "TOO_LOW"  # B2, B5
    MUST_LEAD = "MUST_LEAD"  # C1: a leader may not pass
    MUST_FULFIL_WISH = "MUST_FULFIL_WISH"  # E3
    WISH_WITHOUT_MAH_JONG = "WISH_WITHOUT_MAH_JONG"  # E1
    BAD_WISH = "BAD_WISH"  # E1
    CALL_NOT_ALLOWED = "CALL_NOT_ALLOWED"  # A4, A5, A6: by the options or the variant
    ALREADY_CALLED = "ALREADY_CALLED"  # A5
    CALL_TOO_LATE = "CALL_TOO_LATE"  # A3, A4
    BAD_EXCHANGE = "BAD_EXCHANGE"  # A7
    BAD_RECIPIENT = "BAD_RECIPIENT"  # C5


CLAUSE: Mapping[Refusal, str] = MappingProxyType(
    {
        Refusal.WRONG_PHASE: "C2",
        Refusal.CARDS_NOT_HELD: "A2",
        Refusal.NOT_A_COMBINATION: "B1",
        Refusal.PHOENIX_RANK: "B7",
        Refusal.NOT_YOUR_TURN: "C1",
        Refusal.NO_BOMB_HERE: "D2",
        Refusal.DOG_ONLY_LEADS: "B4",
        Refusal.WRONG_COMBINATION: "B2",
        Refusal.TOO_LOW: "B2",
        Refusal.MUST_LEAD: "C1",
        Refusal.MUST_FULFIL_WISH: "E3",
        Refusal.WISH_WITHOUT_MAH_JONG: "E1",
        Refusal.BAD_WISH: "E1",
        Refusal.CALL_NOT_ALLOWED: "A6",
        Refusal.ALREADY_CALLED: "A5",
        Refusal.CALL_TOO_LATE: "A4",
        Refusal.BAD_EXCHANGE: "A7",
        Refusal.BAD_RECIPIENT: "C5",
    }
)

_CURES: Mapping[Refusal, str] = MappingProxyType(
    {
        Refusal.WRONG_PHASE: "this kind of action has no place now; look at the phase first",
        Refusal.CARDS_NOT_HELD: "name only cards of your own hand, each once",
        Refusal.NOT_A_COMBINATION: "these cards together are no combination; play another set",
        Refusal.PHOENIX_RANK: "the Phoenix cannot stand for that rank here; name another or none",
        Refusal.NOT_YOUR_TURN: "wait for your turn; out of turn only a bomb may be played",
        Refusal.NO_BOMB_HERE: "no play lies on the table that could be bombed; wait for one",
        Refusal.DOG_ONLY_LEADS: "keep the Dog until you lead",
        Refusal.WRONG_COMBINATION: "play the table's type with as many cards, a bomb, or pass",
        Refusal.TOO_LOW: "play strictly higher than the table, or pass",
        Refusal.MUST_LEAD: "you lead: play something, a leader may not pass",
        Refusal.MUST_FULFIL_WISH: "play a combination with a natural card of the wished rank",
        Refusal.WISH_WITHOUT_MAH_JONG: "name a wish only with a play that holds the Mah Jong",
        Refusal.BAD_WISH: "wish for a rank from 2 to A",
        Refusal.CALL_NOT_ALLOWED: "the rule options of this match forbid that call now",
        Refusal.ALREADY_CALLED: "you have called already; one call for each player and round",
        Refusal.CALL_TOO_LATE: "the moment for that call is over; call before it next time",
        Refusal.BAD_EXCHANGE: "give each seat what you owe it, no card twice, the best if asked",
        Refusal.BAD_RECIPIENT: "give it to a seat that the rules allow",
    }
)


def explain(refusal: Refusal) -> str:
    """Return what a bot author should do about a refusal, in one line."""
    return _CURES[refusal]

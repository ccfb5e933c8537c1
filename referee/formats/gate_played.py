"""What was really played in a match: the same for two legs in which the same cards were played."""

from collections.abc import Iterable

from referee.match.facts import (
    Bidden,
    CallMade,
    DragonGiven,
    Exchanged,
    Fact,
    LeadHanded,
    Passed,
    Played,
)

_Move = tuple[object, ...]


def played_in(facts: Iterable[Fact]) -> tuple[_Move, ...]:
    """Return bets, gifts, plays, passes and what was given on, in order and by seat; no times.

    Names, versions and faults of bots are not in it. The legs of a board exchange the bots' seats:
    where this is equal in both, the two bots decided alike.
    """
    return tuple(move for fact in facts if (move := _move(fact)) is not None)


def _move(fact: Fact) -> _Move | None:
    match fact:
        case CallMade():
            return "call", fact.seat, fact.call
        case Bidden():
            return "bids", fact.bids
        case Exchanged():
            return "gifts", tuple(sorted(fact.gifts))
        case Played():
            wish = fact.phoenix_rank, fact.second_phoenix_rank, fact.wish
            return "play", fact.seat, fact.cards, wish
        case Passed():
            return "pass", fact.seat
        case DragonGiven():
            return "dragon", fact.seat, fact.to
        case LeadHanded():
            return "lead", fact.seat, fact.to
        case _:
            return None

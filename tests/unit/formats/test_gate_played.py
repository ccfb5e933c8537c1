"""What was really played: equal for two legs with the same cards, whatever their times."""

from referee.formats.gate_played import played_in
from referee.match.facts import (
    CallMade,
    DragonGiven,
    Exchanged,
    Fact,
    Passed,
    Played,
    Strike,
    WentOut,
)
from referee.rules.phases import CallKind
from referee.rules.seat import Seat

ZERO, ONE, TWO = Seat(0), Seat(1), Seat(2)


def leg(at: int = 0) -> list[Fact]:
    return [
        CallMade(at=at, seat=ONE, call=CallKind.TICHU),
        Exchanged(at=at + 1, gifts=((ZERO, ONE, (9,)), (ONE, ZERO, (10,)))),
        Played(at=at + 2, seat=ZERO, cards=(4,), wish=8),
        Passed(at=at + 3, seat=ONE),
        DragonGiven(at=at + 4, seat=TWO, to=ONE, points=25),
    ]


def test_times_strikes_and_what_follows_are_of_no_account() -> None:
    strike = Strike(at=7, seat=ZERO, ask=3, why="late", count=1)
    other = [*leg(1000), WentOut(at=2000, seat=ZERO, place=1), strike]
    assert played_in(leg()) == played_in(other)


def test_each_decision_counts() -> None:
    plain = played_in(leg())
    others: list[Fact] = [
        CallMade(at=0, seat=ONE, call=CallKind.GRAND),
        Exchanged(at=0, gifts=((ZERO, ONE, (10,)), (ONE, ZERO, (9,)))),
        Played(at=0, seat=ZERO, cards=(4,), wish=9),
        Passed(at=0, seat=TWO),
        DragonGiven(at=0, seat=TWO, to=Seat(3), points=25),
    ]
    for at, other in enumerate(others):
        changed = leg()
        changed[at] = other
        assert played_in(changed) != plain, other


def test_another_order_is_other_play() -> None:
    facts = leg()
    assert played_in([*facts[:2], facts[3], facts[2], facts[4]]) != played_in(facts)

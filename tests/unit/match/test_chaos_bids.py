"""Bids of the option `chaos` in a match: seen by partners, called by the higher of a team."""

import pytest

from referee.match.facts import Bidden, CallMade
from referee.match.inputs import CallDecision
from referee.match.step import BidsShown, CardsDealt
from referee.match.values import AckStatus, AskKind
from referee.rules.options import parse_options
from referee.rules.phases import BIDS, CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.table import Table, settings


def bidding(*bids: int | None, variant: str = "tichu") -> Table:
    """A match whose seats bid so, the last first; None says nothing."""
    rules = parse_options({"variant": variant, "chaos": True, "rounds": 1})
    table = Table(settings(rules=rules)).start()
    for seat, bid in reversed([*enumerate(bids)]):
        if bid is not None:
            ack = table.answer(seat, CallDecision(choice=BIDS[bid]))
            assert ack.status is AckStatus.RECEIVED
    return table


def grands(table: Table) -> list[int]:
    return [fact.seat for fact in table.facts if isinstance(fact, CallMade)]


def test_every_seat_is_asked_for_a_bid_from_0_to_3() -> None:
    table = bidding()
    assert table.asked(AskKind.CALL) == list(range(4))
    assert {ask.choices for ask in table.asks} == {BIDS}


def test_a_grand_decision_is_no_bid() -> None:
    table = bidding()
    assert table.answer(0, CallDecision(choice=CallKind.GRAND)).status is AckStatus.REFUSED
    assert table.refused[-1].code == "CALL_NOT_ALLOWED"


def test_nobody_learns_of_a_bid_before_all_have_bid() -> None:
    table = bidding(None, 3, 2, 1)
    assert not any(isinstance(event, BidsShown) for event in table.events)
    assert [table.machine.snapshot(Seat(s)).view.bids for s in range(4)] == [()] * 4  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("bids", "callers"),
    [
        ((0, 3, 2, 1), [1, 2]),
        ((3, 0, 3, 1), [0, 3]),
        ((0, 0, 0, 0), [0, 1]),
        ((1, 2, 2, 3), [2, 3]),
    ],
)
def test_the_higher_bidder_of_each_team_calls_of_equal_ones_the_earlier(
    bids: tuple[int, ...], callers: list[int]
) -> None:
    table = bidding(*bids)
    assert grands(table) == callers
    assert {fact.call for fact in table.facts if isinstance(fact, CallMade)} == {CallKind.GRAND}
    assert table.public.phase is Phase.EXCHANGE
    assert table.replays() == []


def test_bids_are_shown_to_the_team_alone_before_the_calls_and_the_cards() -> None:
    table = bidding(0, 3, 2, 1)
    told = [type(event) for event in table.events]
    assert told[2:] == [BidsShown, CallMade, CallMade, CardsDealt]
    shown = next(event for event in table.events if isinstance(event, BidsShown))
    assert shown.seen_by(Seat(0)) == ((0, CallKind.BID_0), (2, CallKind.BID_2))
    assert shown.seen_by(Seat(3)) == ((1, CallKind.BID_3), (3, CallKind.BID_1))
    fact = next(fact for fact in table.facts if isinstance(fact, Bidden))
    assert fact.bids == shown.bids
    view = table.machine.snapshot(Seat(2)).view
    assert view is not None
    assert sorted(view.bids) == [(0, 0), (2, 2)]


def test_who_is_silent_bids_0() -> None:
    table = bidding(None, 3, 2, 1)
    table.wait(6_000)
    fact = next(fact for fact in table.facts if isinstance(fact, Bidden))
    assert fact.bids[0] == (0, CallKind.BID_0)
    assert table.strikes() == [(0, "late")]


def test_with_six_three_bid_for_a_team() -> None:
    table = bidding(0, 1, 2, 0, 2, 0, variant="tientsin")
    assert grands(table) == [1, 2]
    shown = next(event for event in table.events if isinstance(event, BidsShown))
    assert [seat for seat, _ in shown.seen_by(Seat(4))] == [0, 2, 4]

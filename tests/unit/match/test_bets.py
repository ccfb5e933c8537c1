"""Bets on the first cards are released together (PROTOCOL 3; A3, A5, A6)."""

import random

import pytest

from referee.match.facts import CallMade, WentOut
from referee.match.inputs import CallDecision, DefaultDecision
from referee.match.step import CardsDealt
from referee.match.values import MS, AckStatus, AskKind
from referee.rules.cards import count
from referee.rules.option_values import GrandOrder
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.table import Table, random_policy, settings

GRAND, NO_GRAND = CallDecision(choice=CallKind.GRAND), CallDecision(choice=CallKind.NO_GRAND)
GREAT = CallDecision(choice=CallKind.GREAT_GRAND)
NO_GREAT = CallDecision(choice=CallKind.NO_GREAT_GRAND)


def table_with(**rules: object) -> Table:
    return Table(settings(rules=RuleOptions(rounds=1, **rules))).start()  # type: ignore[arg-type]


def seat_2_is_asked_later() -> Table:
    """The clock of seat 2 started a second after those of the others."""
    table = Table(settings())
    table.hold_hands = True
    table.start()
    table.hand_over(0, 1, 3)
    table.now += 1000 * MS
    table.hand_over(2)
    return table


def calls(table: Table) -> list[tuple[int, CallKind]]:
    return [(event.seat, event.call) for event in table.events if isinstance(event, CallMade)]


def test_all_four_decide_at_once_and_nobody_learns_who_answered() -> None:
    table = table_with()
    assert table.asked(AskKind.CALL) == [0, 1, 2, 3]
    events = len(table.events)
    for seat in (3, 0, 2):
        before = len(table.acks)
        table.answer(seat, GRAND)
        assert {ack.seat for ack in table.acks[before:]} == {seat}
    assert len(table.events) == events
    assert calls(table) == []


def test_the_last_decision_releases_all_in_seat_order() -> None:
    table = table_with()
    asks = {seat: table.ask(seat) for seat in range(4)}
    for seat in (3, 0, 2, 1):
        table.answer(seat, GRAND if seat == 3 else NO_GRAND)
    no = CallKind.NO_GRAND
    assert calls(table) == [(0, no), (1, no), (2, no), (3, CallKind.GRAND)]
    for ask in asks.values():
        assert table.statuses(ask) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_decision_is_irrevocable_while_others_still_think() -> None:
    table = table_with()
    ask = table.ask(0)
    table.answer_ask(ask, GRAND)
    assert table.answer_ask(ask, GRAND).status is AckStatus.DUPLICATE
    assert table.answer_ask(ask, NO_GRAND).status is AckStatus.STALE
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    assert calls(table)[0] == (0, CallKind.GRAND)


def test_the_ninth_card_comes_after_the_last_decision() -> None:
    """A3: decided with eight cards."""
    table = table_with()
    view = table.machine.snapshot(Seat(1)).view
    assert view is not None
    assert count(view.hand) == 8
    for seat in range(4):
        table.answer(seat, NO_GRAND)
    dealt = [event for event in table.events if isinstance(event, CardsDealt)]
    assert [[count(hand) for hand in event.hands] for event in dealt] == [[8] * 4, [6] * 4]
    assert [event.complete for event in dealt] == [False, True]


def test_a_silent_seat_bets_nothing_and_is_given_one_strike() -> None:
    """PROTOCOL 5: the substitute makes no calls; its lateness is counted once."""
    table = table_with()
    for seat in (0, 1, 2):
        table.answer(seat, GRAND)
    table.now += 6000 * MS
    table.wait(0)
    assert table.strikes() == [(3, "late")]
    assert calls(table)[3] == (3, CallKind.NO_GRAND)


def test_several_silent_seats_are_each_given_one_strike() -> None:
    """The first to run out of time is not counted again while others still may answer."""
    table = seat_2_is_asked_later()
    table.now += 5000 * MS
    table.wait(0)
    assert table.strikes() == [(0, "late"), (1, "late"), (3, "late")]
    assert not table.machine.over
    assert table.asked() == [2]
    table.answer(2, GRAND)
    assert calls(table)[2] == (2, CallKind.GRAND)


def test_an_answer_after_the_time_is_too_late_while_others_still_think() -> None:
    table = seat_2_is_asked_later()
    ask = table.ask(0)
    table.now += 5000 * MS
    assert table.answer_ask(ask, GRAND).status is AckStatus.TOO_LATE
    table.answer(2, NO_GRAND)
    assert calls(table)[0] == (0, CallKind.NO_GRAND)
    assert table.answer_ask(ask, GRAND).status is AckStatus.TOO_LATE


def test_a_call_that_was_not_offered_is_refused() -> None:
    table = table_with()
    ask = table.ask(0)
    assert ask.choices == (CallKind.GRAND, CallKind.NO_GRAND)
    assert table.answer_ask(ask, GREAT).status is AckStatus.REFUSED
    assert table.refused[-1].code == "CALL_NOT_ALLOWED"


def test_the_default_answer_bets_nothing_without_a_strike() -> None:
    table = table_with()
    for seat in range(4):
        table.answer(seat, DefaultDecision())
    assert [call for _, call in calls(table)] == [CallKind.NO_GRAND] * 4
    assert table.strikes() == []


def test_tichu_cannot_be_called_before_all_cards_are_dealt() -> None:
    """A4."""
    table = table_with()
    assert table.call(0) is AckStatus.REFUSED
    assert table.refused[-1].code == "WRONG_PHASE"


# --- options


def test_by_seat_asks_in_turn_order_from_the_dealer_and_later_ones_see_the_earlier() -> None:
    table = table_with(grand_order=GrandOrder.BY_SEAT)
    for seat in range(4):
        assert table.asked(AskKind.CALL) == [seat]
        table.answer(seat, GRAND if seat == 1 else NO_GRAND)
        assert calls(table)[-1][0] == seat
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]


def test_without_grand_the_exchange_is_owed_at_once() -> None:
    table = table_with(grand_allowed=False)
    assert table.asked() == table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]


def test_of_two_partners_who_bet_together_the_first_by_seat_has_it() -> None:
    """A5 with both_partners_may_call = false: the order of arrival does not decide."""
    for order in ((0, 1, 2, 3), (2, 3, 0, 1)):
        table = table_with(both_partners_may_call=False)
        for seat in order:
            table.answer(seat, GRAND if seat in (0, 2) else NO_GRAND)
        assert calls(table)[0] == (0, CallKind.GRAND)
        assert calls(table)[2] == (2, CallKind.NO_GRAND)


def test_by_seat_a_partner_of_a_caller_is_offered_no_bet() -> None:
    table = table_with(grand_order=GrandOrder.BY_SEAT, both_partners_may_call=False)
    table.answer(0, GRAND)
    table.answer(1, NO_GRAND)
    assert table.ask(2).choices == (CallKind.NO_GRAND,)


def test_great_grand_is_decided_before_any_card_is_dealt() -> None:
    """A6."""
    table = table_with(great_grand=True)
    assert "CardsDealt" not in table.told()
    view = table.machine.snapshot(Seat(0)).view
    assert view is not None
    assert view.hand == 0
    assert {table.ask(seat).choices for seat in range(4)} == {
        (CallKind.GREAT_GRAND, CallKind.NO_GREAT_GRAND)
    }


def test_who_called_great_grand_owes_no_grand_decision() -> None:
    table = table_with(great_grand=True)
    for seat in range(4):
        table.answer(seat, GREAT if seat == 2 else NO_GREAT)
    assert table.asked(AskKind.CALL) == [0, 1, 3]
    assert table.told()[-1] == "CardsDealt"


def test_great_grand_of_both_partners_together_goes_to_the_first_by_seat() -> None:
    table = table_with(great_grand=True, both_partners_may_call=False)
    for seat in (3, 1, 2, 0):
        table.answer(seat, GREAT if seat in (1, 3) else NO_GREAT)
    great = [seat for seat, call in calls(table) if call is CallKind.GREAT_GRAND]
    assert great == [1]
    assert table.asked(AskKind.CALL) == [0, 2, 3]
    assert table.ask(3).choices == (CallKind.NO_GRAND,)


@pytest.mark.parametrize("seed", range(4))
def test_the_dealer_of_the_next_round_is_who_was_first_out(seed: int) -> None:
    """A2: shown by who decides first in the second round."""
    rng = random.Random(seed)
    rules = RuleOptions(rounds=2, grand_order=GrandOrder.BY_SEAT)
    table = Table(settings(rules=rules), seed=f"dealer {seed}").start()
    policy = random_policy(rng)
    while table.machine.round_number == 1:
        ask = rng.choice([ask for s in table.asked() for ask in table.machine.open_asks(s)])
        table.answer_ask(ask, policy(table, ask))
    first = next(event.seat for event in table.events if isinstance(event, WentOut))
    assert table.asked(AskKind.CALL) == [first], f"{seed=}"

"""Tichu calls: alone inside windows, riding on what a bomb makes void, held in the exchange.

PROTOCOL 2 to 4: a call that stands alone counts at its stamp; in the exchange it is held with the
choices; one that rides on an answer in turn counts just before it, if that is applied.
"""

import itertools
from collections.abc import Callable

import pytest

from referee.match.facts import CallMade
from referee.match.inputs import ExchangeDecision, PassDecision, SeatDecision
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, AskKind, CancelReason, Pace
from referee.rules.option_values import ExchangeRechoose
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from tests.simulation.positions import (
    DECLINE,
    PASS,
    at,
    bombing,
    cards,
    close_window,
    pass_round,
    playing,
)
from tests.simulation.table import Table, settings

Opened = Callable[[Pace], Table]
PACES = pytest.mark.parametrize("pace", Pace)
HANDS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r Aj", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
DRAGON = ("Dr 3j 4j 5j 6s", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")


def calls(table: Table) -> list[int]:
    return [seat for seat, call in enumerate(table.public.calls) if call is CallKind.TICHU]


# --- alone, inside a window of each kind


def turn_window(pace: Pace) -> Table:
    """After a lead: seat 1 is on turn."""
    table = at(settings(pace=pace), *HANDS)
    table.act(0, playing("Kj"))
    return table


def window_after_a_pass(pace: Pace) -> Table:
    """Seat 1 has passed: seat 2 is on turn, and the owner may bomb, too."""
    table = turn_window(pace)
    decline_all(table)
    table.act(1, PASS)
    return table


def closing_window(pace: Pace) -> Table:
    """After the last required pass: seat 0 owes a provisional lead."""
    table = at(settings(pace=pace), *HANDS)
    table.act(0, playing("Kj"))
    pass_round(table)
    return table


def dragon_window(pace: Pace) -> Table:
    """After the last required pass on a Dragon: seat 0 owes a provisional gift."""
    table = at(settings(pace=pace), *DRAGON)
    table.act(0, playing("Dr"))
    pass_round(table)
    return table


def bomb_window(pace: Pace) -> Table:
    """A bomb of seat 2 landed: seat 3 is on turn."""
    table = turn_window(pace)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    close_window(table)
    return table


def decline_all(table: Table) -> None:
    for seat in table.asked(AskKind.BOMB):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)


WINDOWS = pytest.mark.parametrize(
    "opened", [turn_window, window_after_a_pass, closing_window, dragon_window, bomb_window]
)


@PACES
@WINDOWS
def test_a_call_alone_in_a_window_counts_at_its_stamp_and_moves_nothing(
    opened: Opened, pace: Pace
) -> None:
    table = opened(pace)
    asks = {(seat, ask.id) for seat in table.asked() for ask in table.machine.open_asks(seat)}
    due = table.machine.due
    table.now += 1
    assert table.call(3) is AckStatus.APPLIED
    assert table.told()[-1] == "CallMade"
    assert calls(table) == [3]
    still = {(seat, ask.id) for seat in table.asked() for ask in table.machine.open_asks(seat)}
    assert (still, table.machine.due) == (asks, due)
    assert table.replays() == []


@PACES
@WINDOWS
def test_a_call_alone_in_a_window_outlives_the_close(opened: Opened, pace: Pace) -> None:
    table = opened(pace)
    table.call(3)
    for seat in table.asked(AskKind.ACT) + table.asked(AskKind.CHOOSE_SEAT):
        table.default(table.machine.open_asks(seat)[-1])
    decline_all(table)
    if pace is Pace.FAIR:
        table.wait_until_due()
        table.wait_until_due()
    assert calls(table) == [3]
    assert table.replays() == []


@PACES
def test_a_call_alone_stands_when_a_bomb_makes_the_turn_void(pace: Pace) -> None:
    table = turn_window(pace)
    table.answer(1, PASS, kind=AskKind.ACT)
    assert table.call(1) is AckStatus.APPLIED
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert table.landings()[0] == 3
    assert calls(table) == [1]
    assert table.replays() == []


@PACES
@pytest.mark.parametrize("opened", [closing_window, dragon_window])
def test_a_call_while_a_trick_closes_forbids_the_same_in_the_answer_to_come(
    opened: Opened, pace: Pace
) -> None:
    table = opened(pace)
    table.call(2)
    assert table.call(2) is AckStatus.REFUSED
    assert table.refused[-1].code == "ALREADY_CALLED"
    assert table.replays() == []


@PACES
def test_who_has_played_calls_too_late_in_every_window(pace: Pace) -> None:
    for opened in (turn_window, window_after_a_pass, closing_window, dragon_window):
        table = opened(pace)
        assert table.call(0) is AckStatus.REFUSED
        assert table.refused[-1].code == "CALL_TOO_LATE"


@PACES
def test_a_seat_that_called_alone_may_bomb_in_the_same_window(pace: Pace) -> None:
    """It cannot ride on a bomb: call first."""
    table = turn_window(pace)
    assert table.call(3) is AckStatus.APPLIED
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert table.landings()[0] == 3
    told = table.told()
    assert told.index("CallMade") < [i for i, name in enumerate(told) if name == "PlayedEvent"][-1]


@PACES
@pytest.mark.parametrize("caller", [1, 3])
def test_an_ask_that_is_open_offers_no_call_that_its_seat_lost_since(
    pace: Pace, caller: int
) -> None:
    """By its own call, or by that of its partner where only one of them may call."""
    rules = RuleOptions(rounds=1, both_partners_may_call=False)
    table = at(settings(pace=pace, rules=rules), *HANDS)
    table.act(0, playing("Kj"))
    asked = table.ask(1, AskKind.ACT)
    assert asked.may_call_tichu
    assert table.call(caller) is AckStatus.APPLIED
    assert not asked.may_call_tichu


# --- riding, and void


@PACES
def test_a_call_that_a_bomb_made_void_may_be_made_again(pace: Pace) -> None:
    table = turn_window(pace)
    table.answer(1, PassDecision(tichu=True), kind=AskKind.ACT)
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert calls(table) == []
    assert table.call(1) is AckStatus.APPLIED
    assert calls(table) == [1]
    assert table.replays() == []


@PACES
def test_a_call_that_rides_on_a_provisional_lead_is_void_with_it(pace: Pace) -> None:
    """Seat 0 went out with the trick; seat 1 leads next, and has played nothing yet."""
    hands = ("Kj", "3s 4p 5s 6p Qj", "8j 8s 8p 8r 2s", "3j 4j 5r 6j 2p")
    table = at(settings(pace=pace), *hands)
    table.act(0, playing("Kj"))
    pass_round(table)
    lead = table.ask(1, AskKind.ACT)
    assert (lead.provisional, lead.leading, lead.may_call_tichu) == (True, True, True)
    assert table.answer_ask(lead, playing("3s", tichu=True)).status is AckStatus.RECEIVED
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    close_window(table)
    assert table.statuses(lead)[-1] is AckStatus.VOID_BOMBED
    assert calls(table) == []
    assert table.call(1) is AckStatus.APPLIED
    assert table.replays() == []


@PACES
def test_a_riding_call_is_told_only_when_its_answer_is_applied(pace: Pace) -> None:
    table = turn_window(pace)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PassDecision(tichu=True))
    assert calls(table) == []
    decline_all(table)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.statuses(turn)[-1] is AckStatus.APPLIED
    assert calls(table) == [1]
    told = table.told()
    assert told.index("CallMade") == told.index("Passed") - 1, "just before it"
    assert table.replays() == []


def test_a_call_with_a_gift_that_is_bombed_stands_if_it_was_made_alone() -> None:
    table = dragon_window(Pace.FAIR)
    table.answer(0, SeatDecision(seat=1), kind=AskKind.CHOOSE_SEAT)
    table.call(1)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.wait_until_due()
    assert [(c.seat, c.reason) for c in table.cancelled if c.seat == 0] == [
        (0, CancelReason.BOMBED)
    ]
    assert "DragonGiven" not in table.told()
    assert calls(table) == [1]
    assert table.replays() == []


# --- held in the exchange

GIVERS = ("2j 3j 4j 5j Mj", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")
LOW = ("2j 3j 4j", "2s 3s 4s", "2p 3p 4p", "2r 3r 4r")
HIGH = ("5j 4j 3j", "5s 4s 3s", "5p 4p 3p", "5r 4r 3r")
AFTER, UNTIL, NEVER = (
    ExchangeRechoose.AFTER_CALL,
    ExchangeRechoose.UNTIL_ALL_GAVE,
    ExchangeRechoose.NEVER,
)


def exchange(rechoose: ExchangeRechoose = AFTER, **rules: object) -> Table:
    options = RuleOptions(rounds=1, exchange_rechoose=rechoose, **rules)  # type: ignore[arg-type]
    return at(settings(rules=options), *GIVERS, lead=None, phase=Phase.EXCHANGE)


def give(seat: int, text: str, *, tichu: bool = False) -> ExchangeDecision:
    named = [cards(card)[0] for card in text.split()]
    return ExchangeDecision(
        gifts=tuple(((seat + 1 + i) % 4, (card,)) for i, card in enumerate(named)), tichu=tichu
    )


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("rechoose", ExchangeRechoose)
@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_a_held_call_is_published_before_the_cards_move_under_every_option(
    order: tuple[int, ...], rechoose: ExchangeRechoose, alone: bool
) -> None:
    table = exchange(rechoose)
    if alone:
        assert table.call(2) is AckStatus.RECEIVED
    for seat in order:
        assert calls(table) == []
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 2 and not alone))
    assert calls(table) == [2]
    assert table.asked(AskKind.EXCHANGE) == ([0, 1, 3] if rechoose is AFTER else [])
    if rechoose is not AFTER:
        told = table.told()
        assert told.index("CallMade") < told.index("CardsExchanged")
    assert table.replays() == []


def test_calls_in_each_asking_ask_again_until_nobody_calls() -> None:
    table = exchange()
    asked = []
    for caller in range(4):
        seats = table.asked(AskKind.EXCHANGE)
        asked.append(seats)
        for seat in seats:
            table.answer(seat, give(seat, LOW[seat], tichu=seat == caller))
    assert asked == [[0, 1, 2, 3], [1, 2, 3], [0, 2, 3], [0, 1, 3]]
    assert calls(table) == [0, 1, 2, 3]
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2]
    for last in (0, 1, 2):
        table.answer(last, give(last, HIGH[last]))
    assert "CardsExchanged" in table.told()
    assert "2r" in table.hand(0), "seat 3 called last and kept its choice"
    assert "5j" in table.hand(1)
    assert table.replays() == []


def test_alone_and_riding_calls_of_one_asking_are_published_in_seat_order() -> None:
    table = exchange()
    table.call(3)
    for seat in (3, 2, 1, 0):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 1))
    assert [event.seat for event in table.events if isinstance(event, CallMade)] == [1, 3]
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]


@pytest.mark.parametrize("rechoose", ExchangeRechoose)
def test_the_partner_of_a_held_caller_is_refused_when_only_one_may_call(
    rechoose: ExchangeRechoose,
) -> None:
    """A5 with both_partners_may_call = false: the call of seat 1 is published, seat 3's is not."""
    table = exchange(rechoose, both_partners_may_call=False)
    assert (table.call(3), table.call(1)) == (AckStatus.RECEIVED, AckStatus.RECEIVED)
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat]))
    assert calls(table) == [1]
    assert [(r.seat, r.code) for r in table.refused] == [(3, "CALL_NOT_ALLOWED")]
    assert table.asked(AskKind.EXCHANGE) == ([0, 2, 3] if rechoose is AFTER else [])
    assert table.call(3) is AckStatus.REFUSED
    assert table.replays() == []


def again(table: Table) -> list[Ask]:
    """Seat 0 has called; the three others are asked again."""
    for giver in range(4):
        table.answer(giver, give(giver, HIGH[giver], tichu=giver == 0))
    return [table.ask(seat) for seat in (1, 2, 3)]


def test_silence_at_the_second_asking_lasts_half_the_base_time_and_the_lag() -> None:
    table = exchange()
    table.lags = [120 * MS] * 4
    asks = again(table)
    asked = table.now
    assert [(ask.base_ns, ask.lag) for ask in asks] == [(500 * MS, 120 * MS)] * 3
    assert table.machine.due == asked + 620 * MS
    table.wait_until_due()
    assert table.strikes() == []
    assert "CardsExchanged" in table.told()
    assert "5s" in table.hand(2), "the old choice stands"
    assert table.replays() == []


def test_a_call_may_ride_on_the_second_choice_and_its_silence_calls_nothing() -> None:
    table = exchange()
    again(table)
    table.answer(1, give(1, LOW[1], tichu=True))
    table.wait_until_due()
    assert calls(table) == [0, 1]
    assert table.asked(AskKind.EXCHANGE) == [0, 2, 3], "everybody but seat 1, the sole caller"
    assert table.replays() == []


def test_until_all_gave_a_replaced_choice_takes_no_call_back() -> None:
    table = exchange(UNTIL)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, LOW[0], tichu=True))
    table.answer_ask(ask, give(0, HIGH[0]))
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert calls(table) == [0]
    assert "5j" in table.hand(1)
    assert table.replays() == []


def test_until_all_gave_a_replacement_may_repeat_the_call_that_rode_before() -> None:
    table = exchange(UNTIL)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, LOW[0], tichu=True))
    assert table.answer_ask(ask, give(0, HIGH[0], tichu=True)).status is AckStatus.RECEIVED
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert (calls(table), table.told().count("CallMade")) == ([0], 1)
    assert "5j" in table.hand(1)
    assert table.replays() == []


def test_until_all_gave_a_call_may_come_with_the_replacement() -> None:
    table = exchange(UNTIL)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, LOW[0]))
    assert table.answer_ask(ask, give(0, LOW[0], tichu=True)).status is AckStatus.RECEIVED
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert calls(table) == [0]
    assert table.replays() == []

"""A referee that was blocked for long asks anew what it had asked (PROTOCOL 3)."""

import pytest

from referee.match.facts import Stalled, WindowClosed
from referee.match.inputs import CallDecision, ExchangeDecision
from referee.match.values import MS, AckStatus, AskKind, CancelReason, Pace
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, bombing, cards, pass_round, playing
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
BASE, BANK = 1000 * MS, 5000 * MS
PACES = pytest.mark.parametrize("pace", Pace)


def window(pace: Pace = Pace.FAIR) -> Table:
    """Seat 0 has led; a window of 50 ms is open, seat 1 is on turn."""
    table = at(settings(pace=pace), *HANDS)
    table.act(0, playing("Kj"))
    return table


def test_what_was_not_answered_is_cancelled_uncharged_and_asked_anew() -> None:
    table = Table(settings()).start()
    table.now += BASE + 700 * MS
    table.answer(1, NO_GRAND)
    old = {seat: table.ask(seat) for seat in (0, 2, 3)}
    step = table.stall(900)
    assert [(c.seat, c.ask_id, c.reason) for c in step.cancelled] == [
        (seat, ask.id, CancelReason.REFEREE) for seat, ask in old.items()
    ]
    assert table.asked(AskKind.CALL) == [0, 2, 3], "seat 1 has decided"
    for seat, ask in old.items():
        again = table.ask(seat)
        assert (again.id, again.choices, again.base_ns) == (ask.id + 1, ask.choices, BASE)
        assert table.bank(seat) == BANK
    assert table.machine.due == table.now + BASE + BANK, "the whole time again"
    assert table.strikes() == []


def test_the_fact_names_what_is_asked_anew_and_replays() -> None:
    table = Table(settings()).start()
    table.answer(1, NO_GRAND)
    table.now += 40 * MS
    table.stall(900)
    (fact,) = [fact for fact in table.facts if isinstance(fact, Stalled)]
    assert (fact.at, fact.blocked_ns) == (40 * MS, 900 * MS)
    assert fact.asks == ((Seat(0), 1), (Seat(2), 1), (Seat(3), 1))
    for seat in (0, 2, 3):
        table.answer(seat, NO_GRAND)
    assert table.replays() == []


def test_an_answer_to_the_cancelled_ask_is_stale_and_no_fault() -> None:
    table = Table(settings()).start()
    old = table.ask(0)
    table.stall(900)
    assert table.answer_ask(old, NO_GRAND).status is AckStatus.STALE
    assert table.strikes() == []
    assert table.answer(0, NO_GRAND).status is AckStatus.RECEIVED


def test_an_ask_that_was_not_handed_over_stays_as_it_is() -> None:
    table = Table(settings())
    table.hold_hands = True
    table.start()
    table.hand_over(0)
    step = table.stall(900)
    assert [ask.seat for ask in step.asks] == [0]
    assert [table.ask(seat).id for seat in range(4)] == [2, 1, 1, 1]


def test_without_a_clock_nothing_is_asked_anew() -> None:
    table = Table(settings(clock=None)).start()
    step = table.stall(900)
    assert (step.asks, step.cancelled) == ([], [])
    assert isinstance(table.facts[-1], Stalled)
    assert table.replays() == []


def test_what_was_due_before_the_block_happens_first() -> None:
    table = Table(settings()).start()
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    table.now = BASE + BANK
    table.stall(900)
    assert table.strikes() == [(0, "late")]


def test_corrections_are_counted_anew() -> None:
    table = Table(settings()).start()
    for _ in range(2):
        table.answer(0, PASS)
    table.stall(900)
    table.answer(0, PASS)
    assert table.refused[-1].resends_left == 2


# --- windows


@PACES
def test_a_window_begins_anew_when_the_new_asks_were_handed_over(pace: Pace) -> None:
    table = window(pace)
    table.hold_hands = True
    table.now += 30 * MS
    table.stall(900)
    assert table.landings() == [], "the block is no time of the window"
    waiting = sorted(set(table.unhanded))
    assert waiting == ([0, 1, 2, 3] if pace is Pace.FAIR else [1, 2, 3])
    table.hand_over(*waiting[:-1])
    table.now += 10 * MS
    table.hand_over(waiting[-1])
    opened = table.now
    assert table.machine.due == opened + 50 * MS
    table.now = opened + 50 * MS - 1
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.hold_hands = False
    table.wait_until_due()
    assert table.landings() == [2]
    (closed,) = [fact for fact in table.facts if isinstance(fact, WindowClosed)]
    assert closed.opened == opened
    assert table.replays() == []


@PACES
def test_a_bomb_that_was_thrown_before_the_block_stands(pace: Pace) -> None:
    table = window(pace)
    table.answer(3, NINES, kind=AskKind.BOMB)
    table.stall(900)
    assert 3 not in table.asked(AskKind.BOMB)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.landings() == [3]
    assert table.replays() == []


@PACES
def test_a_provisional_answer_from_before_the_block_waits_for_the_new_close(pace: Pace) -> None:
    table = window(pace)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.now += 20 * MS
    table.stall(900)
    assert table.asked(AskKind.ACT) == []
    again = table.now
    for seat in table.asked(AskKind.BOMB):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        assert table.machine.due == again + 50 * MS
        table.wait_until_due()
    assert table.statuses(turn)[-1] is AckStatus.APPLIED
    assert table.replays() == []


def test_a_window_in_which_all_have_answered_goes_on() -> None:
    table = window(Pace.FAIR)
    table.answer(1, PASS, kind=AskKind.ACT)
    for seat in table.asked(AskKind.BOMB):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)
    closes = table.machine.due
    step = table.stall(900)
    assert (step.asks, step.due) == ([], closes)


def test_in_fair_the_grid_begins_with_the_new_ask() -> None:
    table = at(settings(pace=Pace.FAIR), *HANDS)
    table.now += 120 * MS
    table.hold_hands = True
    table.stall(900)
    table.hand_over(0)
    asked = table.now
    table.now += 60 * MS
    table.answer(0, playing("Kj"))
    assert table.machine.due == asked + 100 * MS


def test_an_ask_whose_window_is_over_is_no_longer_provisional() -> None:
    table = window(Pace.FAIR)
    assert table.ask(1, AskKind.ACT).provisional
    table.stall(900)
    assert table.ask(1, AskKind.ACT).provisional
    table.wait_until_due()
    table.stall(900)
    assert not table.ask(1, AskKind.ACT).provisional
    table.act(1, PASS)
    assert table.replays() == []


def test_the_gift_of_a_dragon_is_asked_anew_beside_its_window() -> None:
    table = at(settings(pace=Pace.FAIR), "Dr 3j 4j 5s 6s", "3s 4p", "3p 4r", "3r 4s")
    table.act(0, playing("Dr"))
    pass_round(table)
    table.stall(900)
    assert table.asked(AskKind.CHOOSE_SEAT) == [0]
    assert table.asked(AskKind.BOMB) == [0]
    table.default(table.ask(0, AskKind.CHOOSE_SEAT))
    table.wait_until_due()
    assert "DragonGiven" in table.told()
    assert table.replays() == []


# --- what was chosen or called before the block stands


def exchange() -> Table:
    hands = ("2j 3j 4j 5j", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")
    rules = RuleOptions(rounds=1)
    return at(settings(rules=rules), *hands, lead=None, phase=Phase.EXCHANGE)


def give(seat: int, text: str, *, tichu: bool = False) -> ExchangeDecision:
    named = [cards(card)[0] for card in text.split()]
    return ExchangeDecision(
        gifts=tuple(((seat + 1 + i) % 4, (card,)) for i, card in enumerate(named)), tichu=tichu
    )


def test_an_exchange_goes_on_with_the_choices_and_calls_that_were_made() -> None:
    table = exchange()
    table.answer(0, give(0, "2j 3j 4j", tichu=True))
    table.call(1)
    table.stall(900)
    assert table.asked(AskKind.EXCHANGE) == [1, 2, 3]
    assert [table.ask(seat).may_call_tichu for seat in (1, 2, 3)] == [False, True, True]
    for seat, text in ((1, "2s 3s 4s"), (2, "2p 3p 4p"), (3, "2r 3r 4r")):
        table.answer(seat, give(seat, text))
    assert [table.public.calls[seat] for seat in range(2)] == [CallKind.TICHU] * 2
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]
    again = table.ask(2)
    table.stall(900)
    assert table.ask(2).standing == again.standing
    assert (table.ask(2).base_ns, table.ask(2).bank_ns) == (500 * MS, None)
    assert table.replays() == []

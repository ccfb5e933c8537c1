"""Windows, barriers and held answers when the referee is started again (DESIGN 3, PROTOCOL 4)."""

import pytest

from referee.match.facts import (
    CallAsked,
    Passed,
    Released,
    encode_fact,
)
from referee.match.inputs import (
    Answer,
    CallRequest,
    Decision,
    ExchangeDecision,
    Handed,
    StandDownRequest,
)
from referee.match.values import MS, AckStatus, AskKind, Pace
from referee.match.window import HANDING, OPEN
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, cards, playing
from tests.simulation.rebuilt import rebuilt
from tests.simulation.table import Table, settings
from tests.unit.match.killed import (
    ALL,
    BANK,
    BASE,
    EIGHTS,
    NINES,
    NO_GRAND,
    PACES,
    WINDOW,
    outage,
    resume,
    waiting,
    window,
)


@PACES
def test_a_window_begins_anew_with_the_last_hand_over(pace: Pace) -> None:
    table = window(pace)
    table.now += 40 * MS
    table.answer(3, DECLINE)
    again = waiting(table)
    again.hand_over(0, 1, 2)
    assert again.machine._state.window.state is OPEN, "seat 3 has answered"
    again = waiting(table)
    again.hand_over(0, 1, 3)
    assert again.machine._state.window.state is HANDING
    again.now += 9 * MS
    again.hand_over(2)
    assert again.machine.due == again.now + WINDOW
    again.wait_until_due()
    assert again.landings() == [None]
    assert again.replays() == []


@PACES
def test_clocks_grid_and_window_that_run_run_no_more(pace: Pace) -> None:
    """By what the replay knows they seldom do; this machine was told of every hand-over."""
    table = window(pace)
    table.machine.step(Answer(Seat(1), table.ask(1).id, PASS), table.now + 10 * MS)
    assert table.machine.due == table.now + WINDOW
    resume(table.machine, table.now + 10 * MS)
    table.machine.check()
    assert table.machine.due == table.wall
    assert table.machine.hand_over(ALL, table.now + 30 * MS) == table.now + 30 * MS + WINDOW


def test_fair_a_window_that_the_record_seems_to_know_begins_anew_too() -> None:
    """Of all its asks an answer is on record, and seat 3 stands down with the last of them."""
    table = window()
    table.answer(1, NO_GRAND)
    for seat in (0, 2):
        table.answer(seat, DECLINE)
    table.stand_down(3)
    assert rebuilt(table).machine.due == table.now + WINDOW
    again = waiting(table)
    assert again.machine.due == again.wall
    again.now += 30 * MS
    again.hand_over(*ALL)
    assert again.machine.due == again.now + WINDOW
    assert again.replays() == []


@pytest.mark.parametrize("answers", [[PASS], [NO_GRAND] * 3], ids=["passed", "substitute"])
def test_fair_a_window_in_which_all_have_answered_begins_anew_too(answers: list[Decision]) -> None:
    """No frame holds an ask; the hand-over of all seats opens it, by either door."""
    table = window()
    for seat in (0, 2, 3):
        table.answer(seat, DECLINE)
    ask = table.ask(1)
    for answer in answers:
        table.answer_ask(ask, answer)
    again = waiting(table)
    assert again.asked() == []
    assert again.machine.due == again.wall
    other = waiting(table).machine
    other.step(Handed(seats=ALL), again.now)
    assert other.due == again.now + WINDOW
    again.now += 30 * MS
    again.machine.hand_over(ALL, again.now)
    assert again.machine.due == again.now + WINDOW
    again.wait_until_due()
    assert again.landings() == [None]
    assert isinstance(again.facts[-1], Passed), "at the instant of the close"
    assert again.replays() == []


@PACES
def test_a_bomb_that_was_thrown_before_lands(pace: Pace) -> None:
    table = window(pace)
    table.answer(3, NINES)
    again = outage(table)
    again.answer(2, EIGHTS, kind=AskKind.BOMB)
    while not again.landings():
        again.wait_until_due()
    assert again.landings() == [3]
    assert again.replays() == []


def test_a_bomb_at_the_new_closing_instant_is_too_late() -> None:
    again = outage(window())
    ask = again.ask(3, AskKind.BOMB)
    again.now += WINDOW
    assert again.answer_ask(ask, NINES).status is AckStatus.TOO_LATE
    assert again.landings() == [None]


def test_fair_an_answer_that_waits_takes_effect_a_window_after_the_hand_over() -> None:
    """PROTOCOL 4: at asked + k x window, of the new hand-over; charged by its old stamp."""
    table = window()
    table.now += BASE + 10 * MS
    table.answer(1, PASS)
    assert table.landings() == [None]
    again = waiting(table)
    assert again.machine.due == again.wall
    again.now += 700 * MS
    again.hand_over(*ALL)
    handed = again.now
    assert again.machine.due == handed + WINDOW
    again.wait_until_due()
    (fact,) = [f for f in again.facts if isinstance(f, Released) and f.seat == 1]
    assert (fact.at, fact.asked) == (handed + WINDOW, handed)
    assert (fact.charged, again.bank(1)) == (10 * MS, BANK - 10 * MS)
    assert again.replays() == []


def test_fast_a_forced_pass_waits_for_the_new_window() -> None:
    """Seat 1 has no legal play and is passed for at the close (PROTOCOL 4, pace fast)."""
    table = at(settings(), "3j 4s Aj Kj", "3s 4p 5s 6p", "8j 8s 8p 8r 2s", "2p 2r 5p 7s")
    table.answer(0, playing("Aj"))
    assert table.asked() == [2], "only the bomb"
    again = waiting(table)
    assert again.machine.due == again.wall
    again.hand_over(*ALL)
    assert again.machine.due == again.now + WINDOW
    again.answer(2, DECLINE)
    assert [f.seat for f in again.facts if isinstance(f, Passed)] == [1]
    assert again.replays() == []


@PACES
def test_without_a_clock_the_asks_and_the_window_are_handed_over_anew(pace: Pace) -> None:
    table = window(what=settings(pace=pace, clock=None))
    again = waiting(table)
    assert again.machine.due is None
    again.hand_over(*ALL)
    assert again.machine.due == (again.now + WINDOW if pace is Pace.FAIR else None)
    assert again.replays() == []


def test_in_a_closing_trick_bomb_asks_and_the_next_lead_are_open_again() -> None:
    """All have passed on the king of seat 0, who leads next unless he is bombed."""
    table = window()
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    assert table.public.phase is Phase.CLOSING
    again = outage(table)
    assert again.public.phase is Phase.CLOSING
    assert again.ask(0, AskKind.ACT).provisional
    assert again.machine.due == again.now + WINDOW
    again.answer(0, playing("3j"), kind=AskKind.ACT)
    again.answer(3, NINES)
    again.wait_until_due()
    assert again.landings()[-1] == 3
    assert again.replays() == []


# --- barriers


def give(seat: int, text: str, *, tichu: bool = False) -> ExchangeDecision:
    gifts = tuple(((seat + 1 + place) % 4, cards(card)) for place, card in enumerate(text.split()))
    return ExchangeDecision(gifts=gifts, tichu=tichu)


def exchange() -> Table:
    hands = ("2j 3j 4j 5j Mj", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")
    return at(settings(), *hands, lead=None, phase=Phase.EXCHANGE)


def test_a_second_asking_has_half_the_base_time_again_and_no_bank() -> None:
    """PROTOCOL 3: after the call of seat 0 all others choose anew, their old choice standing."""
    table = exchange()
    table.answer(0, give(0, "2j 3j 4j", tichu=True))
    for seat, text in ((1, "2s 3s 4s"), (2, "2p 3p 4p"), (3, "2r 3r 4r")):
        table.answer(seat, give(seat, text))
    before = table.ask(2)
    again = outage(table)
    assert again.asked() == [1, 2, 3]
    ask = again.ask(2)
    assert (ask.id, ask.standing, ask.base_ns, ask.bank_ns) == (
        before.id,
        before.standing,
        BASE // 2,
        None,
    )
    assert again.machine.due == again.now + BASE // 2
    again.wait_until_due()
    assert (again.told()[-1], again.strikes()) == ("CardsExchanged", [])
    assert again.replays() == []


def test_a_call_that_waits_for_the_exchange_is_published_and_acknowledged_by_its_number() -> None:
    table = exchange()
    table.step(CallRequest(seat=Seat(3), call=CallKind.TICHU, request_id=41))
    assert table.facts[-1] == CallAsked(
        at=0, seat=Seat(3), call=CallKind.TICHU, status=AckStatus.RECEIVED, request=41
    )
    again = outage(table)
    for seat, text in enumerate(("2j 3j 4j", "2s 3s 4s", "2p 3p 4p", "2r 3r 4r")):
        again.answer(seat, give(seat, text))
    told = [(a.seat, a.status) for a in again.acks if a.request_id == 41]
    assert told == [(3, AckStatus.RECEIVED), (3, AckStatus.APPLIED)]
    assert again.replays() == []


def test_the_number_of_a_call_that_is_settled_at_once_is_not_kept() -> None:
    table = window()
    table.step(CallRequest(seat=Seat(3), call=CallKind.TICHU, request_id=41))
    table.step(StandDownRequest(seat=Seat(3), request_id=42))
    (call,) = [fact for fact in table.facts if isinstance(fact, CallAsked)]
    assert (call.status, call.request) == (AckStatus.APPLIED, 0)
    assert b"request" not in encode_fact(call) + encode_fact(table.facts[-1])

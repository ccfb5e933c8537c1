"""Pace fast: windows close as soon as nobody can bomb; what is said stays the same (PROTOCOL 4)."""

import pytest

from referee.match.facts import Passed, WindowClosed
from referee.match.inputs import DefaultDecision
from referee.match.values import MS, AckStatus, AskKind, CancelReason, Pace
from referee.rules.phases import CallKind, Phase
from tests.simulation.positions import DECLINE, PASS, at, bombing, pass_round, playing
from tests.simulation.table import SHORT_CLOCK, Table, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r Aj", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
PLAIN = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r As", "3r 4j 5r 6j Ap")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")


def window(*hands: str, clock: bool = True, window_ms: int = 50) -> Table:
    """A king lies on the table; seats 2 and 3 hold bombs, seat 1 is on turn."""
    chosen = SHORT_CLOCK if clock else None
    table = at(settings(clock=chosen, window_ms=window_ms), *(hands or BOMBERS))
    table.act(0, playing("Kj"))
    return table


def test_the_window_closes_when_all_asked_have_answered() -> None:
    table = window()
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.answer(3, DECLINE, kind=AskKind.BOMB)
    assert table.statuses(turn) == [AckStatus.RECEIVED]
    table.answer(2, DECLINE, kind=AskKind.BOMB)
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert table.now == 0


def test_the_window_closes_at_its_end_when_somebody_is_silent() -> None:
    table = window()
    turn, opened = table.ask(1, AskKind.ACT), table.now
    table.answer_ask(turn, PASS)
    table.answer(3, DECLINE, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.now == opened + 50 * MS
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_without_a_clock_only_answers_close_the_window() -> None:
    table = window(clock=False)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.wait(1_000_000)
    assert table.statuses(turn) == [AckStatus.RECEIVED]
    for seat in (2, 3):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_the_window_closes_at_once_when_nobody_holds_a_bomb() -> None:
    table = window(*PLAIN)
    turn = table.ask(1)
    table.answer_ask(turn, playing("Aj"))
    assert table.now == 0
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert not any(isinstance(fact, WindowClosed) for fact in table.facts)


def test_after_the_close_the_seat_on_turn_goes_on_thinking_and_then_acts_at_once() -> None:
    table = window()
    turn = table.ask(1, AskKind.ACT)
    table.wait(60)
    assert table.landings() == [None]
    table.answer_ask(turn, playing("Aj"))
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]


@pytest.mark.parametrize("pace", Pace)
def test_the_acknowledgements_are_the_same_in_both_paces(pace: Pace) -> None:
    """Provisional or not, an act is RECEIVED and then APPLIED."""
    table = at(settings(pace=pace), "3j 4s 5j 6s Kj", "3s 4p Aj", "3p 4r", "3r 4j")
    lead = table.ask(0)
    table.act(0, playing("Kj"))
    follow = table.ask(1)
    table.act(1, playing("Aj"))
    assert [lead.provisional, follow.provisional] == [False, True]
    for ask in (lead, follow):
        assert table.statuses(ask) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_no_message_tells_whether_somebody_holds_a_bomb() -> None:
    """The seat on turn is told the same over a bomb as over none; only time differs."""
    told = []
    for hand in (BOMBERS[2], PLAIN[2]):
        table = window(PLAIN[0], PLAIN[1], hand, PLAIN[3])
        turn = table.ask(1, AskKind.ACT)
        table.answer_ask(turn, playing("Aj"))
        for seat in table.asked(AskKind.BOMB):
            table.answer(seat, DECLINE, kind=AskKind.BOMB)
        asks = [(a.id, a.kind, a.provisional) for a in table.asks if a.seat == 1][:1]
        told.append((asks, table.statuses(turn), table.told()[:3]))
    assert told[0] == told[1]


# --- forced passes


def test_a_seat_without_a_legal_play_is_not_asked_and_the_referee_passes_for_it() -> None:
    """A fact like a pass, and an event like any other."""
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p 2j", *PLAIN[2:])
    passed = [fact for fact in table.facts if isinstance(fact, Passed)]
    assert [(fact.seat, fact.forced) for fact in passed] == [(1, True)]
    assert table.asked(AskKind.ACT) == [2]
    assert table.told()[-1] == "Passed"


def test_a_forced_pass_waits_for_the_close_of_the_window() -> None:
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p 2j", BOMBERS[2], PLAIN[3])
    assert table.asked() == [2]
    assert "Passed" not in table.told()
    table.answer(2, DECLINE, kind=AskKind.BOMB)
    assert table.told()[-1] == "Passed"
    assert table.ask(2, AskKind.ACT).provisional


def test_a_bomb_voids_a_forced_pass() -> None:
    table = window("3j 4s 5j Ks Kj", "3s 4p 5s 6p 2j", BOMBERS[2], PLAIN[3])
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    assert table.told()[1:3] == ["PlayedEvent", "PlayedEvent"], "no pass between them"
    assert table.landings() == [2]
    assert table.replays() == []


def test_all_may_be_passed_for_until_the_trick_is_the_owners_again() -> None:
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p", "3p 4r 5p 6r", "3r 4j 5r 6j")
    assert table.told()[-3:] == ["Passed"] * 3
    assert table.public.phase is Phase.CLOSING
    assert table.ask(0, AskKind.ACT).provisional, "the lead, before the trick is collected"


def test_a_seat_that_only_holds_a_bomb_is_asked_to_act() -> None:
    table = window(PLAIN[0], "7j 7s 7p 7r 2j", *PLAIN[2:])
    assert [play.is_bomb for play in table.ask(1, AskKind.ACT).plays] == [True]


def test_a_bound_seat_without_any_other_play_is_asked_since_it_may_not_pass() -> None:
    table = at(settings(), "3j 4s 5j 6s Qj", "3s 4p 5s Kp", *PLAIN[2:], wish=13)
    table.act(0, playing("Qj"))
    turn = table.ask(1, AskKind.ACT)
    assert (turn.may_pass, len(turn.plays)) == (False, 1)


# --- landing


def test_a_bomb_lands_once_all_asked_have_answered() -> None:
    table = window("3j 4s 5j Ks Kj", *BOMBERS[1:])
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    assert table.landings() == []
    table.answer(3, NINES, kind=AskKind.BOMB)
    assert table.landings() == [3]
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]
    assert table.cancelled[0].reason is CancelReason.BOMBED


def test_in_a_window_that_ran_out_the_bombs_that_came_count() -> None:
    table = window()
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.landings()[0] == 2
    assert table.replays() == []


def test_a_window_that_ran_out_lets_a_waiting_forced_pass_go() -> None:
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p 2j", BOMBERS[2], PLAIN[3])
    table.wait_until_due()
    assert table.told()[-1] == "Passed"
    assert table.replays() == []


def test_in_closing_the_lead_waits_for_the_last_decline() -> None:
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p", BOMBERS[2], "3r 4j 5r 6j")
    pass_round(table)
    lead = table.ask(0, AskKind.ACT)
    table.answer_ask(lead, playing("3j"))
    assert table.told()[-1] == "Passed"
    table.answer(2, DECLINE, kind=AskKind.BOMB)
    assert "TrickTaken" in table.told()
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_call_in_an_open_window_counts_at_its_stamp() -> None:
    table = window()
    assert table.call(2) is AckStatus.APPLIED
    assert table.public.calls[2] is CallKind.TICHU
    assert table.told()[-1] == "CallMade"


def test_the_default_answer_of_the_seat_on_turn_waits_for_the_close_too() -> None:
    table = window()
    turn = table.ask(1, AskKind.ACT)
    assert table.answer_ask(turn, DefaultDecision()).status is AckStatus.RECEIVED
    pass_round(table)
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert table.strikes() == []

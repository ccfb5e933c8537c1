"""Answers to bomb asks: the interval, repeats, refusals, silence (PROTOCOL 4)."""

import random

import pytest

from referee.match.facts import Answered
from referee.match.inputs import Answer, BombDecision, DefaultDecision, MalformedDecision
from referee.match.step import Ack, Ask
from referee.match.values import MS, AckStatus, AskKind, Ending, Pace
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, bombing, cards, decline_bets, playing
from tests.simulation.table import Table, random_policy, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")
WINDOW = 50 * MS


def window(pace: Pace = Pace.FAIR, *, hold_hands: bool = False) -> Table:
    """A king lies on the table, seat 1 is on turn, seats 0, 2 and 3 are asked."""
    table = at(settings(pace=pace), *BOMBERS)
    table.act(0, playing("Kj"))
    if hold_hands:
        table.hold_hands = True
    return table


def bomb_ask(table: Table, seat: int) -> Ask:
    return table.ask(seat, AskKind.BOMB)


def bomber(table: Table) -> int | None:
    """Who landed in the last window that closed."""
    return table.landings()[-1]


# --- the interval


def test_a_bomb_one_nanosecond_before_the_closing_instant_competes() -> None:
    table = window()
    ask, opened = bomb_ask(table, 2), table.now
    table.now = opened + WINDOW - 1
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert (table.now, bomber(table)) == (opened + WINDOW, 2)


def test_a_bomb_at_the_closing_instant_is_too_late() -> None:
    """The interval is half-open: [opened, opened + window)."""
    table = window()
    ask, opened = bomb_ask(table, 2), table.now
    table.now = opened + WINDOW
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.TOO_LATE
    assert bomber(table) is None


@pytest.mark.parametrize("pace", Pace)
def test_an_answer_after_the_close_is_too_late_and_no_fault(pace: Pace) -> None:
    table = window(pace)
    ask = bomb_ask(table, 2)
    table.wait(60)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.TOO_LATE
    assert table.answer_ask(ask, DECLINE).status is AckStatus.TOO_LATE
    assert table.strikes() == []
    assert table.refused == []


def test_the_interval_begins_when_the_last_ask_was_handed_over() -> None:
    table = at(settings(pace=Pace.FAIR), *BOMBERS)
    table.answer(0, playing("Kj"))
    table.hold_hands = True
    table.wait_until_due()
    asked = table.now
    table.hand_over(0, 1, 2)
    table.now += 7 * MS
    table.hand_over(3)
    assert table.machine.due == asked + 7 * MS + WINDOW


def test_an_answer_that_comes_before_all_asks_were_handed_over_counts() -> None:
    table = at(settings(pace=Pace.FAIR), *BOMBERS)
    table.answer(0, playing("Kj"))
    table.hold_hands = True
    table.wait_until_due()
    table.hand_over(2)
    assert table.answer(2, EIGHTS, kind=AskKind.BOMB).status is AckStatus.RECEIVED
    table.now += 3 * MS
    table.hand_over(0, 1, 3)
    table.hold_hands = False
    table.wait_until_due()
    assert bomber(table) == 2
    assert table.replays() == []


def test_the_window_is_over_in_the_step_before_an_input_of_the_closing_instant() -> None:
    """The outcome depends on stamps, never on when the loop got round to the timer."""
    table = window()
    turn = table.ask(1)
    table.now += WINDOW
    table.answer_ask(turn, playing("7j 7s 7p 7r"))
    table.wait_until_due()
    assert bomber(table) is None
    assert table.told()[-1] == "PlayedEvent"


# --- once and final


def test_a_window_answer_repeated_is_a_duplicate() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.RECEIVED
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.DUPLICATE
    other = bomb_ask(table, 3)
    assert table.answer_ask(other, DECLINE).status is AckStatus.RECEIVED
    assert table.answer_ask(other, DECLINE).status is AckStatus.DUPLICATE


def test_a_different_second_answer_is_stale_and_changes_nothing() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    table.answer_ask(ask, DECLINE)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.STALE
    table.wait_until_due()
    assert bomber(table) is None


def test_a_bomb_once_thrown_cannot_be_taken_back() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    table.answer_ask(ask, EIGHTS)
    assert table.answer_ask(ask, DECLINE).status is AckStatus.STALE
    table.wait_until_due()
    assert bomber(table) == 2


def test_a_repeat_after_the_close_is_still_a_duplicate() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    table.answer_ask(ask, EIGHTS)
    table.wait(60)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.DUPLICATE


@pytest.mark.parametrize("pace", Pace)
def test_a_bomb_answer_is_received_and_nothing_more_won_lost_or_declined(pace: Pace) -> None:
    table = window(pace)
    lost, won, declined = (bomb_ask(table, seat) for seat in (2, 3, 3))
    table.answer_ask(lost, EIGHTS)
    table.answer_ask(won, NINES)
    if pace is Pace.FAIR:
        table.answer(0, DECLINE, kind=AskKind.BOMB)
        table.wait_until_due()
    assert bomber(table) == 3
    for ask in (lost, won, declined):
        assert table.statuses(ask) == [AckStatus.RECEIVED]


# --- asks that were never there


def test_an_answer_to_an_ask_that_was_never_put_is_refused_with_not_your_ask() -> None:
    table = window()
    ack = table.answer_ask(Ask(seat=Seat(1), to=Seat(1), id=99, kind=AskKind.ACT), PASS)
    assert ack.status is AckStatus.REFUSED
    assert (table.refused[-1].code, table.refused[-1].ask_id) == ("NOT_YOUR_ASK", 99)


def test_a_bomb_that_names_no_ask_of_its_seat_is_refused_with_window_closed() -> None:
    table = window()
    table.answer_ask(
        Ask(seat=Seat(1), to=Seat(1), id=99, kind=AskKind.BOMB), bombing("7j 7s 7p 7r")
    )
    assert table.refused[-1].code == "WINDOW_CLOSED"
    assert "99" in table.refused[-1].text


def test_a_bomb_that_names_an_ask_about_something_else_is_refused_with_window_closed() -> None:
    table = at(settings(pace=Pace.FAIR), "Dr 3j", "3s 4p", "8j 8s 8p 8r 2s", "9j 9s")
    table.act(0, playing("Dr"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    gift = table.ask(0, AskKind.CHOOSE_SEAT)
    assert table.answer_ask(gift, EIGHTS).status is AckStatus.REFUSED
    assert table.refused[-1].code == "WINDOW_CLOSED"


def test_a_refusal_of_an_unknown_ask_is_no_strike() -> None:
    table = window()
    for _ in range(5):
        table.answer_ask(Ask(seat=Seat(1), to=Seat(1), id=99, kind=AskKind.ACT), PASS)
    assert table.strikes() == []
    assert table.ask(1).refusals == 0


def test_a_turn_answer_cannot_answer_a_bomb_ask() -> None:
    table = window()
    assert table.answer_ask(bomb_ask(table, 2), PASS).status is AckStatus.REFUSED
    assert table.refused[-1].code == "MALFORMED"
    assert table.refused[-1].text.startswith("decision:")


# --- illegal bombs


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("7j 7s 7p 7r", "CARDS_NOT_HELD"),
        ("8j 8s 8p 2s", "NOT_A_COMBINATION"),
        ("8j 8s", "NOT_YOUR_TURN"),
        ("2s", "NOT_YOUR_TURN"),
    ],
)
def test_an_illegal_bomb_is_refused_from_the_hand_and_the_table(text: str, code: str) -> None:
    table = window()
    ack = table.answer(2, bombing(text), kind=AskKind.BOMB)
    assert ack.status is AckStatus.REFUSED
    assert (table.refused[-1].code, table.refused[-1].resends_left) == (code, 2)


def test_a_bomb_too_low_for_a_bomb_on_the_table_is_refused() -> None:
    table = at(settings(pace=Pace.FAIR), "9j 9s 9p 9r 3s", "Aj 4p", "8j 8s 8p 8r 2s", "3j 4j")
    table.act(0, playing("9j 9s 9p 9r"))
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    assert table.refused[-1].code == "TOO_LOW"


def test_a_refusal_tells_nothing_of_other_attempts() -> None:
    """The stronger bomb of seat 3 lies in the window already; seat 2 is not told so."""
    table = window()
    table.answer(3, NINES, kind=AskKind.BOMB)
    assert table.answer(2, EIGHTS, kind=AskKind.BOMB).status is AckStatus.RECEIVED


def test_an_illegal_bomb_may_be_corrected_until_the_close() -> None:
    table = window()
    table.answer(2, bombing("8j 8s"), kind=AskKind.BOMB)
    table.answer(2, BombDecision(index=3), kind=AskKind.BOMB)
    assert table.refused[-1].code == "MALFORMED"
    assert table.answer(2, EIGHTS, kind=AskKind.BOMB).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert bomber(table) == 2
    assert table.strikes() == []


def test_a_third_illegal_bomb_is_a_decline_and_a_strike() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    for left in (2, 1, 0):
        table.answer_ask(ask, bombing("8j 8s"))
        assert table.refused[-1].resends_left == left
    assert table.strikes() == [(2, "NOT_YOUR_TURN")]
    assert [(c.seat, c.reason.value) for c in table.cancelled] == [(2, "substituted")]
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.STALE
    table.wait_until_due()
    assert bomber(table) is None


def test_in_fast_a_third_illegal_bomb_closes_the_window_like_a_decline() -> None:
    table = at(settings(), *BOMBERS[:3], "3s 4p 2p 9j 9s")
    table.answer(0, playing("Kj"))
    for _ in range(3):
        table.answer(2, MalformedDecision(text="bomb.choice: empty"), kind=AskKind.BOMB)
    assert table.asked(AskKind.BOMB) == []
    assert bomber(table) is None


@pytest.mark.parametrize("pace", Pace)
def test_silence_is_a_decline_without_fault_or_charge(pace: Pace) -> None:
    table = window(pace)
    table.wait(200)
    assert table.asked(AskKind.BOMB) == []
    assert bomber(table) is None
    assert table.strikes() == []
    assert {table.bank(seat) for seat in range(4)} == {5000 * MS}


def test_the_default_answer_to_a_bomb_ask_is_a_decline() -> None:
    table = window()
    assert table.answer(2, DefaultDecision(), kind=AskKind.BOMB).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert bomber(table) is None


def test_a_bomb_may_be_named_by_index_or_by_cards() -> None:
    for decision in (BombDecision(index=0), BombDecision(cards=cards("8r 8p 8s 8j"))):
        table = window()
        table.answer(2, decision, kind=AskKind.BOMB)
        table.wait_until_due()
        assert bomber(table) == 2


def test_strikes_in_windows_lead_to_a_forfeit_like_others() -> None:
    table = at(settings(pace=Pace.FAIR, max_strikes=0), *BOMBERS)
    table.act(0, playing("Kj"))
    for _ in range(3):
        table.answer(3, bombing("8j 8s"), kind=AskKind.BOMB)
    assert (table.ended.ending, table.ended.seat) == (Ending.FORFEIT_ILLEGAL, 3)


def test_every_answer_is_acknowledged_and_recorded() -> None:
    table = window()
    ask = bomb_ask(table, 2)
    before = len(table.facts)
    for decision in (bombing("8j 8s"), DECLINE, DECLINE, EIGHTS):
        table.answer_ask(ask, decision)
    recorded = [f.status for f in table.facts[before:] if isinstance(f, Answered)]
    assert recorded == [
        AckStatus.REFUSED,
        AckStatus.RECEIVED,
        AckStatus.DUPLICATE,
        AckStatus.STALE,
    ]
    assert table.statuses(ask) == recorded


def test_a_seat_is_told_nothing_of_the_answers_of_others() -> None:
    table = window()
    before = len(table.events)
    step = table.step(Answer(Seat(2), bomb_ask(table, 2).id, EIGHTS))
    assert (len(table.events), step.asks, step.cancelled) == (before, [], [])
    assert {ack.seat for ack in step.acks} == {2}
    assert all(isinstance(ack, Ack) for ack in step.acks)


def test_an_answer_to_a_long_forgotten_ask_is_stale() -> None:
    """Only the last closed asks of a seat are remembered; older ones cannot matter any more."""
    table = Table(settings(rules=RuleOptions(rounds=2)), seed="long").start()
    first = table.ask(0)
    policy = random_policy(random.Random(5))
    table.answer_ask(first, DefaultDecision())
    decline_bets(table)
    while table.machine._state.asks.closed(Seat(0), first.id):
        for seat in table.asked():
            for ask in table.machine.open_asks(seat):
                table.answer_ask(ask, policy(table, ask))
    assert table.answer_ask(first, DefaultDecision()).status is AckStatus.STALE

"""Pace fair: what a seat can time does not depend on who holds a bomb (PROTOCOL 4)."""

import pytest

from referee.match.facts import Released, WindowClosed
from referee.match.inputs import Decision, PassDecision, PlayDecision, SeatDecision
from referee.match.step import Ask, Step
from referee.match.values import MS, AckStatus, AskKind, Pace
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from tests.simulation.positions import DECLINE, PASS, at, bombing, pass_round, playing, through_deal
from tests.simulation.table import Table, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
PLAIN = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r 2s", "3r 4j 5r 6j 2p")
W = 50 * MS
EIGHTS = bombing("8j 8s 8p 8r")


def fair(*hands: str, rules: RuleOptions | None = None) -> Table:
    return at(settings(pace=Pace.FAIR, rules=rules), *(hands or BOMBERS))


def window(*hands: str) -> Table:
    table = fair(*hands)
    table.act(0, playing("Kj"))
    return table


def seen_by(table: Table, seat: int) -> list[object]:
    """Everything that a seat was told: asks (without its own bombs), events by number."""
    asks = [
        (a.id, a.kind, a.provisional, a.may_pass, a.leading, a.window_ns, a.sent)
        for a in table.asks
        if a.seat == seat
    ]
    return [*asks, *[type(event).__name__ for event in table.events]]


# --- who is asked, and when


def test_two_deals_that_differ_in_hidden_bombs_put_the_same_asks_at_the_same_times() -> None:
    """Seat 2 holds four eights in one and none in the other; nobody else can tell."""
    told = []
    for hands in (
        (*PLAIN[:2], "8j 8s 8p 8r 2s", PLAIN[3]),
        (*PLAIN[:2], "8j 9s Tp Qr 2s", PLAIN[3]),
    ):
        table = window(*hands)
        table.answer(2, DECLINE, kind=AskKind.BOMB)
        table.wait(20)
        table.act(1, playing("Aj"))
        pass_round(table)
        table.act(1, playing("3s"))
        told.append([seen_by(table, seat) for seat in (0, 1, 3)])
    assert told[0] == told[1]


def test_a_fast_decline_and_silence_close_the_window_at_the_same_instant() -> None:
    closes = []
    for quick in (True, False):
        table = window()
        table.answer(1, PASS, kind=AskKind.ACT)
        if quick:
            for seat in (0, 2, 3):
                table.answer(seat, DECLINE, kind=AskKind.BOMB)
        closes.append(table.machine.due)
    assert closes[0] == closes[1]


def test_whether_all_stood_down_cannot_be_timed() -> None:
    dues = []
    for down in ((), (0, 2, 3)):
        table = fair()
        for seat in down:
            table.stand_down(seat)
        table.act(0, playing("Kj"))
        asked = table.now
        table.answer(1, PASS, kind=AskKind.ACT)
        dues.append((table.machine.due or 0) - asked)
    assert dues == [W, W]


# --- the grid


@pytest.mark.parametrize(
    ("stamp", "effect"),
    [(0, W), (1, W), (W - 1, W), (W, 2 * W), (W + 1, 2 * W), (3 * W - 1, 3 * W), (3 * W, 4 * W)],
)
def test_an_act_takes_effect_at_asked_plus_whole_windows(stamp: int, effect: int) -> None:
    """The smallest k >= 1 with the stamp before asked + k x window."""
    table = window()
    turn, asked = table.ask(1, AskKind.ACT), table.now
    table.now = asked + stamp
    assert table.answer_ask(turn, PASS).status is AckStatus.RECEIVED
    while table.statuses(turn)[-1] is AckStatus.RECEIVED:
        table.wait_until_due()
    assert table.now == asked + effect
    released = next(f for f in reversed(table.facts) if isinstance(f, Released))
    assert (released.at, released.asked) == (asked + effect, asked)


def test_the_first_lead_is_on_the_grid_of_its_own_ask() -> None:
    """No window is open; the grid begins when the lead was asked, not when bets were."""
    table = Table(settings(pace=Pace.FAIR)).start()
    table.now += 33 * MS
    through_deal(table)
    (leader,) = table.asked(AskKind.ACT)
    asked = table.now
    table.now += 10 * MS
    table.answer(leader, playing_first(table.ask(leader)))
    assert table.machine.due == asked + W


def playing_first(ask: Ask) -> Decision:
    return PlayDecision(index=len(ask.plays) - 1)


def test_the_lead_after_the_dog_is_on_the_grid() -> None:
    table = fair("Dg 4s 5j 6s Kj", *BOMBERS[1:])
    table.act(0, playing("Dg"))
    asked = table.now
    table.now += W + 1
    table.answer(2, playing("2s"))
    assert table.machine.due == asked + 2 * W


def test_an_act_among_hands_of_less_than_four_cards_is_on_the_grid() -> None:
    table = fair("3j 4s Kj", "3s 4p Aj", "3p 4r 5p", "3r 4j 5r")
    table.act(0, playing("Kj"))
    asked = table.now
    table.answer(1, playing("Aj"))
    assert table.machine.due == asked + W
    table.wait_until_due()
    assert table.told()[-1] == "PlayedEvent"


def test_the_gift_of_a_dragon_is_on_the_grid_with_and_without_a_window() -> None:
    for hands in (("Dr 3j 4s 5j", "3s 4p", "3p 4r", "3r 4j"), ("Dr 3j", "3s 4p", "3p 4r", "3r 4j")):
        table = fair(*hands)
        table.act(0, playing("Dr"))
        for seat in (1, 2, 3):
            table.act(seat, PASS)
        gift, asked = table.ask(0, AskKind.CHOOSE_SEAT), table.now
        table.now += 7 * MS
        assert table.answer_ask(gift, SeatDecision(seat=3)).status is AckStatus.RECEIVED
        assert table.machine.due == asked + W
        table.wait_until_due()
        assert "DragonGiven" in table.told()


def test_a_substitute_for_a_silent_seat_takes_effect_on_the_grid() -> None:
    table = window()
    asked = table.now
    table.now = asked + 6000 * MS  # base and bank are over
    table.wait(0)
    assert table.strikes() == [(1, "late")]
    assert table.machine.due == asked + 6000 * MS + W
    table.wait_until_due()
    assert table.told()[-1] == "Passed"


def test_a_substitute_for_illegal_answers_takes_effect_on_the_grid() -> None:
    table = window()
    turn, asked = table.ask(1, AskKind.ACT), table.now
    table.now += 12 * MS
    for _ in range(3):
        table.answer_ask(turn, playing("As"))
    assert table.strikes() == [(1, "CARDS_NOT_HELD")]
    assert table.machine.due == asked + W
    table.wait_until_due()
    assert (table.now, table.told()[-1]) == (asked + W, "Passed")
    assert table.replays() == []


def test_the_clock_charges_by_the_stamp_not_by_the_effect() -> None:
    table = window()
    turn, asked = table.ask(1, AskKind.ACT), table.now
    table.now = asked + 1000 * MS + 3  # three nanoseconds over the base
    table.answer_ask(turn, PASS)
    table.wait_until_due()
    applied = [a for a in table.acks if a.seat == 1][-1]
    assert (applied.used_ns, applied.charged_ns) == (1000 * MS + 3, 3)
    assert applied.bank_ns == table.bank(1) == 5000 * MS - 3


# --- silence on the wire


def quiet(step: Step) -> bool:
    """True if nothing was sent to anybody."""
    return not (step.events or step.asks or step.acks or step.cancelled or step.refused)


def test_at_a_close_where_nothing_lands_and_no_answer_is_due_nothing_is_sent() -> None:
    table = window()
    step = table.wait_until_due()
    assert quiet(step)
    assert [type(fact) for fact in step.facts] == [WindowClosed]


def test_a_closing_trick_is_not_collected_before_the_next_leader_has_answered() -> None:
    table = fair(*PLAIN)
    table.act(0, playing("Kj"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    assert quiet(table.wait_until_due())
    assert table.told()[-1] == "Passed"
    table.act(0, playing("3j"))
    assert table.told()[-2:] == ["TrickTaken", "PlayedEvent"]


def test_until_the_release_nobody_may_bomb() -> None:
    """The window is over, the seat on turn still thinks: a bomb is too late."""
    table = window()
    ask = table.ask(2, AskKind.BOMB)
    table.wait(60)
    table.answer(1, PASS, kind=AskKind.ACT)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.TOO_LATE
    table.wait_until_due()
    assert table.public.owner == 0


def test_between_opening_and_close_an_answer_is_told_to_its_own_seat_alone() -> None:
    table = window()
    events = len(table.events)
    for seat, decision, kind in (
        (2, EIGHTS, AskKind.BOMB),
        (1, PassDecision(tichu=True), AskKind.ACT),
        (3, DECLINE, AskKind.BOMB),
    ):
        before = len(table.acks)
        table.answer(seat, decision, kind=kind)
        assert {ack.seat for ack in table.acks[before:]} == {seat}
    assert (len(table.events), table.cancelled) == (events, [])


def test_calls_that_stand_alone_are_told_at_once_in_an_open_window() -> None:
    """They count at their stamp (PROTOCOL 2)."""
    table = window()
    assert table.call(3) is AckStatus.APPLIED
    assert table.told()[-1] == "CallMade"
    assert table.public.calls[3] is CallKind.TICHU


def test_what_follows_from_the_close_leaves_for_all_seats_in_one_step() -> None:
    table = window()
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    step = table.wait_until_due()
    assert [type(event).__name__ for event in step.events] == ["PlayedEvent"]
    assert {ask.seat for ask in step.asks} == {0, 1, 3}
    assert [cancelled.seat for cancelled in step.cancelled] == [1]


def test_an_act_without_a_window_is_received_and_then_applied_too() -> None:
    table = fair()
    lead = table.ask(0)
    table.act(0, playing("Kj"))
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_seat_without_a_legal_play_is_asked_like_any_other() -> None:
    table = window("3j 4s 5j 6s Kj", "3s 4p 5s 6p", *PLAIN[2:])
    turn = table.ask(1, AskKind.ACT)
    assert (turn.plays, turn.may_pass) == ([], True)


# --- asks that are answered before we hear that their frame went out


def unheard() -> Table:
    """The lead was handed over; from now on the test says what is."""
    table = fair()
    table.hold_hands = True
    return table


def test_an_answer_shows_that_its_ask_was_handed_over() -> None:
    """A bot may guess the number of its next ask; the match must not wait for news that is old."""
    table = unheard()
    table.answer(0, playing("Kj"))
    table.wait_until_due()
    table.hand_over(0, 2, 3)
    assert table.machine.due == table.wall, "the ask of seat 1 has not gone out"
    table.now += 4 * MS
    table.answer(1, PASS, kind=AskKind.ACT)
    assert table.machine.due == table.now + W
    table.wait_until_due()
    assert table.told()[-1] == "Passed"
    assert table.replays() == []


def test_a_third_illegal_answer_shows_that_its_ask_was_handed_over() -> None:
    table = fair(*BOMBERS)
    table = Table(table.config.settings, position=table.position)
    table.hold_hands = True
    table.start()
    table.now += 4 * MS
    for _ in range(3):
        table.answer(0, PASS)
    assert table.machine.due == table.now + W
    table.wait_until_due()
    assert table.told()[-1] == "PlayedEvent"
    assert table.replays() == []


def test_standing_down_shows_that_the_bomb_ask_was_handed_over() -> None:
    table = unheard()
    table.answer(0, playing("Kj"))
    table.wait_until_due()
    table.hand_over(0, 1, 3)
    assert table.machine._state.window.closes(W) is None
    table.stand_down(2)
    assert table.machine._state.window.closes(W) == table.now + W
    table.answer(3, bombing("9j 9s 9p 9r"), kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.landings() == [3]
    assert table.replays() == []


def test_news_of_frames_that_went_out_already_move_no_grid() -> None:
    table = window()
    asked = table.now
    table.now += 9 * MS
    table.hand_over(0, 1, 2, 3)
    table.answer(1, PASS, kind=AskKind.ACT)
    table.wait_until_due()
    assert (table.now, table.told()[-1]) == (asked + W, "Passed")

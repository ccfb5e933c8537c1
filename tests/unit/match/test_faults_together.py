"""Faults of one step or instant, whom they are blamed on, and what the match counts for.

PROTOCOL 5: both teams at fault in one step make the match void; a bot's fault scores the worst that
its team could still have got.
"""

from collections.abc import Sequence

import pytest

from referee.match.facts import Faulted, MatchEnded, TimedOut
from referee.match.inputs import (
    Answer,
    CallDecision,
    Deal,
    Decision,
    DefaultDecision,
    Fault,
    Faults,
    MalformedDecision,
)
from referee.match.replay import Difference, replay
from referee.match.values import MS, AckStatus, AskKind, Blame, CancelReason, Clock, Ending, Pace
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from referee.rules.worst import worst_result
from tests.simulation.positions import DECLINE, PASS, at, playing
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r As", "3r 4j 5r 6j Ap")
BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r Aj", "8j 8s 8p 8r As", "9j 9s 9p 9r Ap")
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
CRASHED, GONE = Ending.CRASHED, Ending.DISCONNECTED


def fault(
    seat: int | None, ending: Ending = CRASHED, blame: Blame | None = None, request: int = 0
) -> Fault:
    named = None if seat is None else Seat(seat)
    return Fault(seat=named, ending=ending, blame=blame, request_id=request or None)


def fail(*faults: Fault) -> Table:
    table = at(settings(), *HANDS)
    table.step(Faults(faults=faults))
    assert table.replays() == []
    return table


# --- one step


@pytest.mark.parametrize("seats", [(0, 1), (1, 2), (2, 3), (3, 0, 2), (0, 1, 2, 3)])
def test_both_teams_at_fault_in_one_step_make_the_match_void(seats: Sequence[int]) -> None:
    ended = fail(*(fault(seat) for seat in seats)).ended
    assert (ended.winner, ended.awarded) == (None, ())
    assert (ended.seat, ended.blame, ended.failed) == (min(seats), Blame.BOT, tuple(sorted(seats)))


@pytest.mark.parametrize("seats", [(0, 2), (3, 1)])
def test_two_partners_at_fault_lose_like_one(seats: Sequence[int]) -> None:
    table = fail(*(fault(seat) for seat in seats))
    team = seats[0] % 2
    assert (table.ended.winner, table.ended.failed) == (1 - team, tuple(sorted(seats)))
    assert table.ended.awarded == worst_of(table, team)


def worst_of(table: Table, team: int) -> tuple[int, ...]:
    state = table.machine._state
    return worst_result(
        state.round,
        team,
        totals=state.score.totals,
        rounds_played=state.score.rounds_played,
        options=state.settings.rules,
    )


@pytest.mark.parametrize("seat", range(4))
def test_one_bot_at_fault_is_awarded_the_worst_for_its_team(seat: int) -> None:
    table = fail(fault(seat))
    mine, other = table.ended.awarded[seat % 2], table.ended.awarded[1 - seat % 2]
    assert table.ended.awarded == worst_of(table, seat % 2)
    assert mine < other
    assert table.ended.failed == (), "only one"
    assert table.ended.totals == (0, 0), "the score itself is what was played"


def test_the_ending_and_blame_are_those_of_the_lowest_seat() -> None:
    ended = fail(fault(3, Ending.FLOODED), fault(2, GONE)).ended
    assert (ended.ending, ended.seat, ended.failed) == (GONE, 2, (2, 3))


def test_a_seat_that_fails_twice_in_a_step_is_named_once() -> None:
    ended = fail(fault(1, Ending.RESIGNED), fault(1, CRASHED)).ended
    assert (ended.ending, ended.failed, ended.winner) == (Ending.RESIGNED, (), 0)


def test_every_fault_is_a_fact_in_the_order_in_which_it_came() -> None:
    table = fail(fault(3), fault(0, GONE))
    found = [fact for fact in table.facts if isinstance(fact, Faulted)]
    assert [(f.seat, f.ending, f.blame) for f in found] == [
        (3, CRASHED, Blame.BOT),
        (0, GONE, Blame.BOT),
    ]


def test_every_resignation_of_a_step_is_acknowledged() -> None:
    table = at(settings(), *HANDS)
    step = table.step(
        Faults(faults=(fault(1, Ending.RESIGNED, request=5), fault(2, Ending.RESIGNED, request=6)))
    )
    assert [(a.seat, a.status, a.request_id) for a in step.acks] == [
        (1, AckStatus.APPLIED, 5),
        (2, AckStatus.APPLIED, 6),
    ]
    late = table.step(Faults(faults=(fault(3, Ending.RESIGNED, request=7),)))
    assert [(a.status, a.request_id) for a in late.acks] == [(AckStatus.STALE, 7)]


def test_faults_without_any_are_our_bug() -> None:
    table = at(settings(), *HANDS)
    with pytest.raises(RefereeBug, match="without any"):
        table.machine.step(Faults(faults=()), table.now)


# --- blame


@pytest.mark.parametrize("blame", [Blame.REFEREE, Blame.NETWORK, Blame.UNKNOWN])
def test_what_no_bot_is_to_blame_for_counts_for_nothing(blame: Blame) -> None:
    ended = fail(fault(1, GONE, blame)).ended
    assert (ended.seat, ended.blame, ended.winner, ended.awarded) == (1, blame, None, ())


def test_all_links_cut_at_once_name_every_seat_and_the_network() -> None:
    ended = fail(*(fault(seat, GONE, Blame.NETWORK) for seat in range(4))).ended
    assert (ended.blame, ended.failed, ended.awarded) == (Blame.NETWORK, (0, 1, 2, 3), ())


def test_a_bots_fault_goes_before_what_else_happened_in_its_step() -> None:
    """Nobody gets away with one because the match was about to be void."""
    table = fail(fault(None, Ending.CANCELLED), fault(0, GONE, Blame.NETWORK), fault(3))
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame) == (CRASHED, 3, Blame.BOT)
    assert (ended.winner, ended.awarded) == (0, worst_of(table, 1))


def test_an_order_counts_for_nothing_and_names_nobody() -> None:
    ended = fail(fault(None, Ending.CANCELLED)).ended
    assert (ended.seat, ended.blame, ended.winner, ended.awarded) == (None, Blame.NONE, None, ())


def test_between_two_rounds_and_before_the_first_a_failure_is_scored_by_rounds_to_come() -> None:
    rules = RuleOptions(rounds=2)
    table = Table(settings(rules=rules))
    table.step(fault(2, Ending.NEVER_STARTED))
    expected = worst_result(None, 0, totals=(0, 0), rounds_played=0, options=rules)
    assert table.ended.awarded == expected
    assert table.replays() == []


def test_a_finished_round_is_not_counted_twice() -> None:
    """The match waits for the deal of its second round when a bot fails."""
    rules = RuleOptions(rounds=2)
    table = at(settings(rules=rules), "Kj", "", "", "3j 4j", out=(1, 2))
    machine, lead = table.machine, table.ask(0)
    assert machine.step(Answer(lead.seat, lead.id, playing("Kj")), 1).needs_deal
    ended = machine.step(fault(3), 2).facts[-1]
    assert isinstance(ended, MatchEnded)
    assert ended.rounds == 1
    assert ended.awarded == worst_result(
        None, 1, totals=machine.totals, rounds_played=1, options=rules
    )


# --- one instant


def silent(*seats: int, max_strikes: int = 0) -> Table:
    """These seats owe a bet and stay silent until their time is over."""
    table = Table(settings(max_strikes=max_strikes)).start()
    for seat in range(4):
        if seat not in seats:
            table.answer(seat, NO_GRAND)
    table.wait(7000)
    assert table.replays() == []
    return table


def test_a_forfeit_does_not_hide_that_of_another_in_the_same_instant() -> None:
    table = silent(0, 1, 3)
    ended = table.ended
    assert (ended.ending, ended.seat, ended.failed) == (Ending.FORFEIT_TIME, 0, (0, 1, 3))
    assert (ended.winner, ended.awarded) == (None, ())
    assert ended.at == 6000 * MS
    assert [fact.seat for fact in table.facts if isinstance(fact, TimedOut)] == [0, 1, 3]
    assert table.strikes() == [(0, "late"), (1, "late"), (3, "late")]


def test_partners_who_fall_silent_together_lose() -> None:
    ended = silent(1, 3).ended
    assert (ended.winner, ended.failed) == (0, (1, 3))
    assert ended.awarded[1] < ended.awarded[0]


def test_who_runs_out_of_time_later_is_not_at_fault() -> None:
    table = Table(settings(max_strikes=0))
    table.hold_hands = True
    table.start()
    table.hand_over(0, 2, 3)
    table.now += 1
    table.hand_over(1)
    table.wait(7000)
    assert (table.ended.failed, table.ended.winner) == ((0, 2, 3), None)
    assert table.ended.at == 6000 * MS
    table = Table(settings(max_strikes=0))
    table.hold_hands = True
    table.start()
    table.hand_over(0, 2)
    table.now += 1
    table.hand_over(1, 3)
    table.wait(7000)
    assert (table.ended.failed, table.ended.winner) == ((0, 2), 1)
    assert table.replays() == []


def test_a_third_illegal_bet_that_forfeits_is_charged_as_the_record_says() -> None:
    table = Table(settings(max_strikes=0)).start()
    table.now += 1000 * MS + 11
    for _ in range(3):
        table.answer(0, PASS)
    assert table.ended.ending is Ending.FORFEIT_ILLEGAL
    charged = sum(getattr(fact, "charged", 0) for fact in table.facts)
    assert (table.ended.banks[0], charged) == (5000 * MS - 11, 11)


# --- the whole match's time


def drag(table: Table, seat: int, ms: int) -> None:
    """Every ask is answered with its substitute, at once but for one seat, to the end."""
    for _ in range(500):
        if table.machine.over:
            return
        asked = table.asked()
        ask = next((a for s in asked for a in table.machine.open_asks(s)), None)
        if ask is None:
            table.wait_until_due()
            continue
        if ask.seat == seat and ask.base_ns is not None:
            table.wait(ms)
        table.step(Answer(ask.seat, ask.id, DefaultDecision()))


def dragging(*, pace: Pace = Pace.FAST, rounds: int = 3) -> Table:
    clock = Clock(base_ns=1000 * MS, bank_ns=100 * MS)
    what = settings(
        pace=pace, clock=clock, rules=RuleOptions(rounds=rounds), wall_per_round_ms=4_000
    )
    return Table(what, seed="drag").start()


@pytest.mark.parametrize("pace", Pace)
def test_a_match_that_takes_too_long_is_abandoned_by_who_thought_longest(pace: Pace) -> None:
    table = dragging(pace=pace)
    drag(table, 2, 999)
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame) == (Ending.ABANDONED, 2, Blame.BOT)
    assert ended.at == 4 * 4 * 100 * MS + 4_000 * MS, "at the instant itself"
    assert ended.winner == 1
    assert ended.awarded[0] < ended.awarded[1]
    assert table.strikes() == [], "it was never late"
    assert table.replays() == []


def test_the_ask_that_is_thought_about_counts() -> None:
    """Seat 1 has thought for 900 ms when seat 3 has for a whole second, and is not done."""
    clock = Clock(base_ns=60_000 * MS, bank_ns=0)
    table = at(settings(clock=clock, wall_per_round_ms=2_000), *HANDS)
    table.act(0, playing("Kj"))
    table.now += 900 * MS
    table.act(1, PASS)
    table.act(2, PASS)
    table.wait(1_200)
    assert (table.ended.seat, table.ended.ending) == (3, Ending.ABANDONED)
    fact = next(fact for fact in table.facts if isinstance(fact, Faulted))
    assert fact.sent == (-1, -1, -1, 900 * MS)


def test_a_match_in_which_nobody_thought_blames_nobody() -> None:
    """No ask was ever handed over: the time is not that of a bot."""
    table = Table(settings(clock=Clock(base_ns=1000 * MS, bank_ns=0), wall_per_round_ms=4_000))
    table.hold_hands = True
    table.start()
    table.wait_until_due()
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame) == (Ending.ABANDONED, None, Blame.NONE)
    assert (ended.winner, ended.awarded) == (None, ())
    assert table.replays() == []


def test_who_thought_longest_is_not_blamed_for_time_that_windows_took() -> None:
    """Each answers within a millisecond; windows of 2 s alone are too much for this match."""
    clock = Clock(base_ns=10_000 * MS, bank_ns=0)
    what = settings(pace=Pace.FAIR, clock=clock, window_ms=2_000, wall_per_round_ms=5_000)
    table = at(what, *HANDS)
    decisions: list[Decision] = [playing("Kj"), PASS, PASS]
    for seat, decision in enumerate(decisions):
        table.now += MS
        table.answer(seat, decision, kind=AskKind.ACT)
        while table.machine.due != table.wall and not table.asked(AskKind.ACT):
            table.wait_until_due()
    while not table.machine.over:
        table.wait_until_due()
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame) == (Ending.ABANDONED, None, Blame.NONE)
    assert (ended.winner, ended.awarded) == (None, ())
    assert table.replays() == []


def test_a_window_that_waits_for_a_seat_is_time_that_it_thinks() -> None:
    """Pace fast: seat 2 holds a bomb and says nothing, and seat 1 thinks for 100 ms in turn."""
    clock = Clock(base_ns=2_000 * MS, bank_ns=0)
    table = at(settings(clock=clock, window_ms=1_000, wall_per_round_ms=1_500), *BOMBERS)
    table.answer(0, playing("Kj"))
    table.answer(3, DECLINE)
    table.now += 100 * MS
    table.answer(1, PASS)
    table.wait_until_due()
    for seat in (1, 3):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)
    table.answer(2, PASS)
    table.wait_until_due()
    assert (table.ended.at, table.ended.seat) == (1_500 * MS, 2)
    assert table.replays() == []


def test_each_round_gives_the_match_more_time() -> None:
    table = dragging(rounds=2)
    first = table.wall
    assert first is not None
    for _ in range(400):
        if table.machine.round_number == 2:
            break
        ask = next(a for s in table.asked() for a in table.machine.open_asks(s))
        table.default(ask)
    assert table.machine._state.wall == table.wall == first + 4_000 * MS
    assert not table.machine.over


def test_time_that_runs_out_in_the_last_instant_goes_before_the_end_of_the_match() -> None:
    """Seat 0 forfeits at the very instant at which the match would be abandoned."""
    clock = Clock(base_ns=4_000 * MS, bank_ns=0)
    table = Table(settings(clock=clock, max_strikes=0, wall_per_round_ms=4_000)).start()
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    assert table.machine.due == table.wall == 4_000 * MS
    table.wait_until_due()
    assert (table.ended.ending, table.ended.seat) == (Ending.FORFEIT_TIME, 0)
    assert table.replays() == []


def test_a_time_out_and_the_end_of_the_match_in_one_instant_replay() -> None:
    clock = Clock(base_ns=4_000 * MS, bank_ns=0)
    table = Table(settings(clock=clock, wall_per_round_ms=4_000)).start()
    for seat in (1, 2):
        table.answer(seat, NO_GRAND)
    table.wait_until_due()
    assert table.strikes() == [(0, "late"), (3, "late")]
    assert (table.ended.ending, table.ended.seat) == (Ending.ABANDONED, 0)
    assert table.replays() == []


def test_a_window_that_closes_in_the_last_instant_closes_first() -> None:
    """And the record says since when seat 1 thought, though the close is its input."""
    clock = Clock(base_ns=1000 * MS, bank_ns=0)
    table = at(settings(pace=Pace.FAIR, clock=clock, wall_per_round_ms=100), *HANDS)
    table.act(0, playing("Kj"))
    assert table.now == 50 * MS
    table.wait_until_due()
    assert [type(fact).__name__ for fact in table.facts[-3:]] == [
        "WindowClosed",
        "Faulted",
        "MatchEnded",
    ]
    assert (table.ended.at, table.ended.seat) == (100 * MS, 1)
    assert table.replays() == []


def test_without_a_clock_a_match_is_never_abandoned_for_its_time() -> None:
    table = Table(settings(clock=None)).start()
    table.wait(10**9)
    assert not table.machine.over


def test_a_deal_that_waits_is_not_needed_any_more_once_the_match_is_abandoned() -> None:
    table = dragging(rounds=2)
    drag(table, 2, 999)
    assert not table.machine.needs_deal
    with pytest.raises(RefereeBug, match="after the end"):
        table.machine.step(Deal(seed="00" * 32), table.now)


def test_a_record_that_blames_another_seat_is_found() -> None:
    table = dragging()
    drag(table, 2, 999)
    forged = [
        Faulted(at=f.at, ending=f.ending, seat=Seat(1), blame=f.blame, sent=f.sent)
        if isinstance(f, Faulted)
        else f
        for f in table.facts
    ]
    assert any(isinstance(step, Difference) for step in replay(table.config, forged))


def test_an_ask_whose_substitute_was_taken_is_not_cancelled_again_by_the_end() -> None:
    table = Table(settings()).start()
    ask = table.ask(0)
    for _ in range(3):
        table.answer_ask(ask, MalformedDecision(text="nonsense"))
    table.step(fault(1))
    told = [(c.ask_id, c.reason) for c in table.cancelled if c.seat == 0]
    assert told == [(ask.id, CancelReason.SUBSTITUTED)]

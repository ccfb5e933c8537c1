"""Chaos bots that break no row of the fault table: the match is played to its end, and fairly."""

from collections import Counter
from pathlib import Path

import pytest

from referee.app.limits import Limits
from referee.match.facts import Answered, Released, TimedOut
from referee.match.values import MS, AckStatus, Blame, Clock, Ending, Pace
from tests.integration.chaos_table import SECOND, Chaos, Played, play, settings

PLAYED = (Ending.COMPLETED, None, Blame.NONE)
STALL_S = 2.0  # what a shared machine may add to a time
ROUND_S = 1.0  # of good bots
WINS_TRICKS = bytes([1] * 32)  # with these cards seat 0 holds the table after the last pass
IN_ORDER = {AckStatus.RECEIVED, AckStatus.APPLIED}


def answers(played: Played) -> list[Answered]:
    return [f for f in played.facts if isinstance(f, Answered) and f.seat == played.seat]


def statuses(played: Played) -> Counter[AckStatus]:
    return Counter(answer.status for answer in answers(played))


def taken(played: Played) -> list[int]:
    """The asks whose answers were taken, in the order in which these came."""
    return [answer.ask for answer in answers(played) if answer.status in IN_ORDER]


def charges(played: Played) -> Counter[int]:
    """What left the chaos bot's bank, by ask."""
    found: Counter[int] = Counter()
    for fact in played.facts:
        if isinstance(fact, Answered | Released | TimedOut) and fact.seat == played.seat:
            found[fact.ask] += fact.charged
    return found


def gained(played: Played, base_ns: int) -> int:
    """The time over the base time that the chaos bot took and was not charged."""
    charged = charges(played)
    over = {a.ask: max(0, a.at - a.sent - base_ns) for a in answers(played) if a.sent >= 0}
    return sum(over[ask] - charged[ask] for ask in over)


def test_a_second_copy_of_an_answer_is_a_duplicate_and_changes_nothing(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("twice"))
    assert played.outcome == PLAYED
    assert not played.strikes
    assert {*statuses(played)} == {AckStatus.RECEIVED, AckStatus.DUPLICATE}
    assert len(taken(played)) == len({*taken(played)}) > 5
    assert played.took_s < ROUND_S + STALL_S
    played.assert_others_in_order()


@pytest.mark.slow
def test_two_asks_may_be_answered_in_any_order(tmp_path: Path) -> None:
    """In pace fair a bomb and the next lead are open at once."""
    fair = settings(pace=Pace.FAIR, window_ns=40 * MS, clock=Clock(base_ns=SECOND))
    played = play(tmp_path, Chaos("wrong-order", fair, secret=WINS_TRICKS))
    assert played.outcome == PLAYED
    assert not played.strikes
    assert {*statuses(played)} == {AckStatus.RECEIVED}
    assert taken(played) != sorted(taken(played))
    assert len(taken(played)) == len({*taken(played)})
    assert played.took_s < 100 * 0.08 + STALL_S  # windows of a round
    played.assert_others_in_order()


def test_nobody_answers_or_calls_for_another_seat(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("other-seat"))
    assert played.outcome == PLAYED
    assert not played.strikes
    refused = {answer.code for answer in answers(played) if answer.status not in IN_ORDER}
    assert refused == {"NOT_YOUR_ASK"}
    assert played.took_s < ROUND_S + STALL_S
    played.assert_others_in_order()


def test_children_that_ignore_all_signals_are_gone_with_their_bot(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("stubborn", term_s=0.3))
    assert played.outcome == PLAYED
    assert played.exits[0] == -9
    assert played.took_s < ROUND_S + STALL_S
    played.assert_others_in_order()


def test_a_bot_that_fails_as_it_ends_has_played(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("raises-on-shutdown"))
    assert played.outcome == PLAYED
    assert played.exits[0] == 1
    assert played.errors[0].endswith("RuntimeError: what was learned is lost")
    assert "OSError: cannot save the weights" in played.errors[0]
    played.assert_others_in_order()


@pytest.mark.slow
def test_who_answers_just_in_time_is_hardly_late(tmp_path: Path) -> None:
    """10 ms are little on a shared machine, so a late answer is not the end here."""
    played = play(tmp_path, Chaos("just-in-time", settings(max_strikes=1_000)))
    assert played.outcome == PLAYED
    assert {*played.strikes} <= {"late"}
    assert len(taken(played)) > played.strikes.total()
    assert played.ended.banks[0] < 20 * MS  # what it spares, in whole milliseconds
    assert played.took_s < 1 + 20 * 0.15 + STALL_S  # the bank, then 20 asks at their base time
    played.assert_others_in_order()


@pytest.mark.slow
def test_faked_lag_gains_the_quota_and_no_more(tmp_path: Path) -> None:
    quota = 600 * MS
    clock = Clock(base_ns=200 * MS, bank_ns=SECOND, lag_quota_ns=quota)
    chaos = Chaos(
        "fakes-lag",
        settings(clock=clock, max_strikes=1_000),
        words=("0.2",),
        setup={"limits": Limits(ping_ns=SECOND // 10)},
    )
    played = play(tmp_path, chaos)
    assert played.outcome == PLAYED
    assert not played.strikes
    assert gained(played, clock.base_ns) == quota
    assert sum(charges(played).values()) == clock.bank_ns - played.ended.banks[0]
    played.assert_others_in_order()


def test_who_drags_to_the_cap_is_to_blame(tmp_path: Path) -> None:
    clock = Clock(base_ns=300 * MS, bank_ns=100 * MS)
    capped = settings(clock=clock, wall_per_round_ns=200 * MS)
    played = play(tmp_path, Chaos("drags", capped))
    assert played.outcome == (Ending.ABANDONED, 0, Blame.BOT)
    assert not played.strikes
    cap_s = 4 * 4 * 0.1 + 0.2
    assert cap_s <= played.took_s < cap_s + STALL_S
    played.assert_others_in_order()

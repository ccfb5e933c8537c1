"""A chaos bot's fault ends its match by its row of the table, blames it, and harms nobody else."""

from pathlib import Path

import pytest

from referee.app.limits import KIB, Limits
from referee.match.facts import Answered, TimedOut
from referee.match.values import AckStatus, Blame, Clock, Ending
from referee.rules.options import RuleOptions
from tests.integration.chaos_table import Chaos, play, settings

STALL_S = 2.0  # what a shared machine may add to a time
BOT = Blame.BOT
BANK_S, BASE_S = 1.0, 0.15  # of SETTINGS
LATE_S = BANK_S + 3 * BASE_S  # the third late answer is one strike too many


@pytest.mark.parametrize(
    ("chaos", "ending", "strikes", "within_s"),
    [
        (Chaos("illegal"), Ending.FORFEIT_ILLEGAL, 3, 0.0),
        (Chaos("malformed"), Ending.FORFEIT_ILLEGAL, 3, 0.0),
        (Chaos("silent"), Ending.FORFEIT_TIME, 3, LATE_S),
        (Chaos("crash"), Ending.CRASHED, 0, 0.0),
        (Chaos("crash", settings(clock=None), seat=3), Ending.CRASHED, 0, 0.0),
        (Chaos("gone", seat=2, setup={"grace_ms": 200}), Ending.DISCONNECTED, 0, 0.2),
        (Chaos("gone", settings(clock=None), setup={"grace_ms": 200}), Ending.DISCONNECTED, 0, 0.2),
        (Chaos("resigns", seat=1), Ending.RESIGNED, 0, 0.0),
        (
            Chaos("never-started", comes=False, setup={"start_budget_s": 0.5}),
            Ending.NEVER_STARTED,
            0,
            0.5,
        ),
    ],
    ids=lambda value: value.id if isinstance(value, Chaos) else "",
)
def test_a_fault_ends_the_match_by_its_row(
    tmp_path: Path, chaos: Chaos, ending: Ending, strikes: int, within_s: float
) -> None:
    played = play(tmp_path, chaos)
    assert played.outcome == (ending, chaos.seat, BOT)
    assert played.strikes.total() == strikes
    assert played.took_s < within_s + STALL_S
    played.assert_others_in_order()


@pytest.mark.parametrize("name", ["exits-early", "wrong-version"])
def test_a_process_that_ends_before_its_hello_has_never_started(tmp_path: Path, name: str) -> None:
    """Known at once: nobody waits for the start budget of 30 s."""
    played = play(tmp_path, Chaos(name, comes=False, at_once=True))
    assert played.outcome == (Ending.NEVER_STARTED, 0, BOT)
    assert played.took_s < 3 + STALL_S  # a Python process that loads gRPC
    played.assert_others_in_order()


def test_who_is_gone_before_the_match_starts_is_not_waited_for(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("exits-early", comes=False))
    assert played.outcome == (Ending.NEVER_STARTED, 0, BOT)
    assert played.took_s < 3 + STALL_S
    played.assert_others_in_order()


def test_a_late_answer_is_told_so_and_the_next_one_counts(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("late"))
    assert played.outcome == (Ending.FORFEIT_TIME, 0, BOT)
    acts = [f for f in played.facts if isinstance(f, Answered) and f.seat == 0]
    late = [f for f in acts if f.status is AckStatus.TOO_LATE]
    out = {f.ask: f.at for f in played.facts if isinstance(f, TimedOut) and f.seat == 0}
    assert [f.ask for f in late] == sorted(out)[:-1]  # nobody waits for what comes after the end
    assert all(0 < f.at - out[f.ask] < STALL_S * 1e9 for f in late)
    for at in late:
        after = next(f for f in acts if f.ask > at.ask)
        assert after.status in (AckStatus.RECEIVED, AckStatus.APPLIED)
    assert played.strikes == {"late": 3}
    assert played.took_s < LATE_S + 3 * 0.05 + STALL_S
    played.assert_others_in_order()


def test_a_seat_behind_by_the_cards_that_cuts_its_link_is_to_blame(tmp_path: Path) -> None:
    """With these cards its team is behind after a round at the latest."""
    long = settings(rules=RuleOptions(rounds=5), clock=Clock())
    played = play(
        tmp_path, Chaos("sore-loser", long, setup={"grace_ms": 200}, secret=bytes([1] * 32))
    )
    assert played.outcome == (Ending.DISCONNECTED, 0, BOT)
    assert played.took_s < 0.2 + STALL_S
    assert not played.strikes
    played.assert_others_in_order()


@pytest.mark.slow
def test_who_does_not_read_is_thrown_out(tmp_path: Path) -> None:
    """A short match says less than the 2 MiB of the default; gRPC itself holds 64 KiB."""
    long = settings(rules=RuleOptions(rounds=20), clock=Clock())
    chaos = Chaos("never-reads", long, setup={"limits": Limits(unsent_bytes=64 * KIB)})
    played = play(tmp_path, chaos)
    assert played.outcome == (Ending.SLOW_READER, 0, BOT)
    assert played.took_s < 15  # 3 s alone; on a busy machine its blind guesses miss more often
    played.assert_others_in_order()


@pytest.mark.slow
def test_who_sends_ten_thousand_frames_a_second_is_thrown_out(tmp_path: Path) -> None:
    played = play(tmp_path, Chaos("flood", settings(clock=Clock())))
    assert played.outcome == (Ending.FLOODED, 0, BOT)
    assert played.took_s < 15  # the burst, then 2 s of throttling; on a busy machine it sends less
    played.assert_others_in_order()

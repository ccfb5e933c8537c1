"""Matches in a row leave nothing behind, and what would be left behind is found."""

import os
import subprocess
import sys

import pytest

from tests.integration.playing import ROOT
from tests.integration.slopes import BOUNDS, WARM_UP, Sample, slope, steep

FLAT = Sample(memory_kb=60_000, descriptors=20, threads=4, tasks=5, children=1)
MATCHES = 60


def run_slopes(*words: str) -> "subprocess.CompletedProcess[str]":
    """The program in a process of its own: what pytest holds is not counted."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "sample_bots" / "python")])
    return subprocess.run(
        [sys.executable, "-m", "tests.integration.slopes", "--matches", str(MATCHES), *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_a_line_has_its_slope() -> None:
    assert slope([7, 7, 7, 7]) == 0
    assert slope([1, 3, 5, 7]) == 2
    assert slope([0, 1, 0, 1]) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("column", "leak"),
    [("memory_kb", 50.0), ("descriptors", 1), ("threads", 1), ("tasks", 1), ("children", 1)],
)
def test_a_leak_of_one_thing_or_50_kb_a_match_is_steep_and_a_smaller_rise_is_not(
    column: str, leak: float
) -> None:
    def rising(by: float) -> list[Sample]:
        start = getattr(FLAT, column)
        return [FLAT._replace(**{column: start + by * match}) for match in range(MATCHES)]

    assert [text.split()[0] for text in steep(rising(leak))] == [column]
    assert steep(rising(getattr(BOUNDS, column) / 2)) == []


def test_what_fills_up_during_the_warm_up_and_one_step_of_the_allocator_are_no_leaks() -> None:
    filling = [FLAT._replace(memory_kb=10_000 + 5_000 * match) for match in range(WARM_UP)]
    before = [FLAT] * ((MATCHES - WARM_UP) // 2)
    after = [FLAT._replace(memory_kb=FLAT.memory_kb + 1_024)] * len(before)
    assert steep([*filling, *before, *after]) == []


@pytest.mark.slow
@pytest.mark.timeout(1_000)
def test_60_matches_with_a_bot_that_raises_on_shutdown_leave_nothing_behind() -> None:
    done = run_slopes("--kind", "play")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_60_matches_of_one_referee_leave_nothing_behind() -> None:
    done = run_slopes("--kind", "serve")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("column", ["memory_kb", "descriptors", "threads", "tasks"])
def test_a_leak_that_is_planted_between_real_matches_is_found(column: str) -> None:
    done = run_slopes("--kind", "serve", "--plant", column)
    assert done.returncode == 1, done.stdout + done.stderr
    assert [line.split()[1] for line in done.stderr.splitlines()] == [column], done.stdout

"""How often a gate is wrong, and how many boards it takes: by simulation.

Each share is of `RUNS` gates. A right build whose error is exactly what is promised fails a test
here with a share of 0.005 of all seeds (2.6 standard errors above the bound); the seed is fixed and
printed, so it does not fail by chance.
"""

import math
from functools import partial

import numpy as np
import pytest

from referee.ladder.gate import LEAST_BOARDS, GateTerms
from tests.gate_study.simulated import MUCH, SLIPS, close, rare
from tests.gate_study.simulated import gates as simulated

SEED = 8
RUNS = 3_000
SURE = 2.6  # standard errors

gates = partial(simulated, runs=RUNS, seed=SEED)


def limit(error: float) -> float:
    return error + SURE * math.sqrt(error * (1 - error) / RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("zero", [SLIPS, MUCH])
@pytest.mark.parametrize(
    ("points0", "points1", "most"), [(0.0, 5.0, 7_000), (-5.0, 0.0, 7_000), (0.0, 10.0, 2_500)]
)
def test_errors_keep_their_bounds(points0: float, points1: float, most: int, zero: float) -> None:
    terms = GateTerms(points0=points0, points1=points1)
    bad = gates(terms, close(zero, points0), most=most)
    assert bad.accepted <= limit(terms.alpha), f"{SEED=} {bad}"
    good = gates(terms, close(zero, points1), most=most)
    assert good.rejected <= limit(terms.beta), f"{SEED=} {good}"
    assert min(bad.rejected, good.accepted) > 0.9, f"{SEED=} {bad} {good}"


@pytest.mark.slow
def test_unequal_errors_keep_each_its_bound() -> None:
    terms = GateTerms(points0=0.0, points1=10.0, alpha=0.01, beta=0.2)
    assert gates(terms, close(SLIPS, 0.0), most=1_500).accepted <= limit(0.01), f"{SEED=}"
    assert gates(terms, close(SLIPS, 10.0), most=1_500).rejected <= limit(0.2), f"{SEED=}"


@pytest.mark.slow
@pytest.mark.parametrize("points", [50, 100, 200, 300])
def test_a_change_that_shows_seldom_is_not_overlooked(points: int) -> None:
    """Such as one of Grand Tichu: 5 points a round, all of them in one board of 10 to 60."""
    worse = gates(GateTerms(points0=-5.0, points1=0.0), rare(-points, -5.0), most=4_000)
    assert worse.accepted <= limit(0.05), f"{SEED=} {worse}"
    better = gates(GateTerms(), rare(points, 5.0), most=4_000)
    assert better.rejected <= limit(0.05), f"{SEED=} {better}"


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.0, 5.0])
def test_5_points_a_round_are_told_within_2000_boards(mean: float) -> None:
    """Of bots as close as these; a gate between the two hypotheses may take longer."""
    found = gates(GateTerms(), close(SLIPS, mean), most=4_000)
    assert found.within_2000 > 0.95, f"{SEED=} {found}"
    assert found.boards < 1_000, f"{SEED=} {found}"


@pytest.mark.slow
def test_a_rule_that_looks_at_95_percent_after_each_board_would_fail_here() -> None:
    """So the tests before can fail: what they measure is there without the bounds."""
    terms = GateTerms()
    draw = close(SLIPS, 0.0)
    points = np.random.default_rng(SEED).choice(draw.steps, p=draw.weights, size=(500, 4_000))
    boards = np.arange(1, points.shape[1] + 1)
    sums, squares = points.cumsum(axis=1), (points * points).cumsum(axis=1)
    off = sums / np.sqrt(np.maximum(1, squares - sums * sums / boards))
    assert (off[:, LEAST_BOARDS - 1 :] > 1.645).any(axis=1).mean() > 2 * limit(terms.alpha)

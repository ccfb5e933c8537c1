"""The sequential test of a gate: by hand, at its boundaries, and what it refuses."""

import math

import numpy as np
import pytest

from referee.ladder.gate import (
    LEAST_BOARDS,
    SAME_BOARDS,
    Decision,
    GateTerms,
    Walk,
    llr_paths,
    same_play_decision,
)
from referee.rules.errors import ConfigError

NO_WORSE = GateTerms(points0=-5.0, points1=0.0)


def walked(terms: GateTerms, points: list[int], *, alike: bool = False) -> Walk:
    walk = Walk(terms)
    for one in points:
        walk.add(one, alike=alike)
    return walk


def test_the_ratio_by_hand() -> None:
    """Legs of 20 and 60 together are 10 and 30 points a round: mean 20, squares around it 200.

    With 160,000 twice for the imagined boards the variance is 320,200 / 2; the middle is 2.5.
    """
    walk = walked(GateTerms(), [20, 60])
    assert walk.mean == 20.0
    assert walk.spread == pytest.approx(math.sqrt(200))
    assert walk.llr == pytest.approx(2 * 5 * (20 - 2.5) / (320_200 / 2))


def test_bounds_are_those_of_slightly_smaller_errors() -> None:
    terms = GateTerms(alpha=0.05, beta=0.05)
    assert terms.upper == -terms.lower == pytest.approx(math.log(1.05 / 0.05), abs=2e-3)
    assert terms.upper > math.log(0.95 / 0.05)


def test_a_large_difference_has_no_verdict_before_200_boards() -> None:
    walk = walked(GateTerms(), [400, 200] * 99 + [400])
    assert walk.boards == LEAST_BOARDS - 1
    assert walk.llr > walk.terms.upper
    assert walk.decision() is None
    walk.add(200, alike=False)
    assert walk.decision() is Decision.ACCEPT


def test_the_other_way_round_it_is_rejected() -> None:
    assert walked(GateTerms(), [-400, -200] * 100).decision() is Decision.REJECT


@pytest.mark.parametrize(
    ("terms", "decision"), [(GateTerms(), Decision.REJECT), (NO_WORSE, Decision.ACCEPT)]
)
def test_the_same_play_on_100_boards_is_a_verdict(terms: GateTerms, decision: Decision) -> None:
    walk = walked(terms, [0] * (SAME_BOARDS - 1), alike=True)
    assert walk.decision() is None
    walk.add(0, alike=True)
    assert walk.same_play
    assert walk.decision() is decision


def test_one_board_that_was_played_otherwise_is_no_same_play() -> None:
    walk = walked(NO_WORSE, [0] * (SAME_BOARDS - 1), alike=True)
    walk.add(0, alike=False)
    assert not walk.same_play
    assert walk.decision() is None


def test_the_same_play_in_the_middle_of_both_decides_nothing() -> None:
    assert same_play_decision(GateTerms(points0=-3.0, points1=3.0)) is Decision.UNDECIDED


@pytest.mark.parametrize("points", [0, 10, -10])
def test_boards_that_are_all_equal_divide_by_nothing(points: int) -> None:
    """Other cards, the same points on every board: the spread of what was played is 0."""
    walk = walked(GateTerms(), [points] * LEAST_BOARDS)
    assert walk.spread == 0
    assert math.isfinite(walk.llr)
    assert walk.decision() in (Decision.ACCEPT, Decision.REJECT, None)


def test_nothing_at_all_divides_by_nothing() -> None:
    walk = Walk(GateTerms())
    assert (walk.mean, walk.llr, walk.decision()) == (0.0, 0.0, None)


def test_the_last_board_ends_it_undecided() -> None:
    terms = GateTerms(max_boards=201)
    walk = walked(terms, [900, -890] * 100)
    assert walk.decision() is None
    walk.add(5, alike=False)
    assert walk.decision() is Decision.UNDECIDED


@pytest.mark.parametrize("error", [0.0, 5e-324, -0.1, 0.5, 1.0, math.nan])
def test_errors_that_cannot_be_are_refused(error: float) -> None:
    with pytest.raises(ConfigError, match="--alpha"):
        GateTerms(alpha=error)
    with pytest.raises(ConfigError, match="--beta"):
        GateTerms(beta=error)


@pytest.mark.parametrize(
    ("points0", "points1"),
    [
        (5.0, 5.0),
        (5.0, 0.0),
        (0.0, 1e-200),
        (0.0, 0.009),
        (math.nan, 1.0),
        (0.0, math.inf),
        (0.0, math.nan),
        (-601.0, 0.0),
    ],
)
def test_hypotheses_that_cannot_be_are_refused(points0: float, points1: float) -> None:
    with pytest.raises(ConfigError, match="--points"):
        GateTerms(points0=points0, points1=points1)


def test_fewer_boards_than_a_verdict_needs_are_refused() -> None:
    with pytest.raises(ConfigError, match="--max-boards 199"):
        GateTerms(max_boards=LEAST_BOARDS - 1)


def test_many_runs_at_once_are_as_one_by_one() -> None:
    seed = 20261
    points = np.random.default_rng(seed).integers(-40, 41, size=(5, 300)) * 10
    paths = llr_paths(points, NO_WORSE)
    for row, path in zip(points.tolist(), paths, strict=True):
        walk = Walk(NO_WORSE)
        for one, llr in zip(row, path, strict=True):
            walk.add(one, alike=False)
            assert walk.llr == pytest.approx(float(llr), rel=1e-9, abs=1e-12), f"{seed=}"

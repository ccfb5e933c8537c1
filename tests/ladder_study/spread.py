"""What boards say about luck: spreads, the share of the deal, the strength of a difference.

An interval is 95 %, by the jackknife that leaves out one board at a time (Efron and Stein 1981):
the two legs of a board depend on each other, the boards do not.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.ladder_study.boards import Legs

Numbers = NDArray[np.float64]
Statistic = Callable[[Numbers, int], Numbers]  # of the sums of columns (first axis), over n boards

SIGNIFICANT = NormalDist().inv_cdf(0.975)  # two-sided, 95 %
POWERFUL = NormalDist().inv_cdf(0.8)
_DRAWS = 2_000
_AT_ONCE = 100


class Estimate(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


class Spread(NamedTuple):
    """What the boards of a pairing come to; points are by round, from the first entry's side."""

    boards: int
    difference: Estimate
    sigma_leg: Estimate
    sigma_board: Estimate
    rho: Estimate  # correlation of the legs seen from the seats
    ratio: Estimate  # rounds needed with boards to those with a fresh deal each
    elo: Estimate
    equal: float  # share of boards with difference 0


def spread_of(legs: Sequence[Legs]) -> Spread:
    """Return what at least three boards come to."""
    first, second = np.array(legs, dtype=np.float64).T
    won = sum(((leg > 0) + (leg == 0) / 2 for leg in (first, second)), np.zeros(len(legs)))
    columns = np.array([first, second, first**2, second**2, first * second, won])
    return Spread(
        boards=len(legs),
        difference=jackknife(columns, lambda sums, n: (sums[0] + sums[1]) / (2 * n)),
        sigma_leg=jackknife(columns, lambda sums, n: np.sqrt(_of_leg(sums, n))),
        sigma_board=jackknife(columns, lambda sums, n: np.sqrt(_of_board(sums, n))),
        rho=jackknife(columns, lambda sums, n: 1 - _ratio(sums, n)),
        ratio=jackknife(columns, _ratio),
        elo=jackknife(columns, _elo),
        equal=float(np.mean(first + second == 0)),
    )


def jackknife(columns: Numbers, statistic: Statistic) -> Estimate:
    """Estimate a statistic of sums over boards; `columns` has a row for each sum."""
    n = columns.shape[1]
    total = columns.sum(axis=1)
    value = float(statistic(total, n))
    without = statistic(total[:, None] - columns, n - 1)
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    return Estimate(value, value - SIGNIFICANT * error, value + SIGNIFICANT * error)


def rounds_needed(sigma: float, points: float) -> float:
    """Return how many values of a spread show a difference, at 95 % in 80 % of all tries.

    >>> round(rounds_needed(100, 10), 1)
    784.9
    """
    return ((SIGNIFICANT + POWERFUL) * sigma / points) ** 2


def share_found(values: Numbers, points: float, count: int, seed: int) -> float:
    """Return how often `count` of the values, drawn anew, show a mean of `points` at 95 %.

    The values are shifted to that mean. This asks what `rounds_needed` says of values that are
    no normal ones.
    """
    shifted = values - values.mean() + points
    dice = np.random.Generator(np.random.PCG64(seed))
    found = 0
    for _ in range(_DRAWS // _AT_ONCE):
        drawn = shifted[dice.integers(len(shifted), size=(_AT_ONCE, count))]
        error = drawn.std(axis=1, ddof=1) / math.sqrt(count)
        found += int((drawn.mean(axis=1) * math.copysign(1, points) > SIGNIFICANT * error).sum())
    return found / _DRAWS


def _covariance(products: Numbers, one: Numbers, other: Numbers, n: int) -> Numbers:
    """Of sums; they are whole numbers, so that equal legs come to 0 and not nearly so."""
    covariance: Numbers = (n * products - one * other) / (n * (n - 1))
    return covariance


def _of_leg(sums: Numbers, n: int) -> Numbers:
    """Return the variance of a leg within its number."""
    first, second, first2, second2 = sums[:4]
    return (_covariance(first2, first, first, n) + _covariance(second2, second, second, n)) / 2


def _of_board(sums: Numbers, n: int) -> Numbers:
    """Return the variance of the mean of both legs."""
    return (_of_leg(sums, n) + _covariance(sums[4], sums[0], sums[1], n)) / 2


def _ratio(sums: Numbers, n: int) -> Numbers:
    """Return the variance of a board's two rounds to that of two rounds with a deal each."""
    return 2 * _of_board(sums, n) / _of_leg(sums, n)


def _elo(sums: Numbers, n: int) -> Numbers:
    """Return Elo of the share of legs won, ties and one added leg as half, as the ladder does."""
    won = sums[5] + 0.5
    elo: Numbers = 400 * np.log10(won / (2 * n + 1 - won))
    return elo

"""Many gates at once, over differences of boards as they are drawn here."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.ladder.gate import LEAST_BOARDS, GateTerms, llr_paths

_AT_ONCE = 250

# Both legs together. 100, 200 and 400 are bets and double victories, the others points of cards.
STEPS = np.array([0, -20, 20, -60, 60, -100, 100, -200, 200, -300, 300, -400, 400])
WEIGHTS = np.array([0.0, 1, 1, 2, 2, 3, 3, 3, 3, 1, 1, 0.6, 0.6])

SLIPS, MUCH = 0.64, 0.11  # of the boards are 0: greedy and one that errs in 3 %, and 20 to 24 %


class Draw(NamedTuple):
    """What a board may bring, points of both legs together, and how often."""

    steps: NDArray[np.int64]
    weights: NDArray[np.float64]


class Share(NamedTuple):
    """How many gates of all ended so, 0 to 1, and after how many boards."""

    accepted: float
    rejected: float
    boards: float  # on average
    within_2000: float


def close(zero: float, mean: float) -> Draw:
    """Return boards as close bots bring them: such a share of 0, such a mean in points a round.

    The rest are small steps of cards and large ones of bets and double victories
    (docs/evidence/ladder.md). The mean is set by tilting the weights, so that where one bot is
    better the large steps are more on its side.
    """
    plain = WEIGHTS / WEIGHTS.sum() * (1 - zero)
    plain[0] = zero
    low, high = -0.05, 0.05
    for _ in range(100):
        tilt = (low + high) / 2
        found: NDArray[np.float64] = plain * np.exp(tilt * STEPS)
        found /= found.sum()
        low, high = (tilt, high) if (found * STEPS).sum() / 2 < mean else (low, tilt)
    return Draw(STEPS, found)


def rare(points: int, mean: float) -> Draw:
    """Return boards of a change that shows seldom, and then moves so many points a round."""
    share = mean / points
    return Draw(np.array([0, 2 * points]), np.array([1 - share, share]))


def gates(terms: GateTerms, draw: Draw, *, most: int, runs: int, seed: int) -> Share:
    """Return what comes of so many gates, which are cut off after `most` boards."""
    dice = np.random.default_rng(seed)
    accepted = rejected = within = 0
    boards = 0.0
    for _ in range(runs // _AT_ONCE):
        points = dice.choice(draw.steps, p=draw.weights, size=(_AT_ONCE, most))
        paths = llr_paths(points, terms)
        paths[:, : LEAST_BOARDS - 1] = 0
        ups, downs = _first(paths >= terms.upper), _first(paths <= terms.lower)
        ends = np.minimum(ups, downs)
        accepted += int((ups < downs).sum())
        rejected += int((downs < ups).sum())
        within += int((ends <= 2_000).sum())
        boards += float(np.minimum(ends, most).sum())
    return Share(accepted / runs, rejected / runs, boards / runs, within / runs)


def _first(hit: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The board at which something is first so, from 1; infinity where it never is."""
    return np.where(hit.any(axis=1), hit.argmax(axis=1) + 1.0, math.inf)

"""Effects of pairs: what two entries brought against each other beyond what their points say.

The effect of a pairing is its mean difference less theta_first - theta_second. Its variance is
that of a linear sum of the means of all pairings, each with the spread of its own boards ("HC2":
MacKinnon and White 1985), since with such effects the residuals of the fit are no pure error.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from referee.ladder.boards import RatedBoard
from referee.ladder.comparisons import Numbers
from referee.ladder.estimates import half_width
from referee.ladder.points import PointsFit, points_fits


class PairEffect(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing: boards, points a round of `first` over `second`, and what is expected of them.

    `half` is the half of the 95 % interval of `effect` = `difference` - `expected`; None where the
    pairing has one board, or no third entry tells what to expect.
    """

    first: str
    second: str
    boards: int
    difference: float
    expected: float
    effect: float
    half: float | None


def pair_effects(boards: Sequence[RatedBoard]) -> tuple[PairEffect, ...]:
    """Return the effect of every pairing that has rated boards, by the names of its entries."""
    found = [effect for fit in points_fits(boards) for effect in _of_fit(fit)]
    return tuple(sorted(found, key=lambda effect: (effect.first, effect.second)))


def _of_fit(fit: PointsFit) -> Iterator[PairEffect]:
    rows = fit.rows
    pairs = [shape[0] for shape in rows.shapes]  # of boards each deal has one row
    boards = np.bincount(rows.shape_of).astype(np.float64)
    means = np.bincount(rows.shape_of, rows.values) / boards
    spread = _variances(fit, boards, means)
    first, second = np.array(pairs, dtype=np.int64).T
    across = fit.inverse[first] - fit.inverse[second]
    hat = (across[:, first] - across[:, second]) * boards  # of the means in what is expected
    theta = fit.theta
    for at, (one, other) in enumerate(pairs):
        part = -hat[at]
        part[at] += 1
        expected = float(theta[one] - theta[other])
        yield PairEffect(
            first=rows.entries[one],
            second=rows.entries[other],
            boards=int(boards[at]),
            difference=float(means[at]),
            expected=expected,
            effect=float(means[at]) - expected,
            half=_half(part, boards, spread) if boards[at] > 1 else None,
        )


def _variances(fit: PointsFit, boards: Numbers, means: Numbers) -> Numbers:
    """Return the variance of a board in each pairing; of a lone one its residual tells."""
    rows = fit.rows
    squares = np.bincount(rows.shape_of, (rows.values - means[rows.shape_of]) ** 2)
    lone = np.bincount(rows.shape_of, fit.residuals**2)
    found: Numbers = np.where(boards > 1, squares / np.maximum(boards - 1, 1), lone)
    return found


def _half(part: Numbers, boards: Numbers, spread: Numbers) -> float | None:
    weights = part**2 / boards  # of one variance each
    if weights.max() < 1e-12:
        return None  # the pairing alone decides what is expected of it
    behind = float(weights.sum() ** 2 / (weights**2 / boards).sum())
    return half_width(float(weights @ spread), behind, scale=float(spread.max()))

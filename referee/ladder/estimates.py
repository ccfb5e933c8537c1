"""What a fit found: values on a common scale, how sure they are, and by how many deals.

Covariance: clustered by deal, with the usual small-sample factor ("CR1": Liang and Zeger 1986;
Cameron and Miller 2015, section III.A). Degrees of freedom: where few deals carry most of a
comparison, that many count and not all of the ladder (effective number of clusters: Carter,
Schnepel and Steigerwald 2017).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.ladder.comparisons import Indices, Numbers, Rows, Shape
from referee.ladder.quantiles import t_critical

TAIL = 0.05  # an interval misses in 5 % of all cases
_ZERO = 1e-9  # what is smaller, relative to its kind, is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """Values of entries that can be compared with each other; their mean is 0.

    `covariance` is None where residuals have no degree of freedom. `clusters` counts the deals of
    the fit; `behind` has the effective number of deals behind each value, `between` that behind
    each difference of two.
    """

    entries: tuple[str, ...]
    values: Numbers
    covariance: Numbers | None
    clusters: int
    behind: Numbers
    between: Numbers

    def half_width(self, at: int) -> float | None:
        """Return the half of the 95 % interval of a value; None where there is nothing to go by:
        fewer than two deals, or not any spread between them.
        """
        if self.covariance is None:
            return None
        behind = float(self.behind[at])
        variance = float(self.covariance[at, at]) * few_clusters(behind, self.clusters)
        return half_width(variance, behind, scale=self.scale())

    def scale(self) -> float:
        """Return a variance of the usual size, to know rounding by."""
        if self.covariance is None:
            return 0.0
        return max(float(np.trace(self.covariance)), float(np.max(self.values**2)))


def half_width(variance: float, clusters: float, *, scale: float) -> float | None:
    """Return the half of a 95 % interval, or None where its variance or clusters are too few."""
    if clusters < 2 - _ZERO or variance <= _ZERO * _ZERO * scale or variance <= 0:
        return None
    return t_critical(TAIL, clusters - 1) * math.sqrt(variance)


def few_clusters(behind: float, clusters: int) -> float:
    """Return what a variance is multiplied with where few of all deals carry a comparison.

    A residual of one in n deals is too small by (n - 1) / n on average: the fit went through it.
    The covariance holds that for all deals of the ladder; here it is done for those that count.
    """
    if behind <= 1 or clusters <= 1:
        return 1.0
    return max(1.0, float(behind / (behind - 1)) / (clusters / (clusters - 1)))


def inverse_of(information: Numbers) -> tuple[Numbers, int]:
    """Return the pseudo-inverse of a symmetric matrix, and its rank."""
    values, vectors = np.linalg.eigh(information)
    kept = values > _ZERO * max(float(values[-1]), 1e-300)
    inverse: Numbers = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse, int(kept.sum())


def clustered_covariance(
    inverse: Numbers, scores: Numbers, *, rows: int, rank: int
) -> Numbers | None:
    """Return the CR1 covariance; `scores` are the sums of x times residual by cluster."""
    clusters = len(scores)
    if clusters < 2 or rows <= rank:
        return None
    half = scores @ inverse
    factor = clusters / (clusters - 1) * (rows - 1) / (rows - rank)
    covariance: Numbers = factor * (half.T @ half)
    return covariance


Weigh = Callable[[Indices, Indices], Numbers]  # of rows, by places of first and second


def estimates_of(
    rows: Rows,
    values: Numbers,
    covariance: Numbers | None,
    *,
    information: Numbers,
    inverse: Numbers,
    weigh: Weigh,
    counted: NDArray[np.bool_] | None = None,
    absorbed: bool = False,
) -> Iterator[Estimates]:
    """Yield the estimates of each set of entries whose differences the fit can tell.

    `counted` are the clusters that are deals (all, if None). An entry that can be compared with
    nobody is left out.
    """
    deals = np.ones(rows.clusters, dtype=np.bool_) if counted is None else counted
    counts = np.bincount(rows.shape_of[deals], minlength=len(rows.shapes))
    for chosen in _comparable(information, inverse):
        size = len(chosen)
        centring = np.zeros((len(rows.entries), size))
        centring[chosen] = np.eye(size) - 1 / size
        behind = effective_clusters(
            rows.shapes, counts, inverse @ centring, weigh=weigh, absorbed=absorbed
        )
        low, high = np.triu_indices(size, 1)
        pairs = centring[:, low] - centring[:, high]
        of_pairs = effective_clusters(
            rows.shapes, counts, inverse @ pairs, weigh=weigh, absorbed=absorbed
        )
        between = np.zeros((size, size))
        between[low, high] = between[high, low] = of_pairs
        yield Estimates(
            entries=tuple(rows.entries[at] for at in chosen),
            values=centring.T @ values,
            covariance=None if covariance is None else centring.T @ covariance @ centring,
            clusters=int(deals.sum()),
            behind=behind,
            between=between,
        )


def _comparable(information: Numbers, inverse: Numbers) -> Iterator[list[int]]:
    """Yield the entries whose differences are told: what the fit cannot see is alike in them."""
    unseen = np.eye(len(information)) - inverse @ information
    left = list(range(len(information)))
    while left:
        alike = [at for at in left if np.allclose(unseen[at], unseen[left[0]], atol=1e-7)]
        left = [at for at in left if at not in alike]
        if len(alike) > 1:
            yield alike


def effective_clusters(
    shapes: Sequence[Shape],
    counts: Indices,
    weights: Numbers,
    *,
    weigh: Weigh,
    absorbed: bool = False,
) -> Numbers:
    """Return the effective number of deals behind each comparison, a column of `weights` each.

    It is (sum of q)^2 / sum of q^2 over the deals, q being a deal's part of the variance if all
    rows had the same error: n where n deals carry it alike, less where some carry most of it.
    """
    total, squares = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
    for shape, count in zip(shapes, counts, strict=True):
        first, second = np.array(shape, dtype=np.int64).T
        part = weights[first] - weights[second]
        if absorbed:
            part = part - part.mean(axis=0)
        q = weigh(first, second) @ part**2
        total += count * q
        squares += count * q**2
    enough = squares > 0
    return np.divide(total**2, squares, out=np.zeros_like(total), where=enough)

"""Rank ranges: between which ranks an entry surely is, all entries at once.

An entry is surely better than another where their difference exceeds a simultaneous critical
value of all pairwise differences. So all ranges together hold the true ranks in 95 % of all
ladders (ranks from simultaneous intervals of differences: Al Mohamad, Goeman and van Zwet 2022).
"""

import math

import msgspec
import numpy as np

from referee.ladder.estimates import TAIL, Estimates, few_clusters
from referee.ladder.quantiles import normal_tail, t_critical
from referee.ladder.resampling import largest_difference

_SOME = 1e-12  # a tail below this is 0 for a critical value


class Certainty(msgspec.Struct, frozen=True, kw_only=True):
    """How many entries are surely better than an entry, and how many surely worse."""

    better: int
    worse: int


def certainties(found: Estimates) -> dict[str, Certainty]:
    """Return for each entry how many are surely better and worse; others may be either."""
    sure = surely_better(found)
    return {
        name: Certainty(better=sum(row[at] for row in sure), worse=sum(sure[at]))
        for at, name in enumerate(found.entries)
    }


def surely_better(found: Estimates) -> list[list[bool]]:
    """Tell for each entry, in the order of a fit, than which others it is surely better."""
    size = len(found.entries)
    tail = min(TAIL, max(_SOME, normal_tail(largest_difference(found)))) if size > 2 else TAIL
    return [[_is_sure(found, one, other, tail) for other in range(size)] for one in range(size)]


def _is_sure(found: Estimates, one: int, other: int, tail: float) -> bool:
    behind = float(found.between[one, other])
    difference = float(found.values[one] - found.values[other])
    if found.covariance is None or behind < 2 - 1e-9 or difference <= 0:
        return False
    side = np.zeros(len(found.entries))
    side[one], side[other] = 1, -1
    variance = float(side @ found.covariance @ side) * few_clusters(behind, found.clusters)
    if variance <= 1e-18 * found.scale():
        return False
    return difference > t_critical(tail, behind - 1) * math.sqrt(variance)

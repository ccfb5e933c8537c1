"""Draws of fixed seeds: simultaneous critical values, and the bootstrap of deals.

Only the raw bits of PCG64 are used, which numpy promises never to change: the same results give
the same table with a later numpy too.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from referee.ladder.comparisons import Indices, Numbers, Rows
from referee.ladder.estimates import TAIL, Estimates
from referee.ladder.points import PointsFit

DRAWS_OF_THE_LARGEST = 20_000  # the tail of 5 % comes out within 0.3 % of itself, twice its error
DRAWS_OF_DEALS = 2_000
_LARGEST_SEED, _DEALS_SEED = 1_000_003, 1_000_033
_AT_ONCE = 1 << 22  # numbers in memory


@lru_cache(1)
def normals(seed: int, count: int) -> Numbers:
    """Return `count` normal numbers (Box and Muller 1958); a table that is shown again asks again.

    Nobody may write to them.
    """
    half = (count + 1) // 2
    raw = np.random.PCG64(seed).random_raw(2 * half)
    uniform = ((raw >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    radius = np.sqrt(-2 * np.log(uniform[:half]))
    angle = 2 * np.pi * uniform[half:]
    both: Numbers = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])
    both.flags.writeable = False
    return both[:count]


def largest_difference(found: Estimates) -> float:
    """Return the z that the largest of all standardised differences exceeds in 5 % of all draws.

    Drawn from the joint covariance (single-step max-modulus: Hothorn, Bretz and Westfall 2008).
    Differences without any spread are left out; 0 where there is none other.
    """
    if found.covariance is None:
        return 0.0
    low, high = np.triu_indices(len(found.entries), 1)
    covariance = found.covariance
    variances = covariance[low, low] + covariance[high, high] - 2 * covariance[low, high]
    kept = variances > 1e-18 * found.scale()
    if not kept.any():
        return 0.0
    low, high, errors = low[kept], high[kept], np.sqrt(variances[kept])
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    z = normals(_LARGEST_SEED, DRAWS_OF_THE_LARGEST * len(root)).reshape(-1, len(root)) @ root.T
    step = max(1, _AT_ONCE // len(errors))
    largest = [
        np.max(np.abs(part[:, low] - part[:, high]) / errors, axis=1)
        for part in (z[at : at + step] for at in range(0, len(z), step))
    ]
    return float(np.quantile(np.concatenate(largest), 1 - TAIL))


def bootstrap_intervals(fit: PointsFit, found: Estimates) -> dict[str, tuple[float, float]]:
    """Return percentile intervals of points a round, by resampling whole deals (Efron 1979).

    Resamples in which not all entries hang together are left out; empty where fewer than half
    are left, and where there is only one deal.
    """
    if fit.rows.clusters < 2:
        return {}
    places = [fit.rows.entries.index(name) for name in found.entries]
    kept = np.concatenate(list(_refitted(fit)))[:, places]
    if 2 * len(kept) < DRAWS_OF_DEALS:
        return {}
    kept = kept - kept.mean(axis=1, keepdims=True)
    low, high = np.quantile(kept, [TAIL / 2, 1 - TAIL / 2], axis=0)
    return {
        name: (float(low[at]), float(high[at]))
        for at, name in enumerate(found.entries)
        if high[at] > low[at]
    }


def _refitted(fit: PointsFit) -> Iterator[Numbers]:
    """Yield theta of resamples, in parts: of those in which the fit tells as much as of all."""
    for information, right in _resampled(fit):
        values, vectors = np.linalg.eigh(information)
        seen = values > 1e-9 * values[:, -1:]
        enough = seen.sum(axis=1) == fit.rank
        inverted = np.divide(1, values, out=np.zeros_like(values), where=seen)
        turned = np.einsum("dij,di->dj", vectors, right) * inverted
        yield np.einsum("dij,dj->di", vectors, turned)[enough]


def _resampled(fit: PointsFit) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield X'X and X'y of as many deals as there are, drawn with replacement, in parts."""
    rows = fit.rows
    size = len(rows.entries)
    by_shape = np.array([_information(fit, at) for at in range(len(rows.shapes))])
    order = np.argsort(rows.shape_of, kind="stable")
    starts = np.searchsorted(rows.shape_of[order], np.arange(len(rows.shapes)))
    for times in _drawn_deals(rows):
        counts = np.add.reduceat(times[:, order], starts, axis=1)
        information = counts @ by_shape.reshape(len(by_shape), size * size)
        yield information.reshape(-1, size, size), times @ fit.right


def _information(fit: PointsFit, shape: int) -> Numbers:
    """Return X'X of one deal of a shape."""
    first, second = np.array(fit.rows.shapes[shape], dtype=np.int64).T
    x = np.zeros((len(first), len(fit.rows.entries)))
    x[np.arange(len(first)), first] = 1
    x[np.arange(len(first)), second] = -1
    if fit.absorbed:
        x -= x.mean(axis=0)
    found: Numbers = x.T @ x
    return found


def _drawn_deals(rows: Rows) -> Iterator[Numbers]:
    """Yield, in parts, how often each deal is drawn in each resample."""
    clusters = rows.clusters
    bits = np.random.PCG64(_DEALS_SEED)
    step = max(1, _AT_ONCE // clusters)
    for at in range(0, DRAWS_OF_DEALS, step):
        draws = min(step, DRAWS_OF_DEALS - at)
        yield np.array([_times(bits, clusters) for _ in range(draws)])


def _times(bits: np.random.PCG64, clusters: int) -> Numbers:
    """Return how often each of `clusters` deals is drawn, in as many draws."""
    raw = bits.random_raw(clusters) >> np.uint64(32)
    drawn: Indices = (raw * np.uint64(clusters) >> np.uint64(32)).astype(np.int64)
    return np.bincount(drawn, minlength=clusters).astype(np.float64)

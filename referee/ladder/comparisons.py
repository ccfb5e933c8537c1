"""Rows of a fit: who was compared with whom in which deal, and who can be compared at all."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

Deal = tuple[str, int, int]  # pairing, board, attempt: whose cards were dealt together


class Comparison(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One row of a fit: `first` against `second` brought `value` to `first`, in a deal."""

    deal: Deal
    first: str
    second: str
    value: float


class Rows:
    """The comparisons of entries that hang together, as arrays; the deals are clusters.

    Sorted first, so that the order in which results came is of no account, not even in the last
    bit of a sum.
    """

    def __init__(self, comparisons: Iterable[Comparison]) -> None:
        rows = sorted(comparisons)
        self.entries = tuple(sorted({name for row in rows for name in (row.first, row.second)}))
        place = {name: at for at, name in enumerate(self.entries)}
        self.first: Indices = np.array([place[row.first] for row in rows], dtype=np.int64)
        self.second: Indices = np.array([place[row.second] for row in rows], dtype=np.int64)
        self.values: Numbers = np.array([row.value for row in rows], dtype=np.float64)
        deals = [list(of_deal) for _, of_deal in groupby(rows, key=lambda row: row.deal)]
        self.clusters = len(deals)
        sizes = [len(of_deal) for of_deal in deals]
        self.cluster: Indices = np.repeat(np.arange(self.clusters), sizes)
        self.boards: Indices = np.array([of_deal[0].deal[1] for of_deal in deals], dtype=np.int64)
        self.shapes, self.shape_of = _shapes(deals, place)

    def __len__(self) -> int:
        return len(self.values)

    def across(self, by_entry: Numbers) -> Numbers:
        """Return first's value less second's, for each row; `by_entry` may have columns."""
        found: Numbers = by_entry[self.first] - by_entry[self.second]
        return found

    def by_cluster(self, by_row: Numbers) -> Numbers:
        """Return, for each cluster, the sum of its rows' signs times `by_row`, by entry."""
        sums = np.zeros((self.clusters, len(self.entries)))
        np.add.at(sums, (self.cluster, self.first), by_row)
        np.add.at(sums, (self.cluster, self.second), -by_row)
        return sums

    def crossed(self, weights: Numbers) -> Numbers:
        """Return X'WX of the rows, X having +1 for first and -1 for second."""
        size = len(self.entries)
        flat = self.first * size + self.second
        met = np.bincount(flat, weights, size * size).reshape(size, size)
        met = met + met.T
        found: Numbers = np.diag(met.sum(axis=1)) - met
        return found


Shape = tuple[tuple[int, int], ...]  # the rows of a deal: (first, second) by place of the entry


def _shapes(
    deals: Sequence[Sequence[Comparison]], place: dict[str, int]
) -> tuple[tuple[Shape, ...], Indices]:
    """Return the different shapes of deals, and which each deal has."""
    shapes: dict[Shape, int] = {}
    of_deal = []
    for rows in deals:
        shape = tuple((place[row.first], place[row.second]) for row in rows)
        of_deal.append(shapes.setdefault(shape, len(shapes)))
    return tuple(shapes), np.array(of_deal, dtype=np.int64)


def connected(comparisons: Sequence[Comparison]) -> Iterator[list[Comparison]]:
    """Yield the comparisons of each set of entries that met each other, directly or by others.

    Entries that met other people in the same deal hang together as well.
    """
    roots: dict[object, object] = {}

    def root(of: object) -> object:
        while (above := roots.setdefault(of, of)) != of:
            roots[of] = of = roots[above]
        return of

    for row in comparisons:
        for linked in (row.second, row.deal):
            roots[root(linked)] = root(row.first)
    found: dict[object, list[Comparison]] = {}
    for row in sorted(comparisons):
        found.setdefault(root(row.first), []).append(row)
    yield from found.values()

"""Points a round: paired least squares on boards, clustered by deal.

A board of a against b brought a difference y, in points a round: y = theta_a - theta_b + error.
Both legs have the same cards, so that the luck of the deal is gone from y. In a field every table
has its cards once; what the deal is worth to the first of a table is an effect of its own for each
deal, and is taken out by centring within the deal: a deal with one table says nothing. Effects
that lie within one cluster cost no degree of freedom (Cameron and Miller 2015, section III.B).
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from referee.ladder.boards import FieldLeg, RatedBoard
from referee.ladder.comparisons import Comparison, Indices, Numbers, Rows, connected
from referee.ladder.estimates import Estimates, clustered_covariance, estimates_of, inverse_of
from referee.ladder.values import FIELD


class PointsFit:
    """The least squares fit of entries that hang together; what is `absorbed` are deal effects."""

    def __init__(self, comparisons: Iterable[Comparison], *, absorbed: bool = False) -> None:
        rows = self.rows = Rows(comparisons)
        self.absorbed = absorbed
        self.sizes = np.bincount(rows.cluster).astype(np.float64)
        self.information = rows.crossed(np.ones(len(rows)))
        if absorbed:
            met = rows.by_cluster(np.ones(len(rows)))
            self.information = self.information - (met.T / self.sizes) @ met
        self.inverse, self.rank = inverse_of(self.information)
        centred = self._centred(rows.values)
        self.right = rows.by_cluster(centred)  # X'y by cluster
        self.theta = self.inverse @ self.right.sum(axis=0)
        self.residuals = centred - self._centred(rows.across(self.theta))

    def _centred(self, by_row: Numbers) -> Numbers:
        """Return rows less the mean of their deal, where deals have effects."""
        if not self.absorbed:
            return by_row
        cluster = self.rows.cluster
        means = np.bincount(cluster, by_row) / self.sizes
        centred: Numbers = by_row - means[cluster]
        return centred

    def covariance(self) -> Numbers | None:
        """Return the CR1 covariance of theta."""
        scores = self.rows.by_cluster(self.residuals)
        return clustered_covariance(self.inverse, scores, rows=len(self.rows), rank=self.rank)

    def estimates(self) -> Iterator[Estimates]:
        """Yield what can be compared."""
        yield from estimates_of(
            self.rows,
            self.theta,
            self.covariance(),
            information=self.information,
            inverse=self.inverse,
            weigh=_alike,
            absorbed=self.absorbed,
        )


def _alike(first: Indices, second: Indices) -> Numbers:
    return np.ones(len(first))


def points_fits(
    boards: Sequence[RatedBoard], field_legs: Sequence[FieldLeg] = ()
) -> tuple[PointsFit, ...]:
    """Return a fit for each set of entries that met each other, directly or by others."""
    plain = [PointsFit(part) for part in connected([_of_board(board) for board in boards])]
    tables: dict[object, list[Comparison]] = {}
    for row in map(_of_field_leg, field_legs):
        tables.setdefault(row.deal, []).append(row)
    several = [row for rows in tables.values() if len(rows) > 1 for row in rows]
    field = [PointsFit(part, absorbed=True) for part in connected(several)]
    return (*plain, *field)


def fit_points(
    boards: Sequence[RatedBoard], field_legs: Sequence[FieldLeg] = ()
) -> tuple[Estimates, ...]:
    """Return points a round, a set of estimates for each set of entries that can be compared.

    The order of boards and legs is of no account.
    """
    return tuple(found for fit in points_fits(boards, field_legs) for found in fit.estimates())


def _of_board(board: RatedBoard) -> Comparison:
    return Comparison(
        deal=(board.pairing, board.board, board.attempt),
        first=board.first,
        second=board.second,
        value=board.difference,
    )


def _of_field_leg(leg: FieldLeg) -> Comparison:
    return Comparison(
        deal=(FIELD, leg.board, leg.attempt),
        first=leg.first,
        second=leg.second,
        value=leg.difference,
    )

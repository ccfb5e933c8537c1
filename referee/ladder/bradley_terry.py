"""Elo: the model of Bradley and Terry (1952) on legs, a tie being half a win.

P(first wins) = 1 / (1 + exp(beta_second - beta_first)), fitted by maximum likelihood with one
drawn leg added for each two entries that met, so that who won every leg stays finite. Clustered by
deal as points a round are, the added legs being clusters of their own. Elo = 400 / ln 10 * beta
(Elo 1978).
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from referee.ladder.boards import FieldLeg, RatedBoard
from referee.ladder.comparisons import Comparison, Indices, Numbers, Rows, connected
from referee.ladder.estimates import Estimates, clustered_covariance, estimates_of, inverse_of
from referee.ladder.seats import pairs_of_sides
from referee.ladder.values import PAIR_MARK, LegResult, pairing_of
from referee.rules.errors import RefereeBug

ELO = 400 / math.log(10)  # of one unit of beta
ANCHORS_VERSION = 1  # goes up with any anchor, or the play of a house bot
# The Elo of house bots on legs of one round: random is 0 by choice, greedy is 367 (350 to 383) on
# 2,000 boards against it, docs/evidence/ladder.md.
ANCHORS: Mapping[str, int] = MappingProxyType({"random": 0, "greedy": 367})
_LARGEST_STEP = 1.0  # in beta: Newton's method overshoots where nearly every leg was won
_CLOSE, _CLOSE_ENOUGH = 1e-12, 1e-7  # in beta; rounding may keep a loose end from the first
_STEPS = 100


def fit_elo(
    boards: Sequence[RatedBoard], field_legs: Sequence[FieldLeg] = ()
) -> tuple[Estimates, ...]:
    """Return Elo with mean 0 for each set of entries that met each other, or others in between."""
    legs = sorted(
        chain(
            {leg.match_id: leg for board in boards for leg in board.legs}.values(),
            (one.leg for one in field_legs),
        ),
        key=lambda leg: leg.place.key,
    )
    rows = [row for leg in legs for row in _of_leg(leg)]
    met = sorted({pairing_of(row.first, row.second) for row in rows})
    drawn = [_drawn(pairing) for pairing in met]
    return tuple(
        _scaled(found) for part in connected([*rows, *drawn]) for found in _fit(Rows(part))
    )


def anchored(found: Estimates, anchors: Mapping[str, int]) -> Estimates | None:
    """Return Elo on the scale of the anchors: entries whose Elo is given, by name.

    Where several play, the mean of those is met. None where no anchor plays.
    """
    held = [at for at, name in enumerate(found.entries) if name in anchors]
    if not held:
        return None
    given = sum(anchors[found.entries[at]] for at in held) / len(held)
    shift = np.eye(len(found.entries))
    shift[held] -= 1 / len(held)
    return dataclasses.replace(
        found,
        values=shift.T @ found.values + given,
        covariance=None if found.covariance is None else shift.T @ found.covariance @ shift,
        behind=_behind_anchored(found, held),
    )


def _behind_anchored(found: Estimates, held: Sequence[int]) -> Numbers:
    """Return the least of what lies behind the difference to each anchor."""
    return np.array(
        [
            min((found.between[at, anchor] for anchor in held if anchor != at), default=0.0)
            for at in range(len(found.entries))
        ]
    )


def _of_leg(leg: LegResult) -> Iterator[Comparison]:
    """Yield who of each two sides had more."""
    place = leg.place
    for one, other in pairs_of_sides(len(place.sides)):
        ours, theirs = leg.points[one], leg.points[other]
        yield Comparison(
            deal=(place.pairing, place.board, place.attempt),
            first=place.sides[one].entry,
            second=place.sides[other].entry,
            value=0.5 if ours == theirs else float(ours > theirs),
        )


def _drawn(pairing: str) -> Comparison:
    """Return a drawn leg; no board has number 0."""
    first, second = pairing.split(PAIR_MARK)
    return Comparison(deal=(pairing, 0, 0), first=first, second=second, value=0.5)


class _Maximum(NamedTuple):
    """Where the likelihood is largest: beta, the information there, and the scores by cluster."""

    beta: Numbers
    information: Numbers
    scores: Numbers


def _maximum(rows: Rows) -> _Maximum:
    """Climb by Newton's method; the likelihood is concave, and drawn legs keep it finite."""
    beta, longest = np.zeros(len(rows.entries)), math.inf
    for _ in range(_STEPS):
        won = _chances(beta[rows.first], beta[rows.second])
        information = rows.crossed(won * (1 - won))
        scores = rows.by_cluster(rows.values - won)
        step = inverse_of(information)[0] @ scores.sum(axis=0)
        longest = float(np.max(np.abs(step)))
        if longest < _CLOSE:
            break
        beta = beta + step * min(1.0, _LARGEST_STEP / longest)
    if longest > _CLOSE_ENOUGH:
        raise RefereeBug("the likelihood of Bradley and Terry has no maximum")
    return _Maximum(beta, information, scores)


def _fit(rows: Rows) -> Iterator[Estimates]:
    beta, information, scores = _maximum(rows)
    inverse, rank = inverse_of(information)

    def weigh(first: Indices, second: Indices) -> Numbers:
        won = _chances(beta[first], beta[second])
        weights: Numbers = won * (1 - won)
        return weights

    yield from estimates_of(
        rows,
        beta,
        clustered_covariance(inverse, scores, rows=len(rows), rank=rank),
        information=information,
        inverse=inverse,
        weigh=weigh,
        counted=rows.boards > 0,  # an added leg is no deal
    )


def _chances(first: Numbers, second: Numbers) -> Numbers:
    """Return how likely the first wins."""
    chances: Numbers = 1 / (1 + np.exp(second - first))
    return chances


def _scaled(beta: Estimates) -> Estimates:
    covariance = beta.covariance
    return dataclasses.replace(
        beta,
        values=ELO * beta.values,
        covariance=None if covariance is None else ELO**2 * covariance,
    )

"""When a ladder may stop before its schedule ends: by time, or when its top is told apart.

Whoever looks after every board and stops at the first clear difference is wrong far more often
than 5 % of the time. So a difference is clear here only above a bound that holds at every number of
boards at once: the normal mixture of Robbins (Statistical methods related to the law of the
iterated logarithm, 1970; as a limit for estimated spreads: Waudby-Smith, Arbour, Sinha, Kennedy and
Ramdas 2024). One may look whenever one likes, as often as one likes, in any order of results and
across restarts. The other way, looks at numbers of boards that grow by a quarter, look k with a
share of 6 / (pi k)^2 of the error, would have to be remembered, and from some 30 boards of a
pairing on (the sixth look) it asks for a larger difference than this bound.
"""

import enum
import math
from collections.abc import Mapping

import msgspec
import numpy as np

from referee.ladder.boards import Resolved
from referee.ladder.estimates import TAIL, Estimates, few_clusters
from referee.ladder.points import fit_points
from referee.ladder.quantiles import normal_tail, t_tail
from referee.ladder.rulings import Decided

# Where the bound is tightest, in points a round: differences that need some hundred boards. It is
# fixed: a bound that was fitted to the results would not hold.
EXPECTED_DIFFERENCE = 20.0

_HOUR_S = 3600


class StopRule(msgspec.Struct, frozen=True, kw_only=True):
    """What ends a ladder, whatever comes first; None: not by this.

    `hours` of play; `separated`: the first so many places are told apart from all places below.
    """

    hours: float | None = None
    separated: int | None = None


class StopReason(enum.StrEnum):
    """Why a ladder stopped before its schedule ended."""

    HOURS = "hours"
    SEPARATED = "separated"


def stop_reason(
    rule: StopRule,
    *,
    owners: Mapping[str, str],
    decided: Decided,
    resolved: Resolved,
    played_s: float,
) -> StopReason | None:
    """Return why to stop now, None to go on. `played_s` are seconds of play, of all runs."""
    if rule.hours is not None and played_s >= rule.hours * _HOUR_S:
        return StopReason.HOURS
    if rule.separated is not None:
        playing = frozenset(entry for entry in owners if decided.plays(entry))
        if are_separated(resolved, playing, top=rule.separated):
            return StopReason.SEPARATED
    return None


def are_separated(resolved: Resolved, playing: frozenset[str], *, top: int) -> bool:
    """Return whether the best `top` of these entries surely are better than all the others.

    Wrong in at most 5 % of all ladders, however often it is asked. All that are in must be surely
    better than all that are out; so each comparison may have the whole error to itself, since a
    wrong answer needs the one comparison that is wrong (intersection-union test: Berger 1982).
    """
    if len(playing) <= top:
        return True
    fits = fit_points(resolved.boards, resolved.field_legs)
    fit = next((found for found in fits if playing <= set(found.entries)), None)
    if fit is None:
        return False
    places = [at for at, entry in enumerate(fit.entries) if entry in playing]
    places.sort(key=lambda at: -float(fit.values[at]))
    return all(is_clear(fit, one, other) for one in places[:top] for other in places[top:])


def is_clear(fit: Estimates, one: int, other: int) -> bool:
    """Return whether an entry is better than another by more than the bound, few deals allowed for.

    `one` and `other` are places in the fit.
    """
    behind = float(fit.between[one, other])
    if fit.covariance is None or behind <= 2:
        return False
    side = np.zeros(len(fit.entries))
    side[one], side[other] = 1, -1
    variance = float(side @ fit.covariance @ side) * few_clusters(behind, fit.clusters)
    if variance <= 0:
        return False
    off = float(fit.values[one] - fit.values[other]) / math.sqrt(variance)
    bound = mixture_bound(variance)
    return off > bound and t_tail(off, behind - 1) < normal_tail(bound)


def mixture_bound(variance: float, *, tail: float = TAIL) -> float:
    """Return how many standard errors a difference may be off, at all numbers of boards together.

    `variance` > 0 is that of the difference now, in squared points a round. In `tail` of all
    ladders the difference ever is farther off.

    >>> round(mixture_bound(20.0**2), 2), round(mixture_bound(20.0**2 / 10), 2)
    (3.66, 3.04)
    """
    told = EXPECTED_DIFFERENCE**2 / variance
    return math.sqrt((1 + 1 / told) * (math.log1p(told) - 2 * math.log(tail)))

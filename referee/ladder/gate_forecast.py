"""What a gate still takes, and what its budget can decide, from its first boards."""

import math

import msgspec

from referee.ladder.gate import IMAGINED, LEAST_BOARDS, GateTerms

FORECAST_BOARDS = 20  # fewer say little about spread and rate
LEAST_UNEQUAL = 5  # boards, of those

_IMAGINED = 2 * IMAGINED**2  # what the imagined boards bring, in squared points a round
_NEAR_ZERO = 1e-6  # of a drift that is as good as none
_STEEP = 500.0  # exp of more overflows, and is no different


class GateForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be expected, from `boards` boards of spread `sigma`.

    `if_points0`, `if_points1`, `if_middle`: how many boards it takes on average, from the first one
    on, if the truth is that; `if_middle` is the worst that can be, and `if_mean` is for the mean
    of the boards so far. `rate` is boards a minute.
    `affordable` boards fit into the budget and `max_boards`; with them hypotheses can be decided
    that are `decidable` points a round apart or more; None where not even the least boards fit, or
    where fewer than `LEAST_UNEQUAL` boards are `unequal` to 0, which say too little of the spread.
    """

    boards: int
    unequal: int
    sigma: float
    if_points0: int
    if_points1: int
    if_middle: int
    if_mean: int
    mean: float
    rate: float
    affordable: int
    decidable: float | None

    @property
    def expected(self) -> int:
        """Boards it takes on average if the candidate is what the worse hypothesis says."""
        return max(self.if_points0, self.if_points1)


def gate_forecast(
    terms: GateTerms,
    *,
    boards: int,
    unequal: int,
    mean: float,
    sigma: float,
    rate: float,
    left_s: float,
) -> GateForecast:
    """Return what to expect. `rate` > 0 is boards a minute; the budget has `left_s` left.

    The boards that are imagined count here too, so `sigma` may be 0.
    """
    affordable = min(terms.max_boards, boards + math.floor(rate * max(0.0, left_s) / 60))
    enough = unequal >= LEAST_UNEQUAL
    return GateForecast(
        boards=boards,
        unequal=unequal,
        sigma=sigma,
        if_points0=expected_boards(terms, sigma=sigma, mean=terms.points0),
        if_points1=expected_boards(terms, sigma=sigma, mean=terms.points1),
        if_middle=expected_boards(terms, sigma=sigma, mean=terms.middle),
        if_mean=expected_boards(terms, sigma=sigma, mean=mean),
        mean=mean,
        rate=rate,
        affordable=affordable,
        decidable=decidable_points(terms, sigma=sigma, boards=affordable) if enough else None,
    )


def expected_boards(terms: GateTerms, *, sigma: float, mean: float) -> int:
    """Return how many boards a verdict takes on average where the true mean is `mean`.

    Wald's approximation, without what the test oversteps its bounds; at least `LEAST_BOARDS`. After
    n boards the imagined ones add `_IMAGINED` / n to the variance, so n solves n^2 = n a + b, where
    a and b are the boards that either part would take alone, b that of all of it at the first one.
    """
    alone = _average(terms, variance=sigma**2, mean=mean)
    imagined = _average(terms, variance=_IMAGINED, mean=mean)
    return max(LEAST_BOARDS, math.ceil((alone + math.sqrt(alone**2 + 4 * imagined)) / 2))


def decidable_points(terms: GateTerms, *, sigma: float, boards: int) -> float | None:
    """Return how far two hypotheses must be apart to be decided by so many boards on average."""
    if boards < LEAST_BOARDS:
        return None
    variance = sigma**2 + _IMAGINED / boards
    means = (terms.points0, terms.points1)
    needed = max(_average(terms, variance=variance, mean=mean) for mean in means)
    return terms.width * math.sqrt(needed / boards)  # boards go with 1 / width^2


def _average(terms: GateTerms, *, variance: float, mean: float) -> float:
    low, high = terms.lower, terms.upper
    boards = variance / terms.width**2  # in which the ratio's variance grows by 1
    tilt = 2 * (mean - terms.middle) / terms.width  # -1 at points0, 1 at points1
    if abs(tilt) < _NEAR_ZERO:
        return -low * high * boards
    return (low + (high - low) * _accepted(low, high, tilt)) * boards / (tilt / 2)


def _accepted(low: float, high: float, tilt: float) -> float:
    """Return the share of gates that accept (the operating characteristic)."""
    if -tilt * low > _STEEP:
        return 1.0
    if -tilt * high > _STEEP:
        return 0.0
    below = math.exp(-tilt * low)
    return (below - 1) / (below - math.exp(-tilt * high))

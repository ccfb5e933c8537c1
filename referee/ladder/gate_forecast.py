"""What a gate still takes, and what its budget can decide, from its first boards."""

import math

import msgspec

from referee.ladder.gate import IMAGINED, LEAST_BOARDS, GateTerms

FORECAST_BOARDS = 20  # fewer say little about spread and rate

_NEAR_ZERO = 1e-6  # of a drift that is as good as none
_STEEP = 500.0  # exp of more overflows, and is no different


class GateForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be expected, from `boards` boards of spread `sigma`.

    `if_points0`, `if_points1`, `if_middle`: how many boards it takes on average, from the first one
    on, if the truth is that; `if_middle` is the worst that can be, and `if_mean` is for the mean
    of the boards so far. `rate` is boards a minute.
    `affordable` boards fit into the budget and `max_boards`; with them hypotheses can be decided
    that are `decidable` points a round apart or more; None where not even the least boards fit.
    """

    boards: int
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
    terms: GateTerms, *, boards: int, mean: float, sigma: float, rate: float, left_s: float
) -> GateForecast:
    """Return what to expect. `rate` > 0 is boards a minute; the budget has `left_s` left.

    A `sigma` of 0, where all boards were equal, is taken as that of the boards that are imagined.
    """
    sigma = sigma or IMAGINED * math.sqrt(2 / max(1, boards))
    affordable = min(terms.max_boards, boards + math.floor(rate * max(0.0, left_s) / 60))
    return GateForecast(
        boards=boards,
        sigma=sigma,
        if_points0=expected_boards(terms, sigma=sigma, mean=terms.points0),
        if_points1=expected_boards(terms, sigma=sigma, mean=terms.points1),
        if_middle=expected_boards(terms, sigma=sigma, mean=terms.middle),
        if_mean=expected_boards(terms, sigma=sigma, mean=mean),
        mean=mean,
        rate=rate,
        affordable=affordable,
        decidable=decidable_points(terms, sigma=sigma, boards=affordable),
    )


def expected_boards(terms: GateTerms, *, sigma: float, mean: float) -> int:
    """Return how many boards a verdict takes on average where the true mean is `mean`.

    Wald's approximation, without what the test oversteps its bounds; at least `LEAST_BOARDS`.
    """
    return max(LEAST_BOARDS, math.ceil(_average(terms, sigma=sigma, mean=mean)))


def decidable_points(terms: GateTerms, *, sigma: float, boards: int) -> float | None:
    """Return how far two hypotheses must be apart to be decided by so many boards on average."""
    if boards < LEAST_BOARDS:
        return None
    needed = max(_average(terms, sigma=sigma, mean=m) for m in (terms.points0, terms.points1))
    return terms.width * math.sqrt(needed / boards)  # boards go with 1 / width^2


def _average(terms: GateTerms, *, sigma: float, mean: float) -> float:
    low, high = terms.lower, terms.upper
    step = (terms.width / sigma) ** 2  # variance of the ratio's step at a board
    tilt = 2 * (mean - terms.middle) / terms.width  # -1 at points0, 1 at points1
    if abs(tilt) < _NEAR_ZERO:
        return -low * high / step
    return (low + (high - low) * _accepted(low, high, tilt)) / (tilt * step / 2)


def _accepted(low: float, high: float, tilt: float) -> float:
    """Return the share of gates that accept (the operating characteristic)."""
    if -tilt * low > _STEEP:
        return 1.0
    if -tilt * high > _STEEP:
        return 0.0
    below = math.exp(-tilt * low)
    return (below - 1) / (below - math.exp(-tilt * high))

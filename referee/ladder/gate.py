"""A gate: is one bot better than another? A sequential test on the differences of boards.

H0: their mean is `points0` points a round; H1: it is `points1`. The spread is not known, so it is a
generalised sequential probability ratio test (GSPRT: Li, Liu and Ying, Generalized sequential
probability ratio test for separate families of hypotheses, 2014): the likelihood ratio of both
means with the spread of the boards so far, between the bounds of Wald (Sequential analysis, 1947).

The unit is the board: both legs are summed into one difference and counted once. A board is two
rounds, so its difference in points a round is half that sum. Boards are looked at in the order of
their numbers, so which of them are played side by side changes no verdict.
"""

import enum
import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from referee.rules.errors import ConfigError

LEAST_BOARDS = 200  # before any verdict but "same play"
SAME_BOARDS = 100  # with the same cards in both legs: the bots play the same
ROUNDS = 2  # of a board

# Many boards of close bots are exactly 0 and the rest are large steps (docs/evidence/ladder.md), so
# the spread of the first boards may be far too small, or 0. Two boards are imagined beside those
# that were played, one as far above the mean as this and one as far below, in points a round: as
# far as a board goes that a double victory and a bet decided in both legs. With half of it a
# change that cost 300 points in one board of 60 was accepted too often (docs/evidence/gate.md).
IMAGINED = 400.0

# Steps are heavier to one side where one bot is better, so the spread goes with the mean: with the
# bounds of Wald as they are, errors of 0.05 came out as up to 0.054. So the bounds are those of
# errors that are smaller by this, which takes 3 % more boards.
_STRICTER = 1.1

_LEAST_ERROR = 1e-6  # as good as never
_MOST_ERROR = 0.49
_MOST_POINTS = 600.0  # a round has no more
_LEAST_WIDTH = 0.01  # points a round; some hundred million boards

Numbers = NDArray[np.float64]
_Whole = NDArray[np.int64]


class Decision(enum.StrEnum):
    """What the boards say. Values travel in files."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"


class GateTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What is tested. Points are candidate less baseline, a round; `points0` < `points1`.

    `alpha` is the share of candidates of mean `points0` that are accepted, `beta` the share of
    those of mean `points1` that are rejected, each at most. Raises `ConfigError` for what cannot
    be tested.
    """

    points0: float = 0.0
    points1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    max_boards: int = 20_000

    def __post_init__(self) -> None:
        for name, error in (("--alpha", self.alpha), ("--beta", self.beta)):
            if not _LEAST_ERROR <= error <= _MOST_ERROR:
                limits = f"{_LEAST_ERROR:f} to {_MOST_ERROR}"
                raise ConfigError(f"{name} {error:g}: write a number from {limits}")
        for name, points in (("--points0", self.points0), ("--points1", self.points1)):
            if not abs(points) <= _MOST_POINTS:  # nan too
                limit = f"-{_MOST_POINTS:g} to {_MOST_POINTS:g}"
                raise ConfigError(f"{name} {points:g}: write points a round, {limit}")
        if not self.points0 < self.points1:
            raise ConfigError(
                f"--points0 {self.points0:g} --points1 {self.points1:g}: the first must be less; "
                "it is what is not good enough, the second what is"
            )
        if self.width < _LEAST_WIDTH:
            raise ConfigError(
                f"--points0 {self.points0:g} --points1 {self.points1:g}: no number of boards tells "
                f"them apart; {_LEAST_WIDTH:g} or more must be between them"
            )
        if self.max_boards < LEAST_BOARDS:
            raise ConfigError(
                f"--max-boards {self.max_boards}: no verdict comes before {LEAST_BOARDS} boards; "
                "write that or more"
            )

    @property
    def lower(self) -> float:
        """At this log likelihood ratio or below the candidate is rejected."""
        return math.log(self.beta / _STRICTER / (1 - self.alpha / _STRICTER))

    @property
    def upper(self) -> float:
        """At this log likelihood ratio or above the candidate is accepted."""
        return math.log((1 - self.beta / _STRICTER) / (self.alpha / _STRICTER))

    @property
    def width(self) -> float:
        """How far the two hypotheses are apart, over 0."""
        return self.points1 - self.points0

    @property
    def middle(self) -> float:
        """The mean that speaks for neither."""
        return (self.points0 + self.points1) / 2


class Walk:
    """The boards so far, in order. Sums of whole points: nothing is lost by rounding."""

    def __init__(self, terms: GateTerms) -> None:
        self.terms = terms
        self.boards = 0
        self.alike = 0  # boards of the first ones whose legs had the same play
        self.unequal = 0  # boards of other points than 0
        self._sum = self._squares = 0

    def add(self, points: int, *, alike: bool) -> None:
        """Add the next board.

        `points` are those of both legs together, candidate less baseline. `alike`: the same cards
        were played in both legs, seat by seat.
        """
        self.boards += 1
        self._sum += points
        self._squares += points * points
        self.alike += alike
        self.unequal += points != 0

    @property
    def mean(self) -> float:
        """Points a round by which the candidate was better; 0 before the first board."""
        return self._sum / (ROUNDS * self.boards) if self.boards else 0.0

    @property
    def spread(self) -> float:
        """The standard deviation of a board's difference in points a round, as it was played.

        0 where all were equal; below 2 boards nothing is known but what is imagined.
        """
        if self.boards < 2:
            return IMAGINED
        around = self._squares - self._sum * self._sum / self.boards
        return math.sqrt(max(0.0, around) / (self.boards - 1)) / ROUNDS

    @property
    def llr(self) -> float:
        """The logarithm of the likelihood ratio of H1 to H0."""
        if not self.boards:
            return 0.0
        sums, squares = np.asarray(self._sum), np.asarray(self._squares)
        return float(_llr(np.asarray(self.boards), sums, squares, self.terms))

    @property
    def same_play(self) -> bool:
        """True if the first boards say that the bots play the same."""
        return self.boards == SAME_BOARDS == self.alike

    def decision(self) -> Decision | None:
        """Return what the boards say now; None: play on."""
        if self.same_play:
            return same_play_decision(self.terms)
        if self.boards < LEAST_BOARDS:
            return None
        llr = self.llr
        if llr >= self.terms.upper:
            return Decision.ACCEPT
        if llr <= self.terms.lower:
            return Decision.REJECT
        return Decision.UNDECIDED if self.boards >= self.terms.max_boards else None


def same_play_decision(terms: GateTerms) -> Decision:
    """Return what follows where both bots play the same: the difference is 0, and that is sure.

    >>> same_play_decision(GateTerms()).value
    'reject'
    >>> same_play_decision(GateTerms(points0=-5.0, points1=0.0)).value
    'accept'
    """
    if terms.middle == 0:
        return Decision.UNDECIDED
    return Decision.ACCEPT if terms.middle < 0 else Decision.REJECT


def llr_paths(points: _Whole, terms: GateTerms) -> Numbers:
    """Return the log likelihood ratio after each board, of many runs at once.

    `points` has a row for each run, and in it the points of both legs of each board.
    """
    boards = np.arange(1, points.shape[-1] + 1)
    sums, squares = points.cumsum(axis=-1), (points * points).cumsum(axis=-1)
    return _llr(boards, sums, squares, terms)


def _llr(boards: _Whole, sums: _Whole, squares: _Whole, terms: GateTerms) -> Numbers:
    mean = sums / (ROUNDS * boards)
    found: Numbers = boards * terms.width * (mean - terms.middle) / _variance(boards, sums, squares)
    return found


def _variance(boards: _Whole, sums: _Whole, squares: _Whole) -> Numbers:
    """Return the variance of a board in squared points a round; never 0."""
    around = squares - sums * (sums / boards)
    found: Numbers = (around / ROUNDS**2 + 2 * IMAGINED**2) / boards
    return found

"""Totals of a match, its end, and who deals next (A2, F4)."""

from collections.abc import Sequence

from referee.rules.errors import RefereeBug
from referee.rules.option_values import TieAtTarget
from referee.rules.options import RuleOptions, teams
from referee.rules.seat import Seat


class MatchScore:
    """The score of one match, changed in place by `add`."""

    __slots__ = ("dealer", "options", "rounds_played", "totals")

    options: RuleOptions
    totals: tuple[int, ...]  # by team; may be negative
    rounds_played: int
    dealer: Seat  # of the next round: the winner of the last, at first seat 0 (A2)

    def __init__(self, options: RuleOptions, *, totals: Sequence[int] | None = None) -> None:
        self.options = options
        self.totals = tuple(totals) if totals is not None else (0,) * teams(options)
        self.rounds_played = 0
        self.dealer = Seat(0)

    def add(self, round_score: Sequence[int], *, first_out: Seat | None = None) -> None:
        """Add a finished round; `first_out` deals the next one. Raises `RefereeBug` once over."""
        if self.is_over:
            raise RefereeBug("the match is over; no round can be added")
        self.totals = tuple([a + b for a, b in zip(self.totals, round_score, strict=True)])
        self.rounds_played += 1
        if first_out is not None:
            self.dealer = first_out

    @property
    def is_over(self) -> bool:
        """True when the match has ended: by its number of rounds, else by the target (F4)."""
        if self.rounds_played == 0:
            return False
        if self.options.rounds is not None:
            return self.rounds_played >= self.options.rounds
        if max(self.totals) < self.options.target:
            return False
        return self._leader() is not None or self.options.tie_at_target is TieAtTarget.DRAW

    @property
    def winner(self) -> int | None:
        """The winning team; None while the match runs and when it ended in a draw."""
        return self._leader() if self.is_over else None

    def _leader(self) -> int | None:
        best = max(self.totals)
        return self.totals.index(best) if self.totals.count(best) == 1 else None

"""Totals of a match, its end, and who deals next and in what turn order (A2, F4, G9, I)."""

from collections.abc import Sequence

from referee.rules.errors import RefereeBug
from referee.rules.option_values import GsGoal, TieAtTarget, Variant
from referee.rules.options import RuleOptions, columns, match_rounds
from referee.rules.seat import Seat
from referee.rules.seating import TISCH, TRICHU_PLAYERS, order_of_ranks


class MatchScore:
    """The score of one match, changed in place by `add`."""

    __slots__ = ("dealer", "options", "ranks", "ranks_before", "rounds_played", "totals")

    options: RuleOptions
    totals: tuple[int, ...]  # by score column; may be negative; () without points
    rounds_played: int
    dealer: Seat  # of the next round
    ranks: tuple[Seat, ...]  # of the last round of Grand Seigneur, first to last; () = none yet
    ranks_before: tuple[Seat, ...]  # of the round before that

    def __init__(self, options: RuleOptions, *, totals: Sequence[int] | None = None) -> None:
        self.options = options
        self.totals = tuple(totals) if totals is not None else (0,) * columns(options)
        self.rounds_played = 0
        self.dealer = Seat(0)
        self.ranks = self.ranks_before = ()

    def add(self, round_score: Sequence[int], *, order: Sequence[Seat] = ()) -> None:
        """Add a finished round with its `finishing_order`. Raises `RefereeBug` once over.

        The first out deals the next round (A2), in Grand Seigneur the last (I1); in Trichu the
        soloist changes (G9). Where nobody went out, since a call was refused, the same seat deals.
        """
        if self.is_over:
            raise RefereeBug("the match is over; no round can be added")
        self.totals = tuple([a + b for a, b in zip(self.totals, round_score, strict=True)])
        self.rounds_played += 1
        if self.options.variant is Variant.TRICHU:
            self.dealer = soloist_of(self.rounds_played)
        elif self.options.variant is Variant.GRAND_SEIGNEUR:
            self.ranks_before, self.ranks = self.ranks, tuple(order)
            self.dealer = order[-1] if order else self.dealer
        elif order:
            self.dealer = order[0]

    @property
    def turn_order(self) -> tuple[Seat, ...] | None:
        """The turn order of the next round; None = by number (I2)."""
        return order_of_ranks(self.ranks, self.options) if self.ranks else None

    @property
    def is_over(self) -> bool:
        """True when the match has ended: by its rounds, by the target (F4), or first again (I4)."""
        if self.rounds_played == 0:
            return False
        if self.options.gs_goal is GsGoal.FIRST_AGAIN:
            return bool(self.ranks_before) and self.ranks[:1] == self.ranks_before[:1]
        rounds = match_rounds(self.options)
        if rounds is not None:
            return self.rounds_played >= rounds
        if max(self.totals) < self.options.target:
            return False
        return self._leader() is not None or self.options.tie_at_target is TieAtTarget.DRAW

    @property
    def winner(self) -> int | None:
        """Who has won: the team, in Trichu and Grand Seigneur the seat of the player.

        None while the match runs and when it ended in a draw. In Trichu the Tisch's column wins
        nothing. In Grand Seigneur it is who was first in the last round: there are no points.
        """
        return self._leader() if self.is_over else None

    def _leader(self) -> int | None:
        if self.options.variant is Variant.GRAND_SEIGNEUR:
            return self.ranks[0] if self.ranks else None
        tisch = TISCH if self.options.variant is Variant.TRICHU else None
        rivals = [total for column, total in enumerate(self.totals) if column != tisch]
        best = max(rivals)
        if rivals.count(best) > 1:
            return None
        return next(c for c, total in enumerate(self.totals) if total == best and c != tisch)


def soloist_of(rounds_played: int) -> Seat:
    """Return the soloist of the round of Trichu after so many others (G9).

    >>> [soloist_of(rounds) for rounds in range(4)]
    [0, 1, 3, 0]
    """
    return TRICHU_PLAYERS[rounds_played % len(TRICHU_PLAYERS)]

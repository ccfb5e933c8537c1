"""What a round has come to: who won it, and its points."""

from referee.rules.cards import card_points
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions, columns, teams, victory_points
from referee.rules.phases import CallKind
from referee.rules.round_state import ROUND_OVER, RoundState
from referee.rules.scoring import (
    call_points,
    card_points_by_team,
    is_double_victory,
    refused_points,
    seat_call_points,
)
from referee.rules.seat import Seat
from referee.rules.seating import Seating


def in_columns(by_team: tuple[int, ...], seats: Seating, options: RuleOptions) -> tuple[int, ...]:
    """Return points by team as score columns: in Trichu each seat has that of its team (G8)."""
    if columns(options) == len(by_team):
        return by_team
    return tuple([by_team[team] for team in seats.teams])


class RoundResults(RoundState):
    """Points are by team, and by score column where that is another thing: in Trichu."""

    __slots__ = ()

    @property
    def first_out(self) -> Seat | None:
        """The winner of the round; None before anybody is out."""
        return self.out[0] if self.out else None

    @property
    def finishing_order(self) -> tuple[Seat, ...]:
        """The seats in the order of going out, the last one with cards at the end; once over.

        In Grand Seigneur these are the ranks (I2). Several can be left with cards where a round
        ends early: then only those who are out. () when a refused call ended it.
        """
        self._require_over()
        holders = [Seat(seat) for seat, hand in enumerate(self.hands) if hand]
        return (*self.out, *holders) if len(holders) == 1 else tuple(self.out)

    @property
    def double_victory(self) -> bool:
        """True when partners went out first and second (F1); all three of a team with six (H7)."""
        return is_double_victory(self.out, self.seating)

    def won_points(self, seat: Seat) -> int:
        """Return the points a seat has captured so far."""
        return card_points(self.won[seat])

    @property
    def team_card_points(self) -> tuple[int, ...]:
        """Card points by team after the transfers (F2); once over.

        0 : 0 on a double victory and after a refused call; () without teams.
        """
        self._require_over()
        if not teams(self.options):
            return ()
        if self.refused is not None:
            return (0,) * teams(self.options)
        return card_points_by_team(self.hands, self.won, self.out, self.seating, self.options)

    @property
    def card_points(self) -> tuple[int, ...]:
        """`team_card_points` by score column; once over."""
        return in_columns(self.team_card_points, self.seating, self.options)

    @property
    def team_points(self) -> tuple[int, ...]:
        """Points of the round by team, calls included (F3); () without teams; once over."""
        points = list(self.team_card_points)
        if not points:
            return ()
        if self.refused is not None:
            call = self.calls[self.refused]
            assert call is not None
            return refused_points(call, self.refused, self.seating)
        if self.double_victory:
            points[self.seating.teams[self.out[0]]] = victory_points(self.options)
        calls = call_points(self.calls, self.out[0], self.seating, self.options)
        return tuple([a + b for a, b in zip(points, calls, strict=True)])

    @property
    def round_score(self) -> tuple[int, ...]:
        """`team_points` by score column (G8): what the match score grows by; once over."""
        return in_columns(self.team_points, self.seating, self.options)

    @property
    def scores(self) -> tuple[int, ...]:
        """Match score by column; includes this round once it is over."""
        if self.phase is not ROUND_OVER:
            return self.scores_before
        pairs = zip(self.scores_before, self.round_score, strict=True)
        return tuple([before + now for before, now in pairs])

    @property
    def call_results(self) -> tuple[tuple[CallKind | None, bool], ...]:
        """For each seat the call and whether it was won; once over (F3)."""
        self._require_over()
        first = self.first_out
        return tuple([(call, call is not None and s == first) for s, call in enumerate(self.calls)])

    def call_points(self, seat: Seat) -> int:
        """Return what the call of a seat added to its team; once over (F3).

        0 for every seat after a refused call: what that costs the opponents is no call of theirs.
        """
        self._require_over()
        if self.refused is not None:
            return 0
        return seat_call_points(self.calls, seat, self.first_out, self.seating, self.options)

    def _require_over(self) -> None:
        if self.phase is not ROUND_OVER:
            raise RefereeBug(f"the round is not over but in phase {self.phase}")

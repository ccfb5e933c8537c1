"""What a round was like, gathered from the facts of a match as they come."""

import msgspec

from referee.match.facts import Fact, Played, RoundEnded, Strike, WentOut
from referee.rules.cards import mask_of
from referee.rules.combinations import readings
from referee.rules.seat import Seat


class SeatStrike(msgspec.Struct, frozen=True, kw_only=True):
    """A seat failed to answer legally in time."""

    seat: Seat
    why: str


class CallResult(msgspec.Struct, frozen=True, kw_only=True):
    """A bet and what it brought: points from -400 to 400 (F3)."""

    seat: Seat
    call: str
    won: bool
    points: int


class RoundSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A round that is over. Points, card points and totals by team; bombs by seat.

    `ranks` and `refused` as in the fact `RoundEnded`.
    """

    round: int
    points: tuple[int, ...]
    card_points: tuple[int, ...]
    calls: tuple[CallResult, ...]
    double_victory: bool
    out: tuple[Seat, ...]  # in order of going out
    bombs: tuple[int, ...]
    strikes: tuple[SeatStrike, ...]
    totals: tuple[int, ...]
    ranks: tuple[Seat, ...] = ()
    refused: Seat | None = None


class Tally:
    """Counts while facts come in. One for each match."""

    def __init__(self, *, seats: int) -> None:
        self._seats = seats
        self._begin_round()

    def _begin_round(self) -> None:
        self._bombs = [0] * self._seats
        self._strikes: list[SeatStrike] = []
        self._out: list[Seat] = []

    def take(self, fact: Fact) -> RoundSummary | None:
        """Count a fact; return the round when it was its last."""
        match fact:
            case Played():
                self._bombs[fact.seat] += is_bomb(fact.cards)
            case Strike():
                self._strikes.append(SeatStrike(seat=fact.seat, why=fact.why))
            case WentOut():
                self._out.append(fact.seat)
            case RoundEnded():
                return self._finish(fact)
            case _:
                pass
        return None

    def _finish(self, fact: RoundEnded) -> RoundSummary:
        summary = RoundSummary(
            round=fact.round,
            points=fact.points,
            card_points=fact.card_points,
            calls=tuple(
                CallResult(seat=seat, call=call.value, won=won, points=points)
                for seat, call, won, points in fact.calls
            ),
            double_victory=fact.double_victory,
            out=tuple(self._out),
            bombs=tuple(self._bombs),
            strikes=tuple(self._strikes),
            totals=fact.totals,
            ranks=fact.ranks,
            refused=fact.refused,
        )
        self._begin_round()
        return summary

    @property
    def strikes(self) -> tuple[SeatStrike, ...]:
        """The strikes of the running round: of interest when the match ends inside it."""
        return tuple(self._strikes)


def is_bomb(cards: tuple[int, ...]) -> bool:
    """True for cards that are a bomb (B1); a set that can be one always is (B8)."""
    if len(cards) < 4:
        return False
    found = readings(mask_of(cards))
    return bool(found) and found[0].is_bomb

"""What a table of a tournament brings those who sat at it: Tichu points or victory points."""

import enum
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from referee.rules.errors import ConfigError

_ROW = re.compile(r"(\d{1,6}) (\d{1,4}):(\d{1,4})")

# Ours: twenty points a table. Four deals differ by about 300 points where like bots play, so that
# one table in ten is all but even and one in fifty is worth all there is to win.
VICTORY_ROWS = (
    "0 10:10",
    "50 11:9",
    "100 12:8",
    "160 13:7",
    "220 14:6",
    "290 15:5",
    "370 16:4",
    "460 17:3",
    "570 18:2",
    "700 19:1",
    "850 20:0",
)


class Points(enum.StrEnum):
    """What is added up. Values are written in tournament files."""

    TICHU = "tichu"  # by how many Tichu points a table was won
    VICTORY = "victory"  # victory points for that difference, by a table of rows


class VictoryRow(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """From a difference of `least` Tichu points on: victory points of the winner and the loser."""

    least: int
    winner: int
    loser: int


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """How a table is scored. Without `rows` a difference of Tichu points is the score itself."""

    rows: tuple[VictoryRow, ...] = ()

    @property
    def even(self) -> int:
        """What a tie brings either side; who sits out gets it too."""
        return self.rows[0].winner if self.rows else 0

    def score(self, difference: int) -> int:
        """Return what a side gets that is ahead by so many Tichu points; behind, if negative."""
        if not self.rows:
            return difference
        row = [row for row in self.rows if row.least <= abs(difference)][-1]
        return row.winner if difference >= 0 else row.loser


class TableResult(msgspec.Struct, frozen=True, kw_only=True):
    """A table that counts. `round` is from 1; `sides` are the entrants with seats 0, 2 and 1, 3.

    `points` are those that count, `finished` those of the rounds that were played to their end: of
    a table that a side's bots ended they differ. `at_fault` are the entrants whose bots did.
    `deals` is how many rounds a table has. `given_up`: it was void time and again, and is not
    played any more; `at_fault` are then those who were missing. `withdrawn`: it was not played,
    since these entrants of it play no more.
    """

    round: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    points: tuple[int, int]
    finished: tuple[int, int]
    deals: int
    at_fault: tuple[str, ...] = ()
    given_up: bool = False
    withdrawn: tuple[str, ...] = ()


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """What one table brought one entrant. `difference` in Tichu points decides the `score`.

    `made` are the Tichu points of its side. With `partner` "" it is a pair, or sat out: then there
    are no `opponents` either.
    """

    entrant: str
    round: int
    partner: str
    opponents: tuple[str, ...]
    difference: int
    made: int
    score: int
    at_fault: bool = False


_WORST_ROUND = 400  # lost in one round under the usual rules, two won bets on both sides included


def scored(result: TableResult, scale: Scale) -> Iterator[Scored]:
    """Yield what a table brings each of its entrants, by seats.

    A side whose bots ended the table loses it by the worst that it could still get (`points`); the
    innocent partner of a bot that did loses no more than what had been lost by then, and wins
    nothing. A table that was given up is a tie for those who were there, and lost by the worst
    in every round for those who were missing; so is one that was not played since an entrant had
    withdrawn.
    """
    for team, side in enumerate(result.sides):
        other = result.sides[1 - team]
        for entrant in side:
            difference, made = _brought(result, team, entrant)
            yield Scored(
                entrant=entrant,
                round=result.round,
                partner=next((one for one in side if one != entrant), ""),
                opponents=other,
                difference=difference,
                made=made,
                score=scale.score(difference),
                at_fault=entrant in result.at_fault,
            )


def _brought(result: TableResult, team: int, entrant: str) -> tuple[int, int]:
    """Return the difference and the Tichu points that count for an entrant."""
    if result.given_up or result.withdrawn:
        missing = result.withdrawn or result.at_fault
        return (-_WORST_ROUND * result.deals if entrant in missing else 0), 0
    side = result.sides[team]
    innocent = entrant not in result.at_fault and any(one in result.at_fault for one in side)
    if innocent:
        return min(0, _ahead(result.finished, team)), result.finished[team]
    return _ahead(result.points, team), result.points[team]


def _ahead(points: Sequence[int], team: int) -> int:
    return points[team] - points[1 - team]


def sat_out(entrant: str, number: int, scale: Scale) -> Scored:
    """Return what it brings to sit out a round: as much as a tie."""
    return Scored(
        entrant=entrant,
        round=number,
        partner="",
        opponents=(),
        difference=0,
        made=0,
        score=scale.even,
    )


def victory_rows(texts: Sequence[str]) -> tuple[VictoryRow, ...]:
    """Return the rows of a table of victory points, each written as `LEAST WINNER:LOSER`.

    >>> victory_rows(["0 3:3", "100 6:0"])[1]
    VictoryRow(least=100, winner=6, loser=0)

    Raises `ConfigError` for what is no such table: it begins with a tie at a difference of 0, and
    a larger difference never brings the winner less or the loser more.
    """
    rows = [_row(text) for text in texts]
    if not rows or rows[0].least != 0 or rows[0].winner != rows[0].loser:
        raise ConfigError('the first row is for a difference of 0, and even: write "0 10:10"')
    for before, row in pairwise(rows):
        shown = f'"{row.least} {row.winner}:{row.loser}"'
        if row.least <= before.least:
            raise ConfigError(f"{shown}: differences grow from row to row; put it in its place")
        if row.winner < before.winner or row.loser > before.loser:
            raise ConfigError(
                f"{shown}: a larger difference brings the winner no less and the loser no more "
                f"than {before.winner}:{before.loser}"
            )
    return tuple(rows)


def _row(text: str) -> VictoryRow:
    found = _ROW.fullmatch(text)
    if found is None:
        raise ConfigError(f'{text!r} is no row; write "LEAST WINNER:LOSER", as "50 11:9"')
    least, winner, loser = map(int, found.groups())
    return VictoryRow(least=least, winner=winner, loser=loser)

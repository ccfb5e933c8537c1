"""What a table of a ladder is made of: plain values, rounded once, for every output the same."""

import enum

import msgspec

from referee.ladder.values import Unit

HUNDREDTHS = 100  # numbers of the table are whole hundredths: 1234 is 12.34


def hundredths(value: float) -> int:
    """Return a value in whole hundredths, halves away from zero.

    >>> hundredths(-1.125), hundredths(0.004)
    (-113, 0)
    """
    size = int(abs(value) * HUNDREDTHS + 0.5 + 1e-9)
    return -size if value < 0 else size


class Column(enum.StrEnum):
    """What a table may show beyond the default. Values are those of `--columns`."""

    ELO = "elo"
    PAIRS = "pairs"
    BOOTSTRAP = "bootstrap"


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A number and its 95 % interval, in hundredths; without ends where nothing can be said."""

    value: int
    low: int | None = None
    high: int | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in the table.

    `rank` counts from 1; equal points share it. `best` and `worst` are the ends of its rank range.
    Where an entry cannot be compared with any other, all three and `points` are None. `boards` are
    rated boards (in a field: tables), `wins`, `ties` and `losses` their legs, `void` attempts that
    counted for nothing, `faults` rated legs in which its bots failed, `unknown` legs that nobody
    knows who ended; they are `charged` where they count against it. `state` is that of the ruling
    by which it plays no more, or "".
    """

    rank: int | None
    best: int | None
    worst: int | None
    entry: str
    owner: str
    bots: tuple[str, ...]
    boards: int
    points: Interval | None
    wins: int
    ties: int
    losses: int
    void: int
    faults: int
    unknown: int
    charged: bool
    state: str
    elo: Interval | None = None
    bootstrap: Interval | None = None


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing: points a round of `first` over `second`, what their points lead one to expect,
    and the difference of both with its interval; hundredths.
    """

    first: str
    second: str
    boards: int
    difference: int
    expected: int
    effect: Interval


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """A table with what stands under it. `columns` are those that were asked for, in their order.

    `elo_anchors` names the entries that Elo is anchored at, with the Elo given to each; where there
    are none, the mean of Elo is 0.
    """

    unit: Unit
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pairs: tuple[PairRow, ...]
    notes: tuple[str, ...]
    elo_anchors: tuple[tuple[str, int], ...] = ()

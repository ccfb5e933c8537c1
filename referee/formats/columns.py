"""The columns of a table, once for every output: title, meaning in a sentence, and their text."""

from collections.abc import Callable, Iterator

import msgspec

from referee.formats.numbers_text import NOTHING, rounded, rounded_span, signed, span
from referee.ladder.table import Column, Interval, PairRow, Row, Standings


class TableColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the table. `meaning` is one sentence; `is_text` columns begin at the left."""

    title: str
    meaning: str
    cell: Callable[[Row], str]
    is_text: bool = False


class PairColumn(msgspec.Struct, frozen=True, kw_only=True):
    """The same of the table of pairings."""

    title: str
    meaning: str
    cell: Callable[[PairRow], str]
    is_text: bool = False


def _value(interval: Interval | None) -> int | None:
    return None if interval is None else interval.value


def _rank(row: Row) -> str:
    return NOTHING if row.rank is None else str(row.rank)


def _range(row: Row) -> str:
    if row.best is None or row.worst is None:
        return NOTHING
    return str(row.best) if row.best == row.worst else f"{row.best}-{row.worst}"


def bots_text(bots: tuple[str, ...]) -> str:
    """Return the bots of an entry: one with its own copies, or partners.

    >>> bots_text(("a", "a")), bots_text(("a", "b"))
    ('a', 'a + b')
    """
    return bots[0] if len(set(bots)) == 1 else " + ".join(bots)


_VOID = (
    "Attempts at a board that counted for nothing by no ruling: the referee, the network or both "
    "sides failed, or the run was stopped."
)
_UNKNOWN = "Legs in which the entry was missing and nobody knows who ended them"
EXPORTED_MEANINGS = (  # of the columns of files that do not speak for themselves
    ("void", _VOID),
    ("unknown", f"{_UNKNOWN}."),
    (
        "charged",
        "Whether these unknown legs are so many that they count against the entry, each as the "
        "worst round there is.",
    ),
    ("rated", "Whether the record of the leg has points of account, no ruling considered."),
    ("counts", "Whether the leg counts in the table, with all legs and rulings considered."),
    ("why_not", "Why it does not count; empty for a leg that counts."),
)


_RANKED = (
    TableColumn(
        title="#",
        meaning="Rank by points a round; equal points share it.",
        cell=_rank,
    ),
    TableColumn(
        title="range",
        meaning="Ranks that the entry may truly have; which others are better or worse is sure "
        "to 95 % for the whole table at once.",
        cell=_range,
    ),
    TableColumn(title="entry", meaning="What is ranked.", cell=lambda row: row.entry, is_text=True),
    TableColumn(
        title="points",
        meaning="Points a round by which it is better than the mean of all entries.",
        cell=lambda row: signed(_value(row.points)),
    ),
    TableColumn(
        title="95 %",
        meaning="Where its true points lie: right in 95 of 100 ladders.",
        cell=lambda row: span(row.points),
    ),
)
_ELO = (
    TableColumn(
        title="Elo",
        meaning="Strength by legs won, level and lost, not by points.",
        cell=lambda row: rounded(_value(row.elo)),
    ),
    TableColumn(
        title="Elo 95 %",
        meaning="Where its true Elo lies.",
        cell=lambda row: rounded_span(row.elo),
    ),
)
_BOOTSTRAP = (
    TableColumn(
        title="bootstrap",
        meaning="The interval of its points once more, by drawing the boards anew.",
        cell=lambda row: span(row.bootstrap),
    ),
)
_COUNTED = (
    TableColumn(
        title="boards",
        meaning="Rated boards: deals that were played twice, the second time with the seats of "
        "the teams exchanged; in a field the rated tables.",
        cell=lambda row: str(row.boards),
    ),
    TableColumn(
        title="W-T-L",
        meaning="Legs of these boards won, tied and lost.",
        cell=lambda row: f"{row.wins}-{row.ties}-{row.losses}",
    ),
    TableColumn(
        title="void",
        meaning=_VOID,
        cell=lambda row: str(row.void),
    ),
    TableColumn(
        title="faults",
        meaning="Rated legs that its own bots ended by a fault; they count the worst that was "
        "possible.",
        cell=lambda row: str(row.faults),
    ),
    TableColumn(
        title="unknown",
        meaning=f"{_UNKNOWN}; with ! they count against the entry.",
        cell=lambda row: f"{row.unknown}{'!' if row.charged else ''}",
    ),
    TableColumn(title="owner", meaning="Who runs it.", cell=lambda row: row.owner, is_text=True),
    TableColumn(
        title="bots",
        meaning="The bot that plays with its own copies, or the partners.",
        cell=lambda row: bots_text(row.bots),
        is_text=True,
    ),
    TableColumn(
        title="state",
        meaning="Why it plays no more; empty while it does.",
        cell=lambda row: row.state,
        is_text=True,
    ),
)
PAIR_COLUMNS = (
    PairColumn(title="first", meaning="One entry.", cell=lambda row: row.first, is_text=True),
    PairColumn(title="second", meaning="The other.", cell=lambda row: row.second, is_text=True),
    PairColumn(
        title="boards",
        meaning="Rated boards of the two.",
        cell=lambda row: str(row.boards),
    ),
    PairColumn(
        title="difference",
        meaning="Points a round of the first over the second.",
        cell=lambda row: signed(row.difference),
    ),
    PairColumn(
        title="expected",
        meaning="What the points of both in the table let one expect.",
        cell=lambda row: signed(row.expected),
    ),
    PairColumn(
        title="effect",
        meaning="By how much the first does better against this one than expected.",
        cell=lambda row: signed(row.effect.value),
    ),
    PairColumn(
        title="effect 95 %",
        meaning="Where the true effect lies; of 20 pairings one is outside by chance.",
        cell=lambda row: span(row.effect),
    ),
)


def columns_of(standings: Standings) -> tuple[TableColumn, ...]:
    """Return the columns that a table has: the default ones, and those that were asked for."""
    return tuple(_chosen(standings))


def _chosen(standings: Standings) -> Iterator[TableColumn]:
    yield from _RANKED
    if Column.ELO in standings.columns:
        yield from _ELO
    if Column.BOOTSTRAP in standings.columns:
        yield from _BOOTSTRAP
    unknown = any(row.unknown for row in standings.rows)
    pairs = any(set(row.bots) != {row.entry} for row in standings.rows)
    stopped = any(row.state for row in standings.rows)
    hidden = {"unknown": not unknown, "bots": not pairs, "state": not stopped}
    yield from (column for column in _COUNTED if not hidden.get(column.title, False))


def elo_note(standings: Standings) -> str:
    """Return what Elo is anchored at; "" without Elo.

    >>> from referee.ladder.values import Unit
    >>> elo_note(Standings(unit=Unit.BOARD, columns=(Column.ELO,), rows=(), pairs=(), notes=(),
    ...                    elo_anchors=(("random", 0),)))
    'Elo is anchored at random = 0.'

    Of several anchors the mean is met, so that each by itself may stand elsewhere.
    """
    if Column.ELO not in standings.columns:
        return ""
    if not standings.elo_anchors:
        return "Elo has no anchor here: its mean over all entries is 0."
    anchors = ", ".join(f"{name} = {elo}" for name, elo in standings.elo_anchors)
    if len(standings.elo_anchors) == 1:
        return f"Elo is anchored at {anchors}."
    return f"Elo is anchored at {anchors}: the mean of the anchors that play is met, not each."

"""The first page of the site: the table, how to read it, and what stands under it."""

from collections.abc import Sequence

from referee.formats.columns import PAIR_COLUMNS, TableColumn, columns_of, elo_note
from referee.formats.exported import Exported
from referee.formats.html_parts import EMPTY, Heading, Html, said, table, tag
from referee.formats.site_frame import (
    BOTS,
    ENTRIES,
    described,
    link_to,
    listed,
    page,
    section,
)
from referee.ladder.table import Column, PairRow, Row
from referee.ladder.values import Deals, Unit

_WIDTH, _HEIGHT, _EDGE = 176, 16, 6  # of the picture of an interval, in pixels
_PICTURE = "interval"
_UNITS = {
    Unit.BOARD: "A board is one deal that is played twice, the second time with the seats of the "
    "teams exchanged: luck of the cards cancels.",
    Unit.MATCH: "A board is a match to its target that is played twice from one chain of deals, "
    "the second time with the seats of the teams exchanged.",
}
_FIELD = "Every entry meets a deal once; the table compares how it fared with the others there."


def index_page(exported: Exported, bots: Sequence[str]) -> str:
    """Return the page with the table; `bots` are those that have a page."""
    standings = exported.standings
    unit = _FIELD if exported.deals is Deals.FIELD else _UNITS[standings.unit]
    notes = [note for note in (elo_note(standings), *standings.notes) if note]
    return page(
        exported,
        f"Ladder {exported.event}",
        tag("p", said(unit)),
        _standings(exported),
        section("How to read it", _legend(exported)),
        _pairings(exported),
        section("Notes and rulings", listed(notes)) if notes else EMPTY,
        section("Bots", tag("ul", *(_bot(name) for name in bots))) if bots else EMPTY,
        up="",
    )


def _bot(name: str) -> Html:
    return tag("li", link_to(BOTS, name, up=""))


def _standings(exported: Exported) -> Html:
    rows = exported.standings.rows
    if not rows:
        return tag("p", said("Nobody is in the table yet."))
    columns = columns_of(exported.standings)
    heads = [Heading(title=column.title, is_text=column.is_text) for column in columns]
    after = [column.title for column in columns].index("95 %") + 1
    heads.insert(after, Heading(title=_PICTURE, is_text=True))
    ends = _ends(rows)
    cells = []
    for row in rows:
        line = [_cell(column, row) for column in columns]
        line.insert(after, _picture(row, ends))
        cells.append(line)
    return table("Standings", heads, cells)


def _cell(column: TableColumn, row: Row) -> Html:
    text = column.cell(row)
    return link_to(ENTRIES, text, up="") if column.title == "entry" else said(text)


def _ends(rows: Sequence[Row]) -> tuple[int, int]:
    """Return the ends of the scale that all pictures share; 0 is on it."""
    points = [row.points for row in rows if row.points is not None]
    shown = [end for one in points for end in (one.value, one.low, one.high) if end is not None]
    return min([0, *shown]), max([0, *shown])


def _picture(row: Row, ends: tuple[int, int]) -> Html:
    """Draw the interval on the common scale: a line, a point, and where 0 is."""
    points = row.points
    if points is None:
        return EMPTY
    middle = _HEIGHT // 2
    zero = _x(0, ends)
    parts = [_line("zero", zero, zero, 0, _HEIGHT)]
    if points.low is not None and points.high is not None:
        parts.append(_line("span", _x(points.low, ends), _x(points.high, ends), middle, middle))
    parts.append(tag("circle", cx=_x(points.value, ends), cy=str(middle), r="4"))
    return tag(
        "svg",
        *parts,
        class_="interval",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        aria_hidden="true",
    )


def _line(kind: str, left: str, right: str, top: int, bottom: int) -> Html:
    return tag("line", class_=kind, x1=left, x2=right, y1=str(top), y2=str(bottom))


def _x(value: int, ends: tuple[int, int]) -> str:
    low, high = ends
    inside = _WIDTH - 2 * _EDGE
    return str(_EDGE + (value - low) * inside // max(1, high - low))


def _legend(exported: Exported) -> Html:
    rows = [(column.title, said(column.meaning)) for column in columns_of(exported.standings)]
    picture = (_PICTURE, said("The same interval as a line, its points as a dot; the bar is 0."))
    return described([*rows, picture])


def _pairings(exported: Exported) -> Html:
    standings = exported.standings
    if Column.PAIRS not in standings.columns or not standings.pairs:
        return EMPTY
    heads = [Heading(title=column.title, is_text=column.is_text) for column in PAIR_COLUMNS]
    meanings = ((column.title, said(column.meaning)) for column in PAIR_COLUMNS)
    return section(
        "Pairings",
        table("Pairings", heads, [_pair(pair) for pair in standings.pairs]),
        described(meanings),
    )


def _pair(pair: PairRow) -> list[Html]:
    return [
        link_to(ENTRIES, column.cell(pair), up="") if column.is_text else said(column.cell(pair))
        for column in PAIR_COLUMNS
    ]

"""Standings and rounds of a tournament as tables in plain text, Markdown, CSV or JSON."""

import enum
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

import msgspec

from referee.formats.export_md import escaped
from referee.formats.printable import printable
from referee.formats.text_tables import aligned
from referee.formats.words import counted
from referee.ladder.tournament_scores import Points, Scale, Scored, TableResult, sat_out, scored
from referee.ladder.tournament_standings import Placed, RoundScores, TieBreak, placed, scores_of
from referee.ladder.tournaments import Tournament

WIDTH = 80  # of plain text
_SHORTEST = 12  # of a name that is cut
_BETWEEN = 2  # columns of a table


class TableFormat(enum.StrEnum):
    """How a table is written. Values are those of `--format`."""

    TEXT = "text"
    MD = "md"
    CSV = "csv"
    JSON = "json"


class TournamentReport(msgspec.Struct, frozen=True, kw_only=True):
    """What stands of a tournament: all rounds that are over, and what it is played with.

    `lots` by entrant part those whom nothing else does. `remarks` say how far it can be trusted.
    `unproved` are round and number of tables whose records are not as they were. `warnings` are
    for the operator alone.
    """

    tournament: Tournament
    rounds: tuple[RoundScores, ...]
    lots: dict[str, str] = {}
    remarks: tuple[str, ...] = ()
    unproved: frozenset[tuple[int, int]] = frozenset()
    warnings: tuple[str, ...] = ()

    @property
    def standings(self) -> tuple[Placed, ...]:
        """The table after these rounds."""
        played = self.tournament
        return placed(scores_of(played.entrants, self.rounds, played.scale), self.lots)


class _Column(NamedTuple):
    title: str
    cells: Sequence[str]
    is_text: bool = False


def report_lines(report: TournamentReport, form: TableFormat, number: int | None) -> Iterator[str]:
    """Yield the standings, or the tables of a round that is over, by its number from 1."""
    one = None if number is None else report.rounds[number - 1]
    columns = _standings(report) if one is None else _round(report.tournament.scale, one)
    match form:
        case TableFormat.TEXT:
            yield _heading(report, number)
            yield from _text(columns)
            yield from _after("", _folded(_notes(report, one)))
        case TableFormat.MD:
            yield f"# {escaped(_heading(report, number))}"
            yield ""
            yield from _md(columns)
            yield from _after("", (f"- {escaped(note)}" for note in _notes(report, one)))
        case TableFormat.CSV:
            columns += _unproved(report, one)
            yield ",".join(column.title for column in columns)
            for cells in zip(*(column.cells for column in columns), strict=True):
                yield ",".join(cell.removeprefix("+") for cell in cells)
        case TableFormat.JSON:
            yield msgspec.json.format(msgspec.json.encode(_values(report, one)), indent=2).decode()
        case _:
            assert_never(form)


def _heading(report: TournamentReport, number: int | None) -> str:
    total, over = len(report.tournament.movement.rounds), len(report.rounds)
    event = printable(report.tournament.event)
    if number is not None:
        return f"{event}: round {number} of {total}"
    return f"{event}: after {counted(over, 'round')} of {total}"


def _folded(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield from textwrap.wrap(note, WIDTH, break_on_hyphens=False)


def _after(gap: str, lines: Iterator[str]) -> Iterator[str]:
    """Yield lines with a gap before them, if there are any."""
    for place, line in enumerate(lines):
        if not place:
            yield gap
        yield line


# --- what is in a table


def _standings(report: TournamentReport) -> list[_Column]:
    lines = report.standings
    columns = [
        _Column("rank", [str(one.rank) for one in lines]),
        _Column("entrant", [one.entrant for one in lines], is_text=True),
        _Column("points", [_points(one.score, report.tournament.scale) for one in lines]),
        _Column("W-T-L", [f"{one.won}-{one.tied}-{one.lost}" for one in lines]),
    ]
    if report.tournament.scale.rows:
        columns.append(_Column("difference", [f"{one.difference:+d}" for one in lines]))
    if any(one.out for one in lines):
        columns.append(_Column("out", [str(one.out) for one in lines]))
    if any(one.faults for one in lines):
        columns.append(_Column("faults", [str(one.faults) for one in lines]))
    if any(one.by for one in lines):
        cells = ["" if one.by is None else one.by.value for one in lines]
        columns.append(_Column("tie", cells, is_text=True))
    return columns


def _round(scale: Scale, one: RoundScores) -> list[_Column]:
    rows = [row for at, table in enumerate(one.tables, 1) for row in _table(at, table, scale)]
    rows += [("-", "-", sat_out(name, one.number, scale)) for name in one.byes]
    scores = [score for _, _, score in rows]
    columns = [
        _Column("table", [table for table, _, _ in rows]),
        _Column("seat", [seat for _, seat, _ in rows]),
        _Column("entrant", [score.entrant for score in scores], is_text=True),
        _Column("made", [str(score.made) if score.opponents else "-" for score in scores]),
    ]
    if scale.rows:
        columns.append(_Column("difference", [f"{score.difference:+d}" for score in scores]))
    columns.append(_Column("points", [_points(score.score, scale) for score in scores]))
    return columns


def _unproved(report: TournamentReport, one: RoundScores | None) -> Iterator[_Column]:
    """Yield how many tables cannot be proved, where a format has no room for remarks."""
    if not report.unproved:
        return
    if one is not None:
        rows = [at for at, table in enumerate(one.tables, 1) for _ in _table(at, table, Scale())]
        cells = [str(int((one.number, at) in report.unproved)) for at in rows]
        yield _Column("unproved", cells + ["0"] * len(one.byes))
        return
    tables = [
        {name for side in table.sides for name in side}
        for this in report.rounds
        for at, table in enumerate(this.tables, 1)
        if (this.number, at) in report.unproved
    ]
    counts = [sum(line.entrant in names for names in tables) for line in report.standings]
    yield _Column("unproved", list(map(str, counts)))


def _table(at: int, table: TableResult, scale: Scale) -> Iterator[tuple[str, str, Scored]]:
    """Yield number, seat and score of all entrants of a table; a pair has two seats."""
    for score in scored(table, scale):
        team = 0 if score.entrant in table.sides[0] else 1
        side = table.sides[team]
        place = side.index(score.entrant)
        yield str(at), str(team + 2 * place) if len(side) > 1 else f"{team} {team + 2}", score


def _points(score: int, scale: Scale) -> str:
    return str(score) if scale.rows else f"{score:+d}"


def _notes(report: TournamentReport, one: RoundScores | None) -> Iterator[str]:
    scale = report.tournament.scale
    if scale.rows:
        last = scale.rows[-1]
        yield (
            f"Victory points: {scale.even} each for a tie, {last.winner}:{last.loser} from a "
            f"difference of {last.least} on; who sits out gets {scale.even}."
        )
    else:
        yield "Points: by how many Tichu points tables were won; who sits out gets 0."
    if one is None and any(line.by for line in report.standings):
        yield f"Ties, in this order: {', '.join(_TIES.values())}."
    rounds = report.rounds if one is None else (one,)
    given_up = sum(table.given_up for this in rounds for table in this.tables)
    if given_up:
        words = "was void time and again, and counts as a tie for those who were there"
        yield f"{counted(given_up, 'table')} {words}."
    left = sum(bool(table.withdrawn) for this in rounds for table in this.tables)
    if left:
        yield (
            f"{counted(left, 'table')} not played, since an entrant had withdrawn: lost by the "
            "worst for who had, a tie for the others."
        )
    yield from map(printable, report.remarks)


_TIES = {
    TieBreak.DIRECT: "direct meetings",
    TieBreak.WINS: "tables won",
    TieBreak.DIFFERENCE: "difference",
    TieBreak.MADE: "Tichu points made",
    TieBreak.LOT: "by lot from the event secret",
}


# --- how it is written


def _text(columns: Sequence[_Column]) -> Iterator[str]:
    """Yield a table that is no wider than a terminal of 80 columns, with names cut if need be."""
    yield from aligned(
        [column.title for column in columns],
        list(zip(*_narrow(columns), strict=True)),
        texts=[column.is_text for column in columns],
    )


def _narrow(columns: Sequence[_Column]) -> Iterator[Sequence[str]]:
    widths = [max(map(len, (column.title, *column.cells))) for column in columns]
    over = max(0, sum(widths) + _BETWEEN * (len(columns) - 1) - WIDTH)
    for column, width in zip(columns, widths, strict=True):
        is_name = column.title == "entrant" and over
        yield [
            _cut(cell, max(_SHORTEST, width - over)) if is_name else cell for cell in column.cells
        ]


def _cut(name: str, length: int) -> str:
    return name if len(name) <= length else f"{name[: length - 3]}..."


def _md(columns: Sequence[_Column]) -> Iterator[str]:
    yield f"| {' | '.join(escaped(column.title) for column in columns)} |"
    yield "|" + "|".join(" --- " if column.is_text else " ---: " for column in columns) + "|"
    for cells in zip(*(column.cells for column in columns), strict=True):
        yield f"| {' | '.join(map(escaped, cells))} |"


def _values(report: TournamentReport, one: RoundScores | None) -> dict[str, object]:
    """Return what a program wants to know: the standings, and every table of what is shown."""
    scale, rounds = report.tournament.scale, report.rounds if one is None else (one,)
    return {
        "event": report.tournament.event,
        "rounds": len(report.tournament.movement.rounds),
        "over": len(report.rounds),
        "points": (Points.VICTORY if scale.rows else Points.TICHU).value,
        "standings": [
            {**msgspec.structs.asdict(line), "by": line.by.value if line.by else None}
            for line in (report.standings if one is None else ())
        ],
        "tables": [
            {
                "round": this.number,
                "table": at,
                "given_up": table.given_up,
                "withdrawn": table.withdrawn,
                "proved": (this.number, at) not in report.unproved,
            }
            | {"scores": list(scored(table, scale))}
            for this in rounds
            for at, table in enumerate(this.tables, 1)
        ],
        "byes": {str(this.number): this.byes for this in rounds if this.byes},
        "remarks": report.remarks,
    }

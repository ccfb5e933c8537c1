"""A ladder as CSV files with a head line, commas, and a line feed at the end of each line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from referee.formats.bot_report import in_order
from referee.formats.columns import EXPORTED_MEANINGS, elo_note
from referee.formats.counting import Counting
from referee.formats.exported import PRACTICE, Exported
from referee.formats.numbers_text import plain
from referee.formats.printable import printable
from referee.ladder.table import Column, Interval, PairRow, Row, Standings
from referee.ladder.values import TEAM, TEAMS, LegResult

_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')
_FORMULA = re.compile(r"[=+@]|-.*[^\w.-]")
_ROW = (
    "rank", "best", "worst", "entry", "owner", "bot_0", "bot_1", "points", "points_low",
    "points_high", "boards", "wins", "ties", "losses", "void", "faults", "unknown", "charged",
    "state",
)  # fmt: skip
_ELO = ("elo", "elo_low", "elo_high")
_BOOTSTRAP = ("bootstrap_low", "bootstrap_high")
_PAIR = (
    "first", "second", "boards", "difference", "expected", "effect", "effect_low", "effect_high",
)  # fmt: skip
_RESULT = (
    "pairing", "board", "attempt", "leg", "match", "team_0", "team_1", "points_0", "points_1",
    "rounds", "ending", "blame", "rated", "faulty", "counts", "why_not",
)  # fmt: skip


def csv_files(exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield the table, the pairings if they were asked for, all results, and the notes as text."""
    standings = exported.standings
    yield "standings.csv", _text(_heads(standings), map(_row, standings.rows))
    if Column.PAIRS in standings.columns:
        yield "pairs.csv", _text(_PAIR, map(_pair, standings.pairs))
    legs = [match.leg for match, _ in in_order(exported.matches) if match.leg is not None]
    third = ("team_2", "points_2") if any(len(leg.points) > TEAMS for leg in legs) else ()
    yield (
        "results.csv",
        _text((*_RESULT, *third), [_result(leg, exported.counting) for leg in legs]),
    )
    said = [
        f"{exported.event}, {exported.when}",
        PRACTICE if exported.practice else "",
        elo_note(standings),
        *standings.notes,
        *(f"{name}: {meaning}" for name, meaning in EXPORTED_MEANINGS),
    ]
    yield "notes.txt", "".join(f"{printable(line)}\n" for line in said if line)


def _heads(standings: Standings) -> tuple[str, ...]:
    elo = _ELO if Column.ELO in standings.columns else ()
    bootstrap = _BOOTSTRAP if Column.BOOTSTRAP in standings.columns else ()
    third = ("bot_2",) if any(len(row.bots) > TEAM for row in standings.rows) else ()
    return (*_ROW, *elo, *bootstrap, *third)


def _row(row: Row) -> dict[str, str]:
    cells = {
        name: _whole(getattr(row, name)) if name != "charged" else _yes(yes=row.charged)
        for name in Row.__struct_fields__
        if name not in ("bots", "points", "elo", "bootstrap")
    }
    cells |= {f"bot_{place}": _safe(bot) for place, bot in enumerate(row.bots)}
    cells |= _interval("points", row.points)
    cells |= _interval("elo", row.elo)
    cells |= _interval("bootstrap", row.bootstrap)
    return cells


def _pair(pair: PairRow) -> dict[str, str]:
    return {
        "first": _safe(pair.first),
        "second": _safe(pair.second),
        "boards": str(pair.boards),
        "difference": plain(pair.difference),
        "expected": plain(pair.expected),
        **_interval("effect", pair.effect),
    }


def _result(leg: LegResult, counting: Counting) -> dict[str, str]:
    place = leg.place
    cells = {
        "pairing": _safe(place.pairing),
        "board": str(place.board),
        "attempt": str(place.attempt),
        "leg": str(place.leg),
        "match": _safe(leg.match_id),
        "rounds": str(leg.rounds),
        "ending": leg.ending,
        "blame": leg.blame,
        "rated": _yes(yes=leg.rated),
        "faulty": _safe(" ".join(leg.faulty)),
        "counts": _yes(yes=leg.match_id in counting.counted),
        "why_not": _safe(counting.why_not(leg.match_id)),
    }
    for team, side in enumerate(place.sides):
        cells[f"team_{team}"] = _safe(side.entry)
        cells[f"points_{team}"] = str(leg.points[team])
    return cells


def _interval(name: str, interval: Interval | None) -> dict[str, str]:
    if interval is None:
        return {}
    ends = {"": interval.value, "_low": interval.low, "_high": interval.high}
    return {f"{name}{end}": "" if value is None else plain(value) for end, value in ends.items()}


def _whole(value: object) -> str:
    return "" if value is None else _safe(str(value))


def _yes(*, yes: bool) -> str:
    return "true" if yes else "false"


def _safe(text: str) -> str:
    """Return a name that no spreadsheet takes for a formula: one that begins like it is marked.

    >>> _safe("=HYPERLINK(1)"), _safe("-fast")
    ("'=HYPERLINK(1)", '-fast')
    """
    shown = printable(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def _text(heads: Sequence[str], rows: Iterable[dict[str, str]]) -> str:
    lines = [heads, *([row.get(head, "") for head in heads] for row in rows)]
    return "".join(",".join(map(_cell, line)) + "\n" for line in lines)


def _cell(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if _QUOTED.search(text) else text

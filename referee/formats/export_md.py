"""The table of a ladder as Markdown, for a README or an issue."""

import re
from collections.abc import Iterable, Iterator, Sequence

from referee.formats.columns import PAIR_COLUMNS, columns_of, elo_note
from referee.formats.exported import PRACTICE, Exported
from referee.formats.printable import printable
from referee.ladder.table import Column

# What Markdown, or GitHub's kind of it, makes more of than text; a dot in what looks like a link.
_MARKS = re.compile(r"([\\`*_{}\[\]<>|&~@$^]|:(?=//)|(?<=www)\.)", re.IGNORECASE)


def md_text(exported: Exported) -> str:
    """Return the table, what its columns mean, the pairings that were asked for, and the notes."""
    return "".join(f"{line}\n" for line in _lines(exported))


def _lines(exported: Exported) -> Iterator[str]:
    standings = exported.standings
    columns = columns_of(standings)
    yield f"# {escaped(exported.event)}"
    yield ""
    yield f"{escaped(exported.when)}{'. **Practice**' if exported.practice else ''}"
    yield ""
    yield from _table(
        [column.title for column in columns],
        [[column.cell(row) for column in columns] for row in standings.rows],
        [column.is_text for column in columns],
    )
    if Column.PAIRS in standings.columns:
        yield from _table(
            [column.title for column in PAIR_COLUMNS],
            [[column.cell(pair) for column in PAIR_COLUMNS] for pair in standings.pairs],
            [column.is_text for column in PAIR_COLUMNS],
        )
    practice = PRACTICE if exported.practice else ""
    notes = [note for note in (practice, elo_note(standings), *standings.notes) if note]
    for note in notes:
        yield f"- {escaped(note)}"
    if notes:
        yield ""
    yield from _meanings((column.title, column.meaning) for column in columns)
    if Column.PAIRS in standings.columns:
        yield ""
        yield "Of the pairings:"
        yield ""
        yield from _meanings((column.title, column.meaning) for column in PAIR_COLUMNS)


def _meanings(columns: Iterable[tuple[str, str]]) -> Iterator[str]:
    for title, meaning in columns:
        yield f"- **{escaped(title)}** {escaped(meaning)}"


def _table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[bool]
) -> Iterator[str]:
    yield _line(titles)
    yield "|" + "|".join(" --- " if is_text else " ---: " for is_text in texts) + "|"
    yield from map(_line, rows)
    yield ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    >>> escaped("a_b|<i>www.x")
    'a\\_b\\|\\<i\\>www\\.x'
    """
    return _MARKS.sub(r"\\\1", printable(text))

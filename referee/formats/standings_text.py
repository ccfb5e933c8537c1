"""The table of a ladder for the terminal."""

from collections.abc import Iterator

from referee.formats.columns import PAIR_COLUMNS, columns_of, elo_note
from referee.formats.printable import printable
from referee.formats.text_tables import aligned
from referee.ladder.table import Column, Standings

EMPTY = "Nobody is in the table yet."


def table_lines(standings: Standings) -> Iterator[str]:
    """Yield the table with all columns that were asked for, the pairings, and the notes."""
    columns = columns_of(standings)
    if standings.rows:
        yield from aligned(
            [column.title for column in columns],
            [[column.cell(row) for column in columns] for row in standings.rows],
            texts=[column.is_text for column in columns],
        )
    else:
        yield EMPTY
    if Column.PAIRS in standings.columns and standings.pairs:
        yield ""
        yield from aligned(
            [column.title for column in PAIR_COLUMNS],
            [[column.cell(pair) for column in PAIR_COLUMNS] for pair in standings.pairs],
            texts=[column.is_text for column in PAIR_COLUMNS],
        )
    notes = [note for note in (elo_note(standings), *standings.notes) if note]
    if notes:
        yield ""
        yield from map(printable, notes)

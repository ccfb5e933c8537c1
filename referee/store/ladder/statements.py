"""Inserts as SQLite and PostgreSQL know them: of what is there already nothing comes twice."""

import functools

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from referee.store.ladder.tables import BOARDS, MATCHES

Insert = postgresql.Insert | sqlite.Insert


def insert_in(dialect: str, table: Table) -> Insert:
    """Return an insert into a table, of the kind that knows conflicts."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# The two statements that every match needs are built once: that is a quarter of its time.


@functools.cache
def match_insert(dialect: str) -> ReturningInsert[int]:
    """Return the statement that adds a match; it returns no row for one that is there."""
    return insert_in(dialect, MATCHES).on_conflict_do_nothing().returning(MATCHES.c.id)


@functools.cache
def board_insert(dialect: str) -> ReturningInsert[int]:
    """Return the statement that adds a board; no row for one that is there as another kind."""
    into = insert_in(dialect, BOARDS)
    agreed = into.on_conflict_do_update(
        index_elements=["event", "pairing", "board", "attempt"],
        # changes nothing, but returns the row
        set_={"unit": into.excluded.unit, "deals": into.excluded.deals},
        where=(BOARDS.c.unit == into.excluded.unit) & (BOARDS.c.deals == into.excluded.deals),
    )
    return agreed.returning(BOARDS.c.id)

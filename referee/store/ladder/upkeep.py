"""What an operator does to a ladder's database: look into it, copy it, make it smaller."""

import asyncio
import contextlib
import os
import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec
from sqlalchemy import Connection, func, select

from referee.formats.printable import printable
from referee.rules.errors import ConfigError
from referee.store.ladder.address import SqliteFile, database_of
from referee.store.ladder.connecting import BUSY_S, Link, link_to
from referee.store.ladder.failures import FAILURES, reason
from referee.store.ladder.schema import SchemaState, refuse_other, schema_of
from referee.store.ladder.sql import forget_events
from referee.store.ladder.tables import BOARDS, ENTRIES, LADDERS, MATCHES, RULINGS


class EventContents(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of an event. `added` is when its last match was: seconds since 1970, or None."""

    event: str
    entries: int
    matches: int
    added: int | None


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What `prune` forgot. `smaller` is False where the space could not be given back yet."""

    events: tuple[EventContents, ...]
    smaller: bool


async def contents(url: str) -> tuple[EventContents, ...]:
    """Return the events of a database by name. Raises `ConfigError`, as opening it does."""
    link = await _current(url)
    try:
        return await link.read(_contents)
    except FAILURES as error:
        raise ConfigError(f"database {link.shown}: {reason(error)}") from None
    finally:
        await link.close()


async def prune(
    url: str, *, events: Sequence[str] = (), before_s: int | None = None, dry_run: bool = False
) -> Pruned:
    """Forget whole events: those named, and those whose last match was added before a time.

    An event is never forgotten in part: its table would change. Tokens stay. With `dry_run` it is
    only said what would go. Raises `ConfigError` for a name that is not there: nothing is changed.
    """
    link = await _current(url)
    try:
        if dry_run:
            chosen = await link.read(_choose, link.shown, events, before_s)
            return Pruned(events=chosen, smaller=True)
        chosen = await link.write(_forget, link.shown, events, before_s)
        smaller = not chosen or await _give_back(link)
    except FAILURES as error:
        raise ConfigError(f"database {link.shown}: {reason(error)}") from None
    finally:
        await link.close()
    return Pruned(events=chosen, smaller=smaller)


async def _current(url: str) -> Link:
    schema = await schema_of(url)
    if schema.state is SchemaState.EMPTY:
        raise ConfigError(f"database {schema.shown}: there is no ladder in it")
    refuse_other(schema)
    return link_to(database_of(url))


def _contents(connection: Connection) -> tuple[EventContents, ...]:
    entries = select(ENTRIES.c.event, func.count()).group_by(ENTRIES.c.event)
    entry_counts = {row[0]: row[1] for row in connection.execute(entries)}
    matches = (
        select(BOARDS.c.event, func.count(), func.max(MATCHES.c.added))
        .join(MATCHES, MATCHES.c.board == BOARDS.c.id)
        .group_by(BOARDS.c.event)
    )
    match_counts = {row[0]: (row[1], row[2]) for row in connection.execute(matches)}
    ruled = set(connection.scalars(select(RULINGS.c.event).distinct()))
    claimed = set(connection.scalars(select(LADDERS.c.event)))
    return tuple(
        EventContents(
            event=event,
            entries=entry_counts.get(event, 0),
            matches=match_counts.get(event, (0, None))[0],
            added=match_counts.get(event, (0, None))[1],
        )
        for event in sorted(entry_counts.keys() | match_counts.keys() | ruled | claimed)
    )


def _choose(
    connection: Connection, shown: str, events: Sequence[str], before_s: int | None
) -> tuple[EventContents, ...]:
    found = _contents(connection)
    missing = sorted(set(events) - {one.event for one in found})
    if missing:
        names = ", ".join(printable(one.event) for one in found) or "none"
        raise ConfigError(
            f"database {shown}: it has no event {printable(missing[0])}; its events: {names}"
        )
    return tuple(one for one in found if one.event in events or _is_older(one, before_s))


def _is_older(one: EventContents, before_s: int | None) -> bool:
    return before_s is not None and one.added is not None and one.added < before_s


def _forget(
    connection: Connection, shown: str, events: Sequence[str], before_s: int | None
) -> tuple[EventContents, ...]:
    chosen = _choose(connection, shown, events, before_s)
    forget_events(connection, [one.event for one in chosen])
    return chosen


async def _give_back(link: Link) -> bool:
    """Make a file smaller, if nobody is using it."""
    try:
        return await link.shrink()
    except FAILURES:
        return False


async def backup(url: str, file: Path) -> None:
    """Copy a SQLite database, as it is at one moment, into a new file of mode 0600.

    Whoever writes to it goes on meanwhile. The copy appears under its name once it is complete.
    Raises `ConfigError`: for a PostgreSQL database too, which pg_dump copies.
    """
    database = database_of(url)
    if not isinstance(database, SqliteFile):
        raise ConfigError(
            f"database {database.shown}: PostgreSQL copies its own; run pg_dump --format=custom "
            f"--file={printable(shlex.quote(str(file)))} {database.word}"
        )
    schema = await schema_of(url)  # of whatever release, but a ladder's
    if schema.state in (SchemaState.FOREIGN, SchemaState.EMPTY):
        raise ConfigError(f"database {schema.shown}: there is no ladder in it")
    await asyncio.to_thread(_copy, database.path, file)


def _copy(source: Path, file: Path) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        try:
            _copy_pages(source, part)
            os.link(part, file)  # refuses a name that is taken, whoever is quicker
            _sync(file.parent)
        finally:
            part.unlink()
    except FileExistsError:
        raise ConfigError(f"backup {printable(str(file))}: there is a file; name another") from None
    except OSError as error:
        raise ConfigError(f"backup {printable(str(file))}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise ConfigError(f"backup {printable(str(file))}: {reason(error)}") from None


def _copy_pages(source: Path, part: Path) -> None:
    origin = f"{source.resolve().as_uri()}?mode=rw"
    with (
        contextlib.closing(sqlite3.connect(origin, uri=True, timeout=BUSY_S)) as live,
        contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        live.backup(copy)  # all pages in one step: one moment
        # A copy in this mode is one file, which the next process that opens it changes back.
        copy.execute("PRAGMA journal_mode = DELETE")
        (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError("the database is damaged")
    _sync(part)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

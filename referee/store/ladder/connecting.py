"""How each kind of database is opened, and how a transaction runs in it.

A transaction is a function of SQLAlchemy's `Connection`, the same for both kinds. PostgreSQL is
waited for in the loop. SQLite has nobody to wait for: the whole function runs in a thread, which
takes a third of the time that a way into a thread and back for every statement would.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from referee.rules.errors import ConfigError
from referee.store.ladder.address import Database, PostgresServer, SqliteFile

BUSY_S = 30.0  # for which one writer of a file waits for the others
_CONNECT_S = 10.0
_COMMAND_S = 60.0  # a server that has gone silent
_OLDEST_SQLITE = (3, 35, 0)  # the first that knows RETURNING
_BEGIN = "referee_begin"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Link(Protocol):
    """A database that is open."""

    shown: str  # its name, without a password

    async def write(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        """Run a transaction, which is committed at its end, or rolled back by an exception."""

    async def read(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        """Run a transaction that sees the database as it is at its first statement."""

    async def set_up(self) -> None:
        """Prepare a database for many that read and write at once."""

    async def shrink(self) -> bool:
        """Give back the space of what was deleted; False while somebody is in the way."""

    async def close(self) -> None:
        """Let go of all connections."""


def link_to(database: Database) -> Link:
    """Return a link, not connected yet. Raises `ConfigError` where SQLite is too old."""
    match database:
        case SqliteFile():
            return _SqliteLink(database)
        case PostgresServer():
            return _PostgresLink(database)


class _SqliteLink:
    """One thread writes, as SQLite has one writer: those of this process queue, in order.

    Those of other processes are met by waiting a while and trying again. Another thread reads.
    """

    def __init__(self, database: SqliteFile) -> None:
        self.shown = database.shown
        self._engine = _sqlite_engine(database)
        self._reads = self._engine.execution_options(**{_BEGIN: "BEGIN"})
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ladder-writer")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="ladder-reader")

    async def write(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        def run() -> _T:
            with self._engine.begin() as connection:
                return work(connection, *words, **names)

        return await _in(self._writer, run)

    async def read(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        def run() -> _T:
            with self._reads.begin() as connection:
                return work(connection, *words, **names)

        return await _in(self._reader, run)

    async def set_up(self) -> None:
        # readers and writers do not wait for each other; the file keeps that
        await self._alone("PRAGMA journal_mode = WAL")

    async def shrink(self) -> bool:
        await self._alone("VACUUM")
        # the smaller file is in the log until nobody reads the larger one any more
        return await self._alone("PRAGMA wal_checkpoint(TRUNCATE)") == 0

    async def _alone(self, statement: str) -> object:
        """Execute a statement that stands in no transaction; return the first value, if any."""

        def run() -> object:
            with contextlib.closing(self._engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(statement)
                row = cursor.fetchone()
                cursor.close()
                return row[0] if row else None

        return await _in(self._writer, run)

    async def close(self) -> None:
        # what is under way is waited for outside of the loop; a second call has nothing to do
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._reader.shutdown)
        self._engine.dispose()


async def _in(thread: ThreadPoolExecutor, run: Callable[[], _T]) -> _T:
    return await asyncio.get_running_loop().run_in_executor(thread, run)


def _sqlite_engine(database: SqliteFile) -> Engine:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise ConfigError(
            f"database {database.shown}: SQLite is {sqlite3.sqlite_version} here, and must be "
            "3.35 or newer; take another Python, or PostgreSQL"
        )
    engine = create_engine(
        # mode=rw: a file that is not there is not made by looking
        URL.create(
            "sqlite",
            database=database.path.resolve().as_uri(),
            query={"mode": "rw", "uri": "true"},
        ),
        connect_args={"timeout": BUSY_S, "isolation_level": None, "check_same_thread": False},
        hide_parameters=True,
    )
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = NORMAL")  # survives the end of the process
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB: rarer waits for the disk
    cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    # A transaction that reads before it writes cannot always become a writer: take the lock first.
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE"))


class _PostgresLink:
    def __init__(self, database: PostgresServer) -> None:
        self.shown = database.shown
        self._engine = _postgres_engine(database)
        self._reads = self._engine.execution_options(isolation_level="REPEATABLE READ")

    async def write(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work, *words, **names)

    async def read(
        self, work: Callable[Concatenate[Connection, _P], _T], *words: _P.args, **names: _P.kwargs
    ) -> _T:
        async with self._reads.connect() as connection:
            return await connection.run_sync(work, *words, **names)

    async def set_up(self) -> None:
        """A server is prepared by nature."""

    async def shrink(self) -> bool:
        """A server does so by itself."""
        return True

    async def close(self) -> None:
        await self._engine.dispose()


def _postgres_engine(database: PostgresServer) -> AsyncEngine:
    def connect() -> Awaitable[object]:
        connected: Awaitable[object] = asyncpg.connect(
            database.dsn,
            timeout=_CONNECT_S,
            command_timeout=_COMMAND_S,
            server_settings={"application_name": "referee"},
        )
        return connected

    return create_async_engine(
        "postgresql+asyncpg://",  # the driver reads the URL itself, with all that libpq knows
        async_creator=connect,
        hide_parameters=True,
        pool_pre_ping=True,  # a server that was started again is met by a new connection
    )

"""Opens the database of a store, and says in one line why one cannot be opened."""

import contextlib
import os
import sqlite3
from pathlib import Path

from referee.ports import Durability
from referee.rules.errors import ConfigError

_APPLICATION = 0x54494348  # "TICH" in the head of the file
SCHEMA_VERSION = 1
_SYNCHRONOUS = {Durability.PROCESS: "NORMAL", Durability.POWER: "FULL"}
_BUSY_S = 0.02  # nobody else writes: whoever does is told of, not waited for

# Facts lie in the order in which they were kept, one row for each match of an append: rows of a
# pass share pages. A key of match and number would cost a page a row (decisions/0007).
_SCHEMA = """
CREATE TABLE meta (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL, owner TEXT);
CREATE TABLE event (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  secret BLOB NOT NULL, practice INTEGER NOT NULL,
  started INTEGER NOT NULL, over INTEGER NOT NULL
);
CREATE TABLE instances (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, token_hash BLOB
);
CREATE TABLE sessions (
  instance TEXT PRIMARY KEY,
  secret BLOB NOT NULL, hello BLOB NOT NULL, next_number INTEGER NOT NULL
);
CREATE TABLE matches (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, header BLOB NOT NULL, seats BLOB NOT NULL,
  record TEXT, over INTEGER NOT NULL, closed INTEGER NOT NULL
);
CREATE TABLE facts (
  id INTEGER PRIMARY KEY, match INTEGER NOT NULL, first_seq INTEGER NOT NULL, lines BLOB NOT NULL
);
INSERT INTO meta VALUES (1, 0, NULL);
"""


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection, for any one thread, without any transaction of its own accord."""
    return sqlite3.connect(
        path, timeout=_BUSY_S, isolation_level=None, cached_statements=64, check_same_thread=False
    )


def open_database(path: Path, durability: Durability) -> sqlite3.Connection:
    """Return the database of a store, which is made if it is missing.

    Raises `ConfigError` for a file that is none, is damaged or of another release, or cannot be
    written.
    """
    _make_file(path)
    connection = connect(path)
    try:
        _prepare(connection, path, durability)
    except sqlite3.Error as error:
        connection.close()
        raise ConfigError(f"store {path}: {why_closed(error)}") from None
    except BaseException:
        connection.close()
        raise
    return connection


def _make_file(path: Path) -> None:
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            path.chmod(0o600)  # whatever the mask of the process; its log and index take it over
    except OSError as error:
        raise ConfigError(
            f"store {path}: {error.strerror}; make its folder writable, or choose another --store"
        ) from None
    if path.is_dir():
        raise ConfigError(f"store {path}: this is a folder; name a file in it")


def _make_private(path: Path) -> None:
    """A store that somebody made readable for others is closed to them again."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        file = path.with_name(name)
        try:
            if file.stat().st_mode & 0o777 != 0o600:
                file.chmod(0o600)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ConfigError(
                f"store {file}: its mode must be 0600, and cannot be changed: {error.strerror}; "
                "change its owner, or choose another --store"
            ) from None


def _prepare(connection: sqlite3.Connection, path: Path, durability: Durability) -> None:
    new = _is_new(connection, path)
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise ConfigError(
            f"store {path}: its file system shares no memory between processes; choose a --store "
            "on a local disk"
        )
    _make_private(path)
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    if new:
        connection.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {_APPLICATION};"
            f"PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )
        return
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ConfigError(f"store {path}: {_DAMAGED}")


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Raise `ConfigError` for a database that is not ours to write to."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, tables) == (0, 0, 0):
        return True
    if application != _APPLICATION:
        raise ConfigError(
            f"store {path}: this is a database of another program; choose another --store"
        )
    if version != SCHEMA_VERSION:
        age = "a newer" if version > SCHEMA_VERSION else "an older"
        raise ConfigError(
            f"store {path}: written by {age} release (schema {version}, here {SCHEMA_VERSION}); "
            "end its matches with that release, or choose another --store"
        )
    return False


_DAMAGED = "the file is damaged; put a copy in its place, or choose another --store"


def why_closed(error: sqlite3.Error) -> str:
    """Return why a store cannot be opened, and what to do."""
    match primary_code(error):
        case sqlite3.SQLITE_NOTADB:
            return "this is no store but another file; choose another --store"
        case sqlite3.SQLITE_CORRUPT:
            return _DAMAGED
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program is writing to it; end that program, or choose another --store"
        case sqlite3.SQLITE_FULL:
            return "no space is left; make space, or choose another --store"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return "it cannot be written; change its mode and its folder's, or choose another"
        case _:
            return f"{error}; choose another --store"


def primary_code(error: sqlite3.Error) -> int | None:
    """Return SQLite's result code without its details; None for an error of Python's module."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF

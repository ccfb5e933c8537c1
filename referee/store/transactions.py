"""The database of a store in the hands of its owner: every access is one transaction, or none.

One process owns the file. Should a second one get past the lock, the higher epoch wins: every
transaction looks whether its own still is the highest.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.ports import Durability, StoreError, StoreFenced
from referee.rules.errors import ConfigError
from referee.store.checkpoints import Checkpoints, checkpoint
from referee.store.database import connect, open_database, primary_code, why_closed
from referee.store.owner import OwnerLock

_NO_SPACE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)  # the second where it is a quota or limit


class Transactions:
    """Opens a store as its owner, with an epoch above all before it. Used by one thread."""

    def __init__(self, path: Path, durability: Durability) -> None:
        """Raise `ConfigError` for a file that has an owner, is no store, or cannot be written."""
        self._path = path
        _make_folder(path)
        self._lock = OwnerLock(path)
        try:
            self._db = open_database(path, durability)
        except BaseException:
            self._lock.close()
            raise
        try:
            self.epoch = self._claim()
            files = (path, path.with_name(f"{path.name}-wal"))
            self._files = tuple((file, _identity(file)) for file in files)
            self._checkpoints = Checkpoints(connect(path))
        except sqlite3.Error as error:
            self._db.close()
            self._lock.close()
            raise ConfigError(f"store {self._path}: {why_closed(error)}") from None
        except BaseException:
            self._db.close()
            self._lock.close()
            raise
        self._closed = False

    def _claim(self) -> int:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("UPDATE meta SET epoch = epoch + 1, owner = ?", (self._lock.owner,))
        (epoch,) = self._db.execute("SELECT epoch FROM meta").fetchone()
        # what the process before us let go and had not removed
        self._db.execute("DELETE FROM facts WHERE match NOT IN (SELECT id FROM matches)")
        self._db.execute("COMMIT")
        return int(epoch)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Keep what is written inside, all or nothing. Raises `StoreError`; then it is nothing."""
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            self._check_epoch()
            yield self._db
            self._db.execute("COMMIT")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the store. Raises `StoreError`."""
        with self._told():
            self._db.execute("BEGIN")
            self._check_epoch()
            yield self._db
            self._db.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        self._check_files()
        try:
            yield
        except BaseException as error:
            with suppress(sqlite3.Error):  # the first error says more
                if self._db.in_transaction:  # SQLite itself ends it where the disk is full
                    self._db.execute("ROLLBACK")
            if not isinstance(error, sqlite3.Error):
                raise
            if primary_code(error) in _NO_SPACE:
                with suppress(sqlite3.Error):  # a log that was moved is begun anew, where it lies
                    checkpoint(self._db)
            raise StoreError(f"store {self._path}: {_why_not_kept(error)}") from error

    def _check_files(self) -> None:
        """A file without a name takes what is written to it, and no other process finds it."""
        if self._closed:
            raise StoreError(f"store {self._path}: it was closed")
        for file, identity in self._files:
            if _identity(file) != identity:
                raise StoreError(
                    f"store {file}: the file was removed or replaced while it was in use; put it "
                    "back, or restart"
                )

    def _check_epoch(self) -> None:
        epoch, owner = self._db.execute("SELECT epoch, owner FROM meta").fetchone()
        if epoch != self.epoch:
            raise StoreFenced(f"store {self._path}: taken over by {owner} (epoch {epoch})")

    def wrote(self, size: int) -> None:
        """Count bytes that were committed, and see to it that the log does not grow for ever."""
        self._checkpoints.wrote(size)
        if self._checkpoints.long:
            self._checkpoints.long = False
            with suppress(sqlite3.Error):  # a full disk: the next commit says so
                checkpoint(self._db)

    def close(self) -> None:
        """Let go of the file. Once is enough."""
        if not self._closed:
            self._closed = True
            self._checkpoints.close()
            self._db.close()
            self._lock.close()


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"store {path}: its folder cannot be made: {error.strerror}; choose another --store"
        ) from None


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _why_not_kept(error: sqlite3.Error) -> str:
    match primary_code(error):
        case sqlite3.SQLITE_FULL:
            return "no space is left on its disk; make space"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program is writing to it; end that program"
        case sqlite3.SQLITE_IOERR:
            return f"its disk fails or is full ({error}); make space, or see to the disk"
        case sqlite3.SQLITE_READONLY:
            return "it has become read-only; see to its file system"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return "the file was damaged while it was in use; restart with another --store"
        case _:
            return str(error)

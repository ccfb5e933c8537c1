"""Moves what was written to the log of a database into the database itself, beside the loop.

With synchronous NORMAL a commit waits for no disk; only a checkpoint does. So the loop makes none,
and this thread does. It cannot finish while the loop goes on writing: a log is begun anew only when
all of it was moved. Once the log is long the loop is asked to move the little that is left.
"""

import contextlib
import sqlite3
import threading

_EVERY_BYTES = 8 << 20  # of facts: with what SQLite adds some 24 MB of log
_LONG_LOG = 16_384  # pages: 64 MB


class Checkpoints:
    """A thread with a connection of its own, which is closed with it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._written = 0
        self._wanted = threading.Event()
        self._closing = False
        self.long = False  # the loop is to finish the log
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def wrote(self, size: int) -> None:
        """Count bytes that the loop committed."""
        self._written += size
        if self._written >= _EVERY_BYTES:
            self._written = 0
            self._wanted.set()

    def close(self) -> None:
        """End the thread; what it does now is done first."""
        self._closing = True
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        with contextlib.closing(self._connection) as connection:
            while True:
                self._wanted.wait()
                self._wanted.clear()
                if self._closing:
                    return
                # a full disk: the loop's own commits say so, and the next turn tries again
                with contextlib.suppress(sqlite3.Error):
                    pages = checkpoint(connection)
                    self.long = pages > _LONG_LOG


def checkpoint(connection: sqlite3.Connection) -> int:
    """Move what can be moved without making anybody wait; return the pages of the log."""
    _busy, pages, _moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return int(pages)

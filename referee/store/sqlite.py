"""Facts in one SQLite file: what a pass produced is one transaction (DESIGN 3).

Memory follows what is durable only after the commit, so that a call that failed can be made again.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from referee.formats.records import header_line
from referee.match.values import MatchConfig
from referee.ports import (
    Batch,
    Durability,
    Left,
    MatchHeader,
    SeatRow,
    StoredInstance,
    StoredSession,
    StoreError,
)
from referee.rules.errors import RefereeBug
from referee.store.following import Following, without_token
from referee.store.forgetting import Forgetting
from referee.store.reading import KeptMatch, read_left
from referee.store.records import RecordFolder, record_bytes
from referee.store.transactions import Transactions

_READ_ROWS = 500  # in one statement: old releases of SQLite take 999 parameters

_INSERT_FACTS = "INSERT INTO facts VALUES (?, ?, ?, ?)"
_INSERT_MATCH = "INSERT INTO matches VALUES (?, ?, ?, ?, ?, 0, 0)"
_COUNT_MATCH = "UPDATE sessions SET next_number = max(next_number, ?) WHERE instance = ?"
_COUNT_EVENT = "UPDATE event SET started = started + ?, over = over + ?"
_DROP_INSTANCE = "DELETE FROM instances WHERE id = ? AND token_hash IS NULL"


class SqliteStore:
    """A `FactStore` in a file, for `referee serve`. Used by one thread."""

    def __init__(
        self,
        path: Path,
        *,
        durability: Durability,
        records: RecordFolder | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open or make the store, as its owner. Without `records` no match gets a record.

        `now_s` says when a match that was let go is forgotten. Raises `ConfigError` for a file
        that another process owns, that is no store, or that cannot be written.
        """
        self.path = path.resolve()  # one lock for a file, whatever it is called
        self._records = records
        self._matches: dict[str, KeptMatch] = {}
        self._next_match = self._next_row = 1
        self._dropped: list[str] = []  # sessions, with the next transaction
        self._closed: list[KeptMatch] = []  # to be marked, with the next transaction
        self._transactions = Transactions(self.path, durability)
        self._forgetting = Forgetting(now_s)

    @property
    def epoch(self) -> int:
        """Return the number of this process among all that owned the store."""
        return self._transactions.epoch

    def left(self) -> Left:
        """Return what was found. Raises `ConfigError` where this release cannot read it."""
        with self._transactions.read() as db:
            left, kept = read_left(db, self.path)
        for match in kept:
            self._matches[match.name] = match
            self._next_match = match.number + 1
            self._next_row = max(self._next_row, match.rows[-1] + 1)
            self._forgetting.added(len(match.rows))
            if self._records is not None and match.record is not None:
                self._records.hold(match.record)
        return left

    # --- the event, and who takes part

    def begin_event(self, secret: bytes, *, practice: bool = False) -> None:
        """Begin an event."""
        with self._transactions.write() as db:
            _clear(db)
            db.execute("INSERT INTO event VALUES (1, ?, ?, 0, 0)", (secret, practice))
        self._cleared()

    def finish_event(self) -> None:
        """End the event; a record that is not written yet is written first."""
        for match in list(self._matches.values()):
            if match.over:
                self._close(match)
        with self._transactions.write() as db:
            _clear(db)
        self._cleared()

    def _cleared(self) -> None:
        self._matches.clear()
        self._dropped.clear()
        self._closed.clear()
        self._forgetting.clear()
        self._next_match = self._next_row = 1

    def keep_instance(self, instance: StoredInstance) -> None:
        """Keep an instance."""
        values = (instance.instance_id, instance.name, instance.owner, instance.token_hash)
        with self._transactions.write() as db:
            self._write_waiting(db)
            db.execute("INSERT OR REPLACE INTO instances VALUES (?, ?, ?, ?)", values)
        self._wrote_waiting()

    def keep_session(self, session: StoredSession) -> None:
        """Keep the session of an instance."""
        hello = msgspec.json.encode(without_token(session).hello)
        values = (session.instance_id, session.secret, hello, session.next_number)
        with self._transactions.write() as db:
            self._write_waiting(db)
            db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", values)
        self._wrote_waiting()

    def drop_session(self, instance_id: str) -> None:
        """Forget a session, and an instance without a token, with the next append."""
        self._dropped.append(instance_id)

    def _write_waiting(self, db: sqlite3.Connection) -> None:
        """Write what was to be kept with the next transaction; it waits until that is through."""
        if self._dropped:
            names = [(name,) for name in self._dropped]
            db.executemany("DELETE FROM sessions WHERE instance = ?", names)
            db.executemany(_DROP_INSTANCE, names)
        if self._closed:
            numbers = [(match.number,) for match in self._closed]
            db.executemany("UPDATE matches SET closed = 1 WHERE id = ?", numbers)

    def _wrote_waiting(self) -> None:
        self._dropped.clear()
        self._closed.clear()

    # --- matches

    def open_match(
        self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
    ) -> str | None:
        """Begin a match."""
        name = config.match_id
        older = self._matches.get(name)
        if older is not None and not older.let_go:
            raise RefereeBug(f"match {name} was opened before")
        if older is not None:
            self._forgetting.hurry(older)
        path = None if self._records is None else os.path.abspath(self._records.place(name))
        self._matches[name] = KeptMatch(
            number=self._next_match,
            name=name,
            header=header_line(
                config,
                practice=header.practice,
                isolation=header.isolation,
                place=header.place,
            ),
            seats=tuple(seats),
            record=path,
        )
        self._next_match += 1
        return path

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep the facts of a pass in one transaction, with what waited for it."""
        if not batches:
            return
        following, matches = Following(), [self._match(batch.match_id) for batch in batches]
        for batch, match in zip(batches, matches, strict=True):
            following.check(batch, match.facts, over=match.over)
        rows = [
            (self._next_row + n, match.number, batch.first_seq, b"\n".join(batch.lines))
            for n, (batch, match) in enumerate(zip(batches, matches, strict=True))
        ]
        begun = list({match.number: match for match in matches if not match.stored}.values())
        over = [match for batch, match in zip(batches, matches, strict=True) if batch.last]
        self._forgetting.prepare(self._close, self._next_row)
        with self._transactions.write() as db:
            self._write_waiting(db)
            self._forgetting.write(db)
            if begun or over:
                _write_counts(db, begun, over)
            db.executemany(_INSERT_FACTS, rows)
        self._appended(batches, matches, over)
        self._transactions.wrote(sum(len(row[3]) for row in rows))

    def _appended(
        self, batches: Sequence[Batch], matches: Sequence[KeptMatch], over: Sequence[KeptMatch]
    ) -> None:
        for batch, match in zip(batches, matches, strict=True):
            match.facts += len(batch.lines)
            match.rows.append(self._next_row)
            match.stored = True
            self._next_row += 1
        for match in over:
            match.over = True
        self._wrote_waiting()
        self._forgetting.added(len(batches))
        for match in self._forgetting.wrote():
            if self._matches.get(match.name) is match:
                del self._matches[match.name]

    def facts(self, match_id: str) -> Sequence[bytes]:
        """Return what is kept of a match."""
        return self._lines(self._match(match_id))

    def close_match(self, match_id: str) -> str | None:
        """Write the record of a match from its stored facts."""
        match = self._match(match_id)
        if not match.over:
            raise RefereeBug(f"match {match_id} is closed before its last fact")
        self._close(match)
        return match.record

    def _close(self, match: KeptMatch) -> None:
        if match.closed:
            return
        if self._records is not None and match.record is not None:
            data = record_bytes(match.header, self._lines(match))
            match.record = str(self._records.write(match.record, data))
        match.closed = True
        self._closed.append(match)

    def _lines(self, match: KeptMatch) -> list[bytes]:
        """Read the facts of a match, and hold them to what was kept."""
        lines: list[bytes] = []
        with self._transactions.read() as db:
            for start in range(0, len(match.rows), _READ_ROWS):
                rows = match.rows[start : start + _READ_ROWS].tolist()
                holes = ",".join("?" * len(rows))
                select = f"SELECT lines FROM facts WHERE id IN ({holes}) ORDER BY id"
                for (data,) in db.execute(select, rows):
                    lines += data.split(b"\n")
        if len(lines) != match.facts:
            raise StoreError(
                f"store {self.path}: {len(lines)} facts of match {match.name} are left of "
                f"{match.facts}; the file was changed by somebody else"
            )
        return lines

    def let_go(self, match_id: str) -> None:
        """Forget a match some seconds later, in later transactions; one without facts at once."""
        match = self._matches.get(match_id)
        if match is None or match.let_go:
            return
        if match.stored:
            match.let_go = True
            self._forgetting.add(match)
            return
        del self._matches[match_id]
        if self._records is not None and match.record is not None:
            self._records.release(match.record)

    def _match(self, match_id: str) -> KeptMatch:
        match = self._matches.get(match_id)
        if match is None:
            raise RefereeBug(f"match {match_id} was not opened")
        return match

    def close(self) -> None:
        """Write what waited, as far as that can be done, and let go of the file."""
        with contextlib.suppress(StoreError):  # closed before, fenced, or a full disk
            self._forgetting.prepare(self._close, self._next_row, all_now=True)
            with self._transactions.write() as db:
                self._write_waiting(db)
                self._forgetting.write(db)
            self._wrote_waiting()
        self._transactions.close()


def _write_counts(
    db: sqlite3.Connection, begun: Sequence[KeptMatch], over: Sequence[KeptMatch]
) -> None:
    """Matches that begin and end, with the facts that say so."""
    db.executemany(
        _INSERT_MATCH,
        [
            (match.number, match.name, match.header, msgspec.json.encode(match.seats), match.record)
            for match in begun
        ],
    )
    numbers = [(row.number + 1, row.instance_id) for match in begun for row in match.seats]
    db.executemany(_COUNT_MATCH, numbers)
    db.executemany("UPDATE matches SET over = 1 WHERE id = ?", [(match.number,) for match in over])
    db.execute(_COUNT_EVENT, (len(begun), len(over)))


def _clear(db: sqlite3.Connection) -> None:
    for table in ("event", "instances", "sessions", "matches", "facts"):
        db.execute(f"DELETE FROM {table}")

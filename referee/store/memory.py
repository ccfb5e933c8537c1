"""Facts in memory: for tests and simulations, and for a referee whose end is the end of all."""

from collections.abc import Sequence

import msgspec

from referee.formats.records import header_line
from referee.match.values import MatchConfig
from referee.ports import (
    Batch,
    Left,
    MatchHeader,
    SeatRow,
    StoredInstance,
    StoredMatch,
    StoredSession,
)
from referee.rules.errors import RefereeBug
from referee.store.following import Following, without_token
from referee.store.records import RecordFolder, record_bytes


class MemoryMatch(msgspec.Struct, kw_only=True):
    """One match as it is kept."""

    config: MatchConfig
    header: MatchHeader
    seats: tuple[SeatRow, ...]
    record_path: str | None
    lines: list[bytes]
    over: bool = False  # its last fact is there
    closed: bool = False  # its record is written, if it gets one
    let_go: bool = False

    def stored(self) -> StoredMatch:
        """Return it as the next process finds it."""
        return StoredMatch(
            config=self.config,
            header=self.header,
            seats=self.seats,
            lines=tuple(self.lines),
            record_path=self.record_path,
            over=self.over,
        )


class MemoryStore:
    """A `FactStore` in dicts. `reopen` is what a restart of the process is to a store on disk.

    With `keep` a match that was let go stays in `matches`, though `left` leaves it out.
    """

    def __init__(self, records: RecordFolder | None = None, *, keep: bool = True) -> None:
        """Without `records` no match gets a record."""
        self.epoch = 1
        self.matches: dict[str, MemoryMatch] = {}  # in the order in which they began
        self._records = records
        self._keep = keep
        self._secret: bytes | None = None
        self._practice = False
        self._started = self._over = 0
        self._instances: dict[str, StoredInstance] = {}
        self._sessions: dict[str, StoredSession] = {}
        self._dropped: list[str] = []  # sessions, with the next append

    def reopen(self) -> None:
        """Take the store over as another process: what was to be kept later is lost."""
        self.epoch += 1
        self._dropped.clear()
        for match_id in [one for one, match in self.matches.items() if not match.lines]:
            del self.matches[match_id]

    def left(self) -> Left:
        """Return what is kept."""
        if self._secret is None:
            return Left()
        matches = [match for match in self.matches.values() if match.lines and not match.let_go]
        return Left(
            event_secret=self._secret,
            practice=self._practice,
            started=self._started,
            over=self._over,
            instances=tuple(self._instances.values()),
            sessions=tuple(self._sessions.values()),
            matches=tuple(match.stored() for match in matches),
        )

    # --- the event, and who takes part

    def begin_event(self, secret: bytes, *, practice: bool = False) -> None:
        """Begin an event."""
        self._clear()
        self._secret, self._practice = secret, practice

    def finish_event(self) -> None:
        """End the event; a record that is not written yet is written first."""
        for match_id, match in self.matches.items():
            if match.over and not match.closed:
                self.close_match(match_id)
        self._clear()

    def _clear(self) -> None:
        self._secret = None
        self._started = self._over = 0
        self._instances.clear()
        self._sessions.clear()
        self._dropped.clear()
        for match_id in list(self.matches):
            self._forget(match_id)

    def keep_instance(self, instance: StoredInstance) -> None:
        """Keep an instance."""
        self._drop()
        self._instances[instance.instance_id] = instance

    def keep_session(self, session: StoredSession) -> None:
        """Keep the session of an instance."""
        self._drop()
        self._sessions[session.instance_id] = without_token(session)

    def drop_session(self, instance_id: str) -> None:
        """Forget a session, and an instance without a token, with the next append."""
        self._dropped.append(instance_id)

    def _drop(self) -> None:
        for instance_id in self._dropped:
            self._sessions.pop(instance_id, None)
            instance = self._instances.get(instance_id)
            if instance is not None and instance.token_hash is None:
                del self._instances[instance_id]
        self._dropped.clear()

    # --- matches

    def open_match(
        self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
    ) -> str | None:
        """Begin a match."""
        older = self.matches.get(config.match_id)
        if older is not None and not older.let_go:
            raise RefereeBug(f"match {config.match_id} was opened before")
        path = None if self._records is None else str(self._records.place(config.match_id))
        self.matches[config.match_id] = MemoryMatch(
            config=config, header=header, seats=tuple(seats), record_path=path, lines=[]
        )
        return path

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep the facts of a pass."""
        following = Following()
        for batch in batches:
            match = self._match(batch.match_id)
            following.check(batch, len(match.lines), over=match.over)
        self._drop()
        for batch in batches:
            self._append(self._match(batch.match_id), batch)

    def _append(self, match: MemoryMatch, batch: Batch) -> None:
        if not match.lines:
            self._started += 1
            for row in match.seats:
                self._count(row)
        match.lines.extend(batch.lines)
        if batch.last:
            match.over = True
            self._over += 1

    def _count(self, row: SeatRow) -> None:
        session = self._sessions.get(row.instance_id)
        if session is not None and session.next_number <= row.number:
            self._sessions[row.instance_id] = msgspec.structs.replace(
                session, next_number=row.number + 1
            )

    def facts(self, match_id: str) -> Sequence[bytes]:
        """Return what is kept of a match."""
        return tuple(self._match(match_id).lines)

    def close_match(self, match_id: str) -> str | None:
        """Write the record of a match."""
        match = self._match(match_id)
        if match.closed:
            return match.record_path
        if not match.over:
            raise RefereeBug(f"match {match_id} is closed before its last fact")
        if self._records is not None and match.record_path is not None:
            header = match.header
            first = header_line(
                match.config,
                practice=header.practice,
                isolation=header.isolation,
                place=header.place,
            )
            data = record_bytes(first, match.lines)
            match.record_path = str(self._records.write(match.record_path, data))
        match.closed = True
        return match.record_path

    def let_go(self, match_id: str) -> None:
        """Forget a closed match. One whose record could not be written stays for the next try."""
        match = self.matches.get(match_id)
        if match is None:
            return
        if not match.lines:
            del self.matches[match_id]
            if self._records is not None and match.record_path is not None:
                self._records.release(match.record_path)
        elif match.closed or not match.over:
            self._forget(match_id)

    def _forget(self, match_id: str) -> None:
        if self._keep:
            self.matches[match_id].let_go = True
        else:
            del self.matches[match_id]

    def _match(self, match_id: str) -> MemoryMatch:
        match = self.matches.get(match_id)
        if match is None:
            raise RefereeBug(f"match {match_id} was not opened")
        return match

    def close(self) -> None:
        """Nothing is to be let go of: `reopen` may follow."""

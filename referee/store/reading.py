"""What an earlier process left in a database, as values."""

import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.formats.records import Record, RecordError, read_record
from referee.ports import (
    Hello,
    Left,
    MatchHeader,
    SeatRow,
    StoredInstance,
    StoredMatch,
    StoredSession,
)
from referee.rules.errors import ConfigError

_SEATS = msgspec.json.Decoder(tuple[SeatRow, ...])
_HELLO = msgspec.json.Decoder(Hello)


class KeptMatch(msgspec.Struct, kw_only=True, eq=False):
    """What memory knows of a match in the database, or on its way there."""

    number: int  # in the database
    name: str
    header: bytes
    seats: Sequence[SeatRow]
    record: str | None
    facts: int = 0
    rows: "array[int]" = msgspec.field(default_factory=lambda: array("q"))  # where they are
    stored: bool = False
    over: bool = False
    closed: bool = False
    let_go: bool = False


def read_left(db: sqlite3.Connection, path: Path) -> tuple[Left, list[KeptMatch]]:
    """Return all that is kept. Raises `ConfigError` where it makes no sense in this release."""
    event = db.execute("SELECT secret, practice, started, over FROM event").fetchone()
    if event is None:
        return Left(), []
    try:
        kept, lines = _matches(db)
        stored = tuple(_stored(match, tuple(lines[match.number])) for match in kept)
        sessions = _sessions(db)
    except RecordError as error:
        raise ConfigError(
            f"store {path}: a match in it is not readable by this release: {error.what}; end it "
            "with the release that began it, or choose another --store"
        ) from None
    except (msgspec.DecodeError, _Gap) as error:
        raise ConfigError(
            f"store {path}: what it holds was changed or damaged: {error}; put a copy in its "
            "place, or choose another --store"
        ) from None
    secret, practice, started, over = event
    left = Left(
        event_secret=secret,
        practice=bool(practice),
        started=started,
        over=over,
        instances=_instances(db),
        sessions=sessions,
        matches=stored,
    )
    return left, kept


class _Gap(Exception):
    pass


def _matches(db: sqlite3.Connection) -> tuple[list[KeptMatch], dict[int, list[bytes]]]:
    kept: dict[int, KeptMatch] = {}
    lines: dict[int, list[bytes]] = {}
    found = db.execute(
        "SELECT id, name, CAST(header AS BLOB), seats, record, over, closed "
        "FROM matches ORDER BY id"
    )
    for number, name, header, seats, record, over, closed in found:
        lines[number] = []
        kept[number] = KeptMatch(
            number=number,
            name=name,
            header=header,
            seats=_SEATS.decode(seats),
            record=record,
            stored=True,
            over=bool(over),
            closed=bool(closed),
        )
    for row, number, first, data in db.execute(
        "SELECT id, match, first_seq, CAST(lines AS BLOB) FROM facts ORDER BY id"
    ):
        match = kept[number]
        if first != match.facts:
            raise _Gap(f"match {match.name} has {match.facts} facts before number {first}")
        new = data.split(b"\n")
        lines[number] += new
        match.facts += len(new)
        match.rows.append(row)
    return list(kept.values()), lines


def _stored(match: KeptMatch, lines: tuple[bytes, ...]) -> StoredMatch:
    if not lines:
        raise _Gap(f"match {match.name} has no facts")
    said: Record = read_record([match.header])
    return StoredMatch(
        config=said.config,
        header=MatchHeader(
            practice=said.header.practice,
            isolation=said.header.isolation,
            place=said.header.place,
        ),
        seats=tuple(match.seats),
        lines=lines,
        record_path=match.record,
        over=match.over,
    )


def _instances(db: sqlite3.Connection) -> tuple[StoredInstance, ...]:
    return tuple(
        StoredInstance(instance_id=name, name=shown, owner=owner, token_hash=token_hash)
        for name, shown, owner, token_hash in db.execute(
            "SELECT id, name, owner, token_hash FROM instances ORDER BY rowid"
        )
    )


def _sessions(db: sqlite3.Connection) -> tuple[StoredSession, ...]:
    return tuple(
        StoredSession(
            instance_id=instance,
            secret=secret,
            hello=_HELLO.decode(hello),
            next_number=next_number,
        )
        for instance, secret, hello, next_number in db.execute(
            "SELECT instance, secret, hello, next_number FROM sessions ORDER BY rowid"
        )
    )

"""Records of matches that are over, as a folder holds them, and the public view of one."""

import asyncio
import re
from pathlib import Path

import structlog

from referee.app.watching import Gallery
from referee.formats.records import Record, RecordError, read_record
from referee.formats.verification import Doubt, re_executed
from referee.match.facts import MatchEnded
from referee.ports.services import CallRefused, MatchInfo, MatchState, Problem
from referee.wire.codec import WireCodec

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # as a record may be called
_log = structlog.get_logger("referee.services")


class Archive:
    """The records of a folder. What is read is read in a thread, a replay at a time."""

    def __init__(self, folder: Path | None) -> None:
        """None: none are kept."""
        self._folder = folder
        self._one = asyncio.Lock()

    @property
    def keeps(self) -> bool:
        """True if records are kept."""
        return self._folder is not None

    def has(self, match_id: str) -> bool:
        """True if there is a record of this name. A name cannot lead out of the folder."""
        named = self._folder is not None and _NAME.fullmatch(match_id) is not None
        return named and self.path(match_id).is_file()

    def path(self, match_id: str) -> Path:
        """Return where the record of a match is by its name."""
        assert self._folder is not None
        return self._folder / f"{match_id}.jsonl"

    async def read(self, path: Path) -> bytes:
        """Return a record. Raises `CallRefused`."""
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            _log.error("a record was not read", file=path.name, error=str(error))
            raise _unreadable() from None

    async def info(self, match_id: str) -> MatchInfo:
        """Return what the record of a match says about it. Raises `CallRefused`."""
        record = await self._record(self.path(match_id))
        last = record.facts[-1] if record.facts else None
        ended = last if isinstance(last, MatchEnded) else None
        return MatchInfo(
            match_id=match_id,
            state=MatchState.OVER,
            names=tuple(player.name for player in record.config.players),
            ending=None if ended is None else ended.ending,
            totals=() if ended is None else ended.totals,
            rounds=0 if ended is None else ended.rounds,
        )

    async def view(self, path: Path) -> Gallery:
        """Return the whole public view of a record, by playing it again. Raises `CallRefused`."""
        record = await self._record(path)
        async with self._one:
            gallery = await asyncio.to_thread(_exhibited, record)
        if gallery is None:
            _log.error("a record does not replay", file=path.name)
            raise _unreadable()
        return gallery

    async def _record(self, path: Path) -> Record:
        data = await self.read(path)
        try:
            async with self._one:
                return await asyncio.to_thread(read_record, data.splitlines(keepends=True))
        except RecordError as error:
            _log.error("a record was not read", file=path.name, error=str(error))
            raise _unreadable() from None


def _exhibited(record: Record) -> Gallery | None:
    """None where the record does not replay."""
    gallery, codec, seats = Gallery(), WireCodec(), len(record.config.players)
    number = 1
    for one in re_executed(record):
        if isinstance(one, Doubt):
            return None
        events = one.step.events
        gallery.add(events, codec.events(number, events, seats))
        number += len(events)
    gallery.close()
    return gallery


def _unreadable() -> CallRefused:
    return CallRefused(
        Problem.FAILED_PRECONDITION,
        "the record of this match is damaged or cannot be read; its operator finds why in the log",
        subject="match_id",
    )

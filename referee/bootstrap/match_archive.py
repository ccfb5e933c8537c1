"""Records of matches that are over, as a folder holds them, and the public view of one."""

import asyncio
import re
from pathlib import Path

import structlog

from referee.app.watching import Gallery
from referee.bootstrap.shared_answers import SharedAnswers
from referee.formats.records import Record, RecordError, read_record
from referee.formats.verification import Doubt, re_executed
from referee.match.facts import MatchEnded
from referee.ports.services import CallRefused, MatchInfo, MatchState, Problem
from referee.wire.codec import WireCodec

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # as a record may be called
_FRESH_S = 2.0  # how long what was read and played again is given again
_log = structlog.get_logger("referee.services")


class Archive:
    """The records of a folder. What is read is read in a thread, a replay at a time."""

    def __init__(self, folder: Path | None) -> None:
        """None: none are kept."""
        self._folder = folder
        one = asyncio.Lock()
        self._infos: SharedAnswers[str, MatchInfo] = SharedAnswers(fresh_s=_FRESH_S, one=one)
        self._views: SharedAnswers[Path, Gallery] = SharedAnswers(fresh_s=_FRESH_S, one=one)

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
        """Return a record, which is text in UTF-8. Raises `CallRefused`."""
        return await asyncio.to_thread(_text, path)

    async def info(self, match_id: str) -> MatchInfo:
        """Return what the record of a match says about it. Raises `CallRefused`."""
        path = self.path(match_id)
        return await self._infos.get(match_id, lambda: asyncio.to_thread(_info, match_id, path))

    async def view(self, path: Path) -> Gallery:
        """Return the whole public view of a record, by playing it again. Raises `CallRefused`."""
        return await self._views.get(path, lambda: asyncio.to_thread(_view, path))


def _info(match_id: str, path: Path) -> MatchInfo:
    record = _record(path)
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


def _view(path: Path) -> Gallery:
    gallery = _exhibited(_record(path))
    if gallery is None:
        _log.error("a record does not replay", file=path.name)
        raise _unreadable()
    return gallery


def _record(path: Path) -> Record:
    try:
        return read_record(_read(path).splitlines(keepends=True))
    except RecordError as error:
        _log.error("a record was not read", file=path.name, error=str(error))
        raise _unreadable() from None


def _text(path: Path) -> bytes:
    data = _read(path)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        _log.error("a record was not read", file=path.name, error=str(error))
        raise _unreadable() from None
    return data


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
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

"""A match of this process, for whoever started it."""

import asyncio
from pathlib import Path

from referee.app.running import RunningMatch as AppMatch
from referee.app.service import Service
from referee.app.watching import Gallery
from referee.ladder.values import LegPlace
from referee.match.facts import MatchEnded
from referee.match.values import Ending
from referee.ports import Audience, StoreError
from referee.rules.seat import Seat


class RunningMatch:
    """A match of this process.

    `record_path` is where its record is to be. `recorded` is done when it is written, which may be
    later than `done`, with where it is; it raises `StoreError` where there will be none.
    """

    def __init__(self, service: Service, match: AppMatch) -> None:
        self._service = service
        self._match = match
        self.match_id = match.id
        self.record_path = Path(match.record_path) if match.record_path else None
        self.done: asyncio.Future[MatchEnded] = asyncio.get_running_loop().create_future()
        self.recorded: asyncio.Future[Path] = asyncio.get_running_loop().create_future()
        match.on_over.append(self._ended)

    @property
    def place(self) -> LegPlace | None:
        """What part of a ladder it is; None where it belongs to none."""
        return self._match.place

    def _ended(self, ended: MatchEnded) -> None:
        if not self.done.done():
            self.done.set_result(ended)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names by seat, as its bots are seated under them."""
        return tuple(player.name for player in self._match.config.players)

    def exhibit(self) -> Gallery:
        """Return what those may see who only watch, from here on. Before anything is told."""
        gallery = self._match.gallery = Gallery()
        self._match.on_over.append(lambda _: gallery.close())
        return gallery

    def take_record(self, path: str | None) -> None:
        """Its record is there; without a path none is kept."""
        if path is None:
            self.lose_record("this referee keeps no records")
        elif not self.recorded.done():
            self.recorded.set_result(Path(path))

    def lose_record(self, why: str) -> None:
        """Its record will never be there."""
        if not self.recorded.done():
            self.recorded.set_exception(StoreError(f"match {self.match_id}: no record: {why}"))
            self.recorded.exception()  # nobody need ask for it

    def hear(self, audience: Audience | None) -> None:
        """Have somebody watch from here on."""
        self._match.audience = audience

    def cancel(self) -> None:
        """End the match by order; `done` gets its `MatchEnded` with `CANCELLED`."""
        self._service.end_match(self._match, Ending.CANCELLED)

    def fault(self, seat: Seat, ending: Ending) -> None:
        """End the match by a fault of a seat that only its starter can see."""
        self._service.end_match(self._match, ending, seat)


class Unrecorded:
    """The matches of this process whose records are not written."""

    def __init__(self) -> None:
        self._matches: dict[str, RunningMatch] = {}

    def add(self, running: RunningMatch) -> None:
        """Wait for the record of a match."""
        self._matches[running.match_id] = running

    def recorded(self, match_id: str, path: str | None) -> None:
        """A record is there."""
        running = self._matches.pop(match_id, None)
        if running is not None:
            running.take_record(path)

    def lost(self, match_id: str, why: str = "it could not be made") -> None:
        """A record will never be there."""
        running = self._matches.pop(match_id, None)
        if running is not None:
            running.lose_record(why)

    def all_lost(self, why: str) -> None:
        """Nothing is written any more."""
        for match_id in list(self._matches):
            self.lost(match_id, why)

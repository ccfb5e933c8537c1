"""The matches of a referee for those who do not play in them: begin, end, watch, fetch."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import structlog

from referee.app.service import Service
from referee.app.watching import Gallery
from referee.bootstrap.board_legs import LegPlan, board_legs, match_bots
from referee.bootstrap.match_archive import Archive
from referee.bootstrap.referee import Referee
from referee.bootstrap.running import RunningMatch
from referee.bootstrap.seat_finder import SeatFinder
from referee.formats.printable import printable
from referee.match.facts import MatchEnded
from referee.match.values import MatchConfig, Settings
from referee.ports import Audience, StoreError
from referee.ports.services import CallRefused, MatchInfo, MatchState, Problem, PublicView
from referee.rules.errors import ConfigError

_MOST_REMEMBERED = 1_000  # requests, and matches that are over
_RECORD_S = 10.0  # for the record of a match that has just ended
_SHOWN_CHARS = 80
_log = structlog.get_logger("referee.services")


class _Known:
    """A match of this process. `legs` are the ids of its board, itself among them, or ()."""

    def __init__(self, running: RunningMatch, gallery: Gallery | None) -> None:
        self.match_id = running.match_id
        self.names = running.names
        self.recorded = running.recorded
        self.running: RunningMatch | None = running
        self.gallery = gallery
        self.ended: MatchEnded | None = None
        self.legs: tuple[str, ...] = ()
        self.unsealed = asyncio.Event()
        if running.place is None:
            self.unsealed.set()

    def over(self, ended: MatchEnded) -> None:
        """Let go of what a match that is over needs no more; who watches holds the rest."""
        self.ended, self.running, self.gallery = ended, None, None

    @property
    def state(self) -> MatchState:
        if not self.unsealed.is_set():
            return MatchState.SEALED
        return MatchState.RUNNING if self.ended is None else MatchState.OVER

    def info(self) -> MatchInfo:
        """Return what everybody may know."""
        info = MatchInfo(match_id=self.match_id, state=self.state, names=self.names)
        ended = self.ended
        if info.state is not MatchState.OVER or ended is None:
            return info
        return msgspec.structs.replace(
            info, ending=ended.ending, totals=ended.totals, rounds=ended.rounds
        )


class _Request(msgspec.Struct, frozen=True):
    """What a request asked for, and what it began."""

    asked: tuple[tuple[str, ...], bool]
    match_ids: tuple[str, ...]


class MatchDesk:
    """Implements `referee.ports.services.Matches` for one referee."""

    def __init__(
        self,
        referee: Referee,
        service: Service,
        settings: Settings,
        *,
        records: Path | None,
        may_share: bool,
        audience: Audience | None = None,
    ) -> None:
        """`settings` are those of every match, `records` is the folder of its records."""
        self._referee = referee
        self._service = service
        self._settings = settings
        self._audience = audience
        self._archive = Archive(records)
        self._seats = SeatFinder(service, may_share=may_share)
        self._known: dict[str, _Known] = {}  # in the order in which they began
        self._requests: dict[str, _Request] = {}
        referee.on_begun = self._begun

    # --- begin

    def create(self, request_id: str, bots: Sequence[str], *, board: bool) -> Sequence[str]:
        """Begin a match or all legs of a board, once for a request; return their ids."""
        asked = (tuple(bots), board)
        before = self._requests.get(request_id)
        if before is not None:
            if before.asked == asked:
                return before.match_ids
            raise CallRefused(
                Problem.ALREADY_EXISTS,
                f"request_id {request_id} asked for something else; choose another one",
                subject="request_id",
            )
        if self._service.reception.draining:
            raise CallRefused(Problem.UNAVAILABLE, "the referee goes down; ask the next one")
        match_ids = self._board(bots) if board else (self._match(bots),)
        self._requests[request_id] = _Request(asked, match_ids)
        while len(self._requests) > _MOST_REMEMBERED:
            del self._requests[next(iter(self._requests))]
        return match_ids

    def _match(self, bots: Sequence[str]) -> str:
        players = match_bots(self._settings.rules, bots)
        instances = self._seats.instances(bots)
        match_id = f"{self._referee.match_prefix}-{self._referee.next_number:06d}"
        config = MatchConfig(match_id=match_id, settings=self._settings, players=players)
        start, audience = self._referee.start_match, self._audience
        self._started(config, lambda: start(config, instances, audience=audience))
        return match_id

    def _board(self, bots: Sequence[str]) -> tuple[str, ...]:
        referee = self._referee
        legs = board_legs(
            self._settings.rules, bots, event=referee.match_prefix, board=referee.next_number
        )
        seated = self._seats.instances([bot for leg in legs for bot in leg.bots])
        each = len(legs[0].bots)
        begun: list[RunningMatch] = []
        try:
            for number, leg in enumerate(legs):
                instances = seated[number * each : (number + 1) * each]
                begun.append(self._leg(leg, instances))
        except BaseException:
            for match in begun:  # a board without all its legs is none
                match.cancel()
            raise
        finally:
            self._is_board(begun)
        return tuple(match.match_id for match in begun)

    def _leg(self, leg: LegPlan, instances: Sequence[str]) -> RunningMatch:
        config = MatchConfig(
            match_id=self._referee.match_name(leg.place),
            settings=self._settings,
            players=leg.players,
        )
        start = self._referee.start_match
        return self._started(config, lambda: start(config, instances, place=leg.place))

    def _started(self, config: MatchConfig, start: Callable[[], RunningMatch]) -> RunningMatch:
        try:
            return start()
        except ConfigError as error:
            if not isinstance(error.__cause__, StoreError):
                raise
            _log.warning("no match was created", match=config.match_id, error=str(error))
            raise CallRefused(
                Problem.UNAVAILABLE, "nothing can be stored now; ask again later"
            ) from None

    def _is_board(self, begun: Sequence[RunningMatch]) -> None:
        """Unseal all legs together, once all are over."""
        if not begun:
            return
        legs = tuple(match.match_id for match in begun)
        for match_id in legs:
            self._known[match_id].legs = legs
        ends = asyncio.gather(*[match.done for match in begun])
        ends.add_done_callback(lambda done: None if done.cancelled() else self._unseal(legs))

    def _unseal(self, legs: Sequence[str]) -> None:
        self._referee.unseal(legs)
        for match_id in legs:
            known = self._known[match_id]
            known.unsealed.set()
            if self._audience is not None and known.ended is not None:
                self._audience.tell(match_id, [known.ended])

    def _begun(self, running: RunningMatch) -> None:
        gallery = running.exhibit() if running.place is None else None
        known = self._known[running.match_id] = _Known(running, gallery)
        running.done.add_done_callback(lambda done: self._over(known, done))

    def _over(self, known: _Known, done: "asyncio.Future[MatchEnded]") -> None:
        if done.cancelled():
            return
        known.over(done.result())
        self._forget()

    def _forget(self) -> None:
        """Forget the oldest that are over, but always the last of them; a board goes as one."""
        ended = [one for one in self._known.values() if one.state is MatchState.OVER]
        left = len(ended)
        for one in ended:
            board = one.legs or (one.match_id,)
            if one.match_id != board[0]:
                continue  # it goes with its first leg
            left -= len(board)
            if left < _MOST_REMEMBERED:
                return
            for match_id in board:
                del self._known[match_id]

    # --- end

    def cancel(self, match_id: str) -> Sequence[str]:
        """End a match and all legs of its board; return the ids of those that ran."""
        known = self._known.get(match_id)
        if known is None:
            if self._archive.has(match_id):
                return ()
            raise _unknown(match_id)
        matches = [self._known[one] for one in known.legs] or [known]
        running = [match for match in matches if match.running is not None]
        for match in running:
            if match.running is not None:
                match.running.cancel()
        return [match.match_id for match in running]

    # --- show

    def all(self) -> Sequence[MatchInfo]:
        """Return the matches that run and the last that are over, in the order they began."""
        return [known.info() for known in self._known.values()]

    async def info(self, match_id: str) -> MatchInfo:
        """Return what a match is now."""
        known = self._known.get(match_id)
        if known is not None:
            return known.info()
        if not self._archive.has(match_id):
            raise _unknown(match_id)
        return await self._archive.info(match_id)

    async def unsealed(self, match_id: str) -> None:
        """Return once a match is not sealed."""
        known = self._known.get(match_id)
        if known is not None:
            await known.unsealed.wait()

    async def view(self, match_id: str) -> PublicView:
        """Return the public view of a match that is not sealed."""
        known = self._known.get(match_id)
        if known is not None and known.gallery is not None:
            return known.gallery
        return await self._archive.view(await self._path(match_id))

    async def record(self, match_id: str) -> bytes:
        """Return the record of a match that is over."""
        return await self._archive.read(await self._path(match_id))

    async def _path(self, match_id: str) -> Path:
        known = self._known.get(match_id)
        if known is None:
            if not self._archive.has(match_id):
                raise _unknown(match_id)
            return self._archive.path(match_id)
        if known.state is not MatchState.OVER:
            why = (
                "is a leg of a board that is not over"
                if known.state is MatchState.SEALED
                else "still runs"
            )
            raise CallRefused(
                Problem.FAILED_PRECONDITION,
                f"match {match_id} {why}: its record is there when it is over; WatchMatch waits",
                subject="match_id",
            )
        if not self._archive.keeps:
            raise _no_records()
        done, _ = await asyncio.wait({known.recorded}, timeout=_RECORD_S)
        if not done:
            raise CallRefused(
                Problem.UNAVAILABLE,
                f"the record of match {match_id} is not written yet; ask again later",
            )
        if known.recorded.exception() is not None:
            raise CallRefused(
                Problem.FAILED_PRECONDITION,
                f"match {match_id} has no record: it could not be made; its operator finds why in "
                "the log",
                subject="match_id",
            )
        return known.recorded.result()


def _unknown(match_id: str) -> CallRefused:
    shown = printable(match_id[:_SHOWN_CHARS])
    return CallRefused(
        Problem.NOT_FOUND,
        f"there is no match {shown!r} here; ListMatches names those that there are",
        subject="match_id",
    )


def _no_records() -> CallRefused:
    return CallRefused(
        Problem.FAILED_PRECONDITION,
        "this referee keeps no records; start it with record_dir",
        subject="match_id",
    )

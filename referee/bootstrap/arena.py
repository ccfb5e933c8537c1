"""Plays boards: a referee, the processes of the entries, and the legs between them."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal, NamedTuple, TypeVar

from referee.app.season_news import Notice, NoticeKind
from referee.app.seating import TISCH_NAME
from referee.bootstrap.arena_pool import Pool, Slot
from referee.bootstrap.arena_roles import bot_words, role_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.bootstrap.ladder_records import read_summary
from referee.bootstrap.ladder_versions import Versions
from referee.bootstrap.referee import Referee
from referee.bootstrap.running import RunningMatch
from referee.bootstrap.setup import Isolation
from referee.formats.bot_report import bots_of
from referee.formats.records import RecordError
from referee.formats.summary import MatchSummary
from referee.ladder.partners import PARTNER_MARK, entrant_at
from referee.ladder.rulings import decide, version_of
from referee.ladder.schedule import BoardPlan
from referee.ladder.seats import seats_of
from referee.ladder.values import LegPlace, Player, Side
from referee.match.values import Ending, MatchConfig
from referee.match.values import Player as Named
from referee.ports import StoreError
from referee.ports.arena import Journal
from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.seat import Seat

_T = TypeVar("_T")

_STORE_AGAIN_S = 1.0
_STORE_TRIES = 60
_STOPPING_S = 3.0  # for what is cancelled to be over and on record


class _Stopped(Exception):
    """The arena was stopped before a leg began."""


class _Table(NamedTuple):
    """A leg, and who holds its seats. `why_not` by seat: it will not play, and why."""

    place: LegPlace
    slots: dict[Seat, Slot]
    why_not: dict[Seat, str]


class LadderArena:
    """The `Arena` of a ladder in this process."""

    def __init__(
        self,
        plan: LadderPlan,
        referee: Referee,
        pool: Pool,
        *,
        versions: Versions,
        journal: Journal,
        tell: Callable[[Notice], None],
    ) -> None:
        """`versions` by entry and place; "" for a bot that says its own in Hello."""
        self._journal = journal
        self._plan = plan
        self._chairs = {  # by seat: the side that has it, and the place of its bot there
            Seat(seat): (side, place)
            for side in range(plan.sides)
            for place, seat in enumerate(seats_of(plan.sides, side, players=plan.places))
        }
        self._referee = referee
        self._pool = pool
        self._versions = versions
        self._tell = tell
        self._entries = {entry.name: entry for entry in plan.entries}
        self._matches: dict[str, RunningMatch] = {}
        self._stopped = asyncio.Event()
        # all tables of a round are one board: there it is tables that are bounded
        self._room: AbstractAsyncContextManager[object] = (
            nullcontext() if plan.tournament is None else asyncio.Semaphore(plan.parallel)
        )

    async def play(self, board: BoardPlan) -> Sequence[MatchSummary]:
        """Play all legs of a board; see `Arena`."""
        if self._plan.isolation is Isolation.NONE:
            # one after the other: what a process may take seats in twice it may know again
            legs = [await self._leg(board, leg) for leg in range(1, len(board.tables) + 1)]
        else:
            legs = await self._all_legs(board)
        played = [match for match in legs if match is not None]
        self._referee.unseal([match.match_id for match in played])
        found = [await self._summary(match) for match in played]
        return [summary for summary in found if summary is not None]

    async def _all_legs(self, board: BoardPlan) -> list[RunningMatch | None]:
        """Play all legs at once; where one cannot be played the others are given up."""
        return await _all([self._leg(board, leg) for leg in range(1, len(board.tables) + 1)])

    def retire(self, entry: str) -> None:
        """End the processes of an entry that plays no more."""
        self._pool.retire(entry)

    async def stop(self) -> None:
        """End what is running, as void."""
        self._stopped.set()
        for match in list(self._matches.values()):
            match.cancel()

    # --- a leg

    async def _leg(self, board: BoardPlan, leg: int) -> RunningMatch | None:
        """Play a leg to its end, once there is room for it; None where it did not begin."""
        async with self._room:
            return await self._leg_now(board, leg)

    async def _leg_now(self, board: BoardPlan, leg: int) -> RunningMatch | None:
        slots: dict[Seat, Slot] = {}
        try:
            why_not = await self._unless_stopped(self._seat_all(board, leg, slots))
            place = self._place(board, leg, slots)
            table = _Table(place, slots, {**self._outdated(place), **why_not})
            match = await self._unless_stopped(self._start(table))
        except _Stopped:
            return None
        else:
            over = await self._soon(match.done)
            self._matches.pop(match.match_id, None)
            return match if over else None
        finally:
            for slot in slots.values():
                await self._pool.give_back(slot)

    async def _seat_all(
        self, board: BoardPlan, leg: int, slots: dict[Seat, Slot]
    ) -> dict[Seat, str]:
        """Put a process that is ready into each of `slots`; return why some are not, by seat."""
        table = board.tables[leg - 1]
        roles = {
            seat: role_of(self._plan, table[side], place, leg)
            for seat, (side, place) in self._chairs.items()
        }
        alone = self._plan.isolation is Isolation.NONE
        why_not: dict[Seat, str | None] = {}
        for seat in sorted(roles, key=roles.__getitem__):
            slots[seat] = await self._pool.reserve(roles[seat])
            if alone:  # only once it said Hello is it known whether it takes the next seat too
                why_not[seat] = await self._pool.make_ready(slots[seat])
        if not alone:
            seats = list(slots)
            ready = await _all([self._pool.make_ready(slots[seat]) for seat in seats])
            why_not.update(zip(seats, ready, strict=True))
        return {seat: why for seat, why in why_not.items() if why is not None}

    async def _start(self, table: _Table) -> RunningMatch:
        """Start a leg; those that are not ready fail in it at once, which counts (PROTOCOL 5)."""
        for seat, why in sorted(table.why_not.items()):
            number, at = self._chairs[seat]
            side = table.place.sides[number]
            bot = side.players[at].bot
            text = f"{bot_words(bot, entrant_at(side.entry, at))} cannot play: {why}"
            self._tell(Notice(kind=NoticeKind.FAULT, text=text))
        match = await self._started(table)
        self._matches[match.match_id] = match
        if self._stopped.is_set():
            match.cancel()
        for seat in sorted(table.why_not):
            match.fault(seat, Ending.NEVER_STARTED)
        return match

    async def _started(self, table: _Table) -> RunningMatch:
        """Start a match; a fact store that is away is waited for."""
        place = table.place
        config = MatchConfig(
            match_id=self._referee.match_name(place),
            settings=self._plan.settings,
            players=tuple(Named(name=name or TISCH_NAME) for name in bots_of(place)),
        )
        instances = [table.slots[seat].instance for seat in sorted(self._chairs)]
        tries = 0
        while True:
            try:
                return self._referee.start_match(config, instances, place=place)
            except ConfigError as error:
                tries += 1
                if not isinstance(error.__cause__, StoreError) or tries > _STORE_TRIES:
                    raise
            await asyncio.sleep(_STORE_AGAIN_S)

    def _place(self, board: BoardPlan, leg: int, slots: dict[Seat, Slot]) -> LegPlace:
        return LegPlace(
            event=self._plan.event,
            pairing=board.pairing,
            board=board.board,
            attempt=board.attempt,
            leg=leg,
            unit=self._plan.unit,
            deals=self._plan.deals,
            sides=tuple(self._side(*one, slots) for one in enumerate(board.tables[leg - 1])),
        )

    def _side(self, side: int, name: str, slots: dict[Seat, Slot]) -> Side:
        seats = self._seats_of(side)
        entries = [self._entries[entrant_at(name, at)] for at in range(self._plan.places)]
        players = tuple(
            Player(
                bot=entry.bots[place].name,
                version=self._versions[entry.name][place] or self._said(slots[seats[place]]),
            )
            for place, entry in enumerate(entries)
        )
        owners = dict.fromkeys(entry.owner for entry in entries)
        return Side(entry=name, owner=PARTNER_MARK.join(owners), players=players)

    def _seats_of(self, side: int) -> list[Seat]:
        """Return the seats of a side, by place."""
        return [seat for seat, (of, _) in self._chairs.items() if of == side]

    def _outdated(self, place: LegPlace) -> dict[Seat, str]:
        """Return why bots may not play that were replaced, by seat, where they say it themselves.

        Boards that an older version plays count for nothing.
        """
        due, found = decide(self._journal.rulings()).versions, {}
        for team, side in enumerate(place.sides):
            now = version_of(side)
            if due.get(side.entry, now) != now and not all(self._versions[side.entry]):
                text = f"it says version {now}, and was replaced by {due[side.entry]}"
                found.update(dict.fromkeys(self._seats_of(team), text))
        return found

    def _said(self, slot: Slot) -> str:
        hello = self._referee.hello_of(slot.instance)
        return said_version("" if hello is None else hello.bot_version)

    async def _summary(self, match: RunningMatch) -> MatchSummary | None:
        """Return what a match brought, from its record; None where that is not there at the end.

        In a thread, since a replay takes milliseconds.
        """
        if not await self._soon(match.recorded):
            return None
        try:
            return await asyncio.to_thread(read_summary, match.recorded.result())
        except StoreError as error:
            raise ConfigError(str(error)) from None
        except RecordError as error:
            raise RefereeBug(f"match {match.match_id}: its own record: {error}") from error

    async def _soon(self, what: "asyncio.Future[_T]") -> bool:
        """Wait for something; once the arena is stopped for a moment only: the store may be away.

        Return whether it is there.
        """
        stop = asyncio.ensure_future(self._stopped.wait())
        either: set[asyncio.Future[_T] | asyncio.Future[Literal[True]]] = {what, stop}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not what.done():
                await asyncio.wait({what}, timeout=_STOPPING_S)
            return what.done()
        finally:
            stop.cancel()

    async def _unless_stopped(self, work: Coroutine[object, object, _T]) -> _T:
        """Do something, unless the arena is stopped before it is done: raises `_Stopped` then."""
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._stopped.wait())
        either: set[asyncio.Future[_T] | asyncio.Future[Literal[True]]] = {task, stop}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            task.cancel()
            stop.cancel()
            await asyncio.gather(task, stop, return_exceptions=True)
        raise _Stopped


async def _all(works: Sequence[Coroutine[object, object, _T]]) -> list[_T]:
    """Do several things at once; where one cannot be done the others are given up."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def said_version(text: str) -> str:
    """Return the version of a bot that dialled in: what it said, unproved."""
    return f"hello:{text}"

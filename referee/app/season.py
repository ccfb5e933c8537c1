"""A season: the boards of a ladder, played until the schedule or a rule says that it is enough.

What is played next, and what counts, follows from results and rulings alone (`referee.ladder`), so
that a season that was killed goes on where its results end.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence

import msgspec
import structlog

from referee.app.season_faults import FailedInARow, boards_of
from referee.app.season_news import LadderOutcome, Notice, NoticeKind, OutcomeKind, Progress
from referee.app.season_ports import SeasonPorts
from referee.app.season_state import SeasonState
from referee.formats.summary import MatchSummary
from referee.ladder.boards import Fate
from referee.ladder.final import FinalRule, is_final
from referee.ladder.schedule import BoardPlan, Schedule
from referee.ladder.stopping import StopRule
from referee.ladder.values import LegResult, Ruling, RulingKind
from referee.ports.ladder import LadderStoreError
from referee.rules.errors import ConfigError

_SECOND = 1_000_000_000
_LOOK_NS = _SECOND  # between two looks for new rulings
_RATED = 50  # boards that the rate is taken from
_VOID_IN_A_ROW = 20  # more are no chance: something is broken, and every board costs a new deal

# That end the final, where there is one
_OF_FINAL = (OutcomeKind.PLAYED, OutcomeKind.HOURS, OutcomeKind.SEPARATED)
# What is running is not played to its end
_AT_ONCE = (OutcomeKind.STOPPED, OutcomeKind.FROZEN, OutcomeKind.REPLACED)

_log = structlog.get_logger("referee.season")


class SeasonPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a season is to be. `owners` are all entries, with who runs them.

    `versions` is what this run plays entries with; those that say theirs in Hello are not in it.
    """

    event: str
    owners: Mapping[str, str]
    schedule: Schedule
    stop: StopRule
    parallel: int = 1
    boards_an_entry: int = 1
    versions: Mapping[str, str] = {}
    played_ns: int = 0  # by earlier runs
    final: FinalRule | None = None
    final_ns: int = 0  # what earlier runs played of it


class Season:
    """One run of a ladder."""

    def __init__(self, plan: SeasonPlan, ports: SeasonPorts) -> None:
        self._plan = plan
        self._ports = ports
        self._state = SeasonState(plan.owners, plan.schedule, plan.stop, plan.final)
        self._failed = FailedInARow()
        self._running: dict[asyncio.Task[tuple[MatchSummary, ...]], tuple[int, BoardPlan]] = {}
        self._begun = self._played = self._void = self._void_in_a_row = 0
        self._ruled = 0  # rulings that were told
        self._quarantined: list[str] = []
        self._ends: deque[int] = deque(maxlen=_RATED)  # of the last boards that count
        self._stop_order = asyncio.Event()
        self._began = ports.clock.now()
        self._final_began: int | None = None  # in this run
        self._final_told = False

    def stop(self) -> None:
        """End the season soon: what is running is cancelled, and void."""
        self._stop_order.set()

    async def run(self) -> LadderOutcome:
        """Play until it is enough. Raises `ConfigError` where nothing can be played or kept."""
        results = await self._ports.store.results(self._plan.event)
        self._state.begin(results, self._ports.journal.rulings())
        self._ruled = len(self._state.rulings)
        await self._begin_faults(results)
        order = asyncio.create_task(self._stop_order.wait())
        try:
            why = await self._play(order)
        finally:
            order.cancel()
            await self._end_boards()
            self._keep_played()
        return self._outcome(why)

    async def _play(self, order: "asyncio.Task[bool]") -> OutcomeKind:
        self._tell_progress()
        why = self._enough()
        while why not in _AT_ONCE:
            if why is None:
                self._begin_boards()
            if not self._running:
                return why or self._why_nothing_is_left()
            await self._something_new(order)
            await self._take_finished()
            await self._take_rulings()
            enough = self._enough()
            # a final that seems decided may not be once all boards are in
            latched = None if self._plan.final is not None else why
            why = enough if enough in _AT_ONCE else latched or enough
            self._tell_progress()
        return why

    async def _something_new(self, order: "asyncio.Task[bool]") -> None:
        """Return once a board is over, there is the order to stop, or somebody ruled.

        A match may take hours, and a ruling is not to wait for it: it is looked for each second.
        """
        clock, over = self._ports.clock, False
        while not over and len(self._ports.journal.rulings()) == self._ruled:
            due = asyncio.Event()
            timer = clock.call_at(clock.now() + _LOOK_NS, due.set)
            look = asyncio.create_task(due.wait())
            try:
                awaited = {order, look, *self._running}
                done, _ = await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            finally:
                timer.cancel()
                look.cancel()
            over = bool(done - {look})

    # --- boards

    def _begin_boards(self) -> None:
        free = self._plan.parallel - len(self._running)
        if free <= 0:
            return
        chosen = self._state.next_boards(
            self._boards_running, wanted=free, at_once=self._plan.boards_an_entry
        )
        if any(is_final(board.board) for board in chosen):
            self._tell_final()
        for board in chosen:
            self._begun += 1
            task = asyncio.create_task(self._board(board))
            self._running[task] = (self._begun, board)

    @property
    def _boards_running(self) -> list[BoardPlan]:
        return [board for _, board in self._running.values()]

    async def _board(self, board: BoardPlan) -> tuple[MatchSummary, ...]:
        return tuple(await self._ports.arena.play(board))

    async def _take_finished(self) -> None:
        for task in [task for task in self._running if task.done()]:
            number, board = self._running.pop(task)
            await self._take(number, board, task.result())

    async def _take(
        self, number: int, board: BoardPlan, summaries: tuple[MatchSummary, ...]
    ) -> None:
        legs = [summary.leg for summary in summaries if summary.leg is not None]
        await self._ports.keep(summaries, self._stop_order)
        self._keep_played()
        self._played += 1
        self._state.add(legs)
        if not self._counts(board, legs):
            self._tell_void(board, legs)
        else:
            self._void_in_a_row = 0
            self._ends.append(self._ports.clock.now())
        for leg in legs:
            self._tell_fault(leg)
            found = self._failed.take(leg, board=number, begun=self._begun)
            for entry, reason in found.items():
                await self._quarantine(entry, reason)

    def _counts(self, board: BoardPlan, legs: Sequence[LegResult]) -> bool:
        """True if an attempt is as it should be; in a field some of its tables may be missing."""
        if len(legs) == len(board.tables) and all(leg.rated for leg in legs):
            return True
        history = self._state.resolved.histories.get((board.pairing, board.board))
        return history is not None and history.fate is Fate.RATED

    async def _end_boards(self) -> None:
        """Have nothing running. What was cancelled is on record; a database may be without it."""
        if not self._running:
            return
        await self._ports.arena.stop()
        self._void += len(self._running)
        for found in await asyncio.gather(*self._running, return_exceptions=True):
            if isinstance(found, BaseException):
                continue
            self._state.add([one.leg for one in found if one.leg is not None])
            with contextlib.suppress(LadderStoreError):
                await self._ports.store.add_matches(found)
        self._running.clear()

    # --- rulings

    async def _begin_faults(self, results: Sequence[LegResult]) -> None:
        """Count on where earlier runs ended: nobody begins anew by a restart."""
        state, at_once = self._state, self._plan.boards_an_entry
        self._begun = boards_of(results) + at_once
        found = self._failed.begin(results, state.rulings, state.decided, at_once=at_once)
        for entry, reason in sorted(found.items()):
            if entry in self._plan.owners:
                await self._quarantine(entry, reason)

    async def _quarantine(self, entry: str, reason: str) -> None:
        if not self._state.decided.plays(entry):
            return
        own = self._ports.journal.append(RulingKind.QUARANTINE, entry, reason)
        self._quarantined.append(entry)
        self._tell(NoticeKind.QUARANTINED, f"{entry} plays no more: {reason}")
        await self._take_rulings(own)

    async def _take_rulings(self, own: Ruling | None = None) -> None:
        rulings = self._ports.journal.rulings()
        for ruling in rulings[self._ruled :]:
            with contextlib.suppress(LadderStoreError):  # the next run adds what is missing
                await self._ports.store.add_ruling(ruling)
            if ruling != own:
                self._tell(NoticeKind.RULED, ruling_line(ruling))
            if ruling.kind is RulingKind.REPLACE:
                self._failed.forget(ruling.subject)
        if len(rulings) > self._ruled:
            self._ruled = len(rulings)
            self._state.rule(rulings)
        busy = {name for _, board in self._running.values() for name in board.entries}
        for entry in self._state.leaving(busy):
            self._ports.arena.retire(entry)

    # --- the end

    def _enough(self) -> OutcomeKind | None:
        if self._stop_order.is_set():
            return OutcomeKind.STOPPED
        if self._state.decided.frozen:
            return OutcomeKind.FROZEN
        if self._is_replaced():
            return OutcomeKind.REPLACED
        if self._void_in_a_row >= _VOID_IN_A_ROW:
            raise ConfigError(
                f"the last {self._void_in_a_row} boards were all void, by no fault of one entry; "
                "look at the lines above and the log, then run the ladder again"
            )
        played_s, final_s = self.played_ns / _SECOND, self.final_ns / _SECOND
        enough = self._state.enough(played_s, self._boards_running, final_s=final_s)
        self._begin_final()
        return enough

    def _begin_final(self) -> None:
        """Note when the final begins in this run."""
        state = self._state
        if state.final is None or self._final_began is not None:
            return
        if state.in_final(self._boards_running) and state.somebody_plays:
            self._final_began = self._ports.clock.now()

    def _tell_final(self) -> None:
        """Say once that boards of the final begin."""
        state = self._state
        if state.final is not None and not self._final_told:
            self._final_told = True
            self._tell(NoticeKind.STARTED, state.final.begins(state.resolved, state.decided))

    def _is_replaced(self) -> bool:
        """True if an entry is to be another version than its processes are: it needs new ones."""
        due = self._state.decided.versions
        return any(due.get(name, now) != now for name, now in self._plan.versions.items())

    def _why_nothing_is_left(self) -> OutcomeKind:
        return OutcomeKind.PLAYED if self._state.somebody_plays else OutcomeKind.NOBODY

    def _outcome(self, why: OutcomeKind) -> LadderOutcome:
        done = self._state.done
        return LadderOutcome(
            why=why,
            boards=done,
            played=self._played,
            void=self._void,
            quarantined=tuple(self._quarantined),
            text=f"{self._why_words(why)}; boards that count: {done}",
        )

    def _why_words(self, why: OutcomeKind) -> str:
        state = self._state
        if state.final is None or self._final_began is None or why not in _OF_FINAL:
            return _WHY[why]
        return state.final.words(state.resolved, state.decided, self.final_ns / _SECOND)

    # --- news

    @property
    def played_ns(self) -> int:
        """How long all runs have played by now."""
        return self._plan.played_ns + self._ports.clock.now() - self._began

    @property
    def final_ns(self) -> int:
        """How much of that was the final's."""
        if self._final_began is None:
            return self._plan.final_ns
        return self._plan.final_ns + self._ports.clock.now() - self._final_began

    def _keep_played(self) -> None:
        self._ports.keep_played(self.played_ns)
        if self._final_began is not None:
            self._ports.keep_final(self.final_ns)

    def _tell(self, kind: NoticeKind, text: str) -> None:
        self._ports.tell(Notice(kind=kind, text=text))

    def _tell_void(self, board: BoardPlan, legs: list[LegResult]) -> None:
        self._void += 1
        self._void_in_a_row += 1
        why = [
            f"leg {leg.place.leg} {leg.ending}, blame {leg.blame}" for leg in legs if not leg.rated
        ]
        if len(legs) < len(board.tables):
            why.append(f"{len(board.tables) - len(legs)} not played to an end")
        name = f"{board.pairing}/{board.board} attempt {board.attempt}"
        self._tell(NoticeKind.VOID, f"board {name} is void: {'; '.join(why)}")

    def _tell_fault(self, leg: LegResult) -> None:
        if leg.faulty:
            place = leg.place
            where = f"{place.pairing}/{place.board} leg {place.leg}"
            who = " and ".join(leg.faulty)
            self._tell(NoticeKind.FAULT, f"{who}: {leg.ending} in {where}, match {leg.match_id}")

    def _rate(self) -> float | None:
        """Boards a minute, of the last ones: the first waited for their bots to start."""
        if len(self._ends) < 2 or self._ends[-1] == self._ends[0]:
            return None
        return (len(self._ends) - 1) * 60 * _SECOND / (self._ends[-1] - self._ends[0])

    def _tell_progress(self) -> None:
        rate, state = self._rate(), self._state
        left = state.left(self._boards_running)
        in_final = state.in_final(self._boards_running)
        done = state.final_done if in_final else state.done - state.final_done
        self._ports.tell(
            Progress(
                done=done,
                wanted=None if left is None else done + left,
                running=len(self._running),
                void=self._void,
                rate=rate,
                left_s=None if left is None or rate is None else left * 60 / rate,
                elapsed_s=self.played_ns / _SECOND,
                what="boards of the final" if in_final else "boards",
            )
        )


_WHY: Mapping[OutcomeKind, str] = {
    OutcomeKind.PLAYED: "the schedule is played",
    OutcomeKind.HOURS: "the hours are over",
    OutcomeKind.SEPARATED: "the first places are apart",
    OutcomeKind.FROZEN: "frozen by a ruling",
    OutcomeKind.REPLACED: "an entry was replaced, the same command goes on with its new version",
    OutcomeKind.NOBODY: "fewer than two entries of different owners play",
    OutcomeKind.STOPPED: "stopped by order, the same command goes on",
}


def ruling_line(ruling: Ruling) -> str:
    """Return a ruling as one line for people."""
    subject = f" {ruling.subject}" if ruling.subject else ""
    return f"ruling {ruling.number}: {ruling.kind}{subject}: {ruling.reason}"

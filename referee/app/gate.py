"""A gate: boards between candidate and baseline, until a sequential test says which it is.

Boards are played side by side and looked at in the order of their numbers, so the verdict is that
of boards played one after the other. A board that is void is played again as its next attempt.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from referee.app.gate_ports import GatePlan, GatePorts
from referee.app.season_news import Notice, NoticeKind, Progress
from referee.formats.gate_words import forecast_lines, time_words, walk_words
from referee.formats.summary import MatchSummary
from referee.formats.words import counted
from referee.ladder.gate import LEAST_BOARDS, SAME_BOARDS, Decision, Walk
from referee.ladder.gate_forecast import FORECAST_BOARDS, GateForecast, gate_forecast
from referee.ladder.gate_outcome import (
    BASELINE,
    CANDIDATE,
    GateFault,
    GateOutcome,
    GateVerdict,
)
from referee.ladder.habits import Defaults, defaults_by_entry
from referee.ladder.notes import default_note
from referee.ladder.schedule import BoardPlan
from referee.ladder.seats import turned
from referee.ladder.values import LegResult, pairing_of
from referee.match.values import Blame, Ending

_SECOND = 1_000_000_000
_RATED = 50  # boards that the rate is taken from
_VOID_IN_A_ROW = 20  # more are no chance: something is broken
_LEGS = 2
_LATE = "late"  # why a seat got a strike: its time ran out

# Of the processor time. Below it a machine among many is as it should be; above it answers that
# came too late may be no fault of their bots.
MOST_STOLEN = 0.10

# What a bot does on a machine that is slow, or the machine to it
_SLOW = (Ending.FORFEIT_TIME, Ending.ABANDONED, Ending.NEVER_STARTED, Ending.SLOW_READER)

_ENTRIES = (CANDIDATE, BASELINE)
_FAULTY = {CANDIDATE: GateVerdict.CANDIDATE_FAULTY, BASELINE: GateVerdict.BASELINE_FAULTY}


class _Board(msgspec.Struct, frozen=True):
    """A board that counts."""

    points: int  # of both legs, candidate less baseline
    alike: bool
    faults: tuple[GateFault, ...]


class _End(Exception):
    """It is over, and why."""

    def __init__(self, verdict: GateVerdict, why: str) -> None:
        super().__init__(why)
        self.verdict, self.why = verdict, why


class Gate:
    """One gate, from its first board to its verdict."""

    def __init__(self, plan: GatePlan, ports: GatePorts) -> None:
        self._plan = plan
        self._ports = ports
        self._walk = Walk(plan.terms)
        self._running: dict[asyncio.Task[Sequence[MatchSummary]], BoardPlan] = {}
        self._again: deque[BoardPlan] = deque()  # that were void
        self._begun = 0
        self._counting: dict[int, _Board] = {}  # not looked at yet, by number
        self._ends: deque[int] = deque(maxlen=_RATED)
        self._void = self._void_in_a_row = self._late = 0
        self._won_lost: Counter[int] = Counter()  # boards by the sign of their difference
        self._faults: list[GateFault] = []
        self._answers = dict.fromkeys(_ENTRIES, Defaults())
        self._forecast: GateForecast | None = None
        self._wake = asyncio.Event()
        self._stopped = False
        self._began = ports.clock.now()

    def stop(self) -> None:
        """End the gate soon, without a verdict."""
        self._stopped = True
        self._wake.set()

    async def run(self) -> GateOutcome:
        """Play until there is a verdict. Raises `ConfigError` where nothing can be played."""
        self._began = clock_began = self._ports.clock.now()
        timer = self._ports.clock.call_at(clock_began + self._plan.budget_ns, self._wake.set)
        try:
            await self._play()
        except _End as end:
            return self._outcome(end)
        finally:
            timer.cancel()
            await self._end_boards()
        raise AssertionError("a gate ends with a verdict")

    async def _play(self) -> None:
        while True:
            self._look_at_order()
            self._begin_boards()
            self._tell_progress()
            await self._something_new()
            for task in [task for task in self._running if task.done()]:
                await self._take(self._running.pop(task), task.result())
            self._look()

    def _look_at_order(self) -> None:
        """End it by order, or where the budget is spent."""
        if self._stopped:
            raise _End(GateVerdict.STOPPED, "stopped by order, without a verdict")
        if self._elapsed_ns >= self._plan.budget_ns:
            self._refuse_stolen()
            if unwritten := self._ports.unwritten():
                words = (
                    f"{counted(unwritten, 'record')} could not be written, so boards stood still"
                )
                raise _End(GateVerdict.MACHINE, f"{words}; make space, or leave out --keep")
            if self._void > self._walk.boards:
                words = f"{counted(self._void, 'board')} void, {self._walk.boards} that count"
                raise _End(GateVerdict.MACHINE, f"the budget is spent: {words}")
            raise _End(GateVerdict.UNDECIDED, self._spent_words())

    async def _something_new(self) -> None:
        """Return once a board is over, there is the order to stop, or the budget is spent."""
        wake = asyncio.create_task(self._wake.wait())
        try:
            await asyncio.wait({wake, *self._running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()

    # --- boards

    def _begin_boards(self) -> None:
        while len(self._running) < self._plan.parallel:
            if self._again:
                board = self._again.popleft()
            elif self._begun < self._plan.terms.max_boards:
                self._begun += 1
                board = board_of(self._begun, attempt=1)
            else:
                return
            self._running[asyncio.create_task(self._played(board))] = board

    async def _played(self, board: BoardPlan) -> Sequence[MatchSummary]:
        return tuple(await self._ports.arena.play(board))

    async def _take(self, board: BoardPlan, summaries: Sequence[MatchSummary]) -> None:
        legs = [summary.leg for summary in summaries if summary.leg is not None]
        self._late += sum(note.why == _LATE for summary in summaries for note in summary.faults)
        faults = tuple(_faults_of(legs))
        if len(legs) == _LEGS and all(leg.rated for leg in legs):
            self._void_in_a_row = 0
            self._ends.append(self._ports.clock.now())
            first = board.board <= SAME_BOARDS and not faults
            self._answers = _with_answers(self._answers, legs)
            self._counting[board.board] = _Board(
                points=sum(map(_points, legs)),
                alike=first and await self._ports.alike(summaries),
                faults=faults,
            )
        else:
            self._take_void(board, legs, faults)
        self._ports.forget(summaries)

    def _take_void(
        self, board: BoardPlan, legs: Sequence[LegResult], faults: Sequence[GateFault]
    ) -> None:
        self._void += 1
        self._void_in_a_row += 1
        self._again.append(board_of(board.board, attempt=board.attempt + 1))
        why = [f"leg {leg.place.leg} {leg.ending}, blame {leg.blame}" for leg in legs]
        text = f"board {board.board} attempt {board.attempt} is void: {'; '.join(why) or 'broken'}"
        self._ports.tell(Notice(kind=NoticeKind.VOID, text=text))
        self._blame(faults)
        if self._void_in_a_row >= _VOID_IN_A_ROW:
            raise _End(
                GateVerdict.MACHINE,
                f"the last {self._void_in_a_row} boards were all void, by no fault of one bot",
            )

    async def _end_boards(self) -> None:
        """Have nothing running. What was cancelled counts for nothing."""
        if not self._running:
            return
        await self._ports.arena.stop()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    # --- what they say

    def _look(self) -> None:
        """Look at all boards whose turn it is, one by one."""
        while (board := self._counting.pop(self._walk.boards + 1, None)) is not None:
            self._walk.add(board.points, alike=board.alike)
            self._won_lost[(board.points > 0) - (board.points < 0)] += 1
            self._blame(board.faults)
            decision = self._walk.decision()
            if decision is not None:
                self._decide(decision)
        if self._forecast is None and self._walk.boards >= FORECAST_BOARDS:
            self._tell_forecast()

    def _decide(self, decision: Decision) -> None:
        walk = self._walk
        if walk.same_play:
            words = f"same play: both bots played the same cards on the first {SAME_BOARDS} boards"
            raise _End(GateVerdict(decision.value), words)
        self._refuse_stolen()
        if decision is Decision.UNDECIDED:
            words = f"{counted(walk.boards, 'board')}, and they decide nothing; allow more"
        else:
            points = self._plan.terms.points0, self._plan.terms.points1
            these, others = points if decision is Decision.REJECT else points[::-1]
            words = f"{walk.boards} boards speak for {these:g}, not {others:g} points a round"
        raise _End(GateVerdict(decision.value), words)

    def _blame(self, faults: Sequence[GateFault]) -> None:
        """Note faults; a bot that failed too often ends the gate."""
        for fault in faults:
            self._faults.append(fault)
            text = f"{fault.entry}: {fault.ending} in board {fault.board} leg {fault.leg}"
            self._ports.tell(Notice(kind=NoticeKind.FAULT, text=text))
        counts = Counter(fault.entry for fault in self._faults)
        entry, most = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if most < self._plan.faults:
            return
        self._refuse_stolen()
        if all(2 * counts[one] >= self._plan.faults for one in _ENTRIES):
            words = ", ".join(f"{one} {counts[one]}" for one in _ENTRIES)
            raise _End(
                GateVerdict.BASELINE_FAULTY, f"both bots fail, legs ended by their faults: {words}"
            )
        raise _End(_FAULTY[entry], f"the {entry} ended {counted(most, 'leg')} by its faults")

    def _refuse_stolen(self) -> None:
        """Say nothing of bots that were late on a machine whose processors were elsewhere."""
        stolen = self._ports.machine.stolen()
        slow = sum(fault.ending in _SLOW for fault in self._faults)
        if stolen > MOST_STOLEN and (self._late or slow):
            late = (
                f"{counted(self._late, 'answer')} came too late"
                if self._late
                else (f"{counted(slow, 'leg')} took too long")
            )
            raise _End(
                GateVerdict.MACHINE,
                f"{late} while {stolen:.0%} of the processor time was stolen from this machine",
            )

    def _spent_words(self) -> str:
        budget_s, boards = self._plan.budget_ns / _SECOND, self._walk.boards
        text = f"the budget of {time_words(budget_s)} is spent after {counted(boards, 'board')}"
        if boards >= LEAST_BOARDS:
            return f"{text} that decide nothing; a longer --budget allows more"
        rate = self._rate()
        takes = "" if rate is None else f"; they take {time_words(LEAST_BOARDS * 60 / rate)} here"
        return f"{text}: too short for the {LEAST_BOARDS} that a verdict needs{takes}"

    # --- news

    @property
    def _elapsed_ns(self) -> int:
        return self._ports.clock.now() - self._began

    def _rate(self) -> float | None:
        """Boards a minute, of the last ones: the first waited for their bots to start."""
        if len(self._ends) < 2 or self._ends[-1] == self._ends[0]:
            return None
        return (len(self._ends) - 1) * 60 * _SECOND / (self._ends[-1] - self._ends[0])

    def _tell_forecast(self) -> None:
        rate = self._rate()
        if rate is None:
            return
        walk, left_ns = self._walk, self._plan.budget_ns - self._elapsed_ns
        self._forecast = gate_forecast(
            self._plan.terms,
            boards=walk.boards,
            unequal=walk.unequal,
            mean=walk.mean,
            sigma=walk.spread,
            rate=rate,
            left_s=left_ns / _SECOND,
        )
        for line in forecast_lines(self._plan.terms, self._forecast):
            self._ports.tell(Notice(kind=NoticeKind.INFO, text=line))

    def _tell_progress(self) -> None:
        walk = self._walk
        self._ports.tell(
            Progress(
                done=walk.boards,
                wanted=None,
                running=len(self._running),
                void=self._void,
                rate=self._rate(),
                left_s=None,
                elapsed_s=self._elapsed_ns / _SECOND,
                what=f"boards ({walk_words(walk)})",
            )
        )

    def _outcome(self, end: _End) -> GateOutcome:
        plan, walk = self._plan, self._walk
        return GateOutcome(
            verdict=end.verdict,
            why=end.why,
            terms=plan.terms,
            candidate=plan.candidate,
            baseline=plan.baseline,
            seed=plan.seed,
            practice=plan.practice,
            same_play=walk.same_play,
            boards=walk.boards,
            won=self._won_lost[1],
            tied=self._won_lost[0],
            lost=self._won_lost[-1],
            mean=walk.mean,
            sigma=walk.spread,
            llr=walk.llr,
            void=self._void,
            late=self._late,
            stolen=self._ports.machine.stolen(),
            elapsed_s=self._elapsed_ns / _SECOND,
            rate=self._rate(),
            forecast=self._forecast,
            faults=tuple(self._faults),
            said=self._ports.said(),
            notes=(*plan.notes, *self._default_notes()),
        )

    def _default_notes(self) -> Iterator[str]:
        """Yield which bot often gave no answer of its own, as one whose strategy raises does."""
        for entry in _ENTRIES:
            if self._answers[entry].are_many:
                yield default_note(f"the {entry}", self._answers[entry])


def board_of(number: int, *, attempt: int) -> BoardPlan:
    """Return a board of candidate and baseline, both numbers from 1."""
    tables = tuple(turned(_ENTRIES, board=number, leg=leg) for leg in range(1, _LEGS + 1))
    return BoardPlan(pairing=pairing_of(*_ENTRIES), board=number, attempt=attempt, tables=tables)


def _points(leg: LegResult) -> int:
    """Return the points of a leg, candidate less baseline."""
    own = [side.entry for side in leg.place.sides].index(CANDIDATE)
    return leg.points[own] - leg.points[1 - own]


def _with_answers(before: Mapping[str, Defaults], legs: Sequence[LegResult]) -> dict[str, Defaults]:
    found = defaults_by_entry(legs)
    return {
        entry: one.more(found[entry].answers, found[entry].defaults)
        for entry, one in before.items()
    }


def _faults_of(legs: Sequence[LegResult]) -> Iterator[GateFault]:
    """Yield who ended which leg; not of legs that a bot may have left by no fault of its own."""
    for leg in legs:
        for entry in leg.faulty if leg.blame == Blame.BOT else ():
            yield GateFault(
                entry=entry, board=leg.place.board, leg=leg.place.leg, ending=leg.ending
            )

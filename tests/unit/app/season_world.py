"""A season over an arena that plays at once, in virtual time."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from referee.app.season import Season, SeasonPlan
from referee.app.season_news import LadderOutcome, Notice, NoticeKind, Progress
from referee.app.season_ports import SeasonPorts
from referee.formats.summary import MatchSummary
from referee.ladder.schedule import BoardPlan, Schedule
from referee.ladder.stopping import StopRule
from referee.ladder.values import (
    Deals,
    LegPlace,
    LegResult,
    Player,
    Ruling,
    RulingKind,
    Side,
    Unit,
)
from referee.ports.ladder import LadderStoreError
from referee.store.ladder.memory import MemoryLadderStore
from tests.unit.app.world import VirtualClock

EVENT = "cup"
OWNERS = {"ann": "a", "bob": "b", "cid": "c"}
SECOND = 1_000_000_000
LIMIT_S = 20.0  # real time, for what takes milliseconds

Play = Callable[[BoardPlan, int], Mapping[str, object]]  # what is special about a leg


class SleepingClock(VirtualClock):
    """A virtual clock in which sleeping is what lets time pass."""

    async def sleep(self, duration_ns: int) -> None:
        self.time += duration_ns
        await asyncio.sleep(0)


class MemoryJournal:
    """A `Journal` in a list."""

    def __init__(self) -> None:
        self.kept: list[Ruling] = []

    def rulings(self) -> tuple[Ruling, ...]:
        return tuple(self.kept)

    def append(self, kind: RulingKind, subject: str, reason: str, *, version: str = "") -> Ruling:
        number = len(self.kept) + 1
        ruling = Ruling(
            number=number,
            event=EVENT,
            kind=kind,
            subject=subject,
            reason=reason,
            at="",
            version=version,
        )
        self.kept.append(ruling)
        return ruling


class FaultyStore(MemoryLadderStore):
    """A store that refuses so many results first."""

    def __init__(self, refuses: int = 0) -> None:
        super().__init__()
        self.refuses = refuses
        self.refused = 0
        self.added: list[int] = []  # how many at once

    async def add_matches(self, summaries: Sequence[MatchSummary]) -> int:
        if self.refused < self.refuses:
            self.refused += 1
            raise LadderStoreError("away")
        self.added.append(len(summaries))
        return await super().add_matches(summaries)


class FakeArena:
    """Plays a board in `board_s`; each leg as `leg` says. With `held` it waits for `let_go`."""

    def __init__(self, clock: SleepingClock, leg: Play, *, board_s: int = 60) -> None:
        self.clock = clock
        self.leg = leg
        self.board_s = board_s
        self.begun: list[BoardPlan] = []
        self.running: list[BoardPlan] = []
        self.most: Counter[str] = Counter()
        self.most_boards = 0
        self.retired: list[str] = []
        self.stopped = asyncio.Event()
        self.held = False
        self.began = asyncio.Event()

    async def play(self, board: BoardPlan) -> Sequence[MatchSummary]:
        self.begun.append(board)
        self.running.append(board)
        busy = Counter(name for one in self.running for name in one.entries)
        self.most |= busy
        self.most_boards = max(self.most_boards, len(self.running))
        self.began.set()
        if self.held:
            await self.stopped.wait()
        else:
            await self.clock.sleep(self.board_s * SECOND)
        self.running.remove(board)
        return [self.summary(board, leg) for leg in range(1, len(board.tables) + 1)]

    def summary(self, board: BoardPlan, leg: int) -> MatchSummary:
        special = dict(self.leg(board, leg))
        if self.stopped.is_set():
            special = {"ending": "cancelled", "rated": False}
        return summary_of(board, leg, **special)

    def retire(self, entry: str) -> None:
        self.retired.append(entry)

    async def stop(self) -> None:
        self.stopped.set()


def summary_of(board: BoardPlan, leg: int, **special: object) -> MatchSummary:
    """What a leg brought: 40 to 60, unless told otherwise."""
    sides = tuple(
        Side(entry=name, owner=OWNERS.get(name, name), players=(Player(bot=name, version="v"),) * 2)
        for name in board.tables[leg - 1]
    )
    place = LegPlace(
        event=EVENT,
        pairing=board.pairing,
        board=board.board,
        attempt=board.attempt,
        leg=leg,
        unit=Unit.BOARD,
        deals=Deals.BOARD if len(board.tables) == 2 else Deals.FIELD,
        sides=(sides[0], sides[1]),
    )
    match_id = f"{board.pairing}-{board.board}-{board.attempt}-{leg}"
    fields: dict[str, object] = {
        "points": (40, 60),
        "rounds": 1,
        "ending": "completed",
        "blame": "none",
        "rated": True,
        **special,
    }
    result = LegResult(place=place, match_id=match_id, **fields)  # type: ignore[arg-type]
    return MatchSummary(
        match_id=match_id,
        practice=False,
        isolation="isolated",
        players=("a", "b", "a", "b"),
        place=place,
        leg=result,
        rounds=(),
        faults=(),
        times=(),
        calls=(),
        refused=(0, 0, 0, 0),
    )


def crash_of(entry: str, board: BoardPlan, leg: int) -> Mapping[str, object]:
    """A leg that the bots of an entry crash in, if it plays."""
    if entry not in board.entries:
        return {}
    team = board.tables[leg - 1].index(entry)
    points = (-300, 300) if team == 0 else (300, -300)
    return {"ending": "crashed", "blame": "bot", "points": points, "faulty": (entry,)}


class SeasonWorld:
    """A season, and all that it stands on; what is kept outlives it."""

    def __init__(self, leg: Play = lambda board, leg: {}, **changes: object) -> None:
        self.clock = SleepingClock()
        self.store = FaultyStore()
        self.journal = MemoryJournal()
        self.leg = leg
        self.changes = changes
        self.news: list[Progress | Notice] = []
        self.played_ns = self.final_ns = 0
        self.begin()

    def begin(self, **changes: object) -> Season:
        """Make the next run of the ladder."""
        fields: dict[str, object] = {
            "event": EVENT,
            "owners": OWNERS,
            "schedule": Schedule(boards=4),
            "stop": StopRule(),
            "played_ns": self.played_ns,
            "final_ns": self.final_ns,
            **self.changes,
            **changes,
        }
        self.arena = FakeArena(self.clock, self.leg)
        self.season = Season(
            SeasonPlan(**fields),  # type: ignore[arg-type]
            SeasonPorts(
                arena=self.arena,
                store=self.store,
                journal=self.journal,
                clock=self.clock,
                tell=self.news.append,
                keep_played=self._keep_played,
                keep_final=self._keep_final,
            ),
        )
        return self.season

    def _keep_played(self, played_ns: int) -> None:
        self.played_ns = played_ns

    def _keep_final(self, final_ns: int) -> None:
        self.final_ns = final_ns

    def run(self) -> LadderOutcome:
        """Run it to its end."""
        return asyncio.run(self.to_end())

    async def to_end(self) -> LadderOutcome:
        return await asyncio.wait_for(self.season.run(), LIMIT_S)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["asyncio.Task[LadderOutcome]"]:
        """A run whose boards are not over before they are stopped; yields once one has begun."""
        self.arena.held = True
        task = asyncio.create_task(self.season.run())
        await asyncio.wait_for(self.arena.began.wait(), LIMIT_S)
        yield task
        await asyncio.wait_for(task, LIMIT_S)

    def results(self) -> list[LegResult]:
        return list(asyncio.run(self.store.results(EVENT)))

    def notices(self, kind: NoticeKind) -> list[str]:
        return [one.text for one in self.news if isinstance(one, Notice) and one.kind is kind]

    def progress(self) -> list[Progress]:
        return [one for one in self.news if isinstance(one, Progress)]

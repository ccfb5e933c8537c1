"""A gate over an arena that plays at once, in virtual time."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from referee.app.gate import Gate
from referee.app.gate_ports import GatePlan, GatePorts
from referee.app.season_news import Notice, Progress
from referee.formats.summary import FaultNote, MatchSummary
from referee.ladder.gate import GateTerms
from referee.ladder.gate_outcome import CANDIDATE, GateBot, GateOutcome
from referee.ladder.plans import BoardPlan
from tests.unit.app.season_world import LIMIT_S, SECOND, FakeArena, SleepingClock

BOT = GateBot(name="bot", written="bot", version="v")
LATE = FaultNote(seat=0, round=1, at_ms=1, ask=1, kind="act", why="late")

Play = Callable[[BoardPlan, int], Mapping[str, object]]


def won_by(points: int, board: BoardPlan, leg: int) -> Mapping[str, object]:
    """A leg in which the candidate is better by so many points."""
    own = board.tables[leg - 1].index(CANDIDATE)
    return {"points": (points, 0) if own == 0 else (0, points)}


class GateArena(FakeArena):
    """Plays boards in any order: board n takes `pace(n)` times as long as the fastest."""

    def __init__(self, clock: SleepingClock, leg: Play, pace: Callable[[int], int]) -> None:
        super().__init__(clock, leg)
        self.pace = pace
        self.late = 0  # answers in each leg

    async def play(self, board: BoardPlan) -> Sequence[MatchSummary]:
        self.begun.append(board)
        for _ in range(self.pace(board.board)):
            await asyncio.sleep(0)
        await self.clock.sleep(SECOND)
        found = [self.summary(board, leg) for leg in range(1, len(board.tables) + 1)]
        return [msgspec.structs.replace(one, faults=(LATE,) * self.late) for one in found]


class GateWorld:
    """A gate, and all that it stands on. A board takes a second."""

    def __init__(
        self,
        leg: Play,
        *,
        terms: GateTerms | None = None,
        parallel: int = 1,
        pace: Callable[[int], int] = lambda number: 1,
        budget_s: int = 100_000,
        alike: Callable[[int], bool] = lambda board: False,
        stolen: float = 0.0,
        late: int = 0,
        faults: int = 3,
        unwritten: int = 0,
    ) -> None:
        self.news: list[Progress | Notice] = []
        self.forgotten: list[str] = []
        clock = SleepingClock()
        self.arena = GateArena(clock, leg, pace)
        self.arena.late = late
        self._alike, self._stolen = alike, stolen
        self.gate = Gate(
            GatePlan(
                terms=terms or GateTerms(),
                candidate=BOT,
                baseline=BOT,
                budget_ns=budget_s * SECOND,
                parallel=parallel,
                faults=faults,
                seed="seed",
                practice=True,
            ),
            GatePorts(
                arena=self.arena,
                clock=clock,
                machine=self,
                tell=self.news.append,
                alike=self.are_alike,
                forget=lambda legs: self.forgotten.extend(one.match_id for one in legs),
                unwritten=lambda: unwritten,
                said=lambda: (),
            ),
        )

    def stolen(self) -> float:
        return self._stolen

    async def are_alike(self, legs: Sequence[MatchSummary]) -> bool:
        assert legs[0].place is not None
        return self._alike(legs[0].place.board)

    def run(self) -> GateOutcome:
        """Play to the end."""

        async def limited() -> GateOutcome:
            return await asyncio.wait_for(self.gate.run(), LIMIT_S)

        return asyncio.run(limited())

    @property
    def texts(self) -> list[str]:
        """The notices so far."""
        return [news.text for news in self.news if isinstance(news, Notice)]

"""Tournaments over an arena that plays at once, in virtual time: a bot's strength decides."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from referee.app.season_news import LadderOutcome, Notice, Progress
from referee.app.season_ports import SeasonPorts
from referee.app.tournament import TournamentSeason
from referee.formats.summary import FaultNote, MatchSummary, RoundPoints
from referee.formats.tournament_results import TournamentResults
from referee.ladder.movements import Entry
from referee.ladder.partners import entrants_of
from referee.ladder.plans import BoardPlan
from referee.ladder.tournaments import Tournament
from referee.ladder.values import Player
from referee.ports.ladder import StoredEntry
from tests.unit.app.season_world import (
    EVENT,
    LIMIT_S,
    SECOND,
    FaultyStore,
    MemoryJournal,
    SleepingClock,
    summary_of,
)

TABLE_S = 30
Fate = Callable[[BoardPlan, int], Mapping[str, object]]  # what is special about a table


def entrants(number: int) -> tuple[str, ...]:
    """Names in the order of their strength: each is 10 points a side stronger than the next."""
    return tuple(f"e{at:02}" for at in range(number))


def cup(number: int, *, entry: Entry = Entry.SINGLE, **changes: object) -> Tournament:
    """A tournament of so many."""
    whole = Tournament(event=EVENT, entry=entry, entrants=entrants(number))
    return msgspec.structs.replace(whole, **changes)


def strength(side: str) -> int:
    """What a side is ahead of one of strength 0 by."""
    return sum(-10 * int(name[1:]) for name in entrants_of(side))


def played_table(board: BoardPlan, leg: int, **special: object) -> MatchSummary:
    """What a table brought: 200 to 200, and what one side is stronger by."""
    first, second = board.tables[leg - 1]
    ahead = strength(first) - strength(second)
    points = (200 + ahead, 200 - ahead)
    fields: dict[str, object] = {"points": points, "rounds": 4, **special}
    summary = summary_of(board, leg, **fields)
    one_round = RoundPoints(round=1, points=points, luck=0.0)
    place, result = summary.place, summary.leg
    assert place is not None
    assert result is not None
    players = (Player(bot="bot", version="v"),) * 2
    sides = [msgspec.structs.replace(side, players=players) for side in place.sides]
    place = msgspec.structs.replace(place, sides=(sides[0], sides[1]))
    result = msgspec.structs.replace(result, place=place)
    return msgspec.structs.replace(summary, rounds=(one_round,), place=place, leg=result)


def with_fault(summary: MatchSummary, seat: int, why: str = "crashed") -> MatchSummary:
    """The same match, that a seat ended."""
    note = FaultNote(seat=seat, round=1, at_ms=1, ask=1, kind="act", why=why, ended_match=True)
    return msgspec.structs.replace(summary, faults=(note,))


class NothingPlayed(Exception):
    """A fate: no leg of the board is on record."""


class StrongArena:
    """Plays all tables of a board in 30 s. With `stop_at` the board of that number is held."""

    def __init__(self, clock: SleepingClock, fate: Fate, *, stop_at: int = 0) -> None:
        self.clock, self.fate, self.stop_at = clock, fate, stop_at
        self.begun: list[BoardPlan] = []
        self.retired: list[str] = []
        self.held = asyncio.Event()
        self.stopped = asyncio.Event()

    async def play(self, board: BoardPlan) -> Sequence[MatchSummary]:
        self.begun.append(board)
        await self.clock.sleep(TABLE_S * SECOND)
        if board.board == self.stop_at:
            self.held.set()
            await self.stopped.wait()
        try:
            return [self.table(board, leg) for leg in range(1, len(board.tables) + 1)]
        except NothingPlayed:
            return []

    def table(self, board: BoardPlan, leg: int) -> MatchSummary:
        special = dict(self.fate(board, leg))
        if self.stopped.is_set() and leg > 1:  # the first was over in time
            special = {"ending": "cancelled", "rated": False}
        seat = special.pop("seat", None)
        summary = played_table(board, leg, **special)
        return summary if seat is None else with_fault(summary, int(str(seat)))

    def retire(self, entry: str) -> None:
        self.retired.append(entry)

    async def stop(self) -> None:
        self.stopped.set()


class TournamentWorld:
    """A tournament, and all that it stands on; what is kept outlives a run."""

    def __init__(self, tournament: Tournament, fate: Fate = lambda board, leg: {}) -> None:
        self.tournament, self.fate = tournament, fate
        self.clock = SleepingClock()
        self.store = FaultyStore()
        self.news: list[Progress | Notice] = []
        self.boards: list[BoardPlan] = []  # of all runs
        self.retired: list[str] = []
        self.journal = MemoryJournal()
        self.played_ns = 0

    def run(self, *, stop_at: int = 0) -> LadderOutcome:
        """Play on; stop while the board of this number runs, if it is given."""
        return asyncio.run(asyncio.wait_for(self._run(stop_at), LIMIT_S))

    async def _run(self, stop_at: int) -> LadderOutcome:
        arena = StrongArena(self.clock, self.fate, stop_at=stop_at)
        rows = [StoredEntry(event=EVENT, name="e00", owner="o", bots=("bot", "bot"))]
        await self.store.keep_entries(rows)
        ports = SeasonPorts(
            arena=arena,
            store=self.store,
            journal=self.journal,
            clock=self.clock,
            tell=self.news.append,
            keep_played=self._keep_played,
        )
        season = TournamentSeason(self.tournament, ports, parallel=4, played_ns=self.played_ns)
        running = asyncio.create_task(season.run())
        if stop_at:
            await arena.held.wait()
            season.stop()
        try:
            return await running
        finally:
            self.boards += arena.begun
            self.retired += arena.retired

    def _keep_played(self, played_ns: int) -> None:
        self.played_ns = played_ns

    def results(self) -> TournamentResults:
        """What counts now, as anybody finds it in the store."""
        found = TournamentResults(self.tournament, self.journal.rulings())
        found.add(asyncio.run(self.store.summaries(EVENT, "bot")))
        return found

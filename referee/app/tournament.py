"""A tournament as it is played: round by round, until every table counts or was given up.

What is played next follows from results alone, so that a tournament that was killed goes on.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from referee.app.season_news import LadderOutcome, Notice, NoticeKind, OutcomeKind, Progress
from referee.app.season_ports import SeasonPorts
from referee.formats.summary import MatchSummary
from referee.formats.tournament_results import TournamentResults, failed_entrants
from referee.ladder.plans import BoardPlan
from referee.ladder.tournaments import Tournament
from referee.ladder.values import LegResult
from referee.ports.ladder import LadderStore, LadderStoreError
from referee.rules.errors import ConfigError

_SECOND = 1_000_000_000
_MINUTE_S = 60


class TournamentSeason:
    """One run of a tournament."""

    def __init__(
        self, tournament: Tournament, ports: SeasonPorts, *, parallel: int, played_ns: int = 0
    ) -> None:
        """`parallel` tables run at once; `played_ns` is how long earlier runs have played."""
        self._tournament = tournament
        self._parallel = parallel
        self._ports = ports
        self._earlier_ns = played_ns
        self._began = ports.clock.now()
        self._results = TournamentResults(tournament)
        self._order = asyncio.Event()
        self._played = self._void = self._running = 0

    def stop(self) -> None:
        """End soon: what is running is cancelled, and void."""
        self._order.set()

    async def run(self) -> LadderOutcome:
        """Play until the movement is over. Raises `ConfigError` where it cannot be played."""
        self._results.add(await summaries_in(self._ports.store, self._tournament.event))
        self._heed()
        while not self._order.is_set() and (boards := self._results.next_boards()):
            await self._play(boards)
            self._heed()
            self._refuse_standstill(boards, self._results.next_boards())
        stopped = bool(self._order.is_set() and self._results.done < self._tournament.tables)
        return self._outcome(OutcomeKind.STOPPED if stopped else OutcomeKind.PLAYED)

    def _heed(self) -> None:
        """Take what was ruled: before the first round, and after each."""
        before = self._results.withdrawn
        self._results.heed(self._ports.journal.rulings())
        for entrant in sorted(self._results.withdrawn - before):
            self._ports.arena.retire(entrant)

    async def _play(self, boards: Sequence[BoardPlan]) -> None:
        """Play boards at the same time, and take what they brought, also where it is stopped."""
        self._running = sum(len(board.tables) for board in boards)
        self._tell_progress()
        running = {asyncio.ensure_future(self._board(board)) for board in boards}
        order = asyncio.ensure_future(self._order.wait())
        try:
            while running and not order.done():
                await asyncio.wait({order, *running}, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in running if task.done()]:
                    running.discard(task)
                    await self._take(task.result())
        finally:
            order.cancel()
            if running:
                await self._ports.arena.stop()
                for found in await asyncio.gather(*running, return_exceptions=True):
                    if not isinstance(found, BaseException):
                        with contextlib.suppress(LadderStoreError):  # the next run adds it
                            await self._ports.store.add_matches(found)
                        self._count(found)
            self._running = 0

    def _refuse_standstill(self, before: Sequence[BoardPlan], after: Sequence[BoardPlan]) -> None:
        if before == after and not self._order.is_set():
            raise ConfigError(
                f"round {before[0].board}: no table of it could be played, and why is not known; "
                "look at the lines above and the log, then run the tournament again"
            )

    async def _board(self, board: BoardPlan) -> tuple[MatchSummary, ...]:
        return tuple(await self._ports.arena.play(board))

    async def _take(self, summaries: Sequence[MatchSummary]) -> None:
        await self._ports.keep(summaries, self._order)
        self._count(summaries)

    def _count(self, summaries: Sequence[MatchSummary]) -> None:
        self._results.add(summaries)
        self._ports.keep_played(self._played_ns)
        self._played += len(summaries)
        self._running -= len(summaries)
        for summary in summaries:
            if summary.leg is not None:
                self._tell_leg(summary, summary.leg)
        self._tell_progress()

    # --- news

    @property
    def _played_ns(self) -> int:
        return self._earlier_ns + self._ports.clock.now() - self._began

    def _tell_leg(self, summary: MatchSummary, leg: LegResult) -> None:
        place, sides = leg.place, " and ".join(side.entry for side in leg.place.sides)
        table = self._results.named(leg)
        where = f"{table}: {sides}, attempt {place.attempt}, match {leg.match_id}"
        ending = leg.ending.replace("_", " ")
        if not leg.rated:
            self._void += 1
        if not leg.rated and not self._order.is_set():
            text = f"void: {where}: {ending}, blame {leg.blame}"
            self._ports.tell(Notice(kind=NoticeKind.VOID, text=text))
        elif leg.rated and (who := failed_entrants(summary, leg)):
            text = f"{' and '.join(who)}: {ending} at {where}"
            self._ports.tell(Notice(kind=NoticeKind.FAULT, text=text))

    def _tell_progress(self) -> None:
        done, wanted = self._results.done, self._tournament.tables
        run_s = (self._ports.clock.now() - self._began) / _SECOND
        counted = self._played - self._void
        rate = counted * _MINUTE_S / run_s if counted and run_s > 0 else None
        self._ports.tell(
            Progress(
                done=done,
                wanted=wanted,
                running=min(self._running, self._parallel),
                void=self._void,
                rate=rate,
                left_s=None if rate is None else (wanted - done) * _MINUTE_S / rate,
                elapsed_s=self._played_ns / _SECOND,
                what="tables",
            )
        )

    def _outcome(self, why: OutcomeKind) -> LadderOutcome:
        done = self._results.done
        words = {
            OutcomeKind.PLAYED: "the movement is played",
            OutcomeKind.STOPPED: "stopped by order, the same command goes on",
        }
        return LadderOutcome(
            why=why,
            boards=done,
            played=self._played,
            void=self._void,
            quarantined=(),
            text=f"{words[why]}; tables that are over: {done} of {self._tournament.tables}",
        )


async def summaries_in(store: LadderStore, event: str) -> tuple[MatchSummary, ...]:
    """Return all matches of an event that a store has, each once."""
    bots = sorted({bot for entry in await store.entries(event) for bot in entry.bots})
    found: dict[str, MatchSummary] = {}
    for bot in bots:
        for summary in await store.summaries(event, bot):
            found[summary.match_id] = summary
    return tuple(found.values())

"""One run of a tournament: all that a run of a ladder has, with the rounds of a movement in it."""

import asyncio
from collections.abc import Sequence

from referee.app.season_news import LadderOutcome, Notice, NoticeKind
from referee.app.season_ports import SeasonPorts
from referee.app.tournament import TournamentSeason, summaries_in
from referee.bootstrap.ladder_damage import damage_lines, damages_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.bootstrap.ladder_run import LadderRun, Plays, Tell
from referee.bootstrap.ladder_versions import Versions
from referee.bootstrap.tournament_known import placed_in
from referee.formats.tournament_results import TournamentResults
from referee.ladder.tournaments import Tournament
from referee.ladder.values import LegResult, Ruling
from referee.ports.ladder import LadderStore


class TournamentRun(LadderRun):
    """Plays a tournament. What an earlier run left, however it ended, is taken up at the start."""

    def __init__(self, plan: LadderPlan, tournament: Tournament, tell: Tell) -> None:
        """`plan` says what plays and where it lies; `tell` is called in the loop with news."""
        super().__init__(plan, tell)
        self._tournament = tournament

    async def run(self) -> LadderOutcome:
        """Play until the movement is over, or until `stop`; see `LadderRun`."""
        with placed_in(self._plan):
            return await super().run()

    def _check(self) -> None:
        """Refuse a movement that cannot be. Raises `ConfigError`."""
        _ = self._tournament.movement

    async def _tell_damages(
        self, store: LadderStore, results: Sequence[LegResult], rulings: Sequence[Ruling]
    ) -> None:
        """Say which records are not as they were, by round and table."""
        plan, found = self._plan, TournamentResults(self._tournament, rulings)
        found.add(await summaries_in(store, self._tournament.event))
        digests = await store.digests(plan.event)
        damages = await asyncio.to_thread(damages_of, plan, results, digests)
        for line in damage_lines(plan, damages, found.all_counting(), found.named):
            self._tell(Notice(kind=NoticeKind.INFO, text=f"warning: {line}"))

    def _plays(self, ports: SeasonPorts, versions: Versions, played_ns: int) -> Plays:
        """Return what plays the rounds of the movement."""
        del versions  # a bot that is another one is refused before
        parallel = self._plan.parallel
        return TournamentSeason(self._tournament, ports, parallel=parallel, played_ns=played_ns)

"""One run of a tournament: all that a run of a ladder has, with the rounds of a movement in it."""

from referee.app.season import SeasonPorts
from referee.app.tournament import TournamentSeason
from referee.bootstrap.ladder_plan import LadderPlan
from referee.bootstrap.ladder_run import LadderRun, Plays, Tell
from referee.bootstrap.ladder_versions import Versions
from referee.ladder.tournaments import Tournament


class TournamentRun(LadderRun):
    """Plays a tournament. What an earlier run left, however it ended, is taken up at the start."""

    def __init__(self, plan: LadderPlan, tournament: Tournament, tell: Tell) -> None:
        """`plan` says what plays and where it lies; `tell` is called in the loop with news."""
        super().__init__(plan, tell)
        self._tournament = tournament

    def _check(self) -> None:
        """Refuse a movement that cannot be. Raises `ConfigError`."""
        _ = self._tournament.movement

    def _plays(self, ports: SeasonPorts, versions: Versions, played_ns: int) -> Plays:
        """Return what plays the rounds of the movement."""
        del versions  # a bot that is another one is refused before
        parallel = self._plan.parallel
        return TournamentSeason(self._tournament, ports, parallel=parallel, played_ns=played_ns)

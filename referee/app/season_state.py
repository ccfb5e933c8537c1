"""What a season knows: results and rulings so far, and what follows from them."""

from collections.abc import Mapping, Sequence

from referee.app.season_news import OutcomeKind
from referee.ladder.boards import Resolved, Resolver
from referee.ladder.rulings import Decided, decide
from referee.ladder.schedule import BoardPlan, Schedule, boards_left
from referee.ladder.stopping import StopReason, StopRule, stop_reason
from referee.ladder.values import LegResult, Ruling

_OF_REASON = {
    StopReason.HOURS: OutcomeKind.HOURS,
    StopReason.SEPARATED: OutcomeKind.SEPARATED,
}


class SeasonState:
    """Results and rulings, each taken once. What follows is worked out when it is asked for."""

    def __init__(self, owners: Mapping[str, str], schedule: Schedule, stop: StopRule) -> None:
        self._owners = owners
        self._schedule = schedule
        self._stop = stop
        self._resolver = Resolver(owners)
        self._resolved: Resolved | None = None
        self._looked = 0  # boards that counted when the rule to stop was asked last
        self._retired: set[str] = set()
        self.rulings: tuple[Ruling, ...] = ()
        self.decided = Decided()

    def begin(self, results: Sequence[LegResult], rulings: Sequence[Ruling]) -> None:
        """Take what earlier runs left."""
        self.rule(rulings)
        self.add(results)

    def add(self, results: Sequence[LegResult]) -> None:
        """Take results; what is there already stays as it is."""
        self._resolver.add(results)
        self._resolved = None

    def rule(self, rulings: Sequence[Ruling]) -> None:
        """Take all rulings, old and new."""
        self.rulings = tuple(rulings)
        self.decided = decide(self.rulings)
        self._resolver.rule(self.rulings)
        self._resolved = None

    @property
    def resolved(self) -> Resolved:
        """What counts now."""
        if self._resolved is None:
            self._resolved = self._resolver.resolved()
        return self._resolved

    @property
    def done(self) -> int:
        """Boards that count now; in a field deals that were met."""
        return self.resolved.rated_boards + len({leg.board for leg in self.resolved.field_legs})

    def left(self, running: Sequence[BoardPlan]) -> int | None:
        """Return how many boards are still to be played, running ones included; None: no end."""
        return boards_left(
            self._schedule,
            owners=self._owners,
            decided=self.decided,
            resolved=self.resolved,
            running=running,
        )

    def enough(self, played_s: float) -> OutcomeKind | None:
        """Return by which rule it is enough after so many seconds of play, None to go on.

        Whether places are apart is asked after every hundredth part more boards: it takes a fit of
        all of them.
        """
        rule, done = self._stop, self.done
        if 0 <= done - self._looked < max(1, self._looked // 100):
            rule = StopRule(hours=rule.hours)
        else:
            self._looked = done
        reason = stop_reason(
            rule,
            owners=self._owners,
            decided=self.decided,
            resolved=self.resolved,
            played_s=played_s,
        )
        return None if reason is None else _OF_REASON[reason]

    @property
    def somebody_plays(self) -> bool:
        """True if two entries of different owners play on."""
        return len({owner for name, owner in self._owners.items() if self.decided.plays(name)}) > 1

    def leaving(self, busy: set[str]) -> list[str]:
        """Return entries that play no more and are not at a board, each once."""
        stopped = {name for name in self.decided.stopped if name in self._owners}
        new = sorted(stopped - busy - self._retired)
        self._retired = (self._retired & stopped) | set(new)
        return new

"""What a season knows: results and rulings so far, and what follows from them."""

from collections.abc import Mapping, Sequence

from referee.app.season_final import SeasonFinal, final_boards
from referee.app.season_news import OutcomeKind
from referee.ladder.boards import Resolved, Resolver
from referee.ladder.final import FinalRule, have_sat, is_final, without_final
from referee.ladder.rulings import Decided, decide
from referee.ladder.schedule import BoardPlan, Schedule, boards_left, next_boards
from referee.ladder.stopping import StopReason, StopRule, stop_reason
from referee.ladder.values import LegResult, Ruling

_OF_REASON = {
    StopReason.HOURS: OutcomeKind.HOURS,
    StopReason.SEPARATED: OutcomeKind.SEPARATED,
}


class SeasonState:
    """Results and rulings, each taken once. What follows is worked out when it is asked for.

    The ladder goes on until its schedule is played or its rule to stop says so, then its final.
    """

    def __init__(
        self,
        owners: Mapping[str, str],
        schedule: Schedule,
        stop: StopRule,
        final: FinalRule | None = None,
    ) -> None:
        self._owners = owners
        self._schedule = schedule
        self._stop = stop
        self.final = None if final is None else SeasonFinal(final, owners)
        self._resolver = Resolver(owners)
        self._resolved: Resolved | None = None
        self._of_ladder = Resolved()
        self._looked = 0  # boards that counted when the rule to stop was asked last
        self._due: bool | None = None  # boards of the ladder, as results and rulings are now
        self._stopped = False  # by that rule, and the final is on
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
        self._resolved = self._due = None

    def rule(self, rulings: Sequence[Ruling]) -> None:
        """Take all rulings, old and new."""
        self.rulings = tuple(rulings)
        self.decided = decide(self.rulings)
        self._resolver.rule(self.rulings)
        self._resolved = self._due = None
        self._stopped, self._looked = False, 0  # the rule to stop is asked anew, as by the next run

    @property
    def resolved(self) -> Resolved:
        """What counts now."""
        if self._resolved is None:
            self._resolved = self._resolver.resolved()
            self._of_ladder = without_final(self._resolved)
        return self._resolved

    @property
    def of_ladder(self) -> Resolved:
        """What counts now of the ladder's own boards."""
        return self._of_ladder if self._resolved is not None else without_final(self.resolved)

    @property
    def done(self) -> int:
        """Boards that count now; in a field deals that were met."""
        return self.resolved.rated_boards + len({leg.board for leg in self.resolved.field_legs})

    @property
    def final_done(self) -> int:
        """Boards of the final that count now."""
        return final_boards(self.resolved)

    def next_boards(
        self, running: Sequence[BoardPlan], *, wanted: int, at_once: int
    ) -> tuple[BoardPlan, ...]:
        """Return boards to start now: of the final once all of the ladder's are over.

        Where a ruling brings boards of the ladder back, the final waits for them.
        """
        if self.final is not None and self.in_final(running):
            return self.final.next_boards(
                self.resolved, self.decided, running, wanted=wanted, at_once=at_once
            )
        if self._stopped or any(is_final(board.board) for board in running):
            return ()
        return self._boards_of_ladder(running, wanted=wanted, at_once=at_once)

    def _boards_of_ladder(
        self, running: Sequence[BoardPlan], *, wanted: int, at_once: int
    ) -> tuple[BoardPlan, ...]:
        return next_boards(
            self._schedule,
            owners=self._owners,
            decided=self.decided,
            resolved=self.of_ladder,
            running=running,
            wanted=wanted,
            at_once=at_once,
        )

    def in_final(self, running: Sequence[BoardPlan]) -> bool:
        """Return whether the final is on: no board of the ladder runs, and none is due."""
        if self.final is None or any(not is_final(board.board) for board in running):
            return False
        return self._stopped or not self._is_ladder_due

    @property
    def _is_ladder_due(self) -> bool:
        """Whether the ladder itself has boards to play, where none of them runs."""
        if self._due is None:
            self._due = bool(self._boards_of_ladder((), wanted=1, at_once=1))
        return self._due

    def left(self, running: Sequence[BoardPlan]) -> int | None:
        """Return how many boards are still to be played, running ones included; None: no end.

        While the ladder's own boards are played, of those; in the final, of the final.
        """
        if self.final is not None and self.in_final(running):
            return self.final.left(self.resolved, self.decided, running)
        return boards_left(
            self._schedule,
            owners=self._owners,
            decided=self.decided,
            resolved=self.of_ladder,
            running=running,
        )

    def enough(
        self, played_s: float, running: Sequence[BoardPlan] = (), *, final_s: float = 0.0
    ) -> OutcomeKind | None:
        """Return by which rule it is enough after so many seconds of play, None to go on.

        `final_s` of them were the final's, which are none of the hours of the ladder. Where there
        is a final it is the final that is over; it may be undone by boards that still run.
        """
        stops = None if self._stopped else self._ladder_stops(played_s - final_s)
        if self.final is None:
            return stops
        self._stopped = self._stopped or stops is not None
        if not (self.somebody_plays and self.in_final(running)):
            return None
        if self.final.is_apart(self.resolved, self.decided, running):
            return OutcomeKind.SEPARATED
        return OutcomeKind.HOURS if self.final.hours_are_over(final_s) else None

    def _ladder_stops(self, played_s: float) -> OutcomeKind | None:
        """Whether places are apart is asked after every hundredth part more boards: it takes a fit
        of all of them. Of a ladder without end they were once there is a final.
        """
        rule, done = self._stop, self.done - self.final_done
        is_endless = rule.separated is not None and self._schedule.boards is None
        if is_endless and self.final is not None and have_sat(self.resolved):
            return OutcomeKind.SEPARATED
        if 0 <= done - self._looked < max(1, self._looked // 100):
            rule = StopRule(hours=rule.hours)
        else:
            self._looked = done
        reason = stop_reason(
            rule,
            owners=self._owners,
            decided=self.decided,
            resolved=self.resolved if self.final is None else self.of_ladder,
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

"""The organiser: starts matches and stops them, and goes on with them after a restart."""

from functools import partial
from typing import TYPE_CHECKING

from referee.app.running import RunningMatch
from referee.match.facts import MatchEnded, decode_fact
from referee.match.values import MS, Ending
from referee.ports import Left, MatchHeader, StoredMatch, StoreError
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.plans import MatchPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.service.world import SimWorld

HEADER = MatchHeader(practice=True)
_AGAIN_NS = 100 * MS


class Organiser:
    """All matches of a simulation. Where nobody takes its orders it gives them again."""

    def __init__(self, world: "SimWorld") -> None:
        self.matches: dict[str, RunningMatch] = {}
        self.numbers: dict[str, tuple[int, ...]] = {}  # of each match in its seats' sessions
        self.first_began: dict[str, int] = {}  # when the time of each match was 0 at first
        self.ended: dict[str, MatchEnded] = {}
        self.life: dict[str, int] = {}  # where the journal of the process begins that began it
        self._world = world
        self._wanted: dict[str, MatchPlan] = {}  # so far

    def running(self) -> list[str]:
        """Return the matches that have begun and are not over."""
        return [match_id for match_id in self.matches if match_id not in self.ended]

    def wants(self, plan: MatchPlan) -> None:
        """Order a match."""
        self._wanted[plan.config.match_id] = plan
        self._order(partial(self._start, plan))

    def _order(self, what: "Callable[[], None]") -> None:
        if self._world.up:
            self._world.arrive(what)
        else:
            self._world.after(_AGAIN_NS, partial(self._order, what))

    def _start(self, plan: MatchPlan) -> None:
        world = self._world
        if plan.config.match_id in world.store.matches:
            return  # ordered twice, of one process and of the next
        if world.clock.blocked_since is not None:  # no frame of the match is stamped before it
            world.clock.call_soon(partial(self._start, plan))
            return
        if world.store.epoch > 1 and self._some_may_come_back(plan):
            world.after(_AGAIN_NS, partial(self.wants, plan))
            return
        sessions = []
        for bot in plan.bots:
            instance = world.instance(bot)
            if instance.session is None:
                limit = world.clock.now() + world.plan.start_ns
                world.at(limit, partial(self._never_started, bot, limit, world.store.epoch))
            sessions.append(world.service.reception.session_of(instance))
        try:
            match = world.service.start_match(plan.config, sessions, header=HEADER)
        except StoreError:  # it is away
            world.after(_AGAIN_NS, partial(self.wants, plan))
            return
        self._take(match)
        self.first_began[match.id] = match.began
        self.life[match.id] = world.journal.life
        self.numbers[match.id] = tuple(holding.number for holding in match.holdings.values())
        if plan.cancelled_ns is not None:
            world.after(plan.cancelled_ns, partial(self._order, partial(self._cancel, match.id)))

    def _some_may_come_back(self, plan: MatchPlan) -> bool:
        """True while a bot is away that the process before knew: nobody seats it."""
        sessions = [self._world.instance(bot).session for bot in plan.bots]
        return any(session and session.came and not session.link for session in sessions)

    def _take(self, match: RunningMatch) -> None:
        match.on_over.append(partial(self._over, match.id))
        self.matches[match.id] = match

    def _never_started(self, bot: int, at: int, epoch: int) -> None:
        world = self._world
        same = world.up and world.store.epoch == epoch  # the next process waits for it anew
        session = world.instance(bot).session if same else None
        if session is not None and not session.came:
            world.happened(WorldEvent.NEVER_STARTED, at=at, bot=bot)

    def _cancel(self, match_id: str) -> None:
        if match_id not in self.ended:
            self._world.happened(WorldEvent.CANCELLED, match=match_id)
            self._world.service.end_match(self.matches[match_id], Ending.CANCELLED)

    def _over(self, match_id: str, ended: MatchEnded) -> None:
        world = self._world
        self.ended[match_id] = ended
        world.happened(WorldEvent.ENDED, at=world.clock.time, match=match_id)
        if len(self.ended) == len(world.plan.matches):
            world.all_over()

    # --- after a restart

    def resume(self, left: Left) -> None:
        """Follow what an earlier process left."""
        for stored in left.matches:
            if stored.over and stored.config.match_id not in self.ended:
                self._was_over(stored)
        for match in self._waiting():
            self._take(match)
        for match_id, plan in self._wanted.items():
            if match_id not in self._world.store.matches:  # nothing of it was durable
                self._order(partial(self._start, plan))

    def _waiting(self) -> list[RunningMatch]:
        """The matches that wait for their bots."""
        found: dict[str, RunningMatch] = {}
        for bot in range(len(self._world.plan.bots)):
            session = self._world.instance(bot).session
            for holding in session.holdings.values() if session else ():
                if holding.match.ended is None:
                    found[holding.match.id] = holding.match
        return list(found.values())

    def _was_over(self, stored: StoredMatch) -> None:
        """The process ended after the last fact of a match, and before it told anybody."""
        ended = decode_fact(stored.lines[-1])
        assert isinstance(ended, MatchEnded)
        self._over(stored.config.match_id, ended)

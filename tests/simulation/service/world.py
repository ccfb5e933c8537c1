"""A whole service above the socket in virtual time, and the loop that it shares with its world.

Bots and network live on a heap of their own: they go on while the referee's loop is blocked. The
loop takes turns. A turn reads what has arrived, runs the timers that are due, and may be held up by
somebody else's work; what arrives meanwhile is read in the next turn, stamped with the begin of the
turn that was held up, as the clock of the real loop does it (PROTOCOL 3).
"""

import heapq
import random
from collections.abc import Callable, Sequence
from itertools import count

import msgspec

from referee.app.instances import Instance
from referee.app.reception import ServiceSetup
from referee.app.running import RunningMatch
from referee.app.service import Service, ServicePorts
from referee.match.facts import MatchEnded
from referee.match.values import MS, Ending
from referee.metrics.meter import PrometheusMeter
from referee.ports import MatchHeader
from referee.wire.codec import WireCodec
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.bots import Bot
from tests.simulation.service.clock import BLOCKED_NS, IDLE_NS, NEVER, READ_AFTER, SimClock
from tests.simulation.service.deals import SimSeeds
from tests.simulation.service.network import LinkEnd, SimLink
from tests.simulation.service.plans import MatchPlan, Plan
from tests.simulation.service.reader import Reader
from tests.simulation.service.store import SimStore

HEADER = MatchHeader(practice=True)
_LINGER_NS = 2_000 * MS  # the world goes on after the last match, for what still is under way


class Said(msgspec.Struct, frozen=True):
    """A frame on the link of a bot, seen at the referee's end."""

    at: int
    bot: int
    frame: bytes
    to_bot: bool


class Happened(msgspec.Struct, frozen=True):
    """Something beside the frames; `bot` or `match` says whom it concerns, neither all."""

    at: int
    what: WorldEvent
    bot: int | None = None
    match: str | None = None
    length: int = 0


class SimWorld:
    """One simulation: its plan decides all that happens."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.clock = SimClock()
        self.now = self.clock.time  # of the world outside the referee
        self.log: list[Said | Happened] = []
        self.matches: dict[str, RunningMatch] = {}
        self.numbers: dict[str, tuple[int, ...]] = {}  # of each match in its seats' sessions
        self.ended: dict[str, MatchEnded] = {}
        self.rng = random.Random(f"{plan.name}/world")
        self._outside: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._inbox: list[Callable[[], None]] = []
        self._hogs: list[int] = []  # lengths of work that waits for the loop
        self._free_at = self.now
        self._worked = 0  # how long the last turn took
        # begins of blocked turns, and how many polls the frames that waited still take to be read
        self._blocks: list[tuple[int, int]] = []
        start = self.began = self.now
        self._stop_at = start + plan.horizon_ns
        self.store = SimStore(
            self.clock,
            fails_at=None if plan.store_fails_ns is None else start + plan.store_fails_ns,
            latency=self._latency,
            on_failure=self._store_failed,
        )
        self.service = self._new_service()
        self.instances = [self._issue(bot) for bot in range(len(plan.bots))]
        self.bots = [Bot(self, index, bot) for index, bot in enumerate(plan.bots)]
        self._schedule(start)

    def _new_service(self) -> Service:
        tokens = count(1)
        setup = ServiceSetup(
            server="simulation", limits=self.plan.limits, start_ns=self.plan.start_ns
        )
        ports = ServicePorts(
            clock=self.clock,
            store=self.store,
            seeds=SimSeeds(self.plan.name, tries=self.plan.deal_tries),
            codec=WireCodec(),
            meter=PrometheusMeter(),
            new_token=lambda: f"token-{next(tokens)}",
        )
        return Service(setup, ports)

    def _issue(self, bot: int) -> Instance:
        plan = self.plan.bots[bot]
        return self.service.reception.instances.issue(plan.name, plan.owner)[0]

    def _schedule(self, start: int) -> None:
        for bot in self.bots:
            if bot.plan.hello_ns is not None:
                self.at(start + bot.plan.hello_ns, bot.start)
            if bot.plan.exits_ns is not None:
                self.at(start + bot.plan.exits_ns, lambda bot=bot: bot.exit(0))  # type: ignore[misc]
        for match in self.plan.matches:
            self.at(start + match.start_ns, lambda match=match: self._start_later(match))  # type: ignore[misc]
        for when, length in self.plan.stalls:
            self.at(start + when, lambda length=length: self._hogs.append(length))  # type: ignore[misc]
        for when, bots in self.plan.cuts:
            self.at(start + when, lambda bots=bots: self.cut(bots))  # type: ignore[misc]

    def _latency(self) -> int:
        return int(self.rng.random() * self.plan.store_latency_ns)

    def _store_failed(self, matches: Sequence[str]) -> None:
        for match in matches:
            self.happened(WorldEvent.STORE_FAILED, match=match)

    # --- time

    def at(self, when: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee."""
        heapq.heappush(self._outside, (when, next(self._order), callback))

    def after(self, delay: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee in a while."""
        self.at(self.now + delay, callback)

    def arrive(self, callback: Callable[[], None]) -> None:
        """Have the referee's loop find something in its next turn."""
        self._inbox.append(callback)

    def run(self) -> None:
        """Go on until all matches are over and what was under way has arrived."""
        outside = self._outside
        while True:
            world = outside[0][0] if outside else NEVER
            turn = self._next_turn()
            at = min(world, turn)
            if at > self._stop_at:
                return
            if world <= turn:
                self.now, _, callback = heapq.heappop(outside)
                callback()
            else:
                self.now = turn
                self._take_turn(turn)

    def _next_turn(self) -> int:
        free = self._free_at
        if self._worked or self.clock.ready:
            return free  # the next poll comes at once
        if self._inbox or self._hogs:
            return free if free > self.now else self.now
        timer = self.clock.next_timer()
        return timer if timer > free else free

    def _take_turn(self, at: int) -> None:
        """Poll, and run what that found and what was ready before."""
        clock = self.clock
        clock.time = clock.turn_began = at
        self._poll(at)
        clock.run_ready()
        if self._hogs:
            clock.work(self._hogs.pop(0))
        self._free_at = clock.time
        self._worked = clock.time - at
        if self._worked > BLOCKED_NS:
            self.happened(WorldEvent.STALL, at=at, length=self._worked)

    def _poll(self, at: int) -> None:
        """As the selector of the real loop: look back at the last turn, then see what arrived."""
        clock, worked, self._worked = self.clock, self._worked, 0
        self._blocks = [(since, polls - 1) for since, polls in self._blocks if polls > 1]
        if worked > BLOCKED_NS:
            self._blocks.append((self._free_at - worked, READ_AFTER))
        elif at - self._free_at > IDLE_NS:
            self._blocks.clear()
        clock.blocked_since = self._blocks[0][0] if self._blocks else None
        if worked:
            self.service.turned(worked)
        inbox, self._inbox = self._inbox, []
        if inbox:
            clock.call_soon(lambda: self._found(inbox))

    def _found(self, inbox: list[Callable[[], None]]) -> None:
        for callback in inbox:
            self.clock.call_soon(callback)

    # --- what is written down

    def happened(
        self,
        what: WorldEvent,
        *,
        at: int | None = None,
        bot: int | None = None,
        match: str | None = None,
        length: int = 0,
    ) -> None:
        """Write down what happened beside the frames."""
        when = self.clock.stamp() if at is None else at
        self.log.append(Happened(when, what, bot, match, length))

    def written(self, link: SimLink, frame: bytes) -> int:
        """A frame was handed to a link; return the time."""
        at = self.clock.time
        self.log.append(Said(at, link.bot, frame, to_bot=True))
        return at

    def was_read(self, bot: int, frame: bytes) -> None:
        """A frame is about to be given to the service."""
        self.log.append(Said(self.clock.stamp(), bot, frame, to_bot=False))

    # --- bots and their links

    def dial(self, bot: Bot) -> SimLink:
        """Open the stream of a bot. It is admitted as an instance that was issued a token."""
        link = SimLink(self, bot.rng, bot.plan.link, bot=bot.index, grid_ns=self.plan.grid_ns)
        stream = self.service.reception.connect(link, self.instances[bot.index])
        reader = Reader(self, stream, bot.index)
        link.on_read, link.on_lost = reader.frame, reader.lost
        return link

    def cut(self, bots: Sequence[int]) -> None:
        """Break the links of these bots at once."""
        for bot in bots:
            self.bots[bot].lose(LinkEnd.CUT)

    def exited(self, bot: Bot) -> None:
        """The end of a bot's process is seen by the referee."""
        instance = self.instances[bot.index]

        def tell() -> None:
            self.happened(WorldEvent.EXITED, bot=bot.index)
            self.service.reception.process_exited(instance, 1)

        self.arrive(tell)

    # --- matches

    def _start_later(self, match: MatchPlan) -> None:
        self.arrive(lambda: self._start(match))

    def _start(self, plan: MatchPlan) -> None:
        if self.clock.blocked_since is not None:  # no frame of the match is stamped before it
            self.clock.call_soon(lambda: self._start(plan))
            return
        reception = self.service.reception
        sessions = []
        for bot in plan.bots:
            instance = self.instances[bot]
            if instance.session is None:
                limit = self.clock.now() + self.plan.start_ns
                self.at(limit, lambda bot=bot, limit=limit: self._never_started(bot, limit))  # type: ignore[misc]
            sessions.append(reception.session_of(instance))
        match = self.service.start_match(plan.config, sessions, header=HEADER)
        match.on_over.append(lambda ended: self._over(match, ended))
        self.matches[match.id] = match
        self.numbers[match.id] = tuple(holding.number for holding in match.holdings)
        if plan.cancelled_ns is not None:
            self.after(plan.cancelled_ns, lambda: self.arrive(lambda: self._cancel(match)))

    def _never_started(self, bot: int, at: int) -> None:
        session = self.instances[bot].session
        if session is not None and not session.came:
            self.happened(WorldEvent.NEVER_STARTED, at=at, bot=bot)

    def _cancel(self, match: RunningMatch) -> None:
        if match.id not in self.ended:
            self.happened(WorldEvent.CANCELLED, match=match.id)
            self.service.end_match(match, Ending.CANCELLED)

    def _over(self, match: RunningMatch, ended: MatchEnded) -> None:
        self.ended[match.id] = ended
        self.happened(WorldEvent.ENDED, at=self.clock.time, match=match.id)
        if len(self.ended) == len(self.plan.matches):
            self._stop_at = self.clock.time + _LINGER_NS

"""A whole service above the socket in virtual time, and all that goes wrong around it.

Bots and network live on a heap of their own: they go on while the referee's loop is blocked, and
when its process is killed. What the store has kept by then is all that the next process finds.
"""

import heapq
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count

from referee.app.instances import Instance
from referee.app.reception import ServiceSetup
from referee.app.seeds import secret_of
from referee.app.service import Service, ServicePorts
from referee.match.facts import Resumed, Stalled, decode_fact
from referee.match.values import MS
from referee.metrics.meter import PrometheusMeter
from referee.ports import Batch, StreamEnd
from referee.wire.codec import WireCodec
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.bots import Bot
from tests.simulation.service.clock import NEVER, SimClock
from tests.simulation.service.deals import SimSeeds
from tests.simulation.service.journal import Happened, Journal, Said
from tests.simulation.service.kills import Killed, Killer
from tests.simulation.service.loop import SimLoop
from tests.simulation.service.network import LinkEnd, SimLink
from tests.simulation.service.organiser import Organiser
from tests.simulation.service.plans import Break, Kill, KillPoint, Plan, Return
from tests.simulation.service.reader import Reader
from tests.simulation.service.store import SimStore

START = SimClock().time
_LINGER_NS = 2_000 * MS  # the world goes on after the last match, for what still is under way


class SimWorld:
    """One simulation: its plan decides all that happens."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.now = self.began = START  # of the world outside the referee
        self.journal = Journal()
        self.organiser = Organiser(self)
        self.matches, self.ended = self.organiser.matches, self.organiser.ended
        self.rng = random.Random(f"{plan.name}/world")
        self.up = True  # the referee's process lives
        self.struck = Counter[str]()  # what really happened of all that was to go wrong
        self._outside: list[tuple[int, int, Callable[[], None]]] = []
        self._number = count()
        self._tokens = count(1)
        self._stop_at = START + plan.horizon_ns
        self._links: list[SimLink] = []  # of this process of the referee
        self._dialled = Counter[int]()  # streams by bot
        self._killer = Killer()
        self._away = False  # the last append was refused
        self._stalled: set[str] = set()  # those that were told of a pause in this turn
        self.store = SimStore(self, plan.outages)
        self.store.begin_event(secret_of(plan.name))
        self.loop, self.service = self._new_process()
        self.tokens = [self._issue(bot) for bot in range(len(plan.bots))]
        self.bots = [Bot(self, index, bot) for index, bot in enumerate(plan.bots)]
        self._schedule()

    @property
    def log(self) -> list[Said | Happened]:
        """What was written down."""
        return self.journal.entries

    @property
    def clock(self) -> SimClock:
        """The clock of the referee's process."""
        return self.loop.clock

    def _new_process(self) -> tuple[SimLoop, Service]:
        loop = SimLoop(self.now)
        setup = ServiceSetup(
            server="simulation",
            limits=self.plan.limits,
            start_ns=self.plan.start_ns,
            resume_ns=self.plan.resume_grace_ns,
        )
        ports = ServicePorts(
            clock=loop.clock,
            store=self.store,
            seeds=SimSeeds(
                self.plan.name,
                self.plan.matches[0].config.settings.rules,
                tries=self.plan.deal_tries,
            ),
            codec=WireCodec(),
            meter=PrometheusMeter(),
            new_token=lambda: f"token-{next(self._tokens)}",
        )
        service = Service(setup, ports)
        loop.on_turn = service.turned
        return loop, service

    def _issue(self, bot: int) -> str:
        plan = self.plan.bots[bot]
        return self.service.reception.instances.issue(plan.name, plan.owner)[1]

    def instance(self, bot: int) -> Instance:
        """Return the instance that a bot's token was issued for, as this process knows it."""
        instance = self.service.reception.admit(self.tokens[bot], near=True)
        if instance is None or isinstance(instance, StreamEnd):
            raise AssertionError(f"the token of bot {bot} is not known any more: {instance}")
        return instance

    def _schedule(self) -> None:
        for bot in self.bots:
            if bot.plan.hello_ns is not None:
                self.at(START + bot.plan.hello_ns, bot.start)  # the first process
            if bot.plan.exits_ns is not None:
                self.at(START + bot.plan.exits_ns, lambda bot=bot: bot.exit(0))  # type: ignore[misc]
        for match in self.plan.matches:
            self.at(START + match.start_ns, partial(self.organiser.wants, match))
        for when, length in self.plan.stalls:
            self.at(START + when, lambda length=length: self.loop.hog(length))  # type: ignore[misc]
        for one in self.plan.breaks:
            self.at(START + one.at, lambda one=one: self._break(one))  # type: ignore[misc]
        for kill in self.plan.kills:
            self.at(START + kill.at, lambda kill=kill: self._arm(kill))  # type: ignore[misc]

    # --- time

    def at(self, when: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee."""
        heapq.heappush(self._outside, (when, next(self._number), callback))

    def after(self, delay: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee in a while."""
        self.at(self.now + delay, callback)

    def arrive(self, callback: Callable[[], None]) -> None:
        """Have the referee's loop find something in its next turn."""
        self.loop.arrive(callback)

    def run(self) -> None:
        """Go on until all matches are over and what was under way has arrived."""
        outside = self._outside
        while True:
            world = outside[0][0] if outside else NEVER
            turn = self.loop.next_turn(self.now) if self.up else NEVER
            at = min(world, turn)
            if at > self._stop_at:
                return
            if world <= turn:
                self.now, _, callback = heapq.heappop(outside)
                callback()
            else:
                self.now = turn
                self._take_turn(turn)

    def _take_turn(self, at: int) -> None:
        self._killer.new_turn()
        self._stalled.clear()
        try:
            blocked = self.loop.take_turn(at)
        except Killed as killed:
            self.journal.cut_off(self._stalled)
            self._kill(killed.kill)
            return
        finally:
            self.journal.bring_up_to_date(self.matches)
        if blocked:
            self.happened(WorldEvent.STALL, at=at, length=blocked)

    def all_over(self) -> None:
        """Every match is over: go on for a little."""
        self._stop_at = self.clock.time + _LINGER_NS

    # --- what is written down

    def happened(
        self,
        what: WorldEvent,
        *,
        at: int | None = None,
        bot: int | None = None,
        match: str | None = None,
        length: int = 0,
        stream: int = 0,
    ) -> None:
        """Write down what happened beside the frames."""
        when = self.clock.stamp() if at is None else at
        self.journal.add(
            Happened(at=when, what=what, bot=bot, match=match, length=length, stream=stream)
        )

    def _stored(self, what: WorldEvent, match_id: str, *, moves: bool = False) -> None:
        """Write down what happened to what is durable of a match."""
        lines = len(self.store.matches[match_id].lines)
        at, epoch = self.clock.time, self.store.epoch
        entry = Happened(at=at, what=what, match=match_id, lines=lines, epoch=epoch)
        self.journal.add(entry, moves=moves)

    def written(self, link: SimLink, frame: bytes) -> int:
        """A frame was handed to a link; return the time."""
        self._killer.frame()
        at = self.clock.time
        self.journal.add(Said(at, link.bot, frame, to_bot=True, stream=link.number))
        return at

    def was_read(self, link: SimLink, frame: bytes) -> None:
        """A frame is about to be given to the service."""
        at = self.clock.stamp()
        self.journal.add(Said(at, link.bot, frame, to_bot=False, stream=link.number))

    # --- bots and their links

    def dial(self, bot: Bot) -> SimLink | None:
        """Open the stream of a bot. It is admitted as an instance that was issued a token."""
        if not self.up:
            return None
        self._dialled[bot.index] += 1
        link = SimLink(
            self,
            bot.rng,
            bot.plan.link,
            bot=bot.index,
            number=self._dialled[bot.index],
            grid_ns=self.plan.grid_ns,
        )
        stream = self.service.reception.connect(link, self.instance(bot.index))
        reader = Reader(self, stream, link)
        link.on_read, link.on_lost = reader.frame, reader.lost
        self._links.append(link)
        return link

    def _break(self, one: Break) -> None:
        """Do to a link what the plan says, and let its bot come back."""
        bot = self.bots[one.bot]
        if bot.gone or bot.link is None:
            return
        self.struck[f"link {one.how or 'superseded'}"] += 1
        if one.how is not None:
            bot.link.fail(one.how)
            bot.gone = one.back_ns is None or one.returns is Return.FRESH
        if one.back_ns is not None:
            self.after(one.back_ns, lambda: self._come_back(one.bot, one.returns))

    def _come_back(self, index: int, returns: Return) -> None:
        bot = self.bots[index]
        self.struck[returns] += not bot.gone or returns is Return.FRESH
        if returns is not Return.FRESH:
            bot.come_back(returns)
            return
        bot = self.bots[index] = Bot(self, bot.index, bot.plan, life=bot.life + 1)
        bot.start()

    def exited(self, bot: Bot) -> None:
        """The end of a bot's process is seen by the referee."""

        def tell() -> None:
            self.happened(WorldEvent.EXITED, bot=bot.index)
            self.service.reception.process_exited(self.instance(bot.index), 1)

        self.arrive(tell)

    # --- the store (`store.Keeper`)

    def since_start(self) -> int:
        """Return the time, as plans count it."""
        return self.clock.time - START

    def appending(self) -> None:
        """Let the time of an append pass. What else is kept takes none."""
        self.clock.work(int(self.rng.random() * self.plan.store_latency_ns))

    def reached(self, point: KillPoint) -> None:
        """The referee is at a point at which it may be killed."""
        self._killer.reached(point)

    def refused(self) -> None:
        """Facts were refused: match time stands still from here on."""
        if not self._away:
            self._away = True
            self.struck["store refused facts"] += 1
            for match_id in self.organiser.running():
                self._stored(WorldEvent.STORE_AWAY, match_id)

    def kept(self, batches: Sequence[Batch]) -> None:
        """The facts of a pass are durable."""
        self._killer.kept()
        if self._away:
            self._away = False
            self.struck["store came back"] += 1
            for match_id in self.organiser.running():
                self._stored(WorldEvent.STORE_BACK, match_id, moves=True)
        for batch in batches:
            self._stored(WorldEvent.STORED, batch.match_id)
            self._note_kept(batch.match_id, batch.lines)

    def _note_kept(self, match_id: str, lines: Sequence[bytes]) -> None:
        kinds = {type(decode_fact(line)) for line in lines}
        if Resumed in kinds:
            self.struck["match resumed"] += 1
            self._stored(WorldEvent.RESUMED, match_id, moves=True)
        if Stalled in kinds:
            self._stalled.add(match_id)

    def _durable(self) -> list[str]:
        return [key for key, match in self.store.matches.items() if match.lines]

    # --- the end of a process of the referee, and the next one

    def _arm(self, kill: Kill) -> None:
        if kill.point is not KillPoint.INSTANT:
            self._killer.arm(kill)
        elif self.up:  # a turn is taken in one piece, so it strikes after it
            self.at(max(self.now, self.clock.time), lambda: self._kill(kill))

    def _kill(self, kill: Kill) -> None:
        """The process ends now, with all that only it knew."""
        if not self.up:
            return
        self.up = False
        self.struck[kill.point] += 1
        at = self.clock.time = max(self.now, self.clock.time)
        for match_id in self._durable():
            self._stored(WorldEvent.KILLED, match_id)
        self.at(at, lambda: self._bots_lose(kill))
        self.at(at + kill.outage_ns, self._restart)
        self._stop_at = max(self._stop_at, at + kill.outage_ns + _LINGER_NS)

    def _bots_lose(self, kill: Kill) -> None:
        """All links are gone; those who had one come back as the plan says."""
        bots = [bot for bot in self.bots if not bot.gone and bot.link and not bot.link.dead]
        for link in self._links:
            link.fail(LinkEnd.KILLED)
        self._links.clear()
        for bot in bots:
            back = kill.backs[bot.index]
            if back is None or back[1] is Return.FRESH:
                bot.gone = True
            if back is not None:
                self._come_back_later(bot.index, back)

    def _come_back_later(self, bot: int, back: tuple[int, Return]) -> None:
        self.after(back[0], lambda: self._come_back(bot, back[1]))

    def _restart(self) -> None:
        """Another process takes over what the store has kept."""
        self.store.reopen()
        self.loop, self.service = self._new_process()
        self.up, self._away = True, False
        self.journal.life = len(self.journal.entries)
        for match_id in self._durable():
            self._stored(WorldEvent.RESTARTED, match_id)
        left = self.store.left()
        self.service.resume(left)
        self.organiser.resume(left)

"""A whole service in memory and virtual time: no socket, no task, nothing waits."""

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.instances import Instance
from referee.app.limits import Limits
from referee.app.reception import Reception, ServiceSetup
from referee.app.running import RunningMatch
from referee.app.seeds import EventSeeds
from referee.app.service import Service, ServicePorts
from referee.app.session import Session
from referee.app.streams import Stream
from referee.match.facts import Fact, MatchEnded, decode_fact
from referee.match.values import MS, MatchConfig, Pace, Player, Settings
from referee.metrics.meter import PrometheusMeter
from referee.ports import Clock, FactStore, MatchHeader, Meter, StreamEnd
from referee.rules.options import RuleOptions
from referee.store.memory import MemoryStore
from referee.wire.codec import WireCodec

SECRET = bytes(range(32))
HEADER = MatchHeader(practice=True)


class _Timer:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None

    def ring(self) -> None:
        """Call back, unless it was cancelled since its time came, as in a real loop."""
        if self.callback is not None:
            self.callback()


class VirtualClock:
    """A `Clock` that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.time = 1_000_000_000
        self.busy = 0  # part of the time in which the loop was not idle
        self.blocked_since: int | None = None  # as after a busy turn of a real loop
        self.on_turn: Callable[[int], None] = lambda duration_ns: None
        self._ready: deque[Callable[[], None]] = deque()
        self._heap: list[tuple[int, int, _Timer]] = []
        self._count = count()

    def now(self) -> int:
        return self.time

    def stamp(self) -> int:
        return self.time if self.blocked_since is None else self.blocked_since

    def idle(self) -> int:
        return self.time - self.busy

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(callback)
        heapq.heappush(self._heap, (when_ns, next(self._count), timer))
        return timer

    def call_soon(self, callback: Callable[[], None]) -> None:
        self._ready.append(callback)

    async def sleep(self, duration_ns: int) -> None:
        raise AssertionError("nothing in the service sleeps")

    def stall(self, duration_ns: int) -> None:
        """Keep the loop busy: what is received from here to `settle` waited since this began."""
        self.blocked_since = self.time
        self.time += duration_ns
        self.busy += duration_ns
        self.on_turn(duration_ns)
        self.call_soon(lambda: self.call_soon(self._end_stall))  # frames are read in two turns

    def kill(self) -> None:
        """Forget what the process would have done."""
        self._ready.clear()
        self._heap.clear()
        self.blocked_since = None

    def _end_stall(self) -> None:
        self.blocked_since = None

    @property
    def waits(self) -> bool:
        """True if something is to be called back later."""
        return any(timer.callback is not None for _, _, timer in self._heap)

    def settle(self) -> None:
        """Run everything that is ready now."""
        for _ in range(100_000):
            if self._heap and self._heap[0][0] <= self.time:
                self._ready.append(heapq.heappop(self._heap)[2].ring)
            elif not self._ready:
                return
            while self._ready:
                self._ready.popleft()()
        raise AssertionError("the service never comes to rest")

    def pass_time(self, duration_ns: int) -> None:
        """Let time pass, timer by timer."""
        until = self.time + duration_ns
        self.settle()
        while self._heap and self._heap[0][0] <= until:
            self.time = max(self.time, self._heap[0][0])
            self.settle()
        self.time = until
        self.settle()


class MemoryLink:
    """A `SeatLink` whose peer reads everything at once, or nothing when `stuck`."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.stuck = False
        self.end_with: StreamEnd | None = None
        self._unsent = 0

    def send(self, frame: bytes) -> None:
        assert self.end_with is None, "a frame after the end"
        self.raw.append(frame)
        if self.stuck:
            self._unsent += len(frame)

    @property
    def unsent(self) -> int:
        return self._unsent

    def end(self, end: StreamEnd) -> None:
        self.end_with = end


class Peer:
    """A bot process as a test plays it."""

    def __init__(self, world: "World", stream: Stream, link: MemoryLink) -> None:
        self.world, self.stream, self.link = world, stream, link
        self._seen = 0

    def send(self, frame: referee_pb2.PlayRequest, *, settle: bool = True) -> int:
        """Send a frame; return how long the referee would read no other."""
        return self.send_bytes(frame.SerializeToString(), settle=settle)

    def send_bytes(self, data: bytes, *, settle: bool = True) -> int:
        wait = self.stream.receive(data)
        if settle:
            self.world.clock.settle()
        return wait

    @property
    def session(self) -> Session:
        """The session of the stream, which has said Hello."""
        assert self.stream.session is not None
        return self.stream.session

    def pong(self) -> None:
        """Reply to the pings that came."""
        for frame in self.frames():
            if frame.HasField("ping"):
                self.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=frame.ping.number)))

    def frames(self) -> list[referee_pb2.PlayResponse]:
        """The frames that came since the last call."""
        new, self._seen = self.link.raw[self._seen :], len(self.link.raw)
        return [referee_pb2.PlayResponse.FromString(frame) for frame in new]

    def updates(self) -> list[match_pb2.Update]:
        """The updates that came since the last call."""
        return [update for frame in self.frames() for update in frame.updates]

    def asks(self) -> list[tuple[int, match_pb2.Ask]]:
        """The asks that came since the last call, with the match's number."""
        return [(update.match, ask) for update in self.updates() for ask in update.asks]

    def lose(self) -> None:
        self.stream.lost()
        self.world.clock.settle()

    @property
    def token(self) -> str:
        """The session token of the Welcome."""
        first = referee_pb2.PlayResponse.FromString(self.link.raw[0])
        return first.welcome.session_token


def service_of(
    setup: ServiceSetup,
    clock: Clock,
    store: FactStore,
    meter: Meter,
    tokens: Iterator[int] | None = None,
) -> Service:
    """A service over these ports."""
    tokens = tokens or count(1)
    ports = ServicePorts(
        clock=clock,
        store=store,
        seeds=EventSeeds(SECRET),
        codec=WireCodec(),
        meter=meter,
        new_token=lambda: f"token-{next(tokens)}",
    )
    return Service(setup, ports)


class World:
    """A service, and what a test needs to drive it."""

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        may_share: bool = False,
        open_identity: bool = False,
        store: FactStore | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.memory = store if isinstance(store, MemoryStore) else MemoryStore()
        self.store = store or self.memory
        self.setup = ServiceSetup(
            server="test",
            limits=limits or Limits(),
            may_share=may_share,
            open_identity=open_identity,
        )
        self.store.begin_event(SECRET)
        self._tokens = count(1)
        self._begin()

    def _begin(self) -> None:
        self.meter = PrometheusMeter()
        self.service = service_of(self.setup, self.clock, self.store, self.meter, self._tokens)
        self.clock.on_turn = self.service.turned

    def restart(self, *, outage_ns: int = 0) -> int:
        """Kill the referee; another process takes its store over. Return what it goes on with."""
        self.clock.kill()
        self.clock.pass_time(outage_ns)
        self.memory.reopen()
        self._begin()
        return self.service.resume(self.memory.left())

    @property
    def reception(self) -> Reception:
        return self.service.reception

    def instance(self, name: str = "bot", owner: str | None = None) -> Instance:
        return self.service.reception.instances.issue(name, owner)[0]

    def back(self, peer: Peer, **hello: object) -> Peer:
        """The bot of a peer on a new stream, with its bearer token if it has one."""
        instance = peer.stream.instance
        if instance is not None:
            instance = None if instance.open_identity else self.reception.instances.get(instance.id)
        again = self.stream(instance)
        again.send(hello_frame(**hello))
        return again

    def stream(self, instance: Instance | None) -> Peer:
        link = MemoryLink()
        return Peer(self, self.service.reception.connect(link, instance), link)

    def join(self, **hello: object) -> Peer:
        """A peer that has said Hello."""
        peer = self.stream(self.instance())
        peer.send(hello_frame(**hello))
        return peer

    def table(self, **hello: object) -> list[Peer]:
        """Four peers that have said Hello."""
        return [self.join(**hello) for _ in range(4)]

    def owned_table(self, *owners: str) -> list[Peer]:
        """Peers of these owners that have said Hello."""
        peers = [self.stream(self.instance(owner=owner)) for owner in owners]
        for peer in peers:
            peer.send(hello_frame())
        return peers

    def facts(self, match_id: str = "m") -> list[Fact]:
        """What is on record of a match."""
        return [decode_fact(line) for line in self.memory.matches[match_id].lines]

    def play(self, peers: Sequence[Peer], config: MatchConfig | None = None) -> RunningMatch:
        """Start a match of these peers."""
        sessions = [peer.stream.session for peer in peers]
        assert all(sessions)
        match = self.service.start_match(
            config or config_of(), [s for s in sessions if s], header=HEADER
        )
        self.clock.settle()
        return match


def hello_frame(**fields: object) -> referee_pb2.PlayRequest:
    fields.setdefault("protocol_version", 1)
    return referee_pb2.PlayRequest(hello=referee_pb2.Hello(**fields))  # type: ignore[arg-type]


def config_of(match_id: str = "m", **settings: object) -> MatchConfig:
    chosen: dict[str, object] = {"rules": RuleOptions(rounds=1), "pace": Pace.FAST, **settings}
    players = tuple(Player(name=f"p{seat}", bot_seed="00" * 32) for seat in range(4))
    return MatchConfig(
        match_id=match_id,
        settings=Settings(**chosen),  # type: ignore[arg-type]
        players=players,
    )


def default_answers(asks: Sequence[tuple[int, match_pb2.Ask]]) -> referee_pb2.PlayRequest:
    """A frame that answers every ask with the substitute action."""
    frame = referee_pb2.PlayRequest()
    for number, ask in asks:
        answer = frame.answers.add(match=number, ask_id=ask.ask_id)
        answer.default_action.SetInParent()
    return frame


def play_to_end(world: World, peers: Sequence[Peer], match: RunningMatch) -> MatchEnded:
    """Answer everything with the substitute action until the match is over."""
    for _ in range(5_000):
        if match.ended is not None:
            return match.ended
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)
    raise AssertionError("the match does not end")


def over(match: RunningMatch) -> bool:
    """True once the end of a match is told. A call: its answer changes."""
    return match.ended is not None


def reach_play(world: World, peers: Sequence[Peer]) -> tuple[Peer, list[Peer]]:
    """Go on to the first lead; return the peer that owes it, which got its frame, and the rest."""
    for _ in range(10):
        for peer in peers:
            asks = peer.asks()
            if any(ask.WhichOneof("kind") == "act" for _, ask in asks):
                world.clock.pass_time(MS)
                rest = [other for other in peers if other is not peer]
                for other in peers:
                    other.frames()
                return peer, rest
            if asks:
                peer.send(default_answers(asks))
        world.clock.pass_time(MS)
    raise AssertionError("nobody leads")

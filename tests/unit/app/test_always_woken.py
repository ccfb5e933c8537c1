"""Whatever waits, something rings: no match can hang for want of a wake-up.

At rest, what waits for a bot that is there has an alarm that will send it, every ask has gone out
or will, every match that time changes has an alarm for it, and every seat without a stream has
one that ends its grace.
"""

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND, Limits
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.match.values import MS, Clock, Pace
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.unit.app.world import Peer, World, config_of, default_answers, hello_frame

DELIVERY = (0, referee_pb2.EVENT_DELIVERY_EVERY_STEP, referee_pb2.EVENT_DELIVERY_WITH_ASKS)


def check(world: World) -> None:
    desk = world.service._desk
    assert not desk._in_pass
    left = desk._pending, desk._touched, desk._flushing, desk._handing, desk._overflows
    assert not any(left)
    assert desk.timers.awake
    for session in world.reception.register.all():
        check_session(world, session)
    for match in desk.matches.values():
        check_match(match)


def check_session(world: World, session: Session) -> None:
    assert session.open_asks >= 0
    assert session.open_asks == sum(len(h.open) for h in session.holdings.values())
    if session.link is None:
        assert session.grace.when is not None
        return
    waiting = [h for h in session._ready if h.waiting]
    if session._loose or waiting:
        assert session._hold.when is not None
        assert session._hold.when > world.clock.time
    for holding in session.holdings.values():
        if holding.waiting and (holding.pressing or session.eager):
            assert holding in session._ready
    assert session._ping.when is not None


def check_match(match: RunningMatch) -> None:
    machine = match.machine
    due = machine.due
    assert match.alarm.when == (None if due is None else match.began + due)
    asks = [ask for seat in range(4) for ask in machine.open_asks(Seat(seat))]
    assert asks or due is not None, "nobody is asked anything"
    for ask in asks:
        holding = match.holdings[ask.seat]
        assert ask.sent >= 0 or (holding.session.link is not None and holding.waiting)
    if match.config.settings.clock is not None and all(ask.sent >= 0 for ask in asks):
        assert due is not None


class Play:
    """Random things that bots and the world do, from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        limits = Limits(frame_bytes=self.chance.choice((10, 256 << 10)), ping_ns=SECOND)
        self.world = World(limits=limits)
        self.peers = [self.world.join(**self._hello()) for _ in range(4)]
        self.owed: dict[Peer, list[tuple[int, match_pb2.Ask]]] = {p: [] for p in self.peers}
        for number in range(2):
            self.world.play(self.peers, config_of(f"m{number}", **self._settings()))

    def _hello(self) -> dict[str, object]:
        return {"max_matches": 2, "event_delivery": self.chance.choice(DELIVERY)}

    def _settings(self) -> dict[str, object]:
        clock = Clock(base_ns=200 * MS, bank_ns=400 * MS)
        return {
            "rules": RuleOptions(rounds=2),
            "pace": self.chance.choice(list(Pace)),
            "window_ns": 30 * MS,
            "clock": self.chance.choice((clock, clock, None)),
            "lag_limit_ns": 50 * MS,
            "max_strikes": 1_000,
        }

    def step(self) -> None:
        deeds: list[Callable[[Peer], None]] = [self.answer] * 8 + [self.all_play] * 4
        deeds += [self.one_answer, self.idle, self.idle, self.call, self.pong, self.stall]
        deeds += [self.come_and_go] * (self.chance.random() < 0.2)
        self.chance.choice(deeds)(self.chance.choice(self.peers))
        if self.chance.random() < 0.7:
            self.world.clock.settle()
            check(self.world)

    def _asks(self, peer: Peer) -> list[tuple[int, match_pb2.Ask]]:
        self.owed[peer] += peer.asks()
        asks, self.owed[peer] = self.owed[peer], []
        return asks

    def answer(self, peer: Peer) -> None:
        peer.send(default_answers(self._asks(peer)), settle=False)

    def all_play(self, _: Peer) -> None:
        for _turn in range(10):
            for peer in self.peers:
                self.answer(peer)
            self.world.clock.pass_time(MS)
            check(self.world)

    def one_answer(self, peer: Peer) -> None:
        first, *self.owed[peer] = self._asks(peer) or [(1, match_pb2.Ask(ask_id=1))]
        peer.send(default_answers([first]), settle=False)

    def idle(self, _: Peer) -> None:
        length = self.chance.choice((MS // 3, MS, 9 * MS, 100 * MS, SECOND))
        if self.chance.random() < 0.3:
            self.world.clock.busy += length
        self.world.clock.pass_time(length)

    def call(self, peer: Peer) -> None:
        frame = referee_pb2.PlayRequest()
        frame.calls.add(match=1, call=match_pb2.CALL_KIND_TICHU, request_id=1)
        peer.send(frame, settle=False)

    def pong(self, peer: Peer) -> None:
        self.owed[peer] += peer.asks()
        peer._seen = max(0, peer._seen - 5)
        peer.pong()

    def stall(self, _: Peer) -> None:
        self.world.clock.stall(self.chance.choice((6 * MS, 30 * MS, 300 * MS)))

    def come_and_go(self, peer: Peer) -> None:
        peer.stream.lost()
        self.idle(peer)
        again = self.world.stream(peer.stream.instance)
        again.send(hello_frame(**self._hello()), settle=False)
        self.peers[self.peers.index(peer)] = again
        self.owed[again] = []


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_waits_something_rings(seed: int) -> None:
    play = Play(seed)
    for _ in range(150):
        play.step()
    play.world.clock.settle()
    check(play.world)

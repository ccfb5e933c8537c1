"""A service in a real loop that really blocks (PROTOCOL 3)."""

import asyncio
import socket
import time

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.reception import ServiceSetup
from referee.clock import LoopClock, run
from referee.match.facts import Answered, Fact, Stalled, TimedOut, decode_fact
from referee.match.values import MS, Clock
from referee.metrics.meter import PrometheusMeter
from referee.rules.seat import Seat
from referee.store.memory import MemoryStore
from tests.unit.app.world import (
    HEADER,
    MemoryLink,
    config_of,
    default_answers,
    hello_frame,
    service_of,
)

BASE_NS = 400 * MS  # no bank
LIMIT_S = 20.0  # for what takes milliseconds
TRIES = 5  # a busy machine may take the processor away again between two passes of the loop


class WakingLink(MemoryLink):
    """A link whose reader can wait for asks."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: asyncio.Queue[int] = asyncio.Queue()

    def send(self, frame: bytes) -> None:
        super().send(frame)
        for update in referee_pb2.PlayResponse.FromString(frame).updates:
            for ask in update.asks:
                self.asked.put_nowait(ask.ask_id)

    async def ask(self) -> int:
        """The number of the next ask."""
        return await asyncio.wait_for(self.asked.get(), LIMIT_S)


async def blocked(duration_ns: int, lag_limit_ns: int) -> tuple[list[Fact], int, bool]:
    """Block the loop while an answer of seat 0 waits to be read.

    Return the facts once all is read and what was due has happened, the match time at which it was
    blocked, and whether the others were asked anew.
    """
    loop = asyncio.get_running_loop()
    clock, store = LoopClock(loop), MemoryStore()
    service = service_of(ServiceSetup(server="test"), clock, store, PrometheusMeter())
    clock.on_turn(service.turned)
    links = [WakingLink() for _ in range(4)]
    reception = service.reception
    streams = [reception.connect(one, reception.instances.issue("bot")[0]) for one in links]
    for stream in streams:
        stream.receive(hello_frame().SerializeToString())
    sessions = [stream.session for stream in streams if stream.session]
    config = config_of(
        clock=Clock(base_ns=BASE_NS, bank_ns=0), window_ns=50 * MS, lag_limit_ns=lag_limit_ns
    )
    match = service.start_match(config, sessions, header=HEADER)
    for link in links:
        assert await link.ask() == 1
    number = sessions[0].holdings[1].number
    (ask,) = match.machine.open_asks(Seat(0))
    frame = default_answers([(number, referee_pb2.PlayResponse().updates.add().asks.add(ask_id=1))])

    ours, theirs = socket.socketpair()
    with ours, theirs:

        def readable() -> None:
            """As gRPC does: the poll wakes this, and this wakes the reader of a stream."""
            loop.remove_reader(ours)
            loop.call_soon(streams[0].receive, frame.SerializeToString())

        loop.add_reader(ours, readable)
        await asyncio.sleep(0)
        theirs.send(b"frame")
        began = time.monotonic_ns()
        while time.monotonic_ns() - began < duration_ns:
            pass
        again = [await link.ask() for link in links[1:]]
    assert ask.id == 1
    facts = [decode_fact(line) for line in store.matches["m"].lines]
    return facts, began - match.began, again == [2, 2, 2]


def blocked_once(lag_limit_ns: int) -> tuple[list[Fact], int, bool]:
    """One block, of twice the base time, in which the answer was read: the last of some tries."""
    for _ in range(TRIES):
        facts, began, anew = run(blocked(2 * BASE_NS, lag_limit_ns))
        if all(fact.at <= began for fact in facts if isinstance(fact, Answered)):
            break
    return facts, began, anew


def test_a_block_over_the_limit_asks_anew_and_makes_nobody_late() -> None:
    facts, began, anew = blocked_once(100 * MS)
    assert anew
    (answered,) = [fact for fact in facts if isinstance(fact, Answered)]
    assert (answered.seat, answered.ask) == (0, 1)
    assert answered.at <= began
    (stall,) = [fact for fact in facts if isinstance(fact, Stalled)]
    assert stall.blocked_ns >= 2 * BASE_NS
    assert stall.at < began + MS
    assert not [fact for fact in facts if isinstance(fact, TimedOut)]


def test_a_shorter_block_makes_nobody_late_who_had_answered() -> None:
    facts, began, _ = blocked_once(60_000 * MS)
    (answered,) = [fact for fact in facts if isinstance(fact, Answered)]
    assert answered.at <= began
    assert {fact.seat for fact in facts if isinstance(fact, TimedOut)} == {1, 2, 3}
    assert not [fact for fact in facts if isinstance(fact, Stalled)]

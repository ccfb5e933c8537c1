"""After a match, however it ended, nothing of it is left but what a bot that stays needs."""

import gc
import weakref
from collections.abc import Callable, Sequence

import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.limits import SECOND, Limits
from referee.app.running import RunningMatch
from referee.match.values import MS, Ending
from referee.ports import Batch, StoreError
from referee.store.memory import MemoryStore
from tests.unit.app.world import HEADER, Peer, World, config_of, default_answers, play_to_end


class Fickle(MemoryStore):
    """Fails on request."""

    broken = False

    def append(self, batches: Sequence[Batch]) -> None:
        if self.broken:
            raise StoreError("disk full")
        super().append(batches)


class Case:
    """A world with one match, and others to compare with."""

    def __init__(self, **settings: object) -> None:
        self.store = Fickle()
        self.world = World(store=self.store, limits=Limits(unsent_bytes=20_000, items_per_frame=50))
        self.peers = self.world.table()
        self.match = self.world.play(self.peers, config_of("m", **settings))


def completed(case: Case) -> None:
    play_to_end(case.world, case.peers, case.match)


def by_time(case: Case) -> None:
    case.world.clock.pass_time(2_000 * SECOND)


def by_illegal_answers(case: Case) -> None:
    for number, ask in case.peers[1].asks():
        frame = referee_pb2.PlayRequest()
        for _ in range(3):
            frame.answers.add(match=number, ask_id=ask.ask_id)
        case.peers[1].send(frame)


def crashed(case: Case) -> None:
    instance = case.peers[2].stream.instance
    assert instance is not None
    case.world.reception.process_exited(instance, 1)


def disconnected(case: Case) -> None:
    case.peers[2].lose()
    case.world.clock.pass_time(10 * SECOND)


def flooded(case: Case) -> None:
    frame = referee_pb2.PlayRequest()
    for _ in range(51):
        frame.answers.add(match=1, ask_id=1)
    case.peers[0].send(frame)


def slow_reader(case: Case) -> None:
    case.peers[3].link.stuck = True
    for _ in range(3_000):
        for peer in case.peers[:3]:
            peer.send(default_answers(peer.asks()), settle=False)
        case.world.clock.pass_time(10 * MS)
        if case.match.ended is not None:
            break
        case.peers[3].send(default_answers(case.peers[3].asks()), settle=False)


def resigned(case: Case) -> None:
    case.peers[0].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))


def cancelled(case: Case) -> None:
    case.world.service.end_match(case.match, Ending.CANCELLED)


def abandoned(case: Case) -> None:
    play_to_end(case.world, case.peers, case.match)


def referee_failed(case: Case) -> None:
    case.world.service._desk.failed(case.match, RuntimeError("ours"))


def store_failed(case: Case) -> None:
    case.store.broken = True
    for peer in case.peers:
        peer.send(default_answers(peer.asks()), settle=False)
    case.world.clock.pass_time(60 * SECOND)
    case.store.broken = False
    case.world.clock.pass_time(SECOND)


ENDS: dict[Ending, tuple[Callable[[Case], None], dict[str, object]]] = {
    Ending.COMPLETED: (completed, {}),
    Ending.FORFEIT_TIME: (by_time, {"max_strikes": 1}),
    Ending.FORFEIT_ILLEGAL: (by_illegal_answers, {"max_strikes": 0}),
    Ending.CRASHED: (crashed, {}),
    Ending.DISCONNECTED: (disconnected, {}),
    Ending.FLOODED: (flooded, {}),
    Ending.SLOW_READER: (slow_reader, {}),
    Ending.RESIGNED: (resigned, {}),
    Ending.CANCELLED: (cancelled, {}),
    Ending.ABANDONED: (abandoned, {"max_actions": 2}),
    Ending.REFEREE_FAILED: (referee_failed, {}),
    Ending.STORE_FAILED: (store_failed, {}),
}


def test_every_ending_of_a_match_that_began_is_looked_at() -> None:
    assert set(ENDS) == set(Ending) - {Ending.NEVER_STARTED}  # which has a test of its own


@pytest.mark.parametrize("ending", list(ENDS), ids=str)
def test_after_it_nothing_of_the_match_is_left(ending: Ending) -> None:
    end, settings = ENDS[ending]
    case = Case(**settings)
    end(case)
    world, match = case.world, case.match
    world.clock.pass_time(2 * MS)
    assert match.ended is not None
    assert match.ended.ending is ending
    nothing_held(world, match)
    watched = weakref.ref(match)
    gc.disable()
    try:
        del match, end
        case.match = None  # type: ignore[assignment]
        assert watched() is None, "only a search for cycles would find it"
    finally:
        gc.enable()


def nothing_held(world: World, match: RunningMatch) -> None:
    desk = world.service._desk
    assert not desk.matches
    assert not match.holdings
    assert not match.on_over
    assert not (desk._pending)
    assert not (desk._touched)
    assert not (desk._flushing)
    assert not (desk._handing)
    for stream in world.reception.streams():
        assert stream.session is not None
        assert not stream.session.holdings
        assert stream.session.running == stream.session.open_asks == 0
    known = world.reception.register.all()
    assert len(known) == len(world.reception.streams())


@pytest.mark.parametrize("ending", [e for e in ENDS if e is not Ending.COMPLETED], ids=str)
def test_a_session_that_is_gone_is_freed(ending: Ending) -> None:
    end, settings = ENDS[ending]
    case = Case(**settings)
    sessions = [weakref.ref(peer.session) for peer in case.peers]
    streams = [weakref.ref(peer.stream) for peer in case.peers]
    end(case)
    case.world.clock.pass_time(2 * MS)
    for peer in case.peers:
        if peer.stream.session is not None:
            peer.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    reception = case.world.reception
    assert not reception.register.all()
    assert not reception.streams()
    desk = case.world.service._desk
    del case, peer
    gc.collect()
    assert [session() for session in sessions] == [None] * 4
    assert [stream() for stream in streams] == [None] * 4
    assert not desk.matches


def test_a_seat_whose_bot_never_came_leaves_nothing() -> None:
    world = World()
    sessions = [world.reception.session_of(world.instance()) for _ in range(4)]
    watched = [weakref.ref(session) for session in sessions]
    match = world.service.start_match(config_of(), sessions, header=HEADER)
    world.clock.pass_time(31 * SECOND)
    nothing_held(world, match)
    del sessions, match
    gc.collect()
    assert [one() for one in watched] == [None] * 4


def test_what_many_matches_leave_in_the_heap_of_timers_is_bounded() -> None:
    """Each match of a long clock had an entry there until its time came."""
    world = World()
    for number in range(300):
        peers = world.table()
        match = world.play(peers, config_of(f"m{number}"))
        world.service.end_match(match, Ending.CANCELLED)
        for peer in peers:
            goodbye: Peer = peer
            goodbye.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert len(world.service._desk.timers._heap) < 200

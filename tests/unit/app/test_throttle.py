"""A bot that sends more than it may: read slower, then out by rule (PROTOCOL 5)."""

from collections.abc import MutableMapping

from hypothesis import given
from hypothesis import strategies as st

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.limits import SECOND, Limits
from referee.app.running import RunningMatch
from referee.app.throttle import Throttle
from referee.match.values import MS, Ending
from referee.ports import Status
from tests.unit.app.world import Peer, World, config_of, play_to_end

FEW = Limits(frames_per_s=100, frames_burst=50, frames_per_ask=4)


def spam(peer: Peer) -> int:
    return peer.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=99)), settle=False)


def test_a_burst_is_free() -> None:
    throttle = Throttle(FEW, 0)
    assert [throttle.take(1, 0) for _ in range(50)] == [0] * 50


def test_over_it_the_next_frame_waits_until_the_rate_allows_it() -> None:
    throttle = Throttle(FEW, 0)
    waits = [throttle.take(1, 0) for _ in range(53)]
    assert waits[50:] == [10 * MS, 20 * MS, 30 * MS]
    assert throttle.take(1, SECOND) == 0


def test_a_frame_of_many_items_costs_as_many_frames() -> None:
    throttle = Throttle(FEW, 0)
    assert throttle.take(60, 0) == 100 * MS


def test_asks_earn_frames() -> None:
    throttle = Throttle(FEW, 0)
    throttle.earn(1)
    assert [throttle.take(1, 0) for _ in range(54)] == [0] * 54


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3 * SECOND)), max_size=60))
def test_who_waits_as_told_is_never_held_back_twice_for_the_same_time(
    frames: list[tuple[int, int]],
) -> None:
    throttle, now, told = Throttle(FEW, 0), 0, 0
    for items, pause in frames:
        wait = throttle.take(items, now)
        told += wait
        assert throttle.held_back <= told
        now += wait + pause
    sent = sum(max(1, items) for items, _ in frames)
    assert sent <= 50 + 1 + now * 100 / SECOND


def test_held_back_for_two_seconds_of_the_last_ten_it_has_flooded() -> None:
    throttle, now = Throttle(FEW, 0), 0
    while not throttle.flooding(now):
        now += throttle.take(1, now)
    assert 2 * SECOND <= now <= 2 * SECOND + 20 * MS


def test_nobody_saves_up_more_than_a_burst() -> None:
    throttle = Throttle(FEW, 0)
    assert [throttle.take(1, 3_600 * SECOND) for _ in range(51)] == [0] * 50 + [10 * MS]


def test_what_was_long_ago_does_not_count() -> None:
    throttle, now = Throttle(FEW, 0), 0
    for _ in range(20):
        for _ in range(150):
            now += throttle.take(1, now)
        now += 6 * SECOND
        assert not throttle.flooding(now)


def test_a_bot_over_its_rate_is_read_slower_and_its_match_goes_on(
    logs: list[MutableMapping[str, object]],
) -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    waits = [spam(peers[0]) for _ in range(4_010)]
    world.clock.settle()
    assert not waits[3_999]
    assert waits[-1] > 0
    assert world.service.running == 1
    assert [line["event"] for line in logs].count("throttled") == 1
    assert play_to_end(world, peers, match).ending is Ending.COMPLETED


def test_a_bot_that_goes_on_so_loses_its_matches_by_rule() -> None:
    world = World()
    peers, others = world.table(), world.table()
    match, other = world.play(peers), world.play(others, config_of("n"))
    began = world.clock.time
    while peers[0].link.end_with is None:
        world.clock.pass_time(spam(peers[0]))
    assert world.clock.time - began <= 3 * SECOND
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.FLOODED, 0)
    assert peers[0].frames()[-1].closing.code == referee_pb2.CLOSING_CODE_FLOODING
    assert play_to_end(world, others, other).ending is Ending.COMPLETED


def test_a_new_stream_does_not_begin_with_a_new_budget() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    for _ in range(4_010):
        spam(peers[0])
    peers[0].lose()
    again = world.stream(peers[0].stream.instance)
    again.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1)))
    assert spam(again) > 0


def test_a_frame_of_too_many_items_is_flooding() -> None:
    world = World(limits=Limits(items_per_frame=3))
    peers = world.table()
    match = world.play(peers)
    frame = referee_pb2.PlayRequest()
    for _ in range(4):
        frame.answers.add(match=1, ask_id=1)
    peers[2].send(frame)
    assert match.ended is not None
    assert match.ended.ending is Ending.FLOODED


def junk(items: int) -> referee_pb2.PlayRequest:
    """Answers to an ask that was never put."""
    frame = referee_pb2.PlayRequest()
    for _ in range(items):
        frame.answers.add(match=1, ask_id=9_999)
    return frame


def greeting(items: int, *, protocol_version: int = 1) -> referee_pb2.PlayRequest:
    frame = junk(items)
    frame.hello.protocol_version = protocol_version
    return frame


def ending_of(match: RunningMatch) -> tuple[Ending, int | None] | None:
    return None if match.ended is None else (match.ended.ending, match.ended.seat)


def test_what_comes_with_a_hello_counts_as_ever() -> None:
    """Else a bot blocks the loop with one new stream after another."""
    world = World(limits=FEW)
    peers = world.table()
    match = world.play(peers)
    instance = peers[0].stream.instance
    for _ in range(20):
        world.stream(instance).send(greeting(50))
    assert ending_of(match) == (Ending.FLOODED, 0)


def test_a_hello_with_too_many_items_is_flooding() -> None:
    world = World(limits=Limits(items_per_frame=3))
    peers = world.table()
    match = world.play(peers)
    world.stream(peers[2].stream.instance).send(greeting(4))
    assert ending_of(match) == (Ending.FLOODED, 2)


def test_the_frame_after_a_hello_over_the_rate_waits() -> None:
    world = World(limits=FEW)
    (peer, *_) = world.table()
    assert world.stream(peer.stream.instance).send(greeting(60)) > 0


def test_streams_that_are_not_let_in_count_too() -> None:
    for first in (greeting(50, protocol_version=99), junk(50), None):
        world = World(limits=FEW)
        peers = world.table()
        match = world.play(peers)
        for _ in range(400):
            stream = world.stream(peers[1].stream.instance)
            if first is None:
                stream.send_bytes(b"\xff\xff")
            else:
                stream.send(first)
        assert ending_of(match) == (Ending.FLOODED, 1)


def test_who_floods_without_a_stream_of_its_own_loses_too() -> None:
    world = World(limits=FEW)
    peers = world.table()
    match = world.play(peers)
    peers[1].lose()
    for _ in range(20):
        world.stream(peers[1].stream.instance).send(junk(50))
    assert ending_of(match) == (Ending.FLOODED, 1)


def test_a_new_session_does_not_begin_with_a_new_budget() -> None:
    world = World(limits=FEW)
    instance = world.instance()
    waits = []
    for _ in range(3):
        frame = greeting(30)
        frame.goodbye.SetInParent()
        waits.append(world.stream(instance).send(frame))
    assert waits[0] == 0
    assert waits[-1] > 0


def test_coming_back_counts_once_for_each_match() -> None:
    world = World(limits=FEW)
    peers = [world.join(max_matches=30) for _ in range(4)]
    for number in range(30):
        world.play(peers, config_of(f"m{number}"))
    session = peers[0].session
    session.throttle.take(150, world.clock.time)  # what all those asks earned, and a little more
    before = session.throttle.take(1, world.clock.time)
    after = world.stream(peers[0].stream.instance).send(greeting(0))
    assert after - before == 31 * 10 * MS


def test_a_flood_is_forgotten_after_ten_seconds() -> None:
    throttle = Throttle(FEW, 0)
    throttle.take(500, 0)
    assert throttle.flooding(9 * SECOND)
    assert not throttle.flooding(10 * SECOND)


def test_a_bot_that_flooded_is_let_in_again_after_ten_seconds() -> None:
    world = World(limits=FEW)
    instance = world.instance()
    world.stream(instance).send(greeting(500))
    shut_out = world.stream(instance)
    shut_out.send(greeting(0))
    assert shut_out.frames()[0].closing.code == referee_pb2.CLOSING_CODE_FLOODING
    world.clock.pass_time(10 * SECOND)
    back = world.stream(instance)
    back.send(greeting(0))
    assert back.token


def test_an_ask_that_is_only_said_again_earns_nothing() -> None:
    world = World(limits=FEW)
    peers = world.table()
    match = world.play(peers)
    for _ in range(400):
        world.stream(peers[0].stream.instance).send(greeting(0))
    assert ending_of(match) == (Ending.FLOODED, 0)


def crashing(world: World, peer: Peer, *, every_ns: int, times: int) -> list[Peer]:
    """The bot of a peer in a loop of crashes: each process says Hello and dies."""
    streams = []
    for _ in range(times):
        again = world.back(peer, max_matches=64)
        world.clock.pass_time(every_ns)
        again.lose()
        streams.append(again)
    return streams


def busy() -> tuple[World, list[Peer]]:
    world = World()
    peers = world.table(max_matches=64)
    for number in range(64):
        world.play(peers, config_of(f"m{number}"))
    world.clock.pass_time(100 * MS)
    return world, peers


def test_a_bot_of_64_matches_in_a_loop_of_crashes_is_not_locked_out() -> None:
    world, peers = busy()
    streams = crashing(world, peers[0], every_ns=50 * MS, times=400)
    assert world.service.running == 64
    let_in = [stream.link.raw != [] for stream in streams]
    assert all(let_in[:50])
    assert sum(let_in[-100:]) >= 30  # seven a second, as the rate allows
    away = [stream.link.end_with for stream in streams if not stream.link.raw]
    assert {end.status for end in away if end is not None} == {Status.UNAVAILABLE}
    last = world.back(peers[0], max_matches=64)
    if not last.link.raw:
        world.clock.pass_time(SECOND)
        last = world.back(peers[0], max_matches=64)
    world.clock.pass_time(100 * MS)
    assert len([u for u in last.updates() if u.HasField("snapshot")]) == 64


def test_hellos_without_a_pause_are_a_flood_all_the_same() -> None:
    world, peers = busy()
    for _ in range(3_000):
        world.back(peers[0], max_matches=64)
    assert world.service.running == 0
    shut_out = world.back(peers[0])
    assert shut_out.frames()[0].closing.code == referee_pb2.CLOSING_CODE_FLOODING


def test_what_is_told_to_a_flood_of_hellos_is_bounded_by_the_rate() -> None:
    world, peers = busy()
    told = 0
    for _ in range(1_000):
        again = world.back(peers[0], max_matches=64)
        world.clock.pass_time(5 * MS)
        told += sum(len(frame.updates) for frame in again.frames())
    assert told <= 4_000 + 64 * 4 + 5 * 500 + 64

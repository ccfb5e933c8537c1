"""Faults of one pass are one step of a match: nobody is first because of the order of reading."""

from collections.abc import MutableMapping

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND, Limits
from referee.match.facts import Faulted, MatchEnded, Strike
from referee.match.values import MS, Blame, Ending
from tests.unit.app.world import HEADER, Peer, World, config_of, default_answers

GOODBYE = referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye())


def start(limits: Limits | None = None, **settings: object) -> tuple[World, list[Peer]]:
    world = World(limits=limits)
    peers = world.owned_table("a", "b", "c", "d")
    world.play(peers, config_of("m", **settings))
    return world, peers


def end_of(world: World) -> MatchEnded:
    last = world.facts()[-1]
    assert isinstance(last, MatchEnded)
    return last


def test_two_that_leave_in_one_pass_fail_together() -> None:
    world, peers = start()
    for peer in (peers[3], peers[0]):
        peer.send(GOODBYE, settle=False)
    world.clock.settle()
    ended = end_of(world)
    assert (ended.ending, ended.failed, ended.winner) == (Ending.RESIGNED, (0, 3), None)
    assert ended.awarded == ()


def test_two_of_one_team_give_the_other_the_match() -> None:
    world, peers = start()
    for peer in (peers[2], peers[0]):
        peer.send(GOODBYE, settle=False)
    world.clock.settle()
    ended = end_of(world)
    assert (ended.failed, ended.winner) == ((0, 2), 1)
    assert ended.awarded


def test_one_pass_later_is_too_late_to_fail_too() -> None:
    world, peers = start()
    peers[0].send(GOODBYE)
    peers[1].send(GOODBYE)
    ended = end_of(world)
    assert (ended.seat, ended.failed, ended.winner) == (0, (), 1)


def test_every_way_to_fail_is_joined() -> None:
    """A resignation, an exit, a flood and a Goodbye, in one pass."""
    world, peers = start(limits=Limits(items_per_frame=1))
    resign = referee_pb2.PlayRequest()
    resign.resigns.add(match=1, request_id=5)
    flood = referee_pb2.PlayRequest()
    for _ in range(2):
        flood.answers.add(match=1, ask_id=1)
    peers[0].send(resign, settle=False)
    instance = peers[1].stream.instance
    assert instance is not None
    world.reception.process_exited(instance, 1)
    peers[2].send(flood, settle=False)
    peers[3].send(GOODBYE, settle=False)
    world.clock.settle()
    faults = [(f.seat, f.ending) for f in world.facts() if isinstance(f, Faulted)]
    assert faults == [
        (0, Ending.RESIGNED),
        (1, Ending.CRASHED),
        (2, Ending.FLOODED),
        (3, Ending.RESIGNED),
    ]
    assert end_of(world).failed == (0, 1, 2, 3)
    acks = [ack for update in peers[0].updates() for ack in update.acks]
    assert [ack.request_id for ack in acks] == [5]


def test_two_that_do_not_read_fail_together() -> None:
    world = World(limits=Limits(unsent_bytes=1_000))
    peers = world.table()
    for peer in peers[:2]:
        peer.link.stuck = True
    world.play(peers)
    for _ in range(50):
        for peer in peers[2:]:
            peer.send(default_answers(peer.asks()))
        world.clock.pass_time(3 * SECOND)
    ended = end_of(world)
    assert (ended.ending, ended.failed) == (Ending.SLOW_READER, (0, 1))


@pytest.mark.parametrize("came", [True, False])
def test_alarms_of_one_instant_fall_into_one_pass(*, came: bool) -> None:
    world = World()
    sessions = [world.reception.session_of(world.instance(owner=o)) for o in "abcd"]
    if came:
        for session in sessions[:2]:
            peer = world.stream(session.instance)
            peer.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1)))
            world.clock.pass_time(2 * SECOND)
            peer.lose()
            session.grace.set(40 * SECOND)
    match = world.service.start_match(config_of(clock=None), sessions, header=HEADER)
    world.clock.pass_time(60 * SECOND)
    assert match.ended is not None
    assert match.ended.failed == ((2, 3) if came else (0, 1, 2, 3))
    assert match.ended.ending is Ending.NEVER_STARTED
    assert match.ended.winner is None


def test_a_grace_that_ends_as_an_ask_runs_out_is_told_after_it() -> None:
    world, peers = start(limits=Limits(grace_ns=62 * SECOND))
    peers[1].lose()
    world.clock.pass_time(62 * SECOND)
    late = [f for f in world.facts() if isinstance(f, Strike)]
    assert [f.seat for f in late] == [0, 1, 2, 3]
    assert end_of(world).ending is Ending.DISCONNECTED


def test_the_grace_is_over_at_its_time_and_not_at_an_older_stamp() -> None:
    world, peers = start()
    peers[1].lose()
    world.clock.pass_time(9 * SECOND + 990 * MS)

    def read() -> None:
        peers[0].send(referee_pb2.PlayRequest(), settle=False)

    world.clock.call_soon(read)
    world.clock.stall(40 * MS)  # a pass with the older stamp is open when the alarm rings
    world.clock.settle()
    assert end_of(world).at >= 10 * SECOND


def test_an_order_and_a_fault_of_one_pass_are_one_step() -> None:
    world, peers = start()
    (match,) = world.service._desk.matches.values()
    world.service.end_match(match, Ending.CANCELLED)
    peers[2].send(GOODBYE, settle=False)
    world.clock.settle()
    ended = end_of(world)
    assert (ended.ending, ended.seat, ended.blame) == (Ending.RESIGNED, 2, Blame.BOT)


def test_every_resignation_is_answered() -> None:
    _, peers = start()
    resign = referee_pb2.PlayRequest()
    for number in (5, 6):
        resign.resigns.add(match=1, request_id=number)
    peers[0].send(resign)
    acks = [ack for update in peers[0].updates() for ack in update.acks]
    assert [ack.request_id for ack in acks] == [5, 6]


def test_a_resignation_that_crosses_the_end_is_stale() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    world.service.end_match(match, Ending.CANCELLED)
    world.service._desk.finish()
    peers[0].frames()
    resign = referee_pb2.PlayRequest()
    resign.resigns.add(match=1, request_id=5)
    peers[0].send(resign)
    acks = [ack for update in peers[0].updates() for ack in update.acks]
    assert [(ack.request_id, ack.status) for ack in acks] == [(5, match_pb2.ACK_STATUS_STALE)]


def test_the_end_and_each_strike_are_logged_and_counted(
    logs: list[MutableMapping[str, object]],
) -> None:
    world, peers = start(max_strikes=0)
    for peer in peers[1:]:
        peer.send(default_answers(peer.asks()))
    world.clock.pass_time(62 * SECOND)
    (strike,) = [line for line in logs if line["event"] == "strike"]
    assert {k: strike[k] for k in ("match", "seat", "ask", "why", "count")} == {
        "match": "m",
        "seat": 0,
        "ask": 1,
        "why": "late",
        "count": 1,
    }
    (end,) = [line for line in logs if line["event"] == "match ended"]
    assert (end["ending"], end["seat"], end["blame"]) == ("forfeit_time", 0, "bot")
    assert end["failed"] == []
    assert end["awarded"] == list(end_of(world).awarded) != []
    samples = [s for f in world.meter.collect() for s in f.samples]
    struck = {s.labels["why"]: s.value for s in samples if s.name == "referee_strikes_total"}
    assert struck["late"] == 1

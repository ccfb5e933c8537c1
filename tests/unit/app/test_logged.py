"""What an operator reads: whose match it is and how it ended, and how streams ended."""

from collections.abc import MutableMapping

from prometheus_client import CollectorRegistry

from referee.match.values import Ending
from referee.metrics.meter import PrometheusMeter
from referee.ports import StreamEnd
from tests.unit.app.world import World, config_of, hello_frame, play_to_end, reach_play

Logs = list[MutableMapping[str, object]]


def closed(meter: PrometheusMeter, status: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(meter)
    return registry.get_sample_value("referee_streams_closed_total", {"status": status})


def test_a_match_is_logged_with_the_names_of_its_tokens(logs: Logs) -> None:
    world = World(open_identity=True)
    peers = [world.stream(world.instance(name)) for name in ("ann/1", "bob", "ann/2")]
    peers.append(world.stream(None))
    for peer in peers:
        peer.send(hello_frame(bot_name="says-what-it-likes"))
    match = world.play(peers)
    (started,) = [log for log in logs if log["event"] == "match started"]
    assert started["names"] == ["ann/1", "bob", "ann/2", "says-what-it-likes"]
    world.service.reception.process_exited(peers[1].session.instance, -9)
    world.clock.settle()
    assert match.ended is not None
    (ended,) = [log for log in logs if log["event"] == "match ended"]
    assert (ended["seat"], ended["name"], ended["ending"]) == (1, "bob", "crashed")


def test_the_end_of_a_match_is_logged_with_the_strikes_of_each_seat(logs: Logs) -> None:
    world = World()
    peers = world.table()
    match = world.play(peers, config_of(max_strikes=0))
    slow, _ = reach_play(world, peers)
    world.clock.pass_time(120 * 10**9)
    assert match.ended is not None
    seat = peers.index(slow)
    assert (match.ended.ending, match.ended.seat) == (Ending.FORFEIT_TIME, seat)
    (ended,) = [log for log in logs if log["event"] == "match ended"]
    assert ended["strikes"] == [int(at == seat) for at in range(4)]


def test_a_match_that_nobody_spoiled_names_nobody(logs: Logs) -> None:
    world = World()
    peers = world.table()
    play_to_end(world, peers, world.play(peers))
    (ended,) = [log for log in logs if log["event"] == "match ended"]
    assert (ended["seat"], ended["name"], ended["strikes"]) == (None, None, [0, 0, 0, 0])


def test_lost_links_and_dead_processes_are_counted_apart_from_goodbyes() -> None:
    world = World()
    peers = world.table()
    peers[0].lose()
    world.service.reception.process_exited(peers[1].session.instance, -9)
    frame = hello_frame()
    frame.ClearField("hello")
    frame.goodbye.SetInParent()
    peers[2].send(frame)
    assert closed(world.meter, "lost") == 2
    assert closed(world.meter, "ok") == 1


def test_a_stream_that_is_not_admitted_is_counted_as_one_that_ended() -> None:
    world = World()
    end = world.reception.admit("guess", near=True)
    assert isinstance(end, StreamEnd)
    world.reception.turned_away(end)
    assert closed(world.meter, "unauthenticated") == 1
    registry = CollectorRegistry()
    registry.register(world.meter)
    assert registry.get_sample_value("referee_open_streams") == 0

"""Sessions: streams that come, go and come back; what ends one (PROTOCOL 1 and 2)."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND, Limits
from referee.match.values import MS, Ending
from referee.ports import Status
from tests.unit.app.world import (
    HEADER,
    Peer,
    World,
    config_of,
    default_answers,
    hello_frame,
    play_to_end,
)


def back(world: World, peer: Peer, **hello: object) -> Peer:
    """The same process on a new stream."""
    again = world.stream(peer.stream.instance)
    again.send(hello_frame(**hello))
    return again


def test_a_lost_stream_is_a_fault_only_after_the_grace() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    peers[2].lose()
    world.clock.pass_time(10 * SECOND - 1)
    assert world.service.running == 1
    world.clock.pass_time(1)
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.DISCONNECTED, 2)


def test_with_no_grace_a_lost_stream_ends_the_match_at_once() -> None:
    world = World(limits=Limits(grace_ns=0))
    peers = world.table()
    match = world.play(peers)
    peers[0].lose()
    assert match.ended is not None


def test_a_seat_whose_bot_never_comes_ends_the_match_after_the_start_budget() -> None:
    world = World()
    peers = world.table()[:3]
    sessions = [peer.stream.session for peer in peers]
    absent = world.reception.session_of(world.instance())
    seats = [absent, *(session for session in sessions if session)]
    match = world.service.start_match(config_of(), seats, header=HEADER)
    world.clock.pass_time(30 * SECOND - 1)
    assert world.service.running == 1
    world.clock.pass_time(1)
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.NEVER_STARTED, 0)


def test_a_bot_that_comes_after_the_deal_finds_its_seat() -> None:
    world = World()
    peers = world.table()[:3]
    late = world.instance()
    sessions = [peer.stream.session for peer in peers]
    seats = [world.reception.session_of(late), *(session for session in sessions if session)]
    match = world.service.start_match(config_of(), seats, header=HEADER)
    world.clock.pass_time(SECOND)
    peer = world.stream(late)
    peer.send(hello_frame())
    (update,) = peer.updates()
    assert update.seating.seat == 0
    assert update.asks[0].time_left_ms == 61_000
    peer.send(default_answers([(update.match, ask) for ask in update.asks]))
    assert play_to_end(world, [peer, *peers], match).ending is Ending.COMPLETED


def test_a_process_of_ours_that_exits_is_a_crash_without_grace() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    instance = peers[1].stream.instance
    assert instance is not None
    world.reception.process_exited(instance, 1)
    world.clock.settle()
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.CRASHED, 1)


def test_a_session_token_brings_back_the_same_numbers_and_a_snapshot_with_the_time_left() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    (number, ask), *_ = peers[0].asks()
    peers[0].lose()
    world.clock.pass_time(3 * SECOND)
    again = back(world, peers[0], session_token=peers[0].token)
    assert again.frames()[0].welcome.resumed
    world.clock.pass_time(MS)
    again._seen = 0
    (update,) = again.updates()
    assert update.match == number
    assert update.seating.match_id == match.id
    assert [a.ask_id for a in update.asks] == [ask.ask_id]
    assert update.asks[0].time_left_ms == ask.time_left_ms - 3_000
    assert update.snapshot.last_event == update.snapshot.events[-1].number
    assert match.ended is None


def test_a_bearer_token_alone_brings_a_restarted_process_back_into_its_seat() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    again = back(world, peers[3])
    first, *rest = again.frames()
    assert not first.welcome.resumed
    assert first.welcome.session_token != peers[3].token
    assert [u.seating.seat for frame in rest for u in frame.updates] == [3]


def test_the_newer_stream_supersedes_the_older() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    peers[0].frames()
    again = back(world, peers[0], session_token=peers[0].token)
    closing = peers[0].frames()[-1].closing
    assert closing.code == referee_pb2.CLOSING_CODE_SUPERSEDED
    assert peers[0].link.end_with is not None
    assert peers[0].link.end_with.status is Status.ABORTED
    peers[0].lose()  # the old stream is gone at last, which concerns nobody
    world.clock.pass_time(11 * SECOND)
    assert match.ended is None
    assert again.link.end_with is None


def test_open_identity_comes_back_by_its_session_token() -> None:
    world = World(open_identity=True)
    peers = [world.stream(None) for _ in range(4)]
    for peer in peers:
        peer.send(hello_frame())
    world.play(peers)
    peers[0].lose()
    again = world.stream(None)
    again.send(hello_frame(session_token=peers[0].token))
    assert again.frames()[0].welcome.resumed


def test_a_session_token_of_another_instance_opens_nothing() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    thief = world.join(session_token=peers[0].token)
    frame, _ = thief.frames()
    assert not frame.welcome.resumed
    assert thief.stream.session is not peers[0].stream.session


def test_without_a_stream_the_clock_of_an_ask_runs() -> None:
    world = World(limits=Limits(grace_ns=3_600 * SECOND))
    peers = world.table()
    match = world.play(peers)
    peers[0].lose()
    for peer in peers[1:]:
        peer.send(default_answers(peer.asks()))
    world.clock.pass_time(63 * SECOND)
    assert match.ended is None
    assert any(b'"timed_out"' in line for line in world.memory.matches["m"].lines)


def test_goodbye_in_a_running_match_gives_it_up() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    peers[1].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(text="enough")))
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.RESIGNED, 1)
    assert peers[1].link.end_with is not None
    assert peers[1].link.end_with.status is Status.OK


def test_a_bot_that_does_not_read_loses_its_matches_only() -> None:
    world = World(limits=Limits(unsent_bytes=1_000))
    peers, others = world.table(), world.table()
    match, other = world.play(peers), world.play(others, config_of("n"))
    peers[0].link.stuck = True
    for _ in range(50):
        for peer in peers[1:]:
            peer.send(default_answers(peer.asks()))
        world.clock.pass_time(3 * SECOND)
        for peer in others:
            peer.send(default_answers(peer.asks()))
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.SLOW_READER, 0)
    assert other.ended is None or other.ended.ending is Ending.COMPLETED
    assert peers[0].link.end_with is not None
    assert peers[0].link.end_with.status is Status.RESOURCE_EXHAUSTED


def test_an_answer_to_no_match_of_the_stream_is_refused() -> None:
    peer = World().join()
    peer.frames()
    peer.send(default_answers([(7, match_pb2.Ask(ask_id=3))]))
    (frame,) = peer.frames()
    (refused,) = frame.refused
    assert refused.code == match_pb2.REFUSAL_CODE_NOT_YOUR_ASK
    assert refused.ask_id == 3
    assert refused.text == "match: 7 is no match of this stream"


def test_an_answer_that_crosses_the_end_of_its_match_is_stale() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.pass_time(MS)
    peers[0].frames()
    peers[0].send(default_answers([(1, match_pb2.Ask(ask_id=1))]))
    (update,) = peers[0].updates()
    (ack,) = update.acks
    assert (update.match, ack.ask_id) == (1, 1)
    assert ack.status == match_pb2.ACK_STATUS_STALE

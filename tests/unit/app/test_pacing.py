"""When frames go out, and what that means for clocks (PROTOCOL 2 and 3)."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.inputs import StandDownRequest
from referee.match.values import MS, Ending, Pace
from referee.rules.seat import Seat
from tests.unit.app.world import (
    Peer,
    World,
    config_of,
    default_answers,
    play_to_end,
    reach_play,
)

CALL = match_pb2.CALL_KIND_TICHU


def call(peer: Peer) -> None:
    """Something that every seat hears of at once."""
    frame = referee_pb2.PlayRequest()
    frame.calls.add(match=1, call=CALL, request_id=1)
    peer.send(frame)


def start() -> tuple[World, Peer, list[Peer]]:
    """A match at its first lead: the peer that owes it, held back, and three that owe nothing."""
    world = World()
    peers = world.table()
    match = world.play(peers)
    leader, rest = reach_play(world, peers)
    session = leader.stream.session
    assert session is not None
    world.service._desk.feed(match, StandDownRequest(seat=seat_of(leader), request_id=9))
    world.clock.settle()
    assert len(leader.frames()) == 1  # a frame that it has not replied to
    return world, leader, rest


def seat_of(peer: Peer) -> Seat:
    session = peer.stream.session
    assert session is not None
    return session.holdings[1].seat


def test_the_next_frame_waits_for_the_peers_reply() -> None:
    _, leader, rest = start()
    call(rest[0])
    assert not leader.frames()
    leader.send(referee_pb2.PlayRequest())
    (frame,) = leader.frames()
    assert frame.updates[0].events[0].call_made.seat == seat_of(rest[0])


def test_it_waits_a_millisecond_at_most() -> None:
    world, leader, rest = start()
    call(rest[0])
    world.clock.pass_time(MS - 1)
    assert not leader.frames()
    world.clock.pass_time(1)
    assert len(leader.frames()) == 1


def test_time_in_which_the_loop_was_busy_does_not_count_but_for_eight_milliseconds() -> None:
    world, leader, rest = start()
    call(rest[0])
    world.clock.busy += 20 * MS
    world.clock.pass_time(8 * MS - 1)
    assert not leader.frames()
    world.clock.pass_time(1)
    assert len(leader.frames()) == 1


def test_a_peer_that_owes_nothing_is_told_at_once() -> None:
    _, _, rest = start()
    call(rest[0])
    assert len(rest[1].frames()) == 1


def test_what_waits_goes_out_as_one_frame() -> None:
    world, leader, rest = start()
    for peer in rest[:2]:
        call(peer)
    world.clock.pass_time(MS)
    (frame,) = leader.frames()
    (update,) = frame.updates
    assert [e.call_made.seat for e in update.events] == [seat_of(peer) for peer in rest[:2]]


def test_the_clock_of_an_ask_starts_when_its_frame_goes() -> None:
    world = World()
    peers = [world.join(max_matches=2) for _ in range(4)]
    first, second = world.play(peers), world.play(peers, config_of("n"))
    sent = [match.machine.open_asks(Seat(0))[0].sent for match in (first, second)]
    assert sent == [0, -1]  # the second frame is held back
    world.clock.pass_time(MS)
    assert second.machine.open_asks(Seat(0))[0].sent == MS


def test_a_big_frame_is_cut_between_matches() -> None:
    world = World(limits=Limits(frame_bytes=10))
    peers = [world.join(max_matches=3) for _ in range(4)]
    for name in "abc":
        world.play(peers, config_of(name))
    world.clock.pass_time(5 * MS)
    frames = [frame for frame in peers[0].frames() if frame.updates]
    assert [[u.match for u in frame.updates] for frame in frames] == [[1], [2], [3]]


def test_with_asks_delivery_events_wait_for_the_seats_ask() -> None:
    world = World()
    peers = [world.join(event_delivery=referee_pb2.EVENT_DELIVERY_WITH_ASKS) for _ in range(4)]
    world.play(peers)
    leader, rest = reach_play(world, peers)
    call(leader)
    world.clock.pass_time(5 * MS)
    assert not any(peer.frames() for peer in rest)
    session = leader.stream.session
    assert session is not None
    leader.send(default_answers([(1, match_pb2.Ask(ask_id=max(session.holdings[1].open)))]))
    world.clock.pass_time(MS)
    (update,) = [update for peer in rest for update in peer.updates()]
    kinds = [e.WhichOneof("event") for e in update.events]
    assert kinds == ["cards_exchanged", "call_made", "played"]
    assert update.asks[0].WhichOneof("kind") == "act"


def test_events_are_numbered_without_a_gap_for_every_seat() -> None:
    for delivery in (1, 2):
        world = World()
        peers = [world.join(event_delivery=delivery) for _ in range(4)]
        match = world.play(peers)
        seen: list[list[int]] = [[], [], [], []]
        for _ in range(2_000):
            for seat, peer in enumerate(peers):
                updates = peer.updates()
                seen[seat] += [e.number for u in updates for e in u.events]
                if asks := [(u.match, a) for u in updates for a in u.asks]:
                    peer.send(default_answers(asks), settle=False)
            world.clock.pass_time(MS)
            if match.ended is not None:
                break
        world.clock.pass_time(MS)
        for seat, peer in enumerate(peers):
            seen[seat] += [e.number for u in peer.updates() for e in u.events]
            assert seen[seat] == list(range(1, len(seen[seat]) + 1))
        assert len({len(numbers) for numbers in seen}) == 1


def test_asks_hold_legal_plays_and_a_snapshot_unless_hello_turns_them_off() -> None:
    world = World()
    plain = [world.join() for _ in range(2)]
    bare = [world.join(without_snapshots=True, without_legal_plays=True) for _ in range(2)]
    peers = plain + bare
    match = world.play(peers)
    asked: dict[bool, list[match_pb2.Update]] = {True: [], False: []}
    for _ in range(2_000):
        for peer in peers:
            updates = [update for update in peer.updates() if update.asks]
            asked[peer in plain] += updates
            if updates:
                peer.send(default_answers([(u.match, a) for u in updates for a in u.asks]))
        world.clock.pass_time(MS)
        if match.ended is not None:
            break
    assert all(u.HasField("snapshot") for u in asked[True])
    assert any(len(a.act.plays) for u in asked[True] for a in u.asks)
    assert not any(u.HasField("snapshot") for u in asked[False])
    assert not any(len(a.act.plays) for u in asked[False] for a in u.asks)


def test_a_bomb_window_that_closed_leaves_nothing_open() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers, config_of(pace=Pace.FAIR, window_ns=20 * MS))
    for _ in range(5_000):
        for peer in peers:
            asks = [(n, a) for n, a in peer.asks() if a.WhichOneof("kind") != "bomb"]
            if asks:
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)
        if match.ended is not None:
            break
    assert match.ended is not None
    assert match.ended.ending is Ending.COMPLETED
    for peer in peers:
        assert peer.stream.session is not None
        assert peer.stream.session.open_asks == 0


def test_a_frame_read_after_a_blocked_turn_is_stamped_with_its_beginning() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    asks = peers[0].asks()
    world.clock.pass_time(100 * MS)
    began = world.clock.time
    world.clock.time += 50 * MS  # the loop does something else
    world.clock.blocked_since = began
    peers[0].send(default_answers(asks))
    lines = world.memory.matches["m"].lines
    assert f'"at":{100 * MS},'.encode() in lines[-1]


def test_what_fell_due_in_a_blocked_turn_waits_for_the_frames_that_were_there() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    asks = peers[0].asks()
    world.clock.pass_time(62_000 * MS - 10 * MS)
    began = world.clock.time
    world.clock.time += 50 * MS
    world.clock.blocked_since = began
    peers[0].send(default_answers(asks), settle=False)
    world.clock.call_soon(lambda: setattr(world.clock, "blocked_since", None))
    world.clock.settle()
    late = [line for line in world.memory.matches["m"].lines if b'"timed_out"' in line]
    assert not any(b'"seat":0' in line for line in late)
    assert match.ended is None


def test_a_whole_match_leaves_no_session_state_behind() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    play_to_end(world, peers, match)
    world.clock.pass_time(MS)
    for peer in peers:
        session = peer.stream.session
        assert session is not None
        assert not session.holdings
        assert session.running == session.open_asks == 0

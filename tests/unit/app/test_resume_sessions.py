"""After a restart: sessions, their seats and their numbers are as they were (PROTOCOL 1)."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.app.lobby import Lobby
from referee.match.values import MS, Ending
from tests.unit.app.coming_back import (
    come_back,
    hello_of,
    rewound,
    running,
)
from tests.unit.app.world import (
    World,
    config_of,
    default_answers,
    play_to_end,
)


def test_items_for_a_match_that_waits_are_refused_and_not_recorded() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    asked = peers[0].asks()
    world.restart()
    before = world.facts()
    early = world.back(peers[0])
    frame = default_answers(asked)
    frame.calls.add(match=1, call=match_pb2.CALL_KIND_TICHU, request_id=1)
    frame.stand_downs.add(match=1, request_id=2)
    frame.resigns.add(match=1, request_id=3)
    early.frames()
    early.send(frame)
    (reply,) = early.frames()
    assert not reply.updates
    assert {one.code for one in reply.refused} == {match_pb2.REFUSAL_CODE_NOT_YOUR_ASK}
    assert len(reply.refused) == 4
    assert world.facts() == before
    ended = play_to_end(world, [early, *come_back(world, peers[1:])], running(world))
    assert ended.ending is Ending.COMPLETED


def test_a_process_with_64_matches_gets_all_back() -> None:
    world = World()
    peers = world.table(max_matches=64)
    for number in range(64):
        world.play(peers, config_of(f"m{number}"))
    for peer in peers:
        peer.send(default_answers(peer.asks()[:200]))
    world.clock.pass_time(50 * MS)
    assert world.restart(outage_ns=SECOND) == 64
    again = come_back(world, peers, max_matches=64)
    world.clock.pass_time(100 * MS)
    for peer in again:
        seatings = [update.seating.match_id for update in peer.updates() if update.seating.match_id]
        assert sorted(seatings) == sorted(f"m{number}" for number in range(64))
        assert peer.session.running == 64
        assert peer.session.free == 0
    open_asks = sum(len(h.open) for peer in again for h in peer.session.holdings.values())
    assert open_asks == sum(peer.session.open_asks for peer in again) > 0
    for peer in again:
        peer._seen = 0
    for match in list(world.service._desk.matches.values()):
        ended = play_to_end(world, again, match) if match.ended is None else match.ended
        assert ended.ending is Ending.COMPLETED
    assert [peer.session.open_asks for peer in again] == [0] * 4
    assert [peer.session.running for peer in again] == [0] * 4


def test_one_instance_with_all_seats_comes_back_to_each_of_them() -> None:
    world = World(may_share=True)
    one = world.join(max_matches=4)
    world.play([one] * 4)
    world.restart()
    again = world.back(one, max_matches=4)
    world.clock.pass_time(5 * MS)
    seats = {u.match: u.seating.seat for u in again.updates() if u.HasField("seating")}
    assert seats == {1: 0, 2: 1, 3: 2, 4: 3}
    again._seen = 0
    assert play_to_end(world, [again], running(world)).ending is Ending.COMPLETED


def test_open_identity_comes_back_by_its_session_token_alone() -> None:
    world = World(open_identity=True)
    peers = [world.stream(None) for _ in range(4)]
    for number, peer in enumerate(peers):
        peer.send(referee_pb2.PlayRequest(hello=hello_of(f"b{number}")))
    world.play(peers)
    world.restart()
    again = [world.back(peer, session_token=peer.token) for peer in peers]
    assert [peer.frames()[0].welcome.resumed for peer in again] == [True] * 4
    assert play_to_end(world, rewound(again), running(world)).ending is Ending.COMPLETED
    stranger = world.stream(None)
    stranger.send(referee_pb2.PlayRequest(hello=hello_of("x")))
    assert stranger.session.instance.id == "i5"


def test_a_session_token_from_before_the_restart_is_still_good() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    again = world.back(peers[0], session_token=peers[0].token)
    welcome = again.frames()[0].welcome
    assert welcome.resumed
    assert welcome.session_token == peers[0].token


def test_a_match_that_waits_counts_in_the_lobby() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    tables: list[int] = []

    def start(table: Sequence[object]) -> None:
        tables.append(len(table))

    world.reception.open_lobby(Lobby(seats=3, may_share=False, start=start))
    early = come_back(world, peers[:3])
    assert tables == []
    assert [peer.session.running for peer in early] == [1, 1, 1]


def test_a_session_goes_on_with_its_numbers() -> None:
    world = World()
    peers = world.table(max_matches=2)
    world.play(peers, config_of("a"))
    world.restart()
    again = come_back(world, peers, max_matches=2)
    for peer in again:
        peer.frames()
    world.play(again, config_of("b"))
    world.clock.pass_time(2 * MS)
    for peer in again:
        assert [update.match for update in peer.updates() if update.HasField("seating")] == [2]


def test_a_session_that_is_over_is_not_there_after_a_restart() -> None:
    world = World(open_identity=True)
    peers = world.table()
    stranger = world.stream(None)
    stranger.send(referee_pb2.PlayRequest(hello=hello_of("x")))
    gone = peers[0].session.instance.id
    for peer in (peers[0], stranger):
        peer.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    world.play([world.join(), *peers[1:]])  # what was to be kept later is kept with an append
    left = world.memory.left()
    assert gone not in {session.instance_id for session in left.sessions}
    assert {row.instance_id for row in left.instances} == {"i1", "i2", "i3", "i4", "i6"}

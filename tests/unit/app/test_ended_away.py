"""What a bot hears that was not there when its match ended (PROTOCOL 2)."""

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.limits import SECOND
from referee.match.values import MS, Ending
from tests.unit.app.world import Peer, World, hello_frame


def open_table(world: World) -> list[Peer]:
    peers = [world.stream(None) for _ in range(4)]
    for peer in peers:
        peer.send(hello_frame())
    return peers


def ending_heard(peer: Peer) -> int:
    (update,) = peer.updates()
    assert update.seating.match_id == "m"
    assert not update.asks
    return update.events[-1].match_ended.ending


@pytest.mark.parametrize("open_identity", [False, True])
def test_who_was_away_hears_the_end_when_it_is_back(*, open_identity: bool) -> None:
    world = World(open_identity=open_identity)
    peers = open_table(world) if open_identity else world.table()
    match = world.play(peers)
    peers[1].lose()
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.pass_time(9 * SECOND)
    again = world.back(peers[1], session_token=peers[1].token)
    assert again.frames()[0].welcome.resumed
    again._seen = 0
    assert ending_heard(again) == match_pb2.ENDING_CANCELLED
    assert world.memory.matches["m"].let_go


@pytest.mark.parametrize("open_identity", [False, True])
def test_who_was_lost_before_the_end_went_out_hears_it_too(*, open_identity: bool) -> None:
    world = World(open_identity=open_identity)
    peers = open_table(world) if open_identity else world.table()
    match = world.play(peers)
    for peer in peers:
        peer.frames()
    world.service.end_match(match, Ending.CANCELLED)  # paced: the frame goes a moment later
    world.clock.settle()
    assert not peers[1].frames()
    peers[1].lose()
    again = world.back(peers[1], session_token=peers[1].token)
    assert ending_heard(again) == match_pb2.ENDING_CANCELLED


def test_an_end_waits_for_its_seats_no_longer_than_the_grace() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    peers[1].lose()
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.pass_time(10 * SECOND - 1)
    assert not world.memory.matches["m"].let_go
    world.clock.pass_time(MS)
    assert world.memory.matches["m"].let_go

"""Nobody learns from who plays, or who is seated, that a leg of a board is over (PROTOCOL 1)."""

from collections.abc import Sequence

import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.lobby import Lobby
from referee.app.session import Session
from referee.match.values import Ending
from tests.unit.app.legs import play_leg, start_leg
from tests.unit.app.world import HEADER, World, config_of, play_to_end
from tests.unit.formats.placed import place_of

LEG_1, LEG_2 = place_of(), place_of(leg=2)


def open_lobby(world: World, *, parallel: int) -> list[list[str]]:
    """Seat whoever comes; return the instances of each table, as they are seated."""
    tables: list[list[str]] = []

    def start(table: Sequence[Session]) -> None:
        tables.append([session.instance.id for session in table])
        config = config_of(f"m{len(tables)}")
        world.service.start_match(config, table, header=HEADER)

    world.reception.open_lobby(Lobby(seats=4, may_share=False, start=start, parallel=parallel))
    return tables


@pytest.mark.parametrize(("offered", "parallel"), [(1, 9), (9, 1)])
def test_who_sat_in_a_leg_plays_it_for_all_to_see_until_the_board_is_unsealed(
    offered: int, parallel: int
) -> None:
    world = World()
    peers = world.table(max_matches=offered)
    start_leg(world, others := world.table(), LEG_2, "y")
    match = start_leg(world, peers, LEG_1, "x")
    tables = open_lobby(world, parallel=parallel)
    instances = [peer.session.instance for peer in peers]
    play_to_end(world, peers, match)
    world.clock.settle()
    assert [one.playing for one in instances] == [1] * 4
    assert [peer.session.free for peer in peers] == [offered - 1] * 4
    assert tables == []  # who is seated anew would tell that the leg is over
    gone, back = peers[0], world.back(peers[0], max_matches=offered)
    assert gone.link.end_with is not None
    assert tables == []
    world.service.end_match(world.service.matches()[0], Ending.CANCELLED)
    world.clock.settle()
    world.service.unseal(["x", "y"])
    world.clock.settle()
    assert sorted(one for table in tables for one in table) == sorted(
        peer.session.instance.id for peer in [back, *peers[1:], *others]
    )
    assert [one.playing for one in instances] == [1] * 4


def test_a_process_that_left_after_its_leg_is_counted_with_it_all_the_same() -> None:
    world = World()
    peers = world.table()
    play_leg(world, peers, LEG_1, "x")
    instance = peers[0].session.instance
    peers[0].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert (instance.session, instance.playing) == (None, 1)
    world.service.unseal(["x"])
    assert instance.playing == 0

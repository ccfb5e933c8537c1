"""Bots that come back after a restart."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.running import RunningMatch
from referee.match.replay import Difference, replay
from referee.match.values import MS
from tests.unit.app.world import (
    Peer,
    World,
    default_answers,
)


def running(world: World, match_id: str = "m") -> RunningMatch:
    return world.service._desk.matches[match_id]


def come_back(world: World, peers: Sequence[Peer], **hello: object) -> list[Peer]:
    return [world.back(peer, **hello) for peer in peers]


def updates_of(peers: Sequence[Peer]) -> list[match_pb2.Update]:
    found = []
    for peer in peers:
        (update,) = peer.updates()
        found.append(update)
    return found


def same_facts_once(world: World, match_id: str = "m") -> None:
    stored = world.memory.matches[match_id]
    facts = world.facts(match_id)
    assert not [one for one in replay(stored.config, facts) if isinstance(one, Difference)]
    assert stored.closed


def hello_of(name: str) -> referee_pb2.Hello:
    return referee_pb2.Hello(protocol_version=1, bot_name=name)


def rewound(peers: list[Peer]) -> list[Peer]:
    for peer in peers:
        peer._seen = 0
    return peers


def reach_round(world: World, peers: Sequence[Peer], number: int) -> None:
    """Have all answer by default until that round begins."""
    while running(world).machine.round_number < number:
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)

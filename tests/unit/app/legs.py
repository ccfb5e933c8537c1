"""Legs of a ladder in a service of the tests."""

from collections.abc import Sequence

from referee.app.running import RunningMatch
from referee.ladder.values import LegPlace
from referee.ports import MatchHeader
from tests.unit.app.world import Peer, World, config_of, play_to_end


def start_leg(
    world: World, peers: Sequence[Peer], place: LegPlace, match_id: str, **settings: object
) -> RunningMatch:
    """Start a leg of these peers."""
    match = world.service.start_match(
        config_of(match_id, **settings),
        [peer.session for peer in peers],
        header=MatchHeader(practice=True, place=place),
    )
    world.clock.settle()
    return match


def play_leg(
    world: World, peers: Sequence[Peer], place: LegPlace, match_id: str, **settings: object
) -> RunningMatch:
    """Play a leg to its end, as its seats are told it."""
    match = start_leg(world, peers, place, match_id, **settings)
    play_to_end(world, peers, match)
    world.clock.settle()
    return match


def closed(world: World) -> set[str]:
    """The matches that have their record."""
    return {name for name, match in world.memory.matches.items() if match.closed}

"""Whose fault a lost link is: the bot's, unless we can show otherwise (PROTOCOL 5)."""

import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.instances import InstanceBook
from referee.app.limits import SECOND
from referee.match.values import MS, Blame, Ending
from tests.unit.app.world import Peer, World, config_of, hello_frame


def start(*owners: str) -> tuple[World, list[Peer]]:
    world = World()
    peers = world.owned_table(*(owners or ("a", "b", "c", "d")))
    world.play(peers)
    return world, peers


def blame(world: World) -> tuple[Ending, int | None, Blame]:
    world.clock.pass_time(30 * SECOND)
    (line,) = world.memory.matches["m"].lines[-1:]
    ended = world.facts()[-1]
    assert ended.__class__.__name__ == "MatchEnded", line
    return ended.ending, ended.seat, ended.blame  # type: ignore[union-attr]


def test_a_link_that_is_lost_alone_is_its_bots_fault() -> None:
    world, peers = start()
    peers[1].lose()
    assert blame(world) == (Ending.DISCONNECTED, 1, Blame.BOT)


def test_all_links_lost_at_once_are_the_networks() -> None:
    world, peers = start()
    for peer in peers:
        peer.lose()
    assert blame(world) == (Ending.DISCONNECTED, 0, Blame.NETWORK)


@pytest.mark.parametrize(("apart", "whose"), [(SECOND, Blame.NETWORK), (SECOND + 1, Blame.BOT)])
def test_two_owners_within_a_second_are_a_proof(apart: int, whose: Blame) -> None:
    world, peers = start()
    peers[1].lose()
    world.clock.pass_time(apart)
    peers[2].lose()
    assert blame(world) == (Ending.DISCONNECTED, 1, whose)


def test_the_second_came_back_and_is_a_witness_all_the_same() -> None:
    world, peers = start()
    peers[1].lose()
    peers[2].lose()
    world.stream(peers[2].stream.instance).send(hello_frame())
    assert blame(world) == (Ending.DISCONNECTED, 1, Blame.NETWORK)


def test_two_links_of_one_owner_prove_nothing() -> None:
    world, peers = start("a", "b", "a", "b")
    peers[0].lose()
    peers[2].lose()
    assert blame(world) == (Ending.DISCONNECTED, 0, Blame.BOT)


def test_bots_that_are_told_apart_behind_a_slash_have_one_owner() -> None:
    book = InstanceBook(iter("wxyz").__next__, lambda stored: None)
    owners = [book.issue(name)[0].owner for name in ("alice/1", "alice/2", "bob", "/odd")]
    assert owners == ["alice", "alice", "bob", "/odd"]


def test_a_process_that_exited_proves_nothing() -> None:
    """Its link is seen to end before its exit is."""
    world = World()
    peers, other = world.owned_table("a", "b", "c", "d"), world.owned_table("e")[0]
    world.play(peers)
    peers[1].lose()
    other.lose()
    assert other.stream.instance is not None
    world.reception.process_exited(other.stream.instance, 1)
    assert blame(world) == (Ending.DISCONNECTED, 1, Blame.BOT)


def test_a_bot_that_ends_on_purpose_proves_nothing() -> None:
    world = World()
    peers, other = world.owned_table("a", "b", "c", "d"), world.owned_table("e")[0]
    world.play(peers)
    peers[1].lose()
    other.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert blame(world) == (Ending.DISCONNECTED, 1, Blame.BOT)


def test_a_frame_that_is_none_is_its_bots_fault_whoever_is_lost_beside_it() -> None:
    world, peers = start()
    peers[1].send_bytes(b"\xff\xff")
    peers[2].lose()
    assert blame(world) == (Ending.DISCONNECTED, 1, Blame.BOT)


def test_without_a_token_the_name_in_hello_is_the_owner() -> None:
    for names, whose in ((("x", "x"), Blame.BOT), (("x", "y"), Blame.NETWORK)):
        world = World(open_identity=True)
        peers = [world.stream(None) for _ in range(4)]
        for peer, name in zip(peers, (*names, "z", ""), strict=True):
            peer.send(hello_frame(bot_name=name))
        world.play(peers)
        peers[0].lose()
        peers[1].lose()
        assert blame(world) == (Ending.DISCONNECTED, 0, whose)


@pytest.mark.parametrize(("blocked", "whose"), [(501 * MS, Blame.REFEREE), (500 * MS, Blame.BOT)])
def test_a_loss_that_waited_through_a_long_block_is_ours(blocked: int, whose: Blame) -> None:
    world, peers = start()
    world.clock.stall(blocked)
    peers[3].stream.lost()
    world.clock.settle()
    assert blame(world) == (Ending.DISCONNECTED, 3, whose)


def test_a_link_that_is_cut_once_the_block_is_told_is_its_bots_fault() -> None:
    world, peers = start()
    world.clock.stall(SECOND)
    world.clock.settle()
    assert any(update.cancelled for update in peers[3].updates())
    peers[3].lose()
    assert blame(world) == (Ending.DISCONNECTED, 3, Blame.BOT)


def test_lost_during_a_long_block_is_ours() -> None:
    """The loss is noticed in the very turn that goes on for too long."""
    world, peers = start()
    peers[3].stream.lost()
    world.clock.stall(SECOND)
    world.clock.settle()
    assert blame(world) == (Ending.DISCONNECTED, 3, Blame.REFEREE)


def test_each_match_asks_for_its_own_limit() -> None:
    world = World()
    peers = [world.join(max_matches=2) for _ in range(4)]
    strict = world.play(peers, config_of("strict", lag_limit_ns=100 * MS))
    loose = world.play(peers, config_of("loose"))
    world.clock.stall(200 * MS)
    peers[0].lose()
    world.clock.pass_time(11 * SECOND)
    assert strict.ended is not None
    assert loose.ended is not None
    assert (strict.ended.blame, loose.ended.blame) == (Blame.REFEREE, Blame.BOT)


def test_a_crash_is_its_bots_fault_whatever_happens_beside_it() -> None:
    world, peers = start()
    world.clock.stall(SECOND)
    peers[2].stream.lost()
    assert peers[1].stream.instance is not None
    world.reception.process_exited(peers[1].stream.instance, 1)
    assert blame(world) == (Ending.CRASHED, 1, Blame.BOT)

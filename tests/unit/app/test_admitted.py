"""Instances whose token somebody else made: only its hash is known here."""

import hashlib

import pytest

from referee.app.instances import Instance, token_hash
from referee.ports import StoreError
from tests.unit.app.away import Away
from tests.unit.app.world import World, hello_frame

TOKEN = "a token of the operator's"
HASH = hashlib.sha256(TOKEN.encode()).digest()


def admitted(world: World, name: str = "ann/1", owner: str = "ann") -> Instance:
    return world.reception.instances.admit(name, owner, HASH)


def test_who_brings_the_token_is_the_instance() -> None:
    world = World()
    instance = admitted(world)
    assert world.reception.admit(TOKEN, near=False) is instance
    assert (instance.name, instance.owner, instance.open_identity) == ("ann/1", "ann", False)
    assert token_hash(TOKEN) == HASH


def test_the_same_hash_is_the_same_instance_and_its_session_goes_on() -> None:
    world = World()
    peer = world.stream(admitted(world))
    peer.send(hello_frame())
    session = peer.session
    again = admitted(world)
    assert again is peer.stream.instance
    assert again.session is session
    assert len(world.memory.left().instances) == 1


def test_it_goes_on_under_the_name_that_it_is_given_now() -> None:
    world = World()
    admitted(world)
    renamed = admitted(world, "zoe/1", "zoe")
    assert (renamed.id, renamed.name, renamed.owner) == ("i1", "zoe/1", "zoe")
    (kept,) = world.memory.left().instances
    assert (kept.instance_id, kept.name, kept.owner, kept.token_hash) == (
        *("i1", "zoe/1", "zoe"),
        HASH,
    )


def test_a_store_that_is_probed_does_not_get_the_old_name_back() -> None:
    world = World()
    admitted(world)
    admitted(world, "zoe/1", "zoe")
    world.reception.register.keep_again()
    assert [row.name for row in world.memory.left().instances] == ["zoe/1"]


def test_another_hash_is_another_instance_and_beside_those_with_a_token_of_ours() -> None:
    world = World()
    ours = world.instance("ann")
    other = world.reception.instances.admit("ann", "ann", bytes(32))
    assert len({ours.id, other.id, admitted(world).id}) == 3


def test_an_instance_that_an_earlier_process_left_is_found_by_its_hash() -> None:
    world = World()
    peer = world.stream(admitted(world))
    peer.send(hello_frame())
    world.restart()
    again = admitted(world)
    assert again.id == "i1"
    assert len(world.memory.left().instances) == 1
    assert again.session is not None


def test_one_that_cannot_be_kept_is_not_admitted_and_may_be_later() -> None:
    store = Away()
    world = World(store=store)
    store.why = StoreError("disk full")
    with pytest.raises(StoreError):
        admitted(world)
    store.why = None
    instance = admitted(world)
    store.why = StoreError("disk full")
    with pytest.raises(StoreError):
        admitted(world, "zoe/1", "zoe")
    assert instance.name == "ann/1"

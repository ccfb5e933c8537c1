"""Bots that come, go and talk while the store is away."""

from collections.abc import Callable

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.match.facts import Faulted, Stalled
from referee.match.values import MS, Ending
from referee.ports import (
    Status,
    StoredSession,
    StoreError,
)
from referee.store.memory import MemoryStore
from tests.unit.app.away import Away, Case, of_type, verified
from tests.unit.app.world import (
    World,
    default_answers,
    hello_frame,
    over,
    play_to_end,
)

GOODBYE = referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye())


def test_a_bot_that_comes_back_gets_its_welcome_and_no_more() -> None:
    case = Case()
    world = case.world
    first = case.peers[1]
    case.pause()
    first.lose()
    again = world.back(first, session_token=first.token)
    world.clock.pass_time(20 * SECOND)
    (welcome,) = again.frames()
    assert welcome.welcome.resumed
    case.back()
    world.clock.pass_time(250 * MS)
    (update,) = again.updates()
    assert update.HasField("snapshot")
    assert [ask.time_left_ms for ask in update.asks] == [62_000]
    assert not update.cancelled or update.asks[0].ask_id > update.cancelled[0].ask_id
    again._seen = 0
    peers = [case.peers[0], again, *case.peers[2:]]
    for peer in peers:
        peer._seen = 0
    assert play_to_end(world, peers, case.match).ending is Ending.COMPLETED


def test_a_hello_that_must_be_kept_is_turned_away_and_nothing_of_it_stays() -> None:
    case = Case()
    world = case.world
    case.pause()
    known = len(world.reception.register)
    again = world.back(case.peers[2])  # its bearer token alone: a new session token is due
    assert again.link.end_with is not None
    assert again.link.end_with.status is Status.UNAVAILABLE
    assert not again.frames()
    assert case.peers[2].link.end_with is None  # it was not superseded either
    assert len(world.reception.register) == known


def test_a_welcome_is_sent_after_the_session_is_kept() -> None:
    case = Case()
    world = case.world
    case.away()
    instance = world.memory  # the store refuses, though no append has failed yet
    newcomer = world.stream(world.reception.instances.get("i1"))
    newcomer.send(hello_frame())
    assert not newcomer.link.raw
    assert newcomer.link.end_with is not None
    case.back()
    kept: list[int] = []

    def keep(session: StoredSession) -> None:
        kept.append(len(later.link.raw))
        MemoryStore.keep_session(instance, session)

    case.store.keep_session = keep  # type: ignore[method-assign]
    later = world.stream(world.reception.instances.get("i1"))
    later.send(hello_frame())
    assert kept == [0]
    assert later.token


def test_a_token_is_told_after_its_instance_is_kept() -> None:
    case = Case()
    case.away()
    with pytest.raises(StoreError):
        case.world.instance("new")
    assert not case.world.reception.instances.named("new")


def test_an_open_bot_that_cannot_be_kept_leaves_nothing() -> None:
    store = Away()
    world = World(store=store, open_identity=True)
    store.why = StoreError("disk full")
    peer = world.stream(None)
    peer.send(hello_frame())
    assert peer.link.end_with is not None
    assert peer.link.end_with.status is Status.UNAVAILABLE
    assert not world.reception.register.all()
    store.why = None
    later = world.stream(None)
    later.send(hello_frame())
    assert later.token


def test_no_session_token_lies_in_the_store() -> None:
    case = Case()
    peer = case.world.back(case.peers[0], session_token=case.peers[0].token, max_matches=3)
    (row,) = [s for s in case.store.left().sessions if s.instance_id == "i1"]
    assert (row.hello.session_token, row.hello.max_matches) == (None, 3)
    assert peer.token.encode() not in row.secret


def test_the_grace_of_a_lost_stream_does_not_run_in_it() -> None:
    case = Case()
    world = case.world
    case.peers[3].lose()
    world.clock.pass_time(9 * SECOND)
    case.pause()
    world.clock.pass_time(30 * SECOND)
    case.back()
    world.clock.pass_time(250 * MS)
    world.clock.pass_time(SECOND - 1)
    assert not over(case.match)
    world.clock.pass_time(251 * MS)
    assert case.match.ended is not None
    assert (case.match.ended.ending, case.match.ended.seat) == (Ending.DISCONNECTED, 3)


def test_a_bot_turned_away_for_the_stores_sake_finds_its_seat_afterwards() -> None:
    case = Case()
    world = case.world
    case.pause()
    case.peers[1].lose()
    for _ in range(20):
        world.back(case.peers[1])
        world.clock.pass_time(SECOND)
    case.back()
    world.clock.pass_time(250 * MS)
    again = world.back(case.peers[1])
    assert not over(case.match)
    assert again.updates()[0].seating.seat == 1


def goodbye(case: Case) -> None:
    case.peers[1].send(GOODBYE)


def exits(case: Case) -> None:
    case.world.reception.process_exited(case.peers[1].session.instance, 1)
    case.world.clock.settle()


def resigns(case: Case) -> None:
    frame = referee_pb2.PlayRequest()
    frame.resigns.add(match=1, request_id=1)
    case.peers[1].send(frame)


@pytest.mark.parametrize(
    ("leave", "ending"),
    [(goodbye, Ending.RESIGNED), (exits, Ending.CRASHED), (resigns, Ending.RESIGNED)],
)
def test_who_leaves_in_it_has_left_at_the_frozen_instant(
    leave: Callable[[Case], None], ending: Ending
) -> None:
    case = Case()
    world = case.world
    world.clock.pass_time(SECOND)
    case.pause()
    world.clock.pass_time(5 * SECOND)
    leave(case)
    world.clock.pass_time(5 * SECOND)
    assert not over(case.match)
    assert not case.peers[2].frames() or not case.peers[2].updates()
    case.back()
    world.clock.pass_time(250 * MS)
    assert case.match.ended is not None
    assert (case.match.ended.ending, case.match.ended.seat) == (ending, 1)
    assert [fact.at for fact in of_type(world, Faulted)] == [SECOND]
    assert not of_type(world, Stalled)  # there was nothing left to ask anew
    assert case.last_event(case.peers[2]).match_ended.seat == 1
    verified(world)


def test_what_one_bot_says_in_it_is_bounded() -> None:
    """All of it waits in memory; past what a bot has to say it is not read before that is over."""
    case = Case()
    world = case.world
    case.pause()
    junk = default_answers([(1, match_pb2.Ask(ask_id=1))])
    waits = [case.peers[1].send(junk) for _ in range(40)]
    assert waits[:32] == [0] * 32
    assert set(waits[32:]) == {250 * MS}
    assert case.peers[1].stream.hold_ns() == 250 * MS
    assert case.peers[2].stream.hold_ns() == 0
    case.back()
    world.clock.pass_time(250 * MS)
    assert case.peers[1].stream.hold_ns() == 0
    case.pause()
    assert case.peers[1].send(junk) == 0


def test_a_store_that_refuses_the_first_open_bot_is_not_ready_until_it_takes_one() -> None:
    store = Away()
    world = World(store=store, open_identity=True)
    ready: list[bool] = []
    world.service.on_ready = ready.append
    store.why = StoreError("disk full")
    world.stream(None).send(hello_frame())
    world.clock.pass_time(5 * SECOND)
    assert ready == [False]
    store.why = None
    world.clock.pass_time(250 * MS)
    assert ready == [False, True]
    newcomer = world.stream(None)
    newcomer.send(hello_frame())
    assert newcomer.token
    assert [one.instance_id for one in store.left().instances] == [newcomer.session.instance.id]

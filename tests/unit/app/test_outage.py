"""The store is away or full: matches pause, nothing untold is lost or charged (DESIGN 3)."""

from collections.abc import MutableMapping, Sequence

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.limits import SECOND
from referee.app.lobby import Lobby
from referee.match.facts import Answered, Stalled, TimedOut
from referee.match.values import MS, Ending, Pace
from referee.ports import (
    Batch,
    StoreError,
)
from tests.unit.app.away import BUDGET, Case, of_type, verified
from tests.unit.app.world import (
    HEADER,
    config_of,
    default_answers,
    over,
    play_to_end,
    reach_play,
)


@pytest.mark.parametrize("pace", list(Pace))
def test_a_short_outage_costs_nobody_anything(pace: Pace) -> None:
    case = Case(pace=pace, window_ns=20 * MS)
    world = case.world
    world.clock.pass_time(SECOND)
    case.pause()
    frozen = world.clock.time
    heard = [peer.updates() for peer in case.peers]
    world.clock.pass_time(59 * SECOND)
    assert [peer.updates() for peer in case.peers] == [[]] * 4
    case.back()
    world.clock.pass_time(SECOND)
    assert heard
    (stall,) = of_type(world, Stalled)
    (answered,) = of_type(world, Answered)
    assert (answered.at, stall.at) == (SECOND, SECOND)
    assert stall.blocked_ns == 59 * SECOND + 250 * MS
    assert world.clock.time == frozen + 60 * SECOND
    first, *others = case.peers
    (update,) = first.updates()
    assert [ack.status for ack in update.acks] == [match_pb2.ACK_STATUS_RECEIVED]
    assert not update.asks
    for peer in others:
        (update,) = peer.updates()
        assert [one.reason for one in update.cancelled] == [match_pb2.CANCEL_REASON_REFEREE]
        assert [ask.time_left_ms for ask in update.asks] == [62_000]
        peer._seen = 0
    ended = play_to_end(world, case.peers, case.match)
    assert ended.ending is Ending.COMPLETED
    assert ended.banks == (60 * SECOND,) * 4
    verified(world)


def test_match_time_stands_still_in_it() -> None:
    case = Case()
    world = case.world
    world.clock.pass_time(SECOND)
    case.pause()
    world.clock.pass_time(40 * SECOND)
    case.back()
    world.clock.pass_time(250 * MS)
    back_at = case.match.match_time(world.clock.time)
    assert back_at == SECOND
    world.clock.pass_time(5 * SECOND)
    for peer in case.peers:
        peer.send(default_answers(peer.asks()[-1:]), settle=False)
    world.clock.settle()
    assert {fact.at for fact in of_type(world, Answered)} == {SECOND, 6 * SECOND}


def test_what_is_said_in_it_is_taken_at_the_frozen_instant_and_told_afterwards() -> None:
    case = Case()
    world = case.world
    world.clock.pass_time(SECOND)
    case.pause()
    for wait, peer in enumerate(case.peers[1:3]):
        world.clock.pass_time((1 + wait) * SECOND)
        peer.send(default_answers(peer.asks()))
        assert not peer.frames()
    case.back()
    world.clock.pass_time(250 * MS)
    assert [fact.at for fact in of_type(world, Answered)] == [SECOND] * 3
    for peer in case.peers[1:3]:
        (update,) = peer.updates()
        assert [ack.status for ack in update.acks] == [match_pb2.ACK_STATUS_RECEIVED]
        assert not update.cancelled
    assert case.peers[3].asks()


def test_nothing_falls_due_in_it() -> None:
    case = Case()
    world = case.world
    asks = [peer.asks() for peer in case.peers]
    world.clock.pass_time(BUDGET - SECOND)
    case.away()
    case.peers[0].send(default_answers(asks[0]))
    case.peers[1].send(default_answers(asks[1]))
    world.clock.pass_time(50 * SECOND)
    case.back()
    world.clock.pass_time(SECOND)
    assert not of_type(world, TimedOut)
    assert [fact.at for fact in of_type(world, Answered)] == [BUDGET - SECOND] * 2


def test_it_is_tried_four_times_a_second_and_nothing_spins() -> None:
    case = Case()
    case.store.tries.clear()
    began = case.world.clock.time
    case.pause()
    case.world.clock.pass_time(10 * SECOND)
    tries = [at - began for at in case.store.tries]
    assert tries == [n * 250 * MS for n in range(41)]


def test_at_60_seconds_it_is_tried_a_last_time() -> None:
    case = Case()
    case.pause()
    case.world.clock.pass_time(60 * SECOND - 1)
    assert not over(case.match)
    case.back()
    case.world.clock.pass_time(1)
    assert not over(case.match)
    assert of_type(case.world, Stalled)[0].blocked_ns == 60 * SECOND


def test_other_matches_pause_too_and_none_begins() -> None:
    case = Case()
    world = case.world
    others = world.table()
    other = world.play(others, config_of("n"))
    asks = [peer.asks() for peer in others]
    waiting = world.table()
    case.pause()
    world.clock.pass_time(30 * SECOND)
    for peer, asked in zip(others, asks, strict=True):
        peer.send(default_answers(asked))
        assert not peer.frames()
    with pytest.raises(StoreError):
        world.play(waiting, config_of("o"))
    case.back()
    world.clock.pass_time(250 * MS)
    assert len(of_type(world, Stalled, "n")) == 1
    assert {fact.at for fact in of_type(world, Answered, "n")} == {0}
    assert play_to_end(world, others, other).banks == (60 * SECOND,) * 4


def test_the_lobby_seats_nobody_until_it_is_over() -> None:
    case = Case()
    world = case.world
    tables: list[int] = []

    def start(table: Sequence[object]) -> None:
        world.service.start_match(config_of("l"), table, header=HEADER)  # type: ignore[arg-type]
        tables.append(len(table))

    waiting = world.table()
    for peer in waiting:
        peer.frames()
    case.pause()
    world.reception.open_lobby(Lobby(seats=4, may_share=False, start=start, matches=1))
    assert tables == []
    case.back()
    world.clock.pass_time(250 * MS)
    assert tables == [4]
    assert waiting[0].updates()[0].seating.match_id == "l"


def test_a_match_that_cannot_be_opened_is_tried_again() -> None:
    case = Case()
    world = case.world
    tables: list[int] = []

    def start(table: Sequence[object]) -> None:
        world.service.start_match(config_of("l"), table, header=HEADER)  # type: ignore[arg-type]
        tables.append(len(table))

    waiting = world.table()
    case.away()  # but no append has told us so
    world.reception.open_lobby(Lobby(seats=4, may_share=False, start=start, matches=1))
    assert tables == []
    case.back()
    world.clock.pass_time(250 * MS)
    assert tables == [4]
    assert all(peer.link.end_with is None for peer in waiting)


def test_a_match_that_waits_for_its_seats_waits_on() -> None:
    case = Case()
    world = case.world
    world.restart()
    others = world.table()
    other = world.play(others, config_of("n"))
    early = [world.back(peer) for peer in case.peers[:3]]
    case.away()
    others[0].send(default_answers(others[0].asks()))
    world.clock.pass_time(120 * SECOND)
    assert other.ended is not None  # it ran
    (waiting,) = world.service.matches()
    assert waiting.waiting
    case.back()
    world.clock.pass_time(SECOND)
    last = world.back(case.peers[3])
    assert last.updates()[0].seating.seat == 3
    peers = [*early, last]
    for peer in peers:
        peer._seen = 0
    assert play_to_end(world, peers, waiting).ending is Ending.COMPLETED


def test_seats_that_are_all_back_in_it_go_on_after_it() -> None:
    case = Case()
    world = case.world
    world.restart()
    others = world.table()
    world.play(others, config_of("n"))
    case.away()
    others[0].send(default_answers(others[0].asks()))
    again = [world.back(peer, session_token=peer.token) for peer in case.peers]
    world.clock.pass_time(40 * SECOND)
    assert [len(peer.frames()) for peer in again] == [1] * 4
    assert next(match for match in world.service.matches() if match.id == "m").waiting
    case.back()
    world.clock.pass_time(250 * MS)
    assert [peer.updates()[0].seating.seat for peer in again] == [0, 1, 2, 3]


def test_a_block_of_the_loop_in_it_is_part_of_it() -> None:
    case = Case()
    world = case.world
    case.pause()
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    case.back()
    world.clock.pass_time(250 * MS)
    assert len(of_type(world, Stalled)) == 1


def test_readiness_is_told_logged_and_counted(logs: list[MutableMapping[str, object]]) -> None:
    case = Case()

    def value(name: str) -> float:
        return next(f.samples[0].value for f in case.world.meter.collect() if f.name == name)

    assert value("referee_ready") == 1
    case.pause()
    assert value("referee_ready") == 0
    case.world.clock.pass_time(2 * SECOND)
    case.back()
    case.world.clock.pass_time(250 * MS)
    assert value("referee_ready") == 1
    assert value("referee_store_away_seconds") == 2.25
    assert case.ready == [False, True]
    events = [log["event"] for log in logs]
    assert events.count("the store is away") == events.count("the store is back") == 1


def test_in_the_middle_of_a_round_with_a_window_open() -> None:
    case = Case(pace=Pace.FAIR, window_ns=20 * MS)
    world = case.world
    leader, rest = reach_play(world, case.peers)
    leader._seen = 0
    asks = [(n, ask) for n, ask in leader.asks() if ask.WhichOneof("kind") == "act"]
    leader.send(default_answers(asks[-1:]))
    world.clock.pass_time(30 * MS)
    case.away()
    for peer in rest:
        if found := peer.asks():
            peer.send(default_answers(found), settle=False)
    world.clock.settle()
    world.clock.pass_time(30 * SECOND)
    case.back()
    world.clock.pass_time(SECOND)
    for peer in case.peers:
        peer._seen = 0
    ended = play_to_end(world, case.peers, case.match)
    assert ended.ending is Ending.COMPLETED
    verified(world)


def test_a_call_of_the_store_that_fails_slowly_makes_nobody_late() -> None:
    """Match time stands still from before the call: what fell due in it did not happen."""
    case = Case()
    world = case.world
    asks = case.peers[0].asks()
    world.clock.pass_time(BUDGET - SECOND)
    real = case.store.append

    def slow(batches: Sequence[Batch]) -> None:
        if case.store.why is not None:
            world.clock.time += 5 * SECOND
        real(batches)

    case.store.append = slow  # type: ignore[method-assign]
    case.away()
    case.peers[0].send(default_answers(asks))
    case.back()
    world.clock.pass_time(250 * MS)
    assert not of_type(world, TimedOut)
    assert [fact.at for fact in of_type(world, Stalled)] == [BUDGET - SECOND]


def test_a_block_that_began_in_it_is_part_of_it_too() -> None:
    """The call that brought the store back took its time, in the very turn."""
    case = Case()
    world = case.world
    world.clock.pass_time(10 * SECOND)
    case.pause()
    case.back()
    real = case.store.append

    def slow(batches: Sequence[Batch]) -> None:
        world.clock.time += SECOND
        real(batches)

    case.store.append = slow  # type: ignore[method-assign]
    world.clock.pass_time(250 * MS)
    case.store.append = real  # type: ignore[method-assign]
    world.service.turned(2 * SECOND)
    world.clock.settle()
    assert len(of_type(world, Stalled)) == 1


def test_a_store_that_keeps_no_token_is_not_ready_though_no_match_waits_for_it(
    logs: list[MutableMapping[str, object]],
) -> None:
    case = Case()
    world = case.world
    case.away()
    for _ in range(5):
        newcomer = world.back(case.peers[0])
        assert newcomer.link.end_with is not None
    events = [log["event"] for log in logs if log["log_level"] != "info"]
    assert events == ["the store keeps no session"]
    assert case.ready == [False]
    assert not case.match.halted
    world.clock.pass_time(5 * SECOND)
    assert case.ready == [False]
    case.back()
    world.clock.pass_time(250 * MS)
    assert case.ready == [False, True]

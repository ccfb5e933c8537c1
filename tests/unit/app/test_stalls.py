"""When our own loop was blocked: nobody is late for it, and over the limit all is asked anew."""

from collections.abc import MutableMapping, Sequence

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.limits import SECOND
from referee.match.facts import Answered, Stalled, TimedOut
from referee.match.values import MS, Ending, Pace
from referee.ports import Batch
from referee.store.memory import MemoryStore
from tests.unit.app.world import (
    Peer,
    World,
    config_of,
    default_answers,
    play_to_end,
    reach_play,
)

BUDGET = 62_000 * MS  # base and bank of the default clock


def times_out(world: World) -> list[TimedOut]:
    return [fact for fact in world.facts() if isinstance(fact, TimedOut)]


def stalls(world: World, match_id: str = "m") -> list[Stalled]:
    return [fact for fact in world.facts(match_id) if isinstance(fact, Stalled)]


def start(**settings: object) -> tuple[World, list[Peer]]:
    world = World()
    peers = world.table()
    world.play(peers, config_of("m", **settings))
    return world, peers


@pytest.mark.parametrize("pace", list(Pace))
def test_a_hog_of_30_ms_makes_nobody_late(pace: Pace) -> None:
    """All four answer 10 ms before their time is up, while the loop is busy."""
    world, peers = start(pace=pace)
    asks = [peer.asks() for peer in peers]
    world.clock.pass_time(BUDGET - 10 * MS)
    world.clock.stall(30 * MS)
    for peer, asked in zip(peers, asks, strict=True):
        peer.send(default_answers(asked), settle=False)
    world.clock.settle()
    answered = [fact for fact in world.facts() if isinstance(fact, Answered)]
    assert [fact.at for fact in answered] == [BUDGET - 10 * MS] * 4
    assert not times_out(world)
    assert not stalls(world)


def test_after_it_who_had_sent_nothing_is_late() -> None:
    world, peers = start()
    asks = [peer.asks() for peer in peers]
    world.clock.pass_time(BUDGET - 10 * MS)
    world.clock.stall(30 * MS)
    for peer, asked in zip(peers[:3], asks, strict=False):
        peer.send(default_answers(asked), settle=False)
    world.clock.settle()
    assert [(fact.seat, fact.at) for fact in times_out(world)] == [(3, BUDGET)]


class CountingStore(MemoryStore):
    """Notes how often it was called."""

    calls = 0

    def append(self, batches: Sequence[Batch]) -> None:
        self.calls += 1
        super().append(batches)


def test_a_pass_after_a_long_block_goes_on_until_all_that_waited_is_read() -> None:
    """Else what it hands over would move match time past the stamps of the others."""
    store = CountingStore()
    world = World(store=store)
    peers = world.table()
    world.play(peers)
    asks = [peer.asks() for peer in peers]
    world.clock.stall(30 * MS)
    before = store.calls
    peers[0].send(default_answers(asks[0]), settle=False)

    def read_on() -> None:
        for peer, asked in zip(peers[1:], asks[1:], strict=True):
            peer.send(default_answers(asked), settle=False)

    world.clock.call_soon(lambda: world.clock.call_soon(read_on))
    world.clock.settle()
    assert store.calls == before + 1


def test_what_came_after_the_block_has_its_own_stamp() -> None:
    """A second block follows at once; what was sent in it did not wait through the first."""
    world, peers = start()
    asks = [peer.asks() for peer in peers]
    began = world.clock.time

    def again() -> None:
        world.clock.stall(40 * MS)
        peers[1].send(default_answers(asks[1]), settle=False)

    world.clock.stall(30 * MS)
    peers[0].send(default_answers(asks[0]), settle=False)
    world.clock.call_soon(lambda: world.clock.call_soon(again))
    world.clock.settle()
    answered = [fact for fact in world.facts() if isinstance(fact, Answered)]
    assert [fact.at for fact in answered] == [0, 30 * MS]
    assert world.clock.time == began + 70 * MS


def test_a_pass_that_was_open_when_the_loop_was_blocked_waits_too() -> None:
    store = CountingStore()
    world = World(store=store)
    peers = world.table()
    world.play(peers)
    asks = [peer.asks() for peer in peers]
    before = store.calls
    peers[0].send(default_answers(asks[0]), settle=False)
    world.clock.stall(30 * MS)
    peers[1].send(default_answers(asks[1]), settle=False)
    world.clock.settle()
    assert store.calls == before + 1


def test_a_hog_of_two_seconds_is_ours_all_are_asked_anew_and_nothing_is_charged() -> None:
    world, peers = start()
    asks = [peer.asks() for peer in peers]
    world.clock.pass_time(SECOND)
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    (stall,) = stalls(world)
    assert (stall.at, stall.blocked_ns) == (SECOND, 2 * SECOND)
    for peer, asked in zip(peers, asks, strict=True):
        (update,) = peer.updates()
        (cancelled,) = update.cancelled
        assert cancelled.ask_id == asked[0][1].ask_id
        assert cancelled.reason == match_pb2.CANCEL_REASON_REFEREE
        (again,) = update.asks
        assert again.ask_id == cancelled.ask_id + 1
        assert again.time_left_ms == BUDGET // MS
    (match,) = world.service._desk.matches.values()
    assert match.machine.banks == (60 * SECOND,) * 4
    for peer in peers:
        peer._seen = 0
    ended = play_to_end(world, peers, match)
    assert ended.ending is Ending.COMPLETED
    assert ended.banks == (60 * SECOND,) * 4


def test_what_fell_due_in_it_does_not_happen() -> None:
    world, _ = start()
    world.clock.pass_time(BUDGET - SECOND)
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    assert not times_out(world)
    assert stalls(world)


def test_an_answer_that_waited_in_it_counts_and_its_seat_is_not_asked_again() -> None:
    world, peers = start()
    world.clock.pass_time(SECOND)
    asks = peers[0].asks()
    world.clock.stall(2 * SECOND)
    peers[0].send(default_answers(asks), settle=False)
    world.clock.settle()
    (answered,) = [fact for fact in world.facts() if isinstance(fact, Answered)]
    assert (answered.seat, answered.at) == (0, SECOND)
    assert not peers[0].asks()
    assert all(peer.asks() for peer in peers[1:])


@pytest.mark.parametrize("pace", list(Pace))
def test_in_the_middle_of_a_round_the_match_goes_on_after_it(pace: Pace) -> None:
    world, peers = start(pace=pace, window_ns=20 * MS)
    (match,) = world.service._desk.matches.values()
    reach_play(world, peers)
    for peer in peers:
        peer._seen = 0
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    assert len(stalls(world)) == 1
    assert play_to_end(world, peers, match).ending is Ending.COMPLETED


def test_one_block_counts_once_and_two_in_a_row_ask_anew_once() -> None:
    world, peers = start()
    peers[0].asks()
    world.clock.stall(SECOND)
    world.clock.stall(SECOND)
    world.clock.settle()
    assert [fact.at for fact in stalls(world)] == [0, SECOND]
    assert len(peers[0].asks()) == 1
    world.clock.pass_time(SECOND)
    assert len(stalls(world)) == 2


def test_each_match_has_its_own_limit() -> None:
    world = World()
    world.play(world.table(), config_of("strict", lag_limit_ns=100 * MS))
    world.play(world.table(), config_of("loose"))
    world.clock.stall(200 * MS)
    world.clock.settle()
    assert (len(stalls(world, "strict")), len(stalls(world, "loose"))) == (1, 0)


def test_a_match_that_began_after_the_block_knows_nothing_of_it() -> None:
    world = World()
    peers = world.table()
    world.clock.stall(2 * SECOND)
    world.play(peers)
    assert not stalls(world)


def test_without_a_clock_it_is_a_fact_and_nothing_more() -> None:
    world, peers = start(clock=None)
    asks = [peer.asks() for peer in peers]
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    assert len(stalls(world)) == 1
    assert not peers[0].updates()
    peers[0].send(default_answers(asks[0]))
    assert peers[0].updates()


def test_it_is_logged_and_counted(logs: list[MutableMapping[str, object]]) -> None:
    world, _ = start()
    world.clock.stall(2 * SECOND)
    world.clock.settle()
    (line,) = [line for line in logs if line["event"] == "stalled"]
    assert (line["blocked_ms"], line["matches"]) == (2_000, 1)
    values = {f.name: f.samples[0].value for f in world.meter.collect()}
    assert values["referee_stalls"] == 1
    assert values["referee_stalled_seconds"] == 2

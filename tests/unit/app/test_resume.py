"""After a restart: matches go on where their facts end, once all seats are back (DESIGN 3)."""

from collections.abc import Sequence

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.match.facts import Answered, MatchEnded, Resumed
from referee.match.values import MS, Ending, Pace
from referee.ports import Batch
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.store.memory import MemoryStore
from tests.unit.app.coming_back import (
    come_back,
    hello_of,
    reach_round,
    rewound,
    running,
    same_facts_once,
    updates_of,
)
from tests.unit.app.world import (
    Peer,
    World,
    config_of,
    default_answers,
    play_to_end,
    reach_play,
)


@pytest.mark.parametrize("pace", list(Pace))
def test_a_match_goes_on_from_its_facts_to_its_end(pace: Pace) -> None:
    world = World()
    peers = world.table()
    world.play(peers, config_of(pace=pace, window_ns=20 * MS))
    reach_play(world, peers)
    before = world.facts()
    assert world.restart(outage_ns=3 * SECOND) == 1
    again = come_back(world, peers)
    assert world.facts()[: len(before)] == before
    (resumed,) = [fact for fact in world.facts() if isinstance(fact, Resumed)]
    assert (resumed.at, resumed.epoch) == (before[-1].at, 2)
    ended = play_to_end(world, again, running(world))
    assert ended.ending is Ending.COMPLETED
    assert ended.banks == (60 * SECOND,) * 4
    same_facts_once(world)


def test_many_kills_in_one_match_leave_one_record() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    for _ in range(30):
        world.restart(outage_ns=SECOND)
        if not world.service._desk.matches:
            break
        peers = come_back(world, peers)
        for peer in peers:
            peer.send(default_answers(peer.asks()))
        world.clock.pass_time(3 * MS)
    assert [fact.epoch for fact in world.facts() if isinstance(fact, Resumed)][:3] == [2, 3, 4]
    if world.service._desk.matches:
        world.restart()
        play_to_end(world, come_back(world, peers), running(world))
    assert isinstance(world.facts()[-1], MatchEnded)
    same_facts_once(world)


def test_nobody_hears_of_a_match_before_all_its_seats_are_back() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.clock.pass_time(SECOND)
    world.restart()
    before = world.facts()
    early = come_back(world, peers[:3])
    world.clock.pass_time(20 * SECOND)
    assert [peer.frames()[0].HasField("welcome") for peer in early] == [True] * 3
    for peer in early:
        assert not peer.updates()
    assert world.facts() == before
    last = world.back(peers[3])
    assert [update.seating.seat for update in updates_of([*early, last])] == [0, 1, 2, 3]


def test_asks_are_open_again_under_their_numbers_with_the_time_they_had_when_sent() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    asks = [peer.asks() for peer in peers]
    world.clock.pass_time(40 * SECOND)
    world.restart(outage_ns=9 * SECOND)
    again = come_back(world, peers)
    for update, asked in zip(updates_of(again), asks, strict=True):
        assert [ask.ask_id for ask in update.asks] == [ask.ask_id for _, ask in asked]
        assert [ask.time_left_ms for ask in update.asks] == [62_000]
        assert update.match == asked[0][0]
        assert not update.cancelled
    world.clock.pass_time(61 * SECOND)
    for peer in again:
        peer._seen = 0
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.settle()
    answered = [fact for fact in world.facts() if isinstance(fact, Answered)]
    assert [fact.at for fact in answered] == [61 * SECOND] * 4  # the outage is no match time


def test_the_snapshot_after_a_restart_is_that_of_a_mere_reconnect() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    reach_play(world, peers)
    for peer in peers:
        peer.lose()
    before = updates_of(come_back(world, peers))
    world.restart()
    after = updates_of(come_back(world, peers))
    for one, two in zip(before, after, strict=True):
        assert one.snapshot == two.snapshot
        assert one.seating == two.seating
        assert one.match == two.match


def test_events_go_on_under_their_numbers_in_a_later_round() -> None:
    world = World()
    peers = world.table()
    world.play(peers, config_of(rules=RuleOptions(rounds=2)))
    reach_round(world, peers, 2)
    for peer in peers:
        peer.lose()
    before = updates_of(come_back(world, peers))
    world.restart()
    again = come_back(world, peers)
    after = updates_of(again)
    assert [one.snapshot for one in after] == [one.snapshot for one in before]
    last = after[0].snapshot.last_event
    assert after[0].snapshot.events[0].number > 30
    for peer, update in zip(again, after, strict=True):
        peer.send(default_answers([(update.match, ask) for ask in update.asks]), settle=False)
    world.clock.pass_time(MS)
    (update,) = again[0].updates()
    assert update.events[0].number == last + 1


def test_an_acknowledged_answer_stands_and_is_not_asked_again() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    asked = peers[0].asks()
    peers[0].send(default_answers(asked))
    world.restart()
    again = come_back(world, peers)
    first, *others = updates_of(again)
    assert not first.asks
    assert all(update.asks for update in others)
    again[0].send(default_answers(asked))
    (update,) = again[0].updates()
    assert [ack.status for ack in update.acks] == [match_pb2.ACK_STATUS_DUPLICATE]


def test_an_answer_that_was_not_durable_was_never_given() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    asked = peers[0].asks()
    peers[0].send(default_answers(asked), settle=False)  # the pass never ends
    world.restart()
    update, *_ = updates_of(come_back(world, peers))
    assert [ask.ask_id for ask in update.asks] == [asked[0][1].ask_id]


def test_an_answer_from_before_the_restart_finds_its_ask_again() -> None:
    """A bot that kept its memory may have answered in between; late is stale, never guessed."""
    world = World()
    peers = world.table()
    world.play(peers)
    old = peers[0].asks()
    for peer in peers:
        peer.send(default_answers(old if peer is peers[0] else peer.asks()))
    world.clock.pass_time(MS)
    world.restart()
    again = come_back(world, peers)
    again[0].frames()
    again[0].send(default_answers(old))
    (update,) = again[0].updates()
    assert [ack.status for ack in update.acks] == [match_pb2.ACK_STATUS_DUPLICATE]
    assert not update.refused


def test_held_back_no_match_goes_on_before_it_may() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.clock.kill()
    world.memory.reopen()
    world._begin()
    world.service.resume(world.memory.left(), hold=True)
    again = come_back(world, peers)
    assert running(world).waiting
    world.service.go_on()
    world.clock.settle()
    assert play_to_end(world, rewound(again), running(world)).ending is Ending.COMPLETED


class Recorder(MemoryStore):
    """Notes what is kept, and how many frames had gone out by then."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[Peer] = []
        self.kept: list[tuple[str, int]] = []

    def append(self, batches: Sequence[Batch]) -> None:
        lines = b"".join(line for batch in batches for line in batch.lines)
        if b'"resumed"' in lines:
            self.kept.append(("resumed", sum(len(peer.link.raw) for peer in self.links)))
        super().append(batches)


def test_the_resume_is_durable_before_any_seat_is_told() -> None:
    store = Recorder()
    world = World(store=store)
    peers = world.table()
    world.play(peers)
    world.restart()
    streams = [world.stream(world.reception.instances.get(p.session.instance.id)) for p in peers]
    store.links = streams
    for stream in streams:
        stream.send(referee_pb2.PlayRequest(hello=hello_of("b")), settle=False)
    world.clock.settle()
    assert store.kept == [("resumed", 4)]  # their Welcomes
    assert all(len(stream.link.raw) > 1 for stream in streams)


def test_where_nobody_has_an_open_ask_the_window_begins_anew_all_the_same() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers, config_of(pace=Pace.FAIR, window_ns=200 * MS))
    window = match.machine._state.window
    for _ in range(2_000):
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)
        open_asks = [ask for seat in range(4) for ask in match.machine.open_asks(Seat(seat))]
        if not window.shut() and not open_asks:
            break
    else:
        raise AssertionError("no window was open with all answers in")
    world.restart()
    again = come_back(world, peers)
    assert not running(world).machine._state.window.shut()
    assert all(not update.asks for update in updates_of(again))
    before = len(world.facts())
    world.clock.pass_time(200 * MS)
    assert len(world.facts()) > before


def test_a_round_from_before_the_restart_counts_when_the_referee_fails_later() -> None:
    world = World()
    peers = world.table()
    world.play(peers, config_of(rules=RuleOptions(rounds=3)))
    while not any(b'"round_ended"' in line for line in world.memory.matches["m"].lines):
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)
    totals = running(world).score
    world.restart()
    come_back(world, peers)
    match = running(world)
    world.service._desk.failed(match, RuntimeError("ours"))
    world.clock.settle()
    assert match.ended is not None
    assert (match.ended.totals, match.ended.rounds) == totals
    assert match.ended.rounds == 1


def test_two_restarts_in_a_row_without_anybody_count_once() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    world.restart()
    come_back(world, peers)
    assert [fact.epoch for fact in world.facts() if isinstance(fact, Resumed)] == [3]


def test_between_two_rounds_the_next_deal_follows() -> None:
    """Round end and deal are one append; a match that was cut between them goes on all the same."""
    world = World()
    peers = world.table()
    world.play(peers, config_of(rules=RuleOptions(rounds=2)))
    while not any(b'"round_ended"' in line for line in world.memory.matches["m"].lines):
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(MS)
    lines = world.memory.matches["m"].lines
    cut = next(n for n, line in enumerate(lines) if b'"round_ended"' in line) + 1
    del lines[cut:]
    world.restart()
    again = come_back(world, peers)
    ended = play_to_end(world, again, running(world))
    assert (ended.ending, ended.rounds) == (Ending.COMPLETED, 2)
    for peer in again:
        assert peer.session.open_asks == 0

"""Passes: stored before told, one call of the store a pass, and a bug that ends one match only."""

from collections.abc import Callable, MutableMapping, Sequence

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.running import RunningMatch
from referee.match.facts import Fact, MatchEnded, decode_fact
from referee.match.machine import Machine
from referee.match.replay import Difference, replay
from referee.match.snapshot import SeatSnapshot
from referee.match.step import Step
from referee.match.values import MS, Blame, Ending, MatchConfig
from referee.ports import Batch, MatchHeader, SeatRow, StoreError
from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.store.memory import MemoryStore
from referee.wire.codec import WireCodec
from tests.unit.app.world import (
    HEADER,
    Peer,
    World,
    config_of,
    default_answers,
    play_to_end,
)


class WatchedStore(MemoryStore):
    """Notes what seats had been told when facts came."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.told: list[int] = []
        self.links: list[Peer] = []

    def append(self, batches: Sequence[Batch]) -> None:
        self.calls.append([batch.match_id for batch in batches])
        self.told.append(sum(len(peer.link.raw) for peer in self.links))
        super().append(batches)


def test_facts_are_stored_before_anybody_is_told() -> None:
    store = WatchedStore()
    world = World(store=store)
    store.links = world.table()
    before = sum(len(peer.link.raw) for peer in store.links)
    world.play(store.links)
    assert store.told[0] == before
    assert sum(len(peer.link.raw) for peer in store.links) > before


def test_one_pass_is_one_call_of_the_store() -> None:
    store = WatchedStore()
    world = World(store=store)
    one, two = world.table(), world.table()
    world.play(one, config_of("a"))
    world.play(two, config_of("b"))
    calls = len(store.calls)
    for peer in (*one, *two):
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.settle()
    assert store.calls[calls:] == [["a", "b"]]


def test_a_store_that_cannot_begin_refuses_the_match() -> None:
    class Full(MemoryStore):
        def open_match(
            self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
        ) -> None:
            raise StoreError("disk full")

    world = World(store=Full())
    peers = world.table()
    with pytest.raises(StoreError, match="disk full"):
        world.play(peers)
    assert not any(peer.session.holdings for peer in peers)


def _broken(machine: Machine) -> type[Machine]:
    """A machine whose next answers hit a bug that knows a card."""

    class Broken(Machine):
        __slots__ = ()

        def step(self, what: object, now: int) -> Step:
            if type(what).__name__ == "Answer":
                raise RefereeBug("seat 2 holds the Dragon")
            return super().step(what, now)  # type: ignore[arg-type]

    return Broken


def test_a_bug_in_one_match_ends_it_and_leaves_the_others_running() -> None:
    world = World()
    sick, well = world.table(), world.table()
    match, other = world.play(sick, config_of("sick")), world.play(well, config_of("well"))
    match.machine.__class__ = _broken(match.machine)
    sick[0].send(default_answers(sick[0].asks()))
    world.clock.pass_time(MS)
    assert match.ended is not None
    assert (match.ended.ending, match.ended.blame) == (Ending.REFEREE_FAILED, Blame.REFEREE)
    for peer in sick:
        assert peer.link.end_with is None
        ends = [e for u in peer.updates() for e in u.events if e.HasField("match_ended")]
        assert [e.match_ended.ending for e in ends] == [match_pb2.ENDING_REFEREE_FAILED]
        assert all(b"Dragon" not in frame for frame in peer.link.raw)
    assert play_to_end(world, well, other).ending is Ending.COMPLETED


def test_a_machine_that_fails_whatever_it_is_fed_still_ends() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)

    class Dead(Machine):
        __slots__ = ()

        def step(self, what: object, now: int) -> Step:
            raise RefereeBug("dead")

    match.machine.__class__ = Dead
    peers[0].send(default_answers(peers[0].asks()))
    world.clock.pass_time(MS)
    assert match.ended is not None
    assert match.ended.ending is Ending.REFEREE_FAILED
    assert world.service.running == 0
    last = peers[1].updates()[-1]
    assert last.events[-1].match_ended.ending == match_pb2.ENDING_REFEREE_FAILED
    again = world.back(peers[1])
    assert not again.updates()
    assert not last.HasField("snapshot")


def test_a_seat_that_was_away_is_shown_nothing_of_a_machine_that_cannot_end() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)

    class Dead(Machine):
        __slots__ = ()

        def step(self, what: object, now: int) -> Step:
            raise RefereeBug("dead")

    peers[1].lose()
    match.machine.__class__ = Dead
    peers[0].send(default_answers(peers[0].asks()))
    world.clock.pass_time(MS)
    (update,) = world.back(peers[1]).updates()
    assert update.events[-1].match_ended.ending == match_pb2.ENDING_REFEREE_FAILED
    assert not update.asks
    assert not update.HasField("snapshot")


def test_an_encoder_that_fails_ends_the_match_and_not_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    peers, others = world.table(), world.table()
    match, other = world.play(peers), world.play(others, config_of("n"))
    codec = world.service._desk.codec
    events = type(codec).events

    def broken(self: object, first: int, told: Sequence[object], seats: int) -> object:
        if first > 2 and match.steps == [] and match.ended is None and match.last == 7 * MS:
            raise RefereeBug("cannot say this")
        return events(codec, first, told, seats)  # type: ignore[arg-type]

    monkeypatch.setattr(type(codec), "events", broken)
    world.clock.pass_time(7 * MS)
    for peer in peers:
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.settle()
    assert match.ended is not None
    assert match.ended.ending is Ending.REFEREE_FAILED
    assert play_to_end(world, others, other).ending is Ending.COMPLETED


def test_a_snapshot_that_fails_ends_its_match_and_not_the_process() -> None:
    world = World()
    peers, others = world.table(), world.table()
    match, other = world.play(peers), world.play(others, config_of("n"))

    class Blind(Machine):
        __slots__ = ()

        def snapshot(self, seat: Seat) -> SeatSnapshot:
            raise RefereeBug("seat 2 holds the Dragon")

    match.machine.__class__ = Blind
    for peer in peers:
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.pass_time(2 * MS)
    assert match.ended is not None
    assert match.ended.ending is Ending.REFEREE_FAILED
    assert play_to_end(world, others, other).ending is Ending.COMPLETED


class Listener:
    """An audience that notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def tell(self, match_id: str, facts: Sequence[object]) -> None:
        self.heard.extend(facts)


def stored_facts(world: World) -> list[Fact]:
    return [decode_fact(line) for line in world.memory.matches["m"].lines]


def _blind(match: RunningMatch, _: pytest.MonkeyPatch) -> None:
    """No seat of this match can be told anything but events."""

    class Blind(Machine):
        __slots__ = ()

        def snapshot(self, seat: Seat) -> SeatSnapshot:
            raise RefereeBug("no view")

    match.machine.__class__ = Blind


def _deaf(match: RunningMatch, _: pytest.MonkeyPatch) -> None:
    match.machine.__class__ = _broken(match.machine)


def _dead(match: RunningMatch, _: pytest.MonkeyPatch) -> None:
    class Dead(Machine):
        __slots__ = ()

        def step(self, what: object, now: int) -> Step:
            raise RefereeBug("dead")

    match.machine.__class__ = Dead


def _mute(match: RunningMatch, patch: pytest.MonkeyPatch) -> None:
    """No seat can be told its asks: each of them is a failure of its own."""

    def no_ask(*_: object, **__: object) -> bytes:
        raise RefereeBug("cannot say this")

    patch.setattr(WireCodec, "ask_part", no_ask)


@pytest.mark.parametrize("fail", [_blind, _deaf, _dead, _mute])
def test_a_match_that_we_failed_ends_once_and_its_record_re_executes(
    fail: Callable[[RunningMatch, pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, listener = World(), Listener()
    peers = world.table()
    sessions = [peer.stream.session for peer in peers]
    match = world.service.start_match(
        config_of(), [s for s in sessions if s], header=HEADER, audience=listener
    )
    world.clock.pass_time(2 * MS)
    fail(match, monkeypatch)
    for peer in peers:
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.pass_time(2 * MS)
    facts = stored_facts(world)
    ends = [fact for fact in facts if isinstance(fact, MatchEnded)]
    assert [end.ending for end in ends] == [Ending.REFEREE_FAILED]
    assert (facts[-1], ends[0].totals, len(ends[0].banks)) == (ends[0], (0, 0), 4)
    assert not [one for one in replay(match.config, facts) if isinstance(one, Difference)]
    assert [fact for fact in listener.heard if isinstance(fact, MatchEnded)] == ends
    assert world.memory.matches["m"].closed


def test_an_end_that_cannot_be_told_stays_the_end_of_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, listener = World(), Listener()
    peers = world.table()
    sessions = [peer.stream.session for peer in peers]
    match = world.service.start_match(
        config_of(), [s for s in sessions if s], header=HEADER, audience=listener
    )
    codec = type(world.service._desk.codec)
    events = codec.events

    def broken(self: object, first: int, told: Sequence[object], seats: int) -> object:
        if isinstance(told[-1], MatchEnded):
            raise RefereeBug("cannot say this")
        return events(self, first, told, seats)  # type: ignore[arg-type]

    monkeypatch.setattr(codec, "events", broken)
    ended = play_to_end(world, peers, match)
    assert ended.ending is Ending.COMPLETED
    assert [fact for fact in stored_facts(world) if isinstance(fact, MatchEnded)] == [ended]
    assert [fact for fact in listener.heard if isinstance(fact, MatchEnded)] == [ended]
    assert world.service.running == 0


def test_each_round_is_logged_with_its_score(logs: list[MutableMapping[str, object]]) -> None:
    world = World()
    peers = world.table()
    match = world.play(peers, config_of(rules=RuleOptions(rounds=2)))
    totals = play_to_end(world, peers, match).totals
    rounds = [log for log in logs if log["event"] == "round ended"]
    assert [(log["match"], log["round"], log["log_level"]) for log in rounds] == [
        ("m", 1, "info"),
        ("m", 2, "info"),
    ]
    assert rounds[-1]["totals"] == [*totals]
    assert rounds[0]["points"] == rounds[0]["totals"]


def test_an_audience_that_fails_hears_no_more_and_the_match_goes_on() -> None:
    class Gone:
        def tell(self, match_id: str, facts: Sequence[object]) -> None:
            raise BrokenPipeError

    world = World()
    peers = world.table()
    sessions = [peer.stream.session for peer in peers]
    match = world.service.start_match(
        config_of(), [s for s in sessions if s], header=HEADER, audience=Gone()
    )
    world.clock.settle()
    assert play_to_end(world, peers, match).ending is Ending.COMPLETED


def test_a_bug_of_the_store_is_a_failure_of_the_store() -> None:
    class Buggy(MemoryStore):
        def append(self, batches: Sequence[Batch]) -> None:
            raise RefereeBug("fact 3 after 5 of them")

    world = World(store=Buggy())
    match = world.play(world.table())
    assert match.ended is not None
    assert match.ended.ending is Ending.STORE_FAILED


def test_what_was_stored_re_executes_to_the_same_facts() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    play_to_end(world, peers, match)
    stored = world.memory.matches["m"]
    facts = [decode_fact(line) for line in stored.lines]
    assert stored.closed
    assert stored.header == HEADER
    assert not [one for one in replay(stored.config, facts) if isinstance(one, Difference)]


def test_the_audience_hears_what_everybody_may_know_and_nothing_else() -> None:
    listener = Listener()
    world = World()
    peers = world.table()
    sessions = [peer.stream.session for peer in peers]
    match = world.service.start_match(
        config_of(), [s for s in sessions if s], header=HEADER, audience=listener
    )
    world.clock.settle()
    play_to_end(world, peers, match)
    heard = [type(fact).__name__ for fact in listener.heard]
    assert heard[-1] == "MatchEnded"
    assert {"Played", "Passed", "RoundEnded"} <= set(heard)
    assert not set(heard) & {"Dealt", "Answered", "Exchanged", "CallAsked", "StoodDown"}


def test_one_instance_in_two_seats_is_refused_unless_it_is_allowed() -> None:
    world = World()
    peers = world.table()
    with pytest.raises(ConfigError, match="one instance in two seats"):
        world.play([peers[0], peers[1], peers[0], peers[2]])
    shared = World(may_share=True)
    one = shared.join(max_matches=4)
    match = shared.play([one] * 4)
    assert play_to_end(shared, [one], match).ending is Ending.COMPLETED


def test_a_process_with_several_seats_has_a_number_for_each() -> None:
    world = World(may_share=True)
    one = world.join(max_matches=4)
    world.play([one] * 4)
    world.clock.pass_time(5 * MS)
    seats = {u.match: u.seating.seat for u in one.updates() if u.HasField("seating")}
    assert seats == {1: 0, 2: 1, 3: 2, 4: 3}

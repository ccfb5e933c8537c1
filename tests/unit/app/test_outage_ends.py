"""What an outage of the store does to ends: too long, at a start, at an end, fenced, draining."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND, Limits
from referee.match.facts import Answered, Faulted, MatchEnded, Stalled
from referee.match.values import MS, Blame, Ending, MatchConfig
from referee.ports import (
    MatchHeader,
    SeatRow,
    Status,
    StoreError,
    StoreFenced,
)
from referee.rules.errors import RefereeBug
from tests.unit.app.away import Away, Case, of_type, verified
from tests.unit.app.world import (
    World,
    config_of,
    default_answers,
    hello_frame,
    over,
    play_to_end,
)


def test_after_60_seconds_running_matches_end_and_what_waited_counts_for_nothing() -> None:
    case = Case()
    world = case.world
    for peer in case.peers:
        peer.frames()
        peer._seen = 0
    asks = [peer.asks() for peer in case.peers]
    case.away()
    for peer, asked in zip(case.peers, asks, strict=True):
        peer.send(default_answers(asked), settle=False)
    world.clock.settle()
    world.clock.pass_time(60 * SECOND)
    assert case.match.ended is not None
    assert (case.match.ended.ending, case.match.ended.blame) == (
        Ending.STORE_FAILED,
        Blame.REFEREE,
    )
    for peer in case.peers:
        (update,) = peer.updates()
        (event,) = update.events
        assert event.match_ended.ending == match_pb2.ENDING_STORE_FAILED
        (ack,) = update.acks  # what it answered came to nothing
        assert (ack.ask_id, ack.status) == (1, match_pb2.ACK_STATUS_STALE)
        assert not update.cancelled  # what it would have been asked next it never was
    assert not of_type(world, Answered)
    assert not of_type(world, MatchEnded)
    assert case.ready == [False]
    world.clock.pass_time(300 * SECOND)
    case.back()
    world.clock.pass_time(SECOND)
    assert case.ready == [False, True]
    (ended,) = of_type(world, MatchEnded)
    assert (ended.ending, ended.totals) == (Ending.STORE_FAILED, case.match.ended.totals)
    verified(world)
    assert world.memory.matches["m"].let_go
    assert world.memory.left().over == 1


def test_they_end_at_that_instant_and_not_at_the_next_try() -> None:
    case = Case(limits=Limits(store_away_ns=1_100 * MS))
    case.pause()
    case.world.clock.pass_time(1_100 * MS - 1)
    assert not over(case.match)
    case.world.clock.pass_time(1)
    assert over(case.match)


def test_with_no_patience_they_end_at_the_first_try() -> None:
    case = Case(limits=Limits(store_away_ns=0))
    case.pause()
    assert over(case.match)


def test_many_ends_are_kept_one_turn_after_another() -> None:
    case = Case()
    world = case.world
    for number in range(5):
        world.play(world.table(), config_of(f"n{number}"))
    case.pause()
    world.clock.pass_time(61 * SECOND)
    assert world.service.running == 0
    case.back()
    world.clock.pass_time(SECOND)
    assert world.memory.left().over == 6
    for match in ("m", *(f"n{number}" for number in range(5))):
        verified(world, match)


def test_in_the_pass_that_starts_a_match() -> None:
    store = Away()
    world = World(store=store)
    peers = world.table()

    class Full(Exception):
        pass

    store.only = lambda batches: store.why is not None
    real_open = store.open_match
    store.why = None

    def opened(config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]) -> str | None:
        path = real_open(config, header, seats)
        store.why = StoreError("disk full")
        return path

    store.open_match = opened  # type: ignore[method-assign]
    for peer in peers:
        peer.frames()
    match = world.play(peers)
    world.clock.pass_time(30 * SECOND)
    assert not any(peer.frames() for peer in peers)
    store.why = None
    world.clock.pass_time(250 * MS)
    for peer in peers:
        (update,) = peer.updates()
        assert [ask.time_left_ms for ask in update.asks] == [62_000]
        assert not update.cancelled
        peer._seen = 0
    assert play_to_end(world, peers, match).ending is Ending.COMPLETED
    verified(world)


def test_in_the_pass_that_starts_a_match_and_for_too_long() -> None:
    store = Away()
    world = World(store=store)
    peers = world.table()
    store.only = lambda batches: True
    real_open = store.open_match

    def opened(config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]) -> str | None:
        path = real_open(config, header, seats)
        store.why = StoreError("disk full")
        return path

    store.open_match = opened  # type: ignore[method-assign]
    match = world.play(peers)
    world.clock.pass_time(61 * SECOND)
    assert match.ended is not None
    store.why = None
    world.clock.pass_time(SECOND)
    assert [type(fact) for fact in world.facts()] == [Faulted, MatchEnded]
    verified(world)
    assert world.memory.left().started == world.memory.left().over == 1


def to_the_last_answer(case: Case) -> None:
    """Play until the store is first asked to keep the end of the match, and refuses."""
    case.store.only = lambda batches: any(batch.last for batch in batches)
    case.away()
    for _ in range(5_000):
        case.all_answer()
        case.world.clock.pass_time(MS)
        if case.world.service._desk.outage.away:
            return
    raise AssertionError("the match does not end")


def test_in_the_pass_that_ends_a_match() -> None:
    case = Case()
    to_the_last_answer(case)
    assert not over(case.match)
    case.world.clock.pass_time(10 * SECOND)
    case.back()
    case.world.clock.pass_time(SECOND)
    assert case.match.ended is not None
    assert case.match.ended.ending is Ending.COMPLETED
    assert case.last_event(case.peers[0]).match_ended.ending == match_pb2.ENDING_COMPLETED
    verified(case.world)


def test_in_the_pass_that_ends_a_match_and_for_too_long() -> None:
    case = Case()
    to_the_last_answer(case)
    case.world.clock.pass_time(61 * SECOND)
    assert case.match.ended is not None
    assert case.match.ended.ending is Ending.STORE_FAILED
    event = case.last_event(case.peers[0]).match_ended
    assert (tuple(event.totals), event.rounds) == ((0, 0), 0)
    case.back()
    case.world.clock.pass_time(SECOND)
    (ended,) = of_type(case.world, MatchEnded)
    assert (ended.ending, ended.totals, ended.rounds) == (Ending.STORE_FAILED, (0, 0), 0)
    verified(case.world)


def test_a_second_outage_right_after_the_first() -> None:
    case = Case()
    world = case.world
    case.pause()
    world.clock.pass_time(SECOND)
    case.back()
    world.clock.pass_time(250 * MS)
    case.away()
    case.peers[1].send(default_answers(case.peers[1].asks()[-1:]))
    world.clock.pass_time(59 * SECOND)
    case.back()
    world.clock.pass_time(SECOND)
    assert len(of_type(world, Stalled)) == 2
    for peer in case.peers:
        peer._seen = 0
    assert play_to_end(world, case.peers, case.match).banks == (60 * SECOND,) * 4
    verified(world)


def test_the_store_fails_again_when_the_pause_itself_is_to_be_kept() -> None:
    case = Case()
    world = case.world
    case.store.only = lambda batches: any(b"stalled" in b"".join(b.lines) for b in batches)
    asks = case.peers[0].asks()
    failing = case.store.only
    case.store.only = lambda batches: True
    case.away()
    case.peers[0].send(default_answers(asks))
    case.store.only = failing
    world.clock.pass_time(10 * SECOND)
    assert [fact.at for fact in of_type(world, Answered)] == [0]  # kept, and told nobody
    assert not case.peers[0].updates()
    case.back()
    world.clock.pass_time(SECOND)
    blocked = [fact.blocked_ns for fact in of_type(world, Stalled)]
    assert sum(blocked) == 10 * SECOND + 250 * MS
    assert len(case.peers[0].updates()) == 1
    for peer in case.peers:
        peer._seen = 0
    assert play_to_end(world, case.peers, case.match).ending is Ending.COMPLETED
    verified(world)


def test_what_is_kept_is_told_even_where_the_pause_cannot_be() -> None:
    case = Case()
    world = case.world
    asks = case.peers[0].asks()
    case.away()
    case.peers[0].send(default_answers(asks))
    case.store.only = lambda batches: any(b"stalled" in b"".join(b.lines) for b in batches)
    world.clock.pass_time(61 * SECOND)
    (update,) = case.peers[0].updates()
    assert update.acks[0].status == match_pb2.ACK_STATUS_RECEIVED
    assert update.events[-1].match_ended.ending == match_pb2.ENDING_STORE_FAILED
    case.back()
    world.clock.pass_time(SECOND)
    assert len(of_type(world, Answered)) == 1
    verified(world)


def test_draining_in_it_tells_all_and_takes_no_time() -> None:
    case = Case()
    world = case.world
    began = world.clock.time
    case.pause()
    world.service.drain(coming_back=True)
    assert world.clock.time == began
    assert case.match.ended is not None
    assert (case.match.ended.ending, case.match.ended.blame) == (Ending.CANCELLED, Blame.NONE)
    for peer in case.peers:
        frames = peer.frames()
        assert frames[-1].closing.code == referee_pb2.CLOSING_CODE_DRAINING
        events = [e for frame in frames for u in frame.updates for e in u.events]
        assert events[-1].match_ended.ending == match_pb2.ENDING_CANCELLED
    assert not of_type(world, MatchEnded)  # the next process goes on with it
    assert len(case.store.left().matches) == 1


def test_draining_in_it_keeps_all_if_the_store_is_back_just_then() -> None:
    case = Case()
    case.pause()
    case.back()
    case.world.service.drain(coming_back=True)
    case.world.clock.settle()
    assert [fact.ending for fact in of_type(case.world, MatchEnded)] == [Ending.CANCELLED]
    assert len(of_type(case.world, Answered)) == 1
    verified(case.world)


def test_a_record_that_cannot_be_written_is_written_later() -> None:
    case = Case()
    real = case.store.close_match

    def refuses(match_id: str) -> None:
        raise StoreError("the record folder is full")

    case.store.close_match = refuses  # type: ignore[method-assign]
    play_to_end(case.world, case.peers, case.match)
    case.world.clock.pass_time(SECOND)
    stored = case.world.memory.matches["m"]
    assert (stored.closed, stored.let_go) == (False, False)
    assert case.ready == []
    case.store.close_match = real  # type: ignore[method-assign]
    case.world.clock.pass_time(250 * MS)
    assert (stored.closed, stored.let_go) == (True, True)


def test_a_match_that_cannot_be_let_go_is_let_go_later() -> None:
    case = Case()
    real = case.store.let_go

    def refuses(match_id: str) -> None:
        raise StoreError("disk full")

    case.store.let_go = refuses  # type: ignore[method-assign]
    play_to_end(case.world, case.peers, case.match)
    case.world.clock.pass_time(SECOND)
    case.store.let_go = real  # type: ignore[method-assign]
    case.world.clock.pass_time(250 * MS)
    assert case.world.memory.matches["m"].let_go


def test_a_bug_of_the_store_fails_the_matches_of_its_pass_and_pauses_nothing() -> None:
    case = Case()
    world = case.world
    others = world.table()
    other = world.play(others, config_of("n"))
    case.store.why = RefereeBug("fact 3 after 5 of them")  # type: ignore[assignment]
    case.store.only = lambda batches: any(batch.match_id == "m" for batch in batches)
    for peer in case.peers:
        peer.send(default_answers(peer.asks()), settle=False)
    world.clock.settle()
    assert case.match.ended is not None
    assert case.match.ended.ending is Ending.STORE_FAILED
    case.back()
    assert play_to_end(world, others, other).ending is Ending.COMPLETED


def test_fenced_nobody_is_told_anything_any_more() -> None:
    case = Case()
    world = case.world
    told: list[str] = []
    world.service.on_fenced = told.append
    for peer in case.peers:
        peer.asks()
        peer._seen = 0
    asks = [peer.asks() for peer in case.peers]
    case.store.why = StoreFenced("store x: taken over by pid 7")
    for peer, asked in zip(case.peers, asks, strict=True):
        peer.send(default_answers(asked), settle=False)
    world.clock.settle()
    assert told == ["store x: taken over by pid 7"]
    for peer in case.peers:
        (last,) = peer.frames()
        assert last.closing.code == referee_pb2.CLOSING_CODE_DRAINING
        assert last.closing.retry
        assert not last.updates
        assert peer.link.end_with is not None
        assert peer.link.end_with.status is Status.UNAVAILABLE
    assert not over(case.match)
    assert not world.service.matches()
    assert not world.reception.register.all()
    newcomer = world.stream(world.reception.instances.get("i1"))
    newcomer.send(hello_frame())
    assert newcomer.frames()[0].closing.retry
    world.clock.pass_time(100 * SECOND)
    world.service.drain(coming_back=True)
    world.service.stop()
    assert case.ready == [False]


def test_fenced_in_an_outage_too() -> None:
    case = Case()
    told: list[str] = []
    case.world.service.on_fenced = told.append
    case.pause()
    case.world.clock.pass_time(SECOND)
    case.store.why = StoreFenced("store x: taken over by pid 7")
    tries = len(case.store.tries)
    case.world.clock.pass_time(100 * SECOND)
    assert len(told) == 1
    assert len(case.store.tries) == tries + 1
    assert not over(case.match)
    assert all(peer.link.end_with is not None for peer in case.peers)

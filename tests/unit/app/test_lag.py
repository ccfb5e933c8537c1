"""The lag of a link: probed while the bot owes nothing, credited where its clock starts."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.match.facts import Answered
from referee.match.values import MS
from referee.ports import Batch
from referee.rules.seat import Seat
from referee.store.memory import MemoryStore
from tests.unit.app.world import HEADER, Peer, World, config_of, default_answers, hello_frame


def pings(peer: Peer) -> list[int]:
    return [frame.ping.number for frame in peer.frames() if frame.HasField("ping")]


def answer(peer: Peer, number: int) -> None:
    peer.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=number)))


def probed(world: World, *lags_ms: int) -> Peer:
    """A peer whose pongs take so long, one after the other."""
    peer = world.join()
    for lag in lags_ms:
        (number,) = pings(peer)
        world.clock.pass_time(lag * MS)
        answer(peer, number)
        world.clock.pass_time(5 * SECOND - lag * MS)
    return peer


def test_a_link_is_probed_with_its_welcome_before_the_first_ask() -> None:
    world = World()
    peers = world.table()
    world.clock.pass_time(7 * MS)
    for peer in peers:
        peer.pong()
    assert [peer.session.lag for peer in peers] == [7 * MS] * 4
    match = world.play(peers)
    asks = [match.machine.open_asks(Seat(seat))[0] for seat in range(4)]
    assert [ask.lag for ask in asks] == [7 * MS] * 4


def test_it_is_probed_too_where_its_hello_begins_the_match() -> None:
    world = World()
    peers = [world.join() for _ in range(3)]
    last = world.stream(world.instance())
    sessions = [world.reception.session_of(peer.stream.instance) for peer in (*peers, last)]  # type: ignore[arg-type]
    assert last.stream.instance is not None

    def begin() -> None:
        world.service.start_match(config_of(), sessions, header=HEADER)

    last.stream.instance.on_ready.append(begin)
    last.send(hello_frame())
    _, frame = last.frames()
    assert frame.updates[0].asks
    assert frame.HasField("ping")


def test_a_ping_is_timed_from_when_its_frame_goes() -> None:
    """The store may take its time before that."""

    class Slow(MemoryStore):
        def append(self, batches: Sequence[Batch]) -> None:
            world.clock.time += 3 * MS
            super().append(batches)

    world = World(store=Slow())
    peers = [world.join() for _ in range(3)]
    last = world.stream(world.instance())
    last.send(hello_frame(), settle=False)
    world.play([*peers, last])
    world.clock.pass_time(MS)
    last.pong()
    assert last.session.lag == MS


def test_a_link_is_probed_again_while_the_bot_owes_nothing() -> None:
    world = World()
    peer = probed(world, 9)
    assert pings(peer) == [2]


def test_the_lag_is_the_smallest_of_the_last_eight() -> None:
    world = World()
    assert probed(world, 9, 4, 6).session.lag == 4 * MS
    assert probed(world, 1, *range(10, 18)).session.lag == 10 * MS


def test_a_bot_that_thinks_is_not_probed() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    for peer in peers:
        peer.pong()
    world.clock.pass_time(20 * SECOND)
    assert not pings(peers[0])


def test_a_probe_that_was_due_goes_as_soon_as_the_bot_owes_nothing() -> None:
    """A bot that is told things only with its asks always owes something when it hears of it."""
    for delivery in (referee_pb2.EVENT_DELIVERY_WITH_ASKS, 0):
        world = World()
        peers = [world.join(event_delivery=delivery) for _ in range(4)]
        world.play(peers)
        peer, *_ = peers
        answer(peer, 1)
        asks = peer.asks()
        world.clock.pass_time(20 * SECOND)
        peer.send(default_answers(asks))
        assert pings(peer) == [2]


def test_one_ping_is_under_way_at_a_time_and_a_pong_held_back_is_a_large_lag() -> None:
    world = World()
    peer = world.join()
    (number,) = pings(peer)
    world.clock.pass_time(12 * SECOND)
    assert not pings(peer)
    answer(peer, number)
    assert peer.session.lag == 12 * SECOND
    world.clock.pass_time(5 * SECOND)
    assert pings(peer) == [number + 1]


def test_a_pong_that_nobody_asked_for_says_nothing() -> None:
    world = World()
    peer = world.join()
    (number,) = pings(peer)
    for wrong in (0, number + 1):
        answer(peer, wrong)
    assert peer.session.lag == 0
    answer(peer, number)
    world.clock.pass_time(3 * MS)
    answer(peer, number)
    assert list(peer.session.probe.lags) == [0]


def test_what_is_known_of_a_link_is_forgotten_with_its_stream() -> None:
    world = World()
    peer = probed(world, 40)
    peer.lose()
    again = world.stream(peer.stream.instance)
    again.send(hello_frame())
    assert again.session.lag == 0
    again.pong()
    assert again.session.lag == 0


def test_lag_is_credited_in_the_acknowledgement_and_counted() -> None:
    world = World()
    peers = world.table()
    world.clock.pass_time(30 * MS)
    for peer in peers:
        peer.pong()
    world.play(peers)
    world.clock.pass_time(100 * MS)
    for peer in peers:
        peer.send(default_answers(peer.asks()))
    acks = [ack for update in peers[0].updates() for ack in update.acks]
    assert [ack.network_ms for ack in acks if ack.HasField("network_ms")] == [30]
    assert [f.lag for f in world.facts() if isinstance(f, Answered)] == [30 * MS] * 4
    assert metric(world, "referee_lag_credited_seconds") == 4 * 0.03


def metric(world: World, name: str) -> float:
    (value,) = [
        sample.value
        for family in world.meter.collect()
        if family.name == name
        for sample in family.samples
    ]
    return value


def test_a_seat_whose_link_is_slow_loses_no_time_to_it() -> None:
    """It answers 10 ms before its limit, over a link of 150 ms to and 150 ms back."""
    world = World()
    peers = world.table()
    world.clock.pass_time(300 * MS)
    for peer in peers:
        peer.pong()
    match = world.play(peers)
    world.clock.pass_time(62_000 * MS - 10 * MS + 300 * MS)
    peers[0].send(default_answers(peers[0].asks()))
    statuses = [ack.status for update in peers[0].updates() for ack in update.acks]
    assert statuses
    assert match_pb2.ACK_STATUS_TOO_LATE not in statuses
    assert match.machine.banks[0] == 10 * MS

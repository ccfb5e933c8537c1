"""A referee that is gone without an end, and the next one over the same store."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.app.streams import Stream
from referee.bootstrap import Referee, RefereeSetup, TablePlan
from referee.formats.records import read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import MatchEnded, PublicFact, Strike
from referee.match.values import MS, Ending, Settings
from referee.ports import Batch, StoreError, StoreFenced
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions
from referee.store.sqlite import SqliteStore
from referee.transport.probe import STORE_HEALTH, why_not_serving
from tests.integration.serving import LIMIT_S, Bot

SETTINGS = Settings(rules=RuleOptions(rounds=1), window_ns=20 * MS)


class Ends:
    """An audience that notes which matches are over."""

    def __init__(self) -> None:
        self.ended: list[tuple[str, Ending]] = []

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        self.ended += [(match_id, fact.ending) for fact in facts if isinstance(fact, MatchEnded)]


def setup(folder: Path, **changes: object) -> RefereeSetup:
    fields: dict[str, object] = {
        "listen": (f"unix:{folder}/r.sock",),
        "record_dir": folder / "records",
        "store": folder / "referee.db",
        **changes,
    }
    return RefereeSetup(**fields)  # type: ignore[arg-type]


async def vanish(referee: Referee) -> None:
    """Let the process end with everything where it is: nothing is said, nothing is finished."""
    referee._service.stop()
    referee._store.close()
    await referee._server.stop(0)


async def bots_of(referee: Referee, tokens: Sequence[str]) -> list[Bot]:
    return [await Bot(referee.addresses[0], token).hello() for token in tokens]


async def leave(bots: Sequence[Bot]) -> None:
    for bot in bots:
        await bot.__aexit__()


async def test_the_event_goes_on_with_its_secret_its_names_and_its_plan(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path))
    tokens = [first.issue_instance(f"b{number}").token for number in range(4)]
    first.open_lobby(TablePlan(settings=SETTINGS, matches=2))
    bots = await bots_of(first, tokens)
    _, ask = await bots[0].ask()
    await vanish(first)
    await leave(bots)

    second = await Referee.start(setup(tmp_path))
    try:
        assert second.resumed == 1
        assert second.match_prefix == first.match_prefix
        assert second.has_instance("b0")
        assert not second.has_instance("b9")
        ends = Ends()
        finished = second.open_lobby(TablePlan(settings=SETTINGS, matches=2, audience=ends))
        bots = await bots_of(second, tokens)
        frame = await bots[0].until(lambda frame: any(u.asks for u in frame.updates))
        assert frame.updates[0].asks[0].ask_id == ask.ask_id
        playing = [asyncio.create_task(play_on(bot)) for bot in bots[1:]]
        playing.append(asyncio.create_task(play_on(bots[0], frame)))
        await asyncio.wait_for(finished, LIMIT_S)
        names = [f"{first.match_prefix}-00000{number}" for number in (1, 2)]
        assert ends.ended == [(name, Ending.COMPLETED) for name in names]
    finally:
        await second.stop(0.2)
    await asyncio.gather(*playing)
    await leave(bots)
    for name in names:
        record = read_record((tmp_path / "records" / f"{name}.jsonl").read_bytes().splitlines())
        assert isinstance(verify_record(record), Verified)


async def play_on(bot: Bot, frame: object = None) -> None:
    while await bot.play_along(frame) is not None:  # type: ignore[arg-type]
        frame = None


async def test_an_orderly_end_leaves_nothing_to_come_back_to(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path))
    token = first.issue_instance("b").token
    await first.stop(0)
    second = await Referee.start(setup(tmp_path))
    try:
        assert second.match_prefix != first.match_prefix
        assert not second.has_instance("b")
        async with Bot(second.addresses[0], token) as bot:
            await bot.send_bytes(b"")
            assert (await bot.status())[0] is grpc.StatusCode.UNAUTHENTICATED
    finally:
        await second.stop(0)


async def test_a_start_that_fails_ends_no_event(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path))
    first.issue_instance("b")
    await vanish(first)
    with pytest.raises(ConfigError, match="listen"):
        await Referee.start(setup(tmp_path, listen=("unix:/nowhere/at/all",)))
    third = await Referee.start(setup(tmp_path))
    assert third.match_prefix == first.match_prefix
    assert third.has_instance("b")
    await third.stop(0)


async def test_other_cards_are_refused_while_an_event_is_not_over(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path, event_secret=bytes(32), practice=True))
    first.issue_instance("b")
    await vanish(first)
    with pytest.raises(ConfigError, match=r"referee\.db: holds an event with other cards"):
        await Referee.start(setup(tmp_path, event_secret=bytes(31) + b"x"))
    second = await Referee.start(setup(tmp_path))  # without a seed it goes on with it
    assert second.match_prefix == first.match_prefix
    assert second._practice
    await second.stop(0)
    third = await Referee.start(setup(tmp_path, event_secret=bytes(31) + b"x"))
    await third.stop(0)


async def test_an_event_of_which_nothing_happened_is_no_obstacle(tmp_path: Path) -> None:
    await vanish(await Referee.start(setup(tmp_path, event_secret=bytes(32))))
    second = await Referee.start(setup(tmp_path, event_secret=bytes(31) + b"x"))
    await second.stop(0)


async def test_health_says_that_the_store_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = await Referee.start(setup(tmp_path))
    address = referee.addresses[0]
    try:
        token = referee.issue_instance("b").token

        def refuse(*_: object) -> None:
            raise StoreError("disk full")

        real = SqliteStore.keep_session, SqliteStore.keep_instance
        monkeypatch.setattr(SqliteStore, "keep_session", refuse)
        monkeypatch.setattr(SqliteStore, "keep_instance", refuse)
        async with Bot(address, token) as bot:
            await bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1)))
            assert await bot.read() is None
            code, text = await bot.status()
            assert code is grpc.StatusCode.UNAVAILABLE
            assert text == "the referee cannot keep your session now; come back later"
        why = await asyncio.to_thread(why_not_serving, address, timeout_s=LIMIT_S)
        assert why == "its store is away or full: matches pause until it is back"
        monkeypatch.setattr(SqliteStore, "keep_session", real[0])
        monkeypatch.setattr(SqliteStore, "keep_instance", real[1])
        await store_is(address, health_pb2.HealthCheckResponse.SERVING)
        async with Bot(address, token) as bot:
            await bot.hello()
    finally:
        await referee.stop(0)


async def store_is(address: str, status: int) -> None:
    """Wait until the health service says so of the store."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service=STORE_HEALTH))
        async with asyncio.timeout(LIMIT_S):
            async for answer in watch:
                if answer.status == status:
                    watch.cancel()
                    return


async def test_fenced_all_are_sent_away_and_the_starter_hears_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = await Referee.start(setup(tmp_path))
    try:
        tokens = [referee.issue_instance(f"b{number}").token for number in range(4)]
        referee.open_lobby(TablePlan(settings=SETTINGS))
        bots = await bots_of(referee, tokens)
        match, ask = await bots[0].ask()

        def fenced(self: SqliteStore, batches: Sequence[Batch]) -> None:
            raise StoreFenced("store x: taken over by pid 7")

        monkeypatch.setattr(SqliteStore, "append", fenced)
        frame = referee_pb2.PlayRequest()
        frame.answers.add(match=match, ask_id=ask.ask_id).default_action.SetInParent()
        await bots[0].send(frame)
        assert await asyncio.wait_for(referee.fenced, LIMIT_S) == "store x: taken over by pid 7"
        for bot in bots:
            last = await bot.until(lambda frame: frame.HasField("closing"))
            assert last.closing.retry
            assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
        monkeypatch.undo()
    finally:
        await referee.stop(0)
    await leave(bots)
    second = await Referee.start(setup(tmp_path))
    assert second.resumed == 1  # nobody was told that it is over
    await second.stop(0)


async def test_who_says_too_much_while_the_store_is_away_is_not_read_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(store_retry_ns=50 * MS)
    referee = await Referee.start(setup(tmp_path, limits=limits))
    read, enough = 0, asyncio.Event()
    try:
        tokens = [referee.issue_instance(f"b{number}").token for number in range(4)]
        referee.open_lobby(TablePlan(settings=SETTINGS))
        bots = await bots_of(referee, tokens)
        match, ask = await bots[0].ask()
        append, receive = SqliteStore.append, Stream.receive

        def refuse(self: SqliteStore, batches: Sequence[Batch]) -> None:
            raise StoreError("disk full")

        def count(self: Stream, data: bytes) -> int:
            nonlocal read
            read += 1
            if read == 33:
                enough.set()
            return receive(self, data)

        monkeypatch.setattr(SqliteStore, "append", refuse)
        frame = referee_pb2.PlayRequest()
        frame.answers.add(match=match, ask_id=ask.ask_id).default_action.SetInParent()
        await bots[0].send(frame)
        await store_is(referee.addresses[0], health_pb2.HealthCheckResponse.NOT_SERVING)
        monkeypatch.setattr(Stream, "receive", count)
        for number in range(60):
            junk = referee_pb2.PlayRequest()
            junk.calls.add(match=1, call=match_pb2.CALL_KIND_TICHU, for_seat=77, request_id=number)
            await bots[1].send(junk)
        await asyncio.wait_for(enough.wait(), LIMIT_S)
        for _ in range(3):  # meanwhile others are heard
            async with Bot(referee.addresses[0], tokens[2]) as late:
                await late.send(
                    referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1))
                )
                assert (await late.status())[0] is grpc.StatusCode.UNAVAILABLE
        assert read == 33 + 3
        monkeypatch.setattr(SqliteStore, "append", append)
        refused = 0
        while refused < 60:
            reply = await bots[1].read()
            assert reply is not None
            refused += sum(len(update.refused) for update in reply.updates)
        await leave(bots)
    finally:
        await referee.stop(0)


async def test_a_start_that_fails_leaves_the_matches_to_the_next_one(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path))
    tokens = [first.issue_instance(f"b{number}").token for number in range(4)]
    first.open_lobby(TablePlan(settings=SETTINGS, matches=1))
    bots = await bots_of(first, tokens)
    await bots[0].ask()
    await vanish(first)
    await leave(bots)

    other = tmp_path / "other"
    other.mkdir()
    holder = await Referee.start(setup(other, listen=("127.0.0.1:0",)))
    try:
        with pytest.raises(ConfigError, match="another process listens there"):
            await Referee.start(setup(tmp_path, listen=holder.addresses))
    finally:
        await holder.stop(0)
    third = await Referee.start(setup(tmp_path))
    assert third.resumed == 1
    await third.stop(0)


async def test_what_cannot_be_written_at_the_end_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(store: SqliteStore) -> None:
        raise StoreError("no space")

    referee = await Referee.start(setup(tmp_path))
    monkeypatch.setattr(SqliteStore, "finish_event", full)
    await referee.stop(0)
    assert referee.unfinished == "no space"


async def test_a_start_that_is_called_off_leaves_the_matches_too(tmp_path: Path) -> None:
    first = await Referee.start(setup(tmp_path))
    tokens = [first.issue_instance(f"b{number}").token for number in range(4)]
    first.open_lobby(TablePlan(settings=SETTINGS, matches=1))
    bots = await bots_of(first, tokens)
    await bots[0].ask()
    await vanish(first)
    await leave(bots)
    second = await Referee.start(setup(tmp_path))
    await second.forgo()
    third = await Referee.start(setup(tmp_path))
    assert third.resumed == 1
    await third.stop(0)


async def test_the_plan_is_played_once_every_record_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, tried = SqliteStore.close_match, asyncio.Event()

    def full(store: SqliteStore, match_id: str) -> None:
        tried.set()
        raise StoreError("no space")

    monkeypatch.setattr(SqliteStore, "close_match", full)
    referee = await Referee.start(setup(tmp_path))
    try:
        tokens = [referee.issue_instance(f"b{number}").token for number in range(4)]
        finished = referee.open_lobby(TablePlan(settings=SETTINGS, matches=1))
        bots = await bots_of(referee, tokens)
        playing = [asyncio.create_task(play_on(bot)) for bot in bots]
        await asyncio.wait_for(tried.wait(), LIMIT_S)
        assert not finished.done()
        monkeypatch.setattr(SqliteStore, "close_match", write)
        await asyncio.wait_for(finished, LIMIT_S)
        assert len(list((tmp_path / "records").glob("*.jsonl"))) == 1
    finally:
        await referee.stop(0.2)
    await asyncio.gather(*playing)
    await leave(bots)

"""MatchService over real gRPC: create, watch, cancel, fetch."""

import asyncio
import re
from pathlib import Path
from typing import Any  # noqa: TID251 - whatever a match is started with

import grpc
import pytest
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

from referee._gen.tichu.referee.v1 import match_pb2, matches_pb2, referee_pb2, registry_pb2
from referee.app.service import Service
from referee.bootstrap import TablePlan
from referee.bootstrap.match_desk import MatchDesk
from referee.formats.records import read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import Passed, Played
from referee.rules.cards import mask_of
from referee.transport import calls
from referee.transport.calls import Calls
from tests.integration.service_world import (
    FOUR,
    ROUNDS,
    events,
    offering,
    refused,
    seated,
)
from tests.integration.serving import LIMIT_S, Bot
from tests.simulation.leaks.public import faults_of_watched
from tests.simulation.leaks.scan import truth_of


async def test_a_created_match_is_watched_to_its_end_and_its_record_fetched(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        await seated(world)
        (match_id,) = await world.create(FOUR)
        seen = await asyncio.wait_for(world.seen(match_id), LIMIT_S)
        assert seen[0].match.state == matches_pb2.MATCH_STATE_RUNNING
        assert list(seen[0].match.names) == FOUR
        assert seen[0].delay_tricks == 1
        last = seen[-1].match
        assert (last.state, last.ending) == (
            matches_pb2.MATCH_STATE_OVER,
            match_pb2.ENDING_COMPLETED,
        )
        data = await world.record(match_id)
    record = read_record(data.splitlines(keepends=True))
    assert isinstance(verify_record(record), Verified)
    assert data == (tmp_path / "records" / f"{match_id}.jsonl").read_bytes()
    told = events(seen)
    assert told[-1].match_ended.totals == last.totals
    # what was watched is what `record show --public` tells of the same match
    played = [fact for fact in record.facts if isinstance(fact, Played)]
    shown = [event.played for event in told if event.HasField("played")]
    assert [(one.seat, mask_of(one.play.cards)) for one in shown] == [
        (fact.seat, mask_of(fact.cards)) for fact in played
    ]
    assert sum(event.HasField("passed") for event in told) == sum(
        isinstance(fact, Passed) for fact in record.facts
    )


async def test_no_watcher_is_shown_what_one_seat_was_told(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        await seated(world)
        (match_id,) = await world.create(FOUR)
        seen = await asyncio.wait_for(world.seen(match_id), LIMIT_S)
        record = read_record((await world.record(match_id)).splitlines(keepends=True))
    messages = [one.SerializeToString() for one in seen]
    assert faults_of_watched(messages, truth_of(record.facts)) == []
    told = events(seen)
    kinds = {event.WhichOneof("event") for event in told}
    assert {"round_started", "played", "trick_taken", "round_ended", "match_ended"} <= kinds
    assert not kinds & {"cards_dealt", "cards_exchanged", "bids_shown", "hand_shown"}
    numbers = [event.number for event in told]
    assert numbers == sorted(set(numbers))


async def test_a_watcher_stays_behind_by_the_tricks_of_the_referee_at_least(tmp_path: Path) -> None:
    async with offering(tmp_path, delay_tricks=3) as world:
        tokens = [*await world.register("ann", 2), *await world.register("bob", 2)]
        await world.play(tokens[1:])
        mine = await world.come(tokens[0])
        (match_id,) = await world.create(FOUR)
        call = world.watch(match_id, delay_tricks=1)
        first = await asyncio.wait_for(call.read(), LIMIT_S)
        assert first.delay_tricks == 3
        # seat 0 plays on until it has seen two tricks: nothing may have been shown by then
        taken = 0
        answered = 0
        while taken < 2:
            frame = await mine.read()
            assert frame is not None
            reply = defaults(frame)
            taken += sum(event.HasField("trick_taken") for u in frame.updates for event in u.events)
            if taken < 2 and reply.ByteSize():
                await mine.send(reply)
                answered += 1
        assert answered
        reading = asyncio.ensure_future(call.read())
        await world.matches.ListMatches(matches_pb2.ListMatchesRequest())  # a turn of the loop
        assert not reading.done()
        await world.matches.CancelMatch(matches_pb2.CancelMatchRequest(match_id=match_id))
        part = await asyncio.wait_for(reading, LIMIT_S)
        assert part.events[0].HasField("round_started")
        call.cancel()


def defaults(frame: referee_pb2.PlayResponse) -> referee_pb2.PlayRequest:
    """Answers by default to all asks of a frame."""
    answers = referee_pb2.PlayRequest()
    for update in frame.updates:
        for ask in update.asks:
            answer = answers.answers.add(match=update.match, ask_id=ask.ask_id)
            answer.default_action.SetInParent()
    if frame.HasField("ping"):
        answers.pong.number = frame.ping.number
    return answers


async def test_the_same_request_again_begins_nothing_and_another_of_its_id_is_refused(
    tmp_path: Path,
) -> None:
    async with offering(tmp_path) as world:
        await seated(world)
        first, again = await asyncio.gather(world.create(FOUR), world.create(FOUR))
        assert first == again
        listed = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        assert [one.match_id for one in listed.matches] == first
        other = matches_pb2.CreateMatchRequest(request_id="r", bots=list(reversed(FOUR)))
        error = await refused(world.matches.CreateMatch(other))
        assert error.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_a_watcher_that_leaves_is_forgotten_and_the_match_goes_on(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        tokens = [*await world.register("ann", 2), *await world.register("bob", 2)]
        (match_id,) = await world.create(FOUR)
        for _ in range(50):  # more than may watch at once
            call = world.watch(match_id)
            assert (await asyncio.wait_for(call.read(), LIMIT_S)).match.match_id == match_id
            call.cancel()
            assert await call.code() is grpc.StatusCode.CANCELLED
        await world.play(tokens)
        seen = await asyncio.wait_for(world.seen(match_id), LIMIT_S)
        assert seen[-1].match.ending == match_pb2.ENDING_COMPLETED


async def test_more_watchers_than_there_is_room_for_are_sent_away(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        for name in ("ann", "bob"):
            await world.register(name, 2)
        (match_id,) = await world.create(FOUR)
        calls = [world.watch(match_id) for _ in range(32)]
        for call in calls:
            await asyncio.wait_for(call.read(), LIMIT_S)
        error = await refused(world.watch(match_id))
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await world.referee.stop(0.2)
        for call in calls:  # the match was cancelled with it: its end is what they saw last
            part = None
            while (read := await asyncio.wait_for(call.read(), LIMIT_S)) is not grpc.aio.EOF:
                part = read
            assert part is not None
            assert part.match.ending == match_pb2.ENDING_CANCELLED


@pytest.mark.parametrize(
    "match_id", ["nonsense", "", "../../etc/passwd", "a/b", "\x1b[2Jx", "x" * 5000]
)
async def test_what_is_no_match_is_not_found_and_says_what_to_do(
    tmp_path: Path, match_id: str
) -> None:
    (tmp_path / "secret.jsonl").write_text("{}")
    async with offering(tmp_path) as world:
        calls = (
            world.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)),
            world.matches.CancelMatch(matches_pb2.CancelMatchRequest(match_id=match_id)),
            world.watch(match_id),
        )
        for call in calls:
            error = await refused(call)
            assert error.code() is grpc.StatusCode.NOT_FOUND
            text = error.details() or ""
            assert "ListMatches" in text
            assert text.isprintable()
            assert len(text) < 600
            status = rpc_status.from_call(error)
            detail = error_details_pb2.ResourceInfo()
            assert status.details[0].Unpack(detail)


async def test_what_cannot_be_seated_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        await world.register("ann", 1)
        await world.register("bob", 4)

        async def said(code: grpc.StatusCode, bots: list[str], *, board: bool = False) -> str:
            request = matches_pb2.CreateMatchRequest(request_id="q", bots=bots, board=board)
            error = await refused(world.matches.CreateMatch(request))
            assert error.code() is code, error
            return error.details() or ""

        text = await said(grpc.StatusCode.INVALID_ARGUMENT, FOUR[:3])
        assert "4 bots, 3 are named; name one for each seat" in text
        assert "RegisterBot" in await said(grpc.StatusCode.NOT_FOUND, ["eve", *FOUR[1:]])
        short = await said(grpc.StatusCode.FAILED_PRECONDITION, FOUR)
        assert "ann needs 2 processes that are free, and has 1" in short
        same = await said(grpc.StatusCode.INVALID_ARGUMENT, ["bob", "bob"], board=True)
        assert "different names" in same
        bad = matches_pb2.CreateMatchRequest(request_id="a b", bots=FOUR)
        error = await refused(world.matches.CreateMatch(bad))
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        listed = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        assert not listed.matches


async def test_matches_come_in_pages(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        for name in ("ann", "bob"):
            await world.register(name, 6)
        made = [(await world.create(FOUR, request=f"r{n}"))[0] for n in range(3)]
        found: list[str] = []
        token = ""
        for _ in made:
            request = matches_pb2.ListMatchesRequest(page_size=1, page_token=token)
            page = await world.matches.ListMatches(request)
            found += [one.match_id for one in page.matches]
            token = page.next_page_token
        assert (found, token) == (made, "")
        for bad in ({"page_token": "!"}, {"page_token": "Ing="}, {"page_size": 1001}):
            error = await refused(world.matches.ListMatches(matches_pb2.ListMatchesRequest(**bad)))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_watcher_that_reads_nothing_is_ended_and_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Calls] = []
    begin = Calls.__init__

    def impatient(self: Calls) -> None:
        begin(self, write_s=0.2)
        made.append(self)

    monkeypatch.setattr(Calls, "__init__", impatient)
    async with offering(tmp_path) as world:
        (tmp_path / "records" / "big.jsonl").write_text(("x" * 999 + "\n") * 20_000)
        call = world.matches.GetRecord(matches_pb2.GetRecordRequest(match_id="big"))
        async with asyncio.timeout(LIMIT_S):
            await call.initial_metadata()
            while made[0].watching:  # noqa: ASYNC110 - until it is given up
                await asyncio.sleep(0.01)
        error = await refused(call)
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "read faster" in (error.details() or "")


async def test_a_caller_of_another_machine_may_look_and_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with offering(tmp_path) as world:
        for name in ("ann", "bob"):
            await world.register(name, 2)
        (match_id,) = await world.create(FOUR)
        monkeypatch.setattr(calls, "peer_is_near", lambda peer: False)
        writes = (
            world.matches.CreateMatch(matches_pb2.CreateMatchRequest(request_id="z", bots=FOUR)),
            world.matches.CancelMatch(matches_pb2.CancelMatchRequest(match_id=match_id)),
            world.registry.RegisterBot(registry_pb2.RegisterBotRequest(name="eve")),
            world.registry.RotateTokens(registry_pb2.RotateTokensRequest(name="ann")),
        )
        for call in writes:
            error = await refused(call)
            assert error.code() is grpc.StatusCode.PERMISSION_DENIED
            assert "loopback" in (error.details() or "")
        listed = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        assert [one.state for one in listed.matches] == [matches_pb2.MATCH_STATE_RUNNING]
        bots = (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots
        assert [one.name for one in bots] == ["ann", "bob"]


async def test_our_own_failure_tells_an_id_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: MatchDesk) -> None:
        raise RuntimeError("the cards are 2j 3j")

    monkeypatch.setattr(MatchDesk, "all", broken)
    async with offering(tmp_path) as world:
        error = await refused(world.matches.ListMatches(matches_pb2.ListMatchesRequest()))
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "2j" not in str(error.details())
    assert re.search(r"under [0-9a-f]{8}$", error.details() or "")


async def test_a_match_that_failed_to_begin_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, broken = Service.start_match, [True]

    def begun(self: Service, *args: Any, **fields: Any) -> object:
        match = start(self, *args, **fields)
        if broken.pop():
            raise RuntimeError("after it was stored")
        return match

    monkeypatch.setattr(Service, "start_match", begun)
    async with offering(tmp_path) as world:
        await seated(world, 4)
        request = matches_pb2.CreateMatchRequest(request_id="r", bots=FOUR)
        error = await refused(world.matches.CreateMatch(request))
        assert error.code() is grpc.StatusCode.INTERNAL
        broken.append(False)
        (match_id,) = await world.create(FOUR)
        seen = await asyncio.wait_for(world.seen(match_id), LIMIT_S)
        assert seen[-1].match.ending == match_pb2.ENDING_COMPLETED


async def test_a_bot_without_a_token_is_watched_under_whatever_it_calls_itself(
    tmp_path: Path,
) -> None:
    """Names are sent as they are, to programs; the file of a record never has them in its name."""
    name = "<img src=x onerror=1>/../..;'"
    async with offering(tmp_path, open_identity=True) as world:
        world.referee.open_lobby(TablePlan(settings=ROUNDS, matches=1))
        for _ in range(4):
            bot = await world.enter(Bot(world.address))
            await bot.hello(bot_name=name)
            world.bots.append(asyncio.create_task(bot.play_along()))
        listed = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        (match,) = listed.matches
        seen = await asyncio.wait_for(world.seen(match.match_id), LIMIT_S)
        assert list(seen[0].match.names) == [name] * 4
        assert await world.record(match.match_id)
        error = await refused(
            world.matches.CreateMatch(
                matches_pb2.CreateMatchRequest(request_id="r", bots=[name] * 4)
            )
        )
        assert error.code() is grpc.StatusCode.NOT_FOUND  # it has no token
        assert (error.details() or "").isprintable()

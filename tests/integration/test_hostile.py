"""Bad input over real gRPC: a refusal or status that names the field, and the match goes on."""

import asyncio
import contextlib
import time
import urllib.request
from collections.abc import MutableMapping
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND, Limits
from referee.app.streams import Stream
from referee.bootstrap import Referee
from referee.match.values import Blame, Ending
from tests.integration.serving import LIMIT_S, Bot, serving, table

REFUSED = match_pb2.ACK_STATUS_REFUSED


async def fields_at_fault(bot: Bot) -> list[str]:
    """The fields that the `google.rpc` details of the status name."""
    status = await rpc_status.aio.from_call(bot.call)
    (detail,) = status.details
    request, failure = error_details_pb2.BadRequest(), error_details_pb2.PreconditionFailure()
    if detail.Unpack(request):
        return [violation.field for violation in request.field_violations]
    assert detail.Unpack(failure)
    return [violation.subject for violation in failure.violations]


def scrape(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("token", [None, "guess"])
async def test_a_stream_without_a_good_token_is_unauthenticated(
    tmp_path: Path, token: str | None
) -> None:
    async with serving(tmp_path) as referee, Bot(referee.addresses[0], token) as bot:
        assert await bot.read() is None
        code, text = await bot.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert text.startswith("authorization:")
        assert await fields_at_fault(bot) == ["authorization"]


async def test_a_refused_token_is_counted_and_logged_and_not_told(
    tmp_path: Path, logs: list[MutableMapping[str, object]]
) -> None:
    async with serving(tmp_path, metrics_port=0) as referee:
        async with Bot(referee.addresses[0], "hunter2") as bot:
            assert await bot.read() is None
        counted = await asyncio.to_thread(scrape, f"http://{referee.metrics_address}/metrics")
    assert 'referee_streams_closed_total{status="unauthenticated"} 1.0' in counted
    assert "referee_open_streams 0.0" in counted
    (refused,) = [log for log in logs if log["event"] == "stream refused"]
    assert refused["why"] == "authorization: this token was not issued here"
    assert "hunter2" not in str(logs)


@pytest.mark.parametrize(
    ("frame", "code", "field"),
    [
        (
            referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=9)),
            grpc.StatusCode.FAILED_PRECONDITION,
            "hello.protocol_version",
        ),
        (referee_pb2.PlayRequest(), grpc.StatusCode.INVALID_ARGUMENT, "hello"),
        (
            referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1, max_matches=1_000)),
            grpc.StatusCode.INVALID_ARGUMENT,
            "hello.max_matches",
        ),
    ],
)
async def test_a_wrong_first_frame_is_a_status_that_names_the_field(
    tmp_path: Path, frame: referee_pb2.PlayRequest, code: grpc.StatusCode, field: str
) -> None:
    async with (
        serving(tmp_path, open_identity=True) as referee,
        Bot(referee.addresses[0]) as bot,
    ):
        await bot.send(frame)
        assert await bot.read() is None
        assert (await bot.status())[0] is code
        assert await fields_at_fault(bot) == [field]


async def test_nonsense_inside_the_stream_is_refused_by_name_and_the_match_goes_on(
    tmp_path: Path,
) -> None:
    async with table(tmp_path) as (match, bot):
        number, ask = await bot.ask()
        unknown_call = referee_pb2.Answer(match=number, ask_id=ask.ask_id)
        unknown_call.call.choice = 99  # type: ignore[assignment]
        for answer, code, text in (
            (referee_pb2.Answer(match=number, ask_id=ask.ask_id), "MALFORMED", "decision: empty"),
            (unknown_call, "MALFORMED", "call.choice: 99 is no CallKind"),
            (
                referee_pb2.Answer(
                    match=number, ask_id=77, default_action=referee_pb2.DefaultAction()
                ),
                "NOT_YOUR_ASK",
                "ask_id: 77",
            ),
            (referee_pb2.Answer(match=9, ask_id=1), "NOT_YOUR_ASK", "match: 9 is no match"),
        ):
            await bot.send(referee_pb2.PlayRequest(answers=[answer]))
            refused = await bot.refused()
            assert refused.code == match_pb2.RefusalCode.Value(f"REFUSAL_CODE_{code}")
            assert refused.text.startswith(text)
        await bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1)))
        assert (await bot.refused()).text.startswith("hello:")
        good = referee_pb2.PlayRequest()
        good.answers.add(match=number, ask_id=ask.ask_id).default_action.SetInParent()
        await bot.send(good)
        await bot.play()
        assert (await match.end()).ending is Ending.COMPLETED


async def test_a_card_that_is_not_held_or_named_twice_may_be_corrected(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot):
        while True:
            number, ask = await bot.ask()
            if ask.WhichOneof("kind") == "exchange":
                break
            first = referee_pb2.PlayRequest()
            first.answers.add(match=number, ask_id=ask.ask_id).default_action.SetInParent()
            await bot.send(first)
        for cards in ([8, 8, 8], [8, 9, 999]):
            frame = referee_pb2.PlayRequest()
            exchange = frame.answers.add(match=number, ask_id=ask.ask_id).exchange
            for slot, card in zip(ask.exchange.slots, cards, strict=True):
                exchange.gifts.add(seat=slot.to_seat, cards=[card])
            await bot.send(frame)
            refused = await bot.refused()
            codes = (match_pb2.REFUSAL_CODE_CARDS_NOT_HELD, match_pb2.REFUSAL_CODE_MALFORMED)
            assert refused.code in codes
        assert refused.resends_left == 1
        good = referee_pb2.PlayRequest()
        good.answers.add(match=number, ask_id=ask.ask_id).default_action.SetInParent()
        await bot.send(good)
        await bot.play()
        assert (await match.end()).ending is Ending.COMPLETED


@pytest.mark.parametrize(
    ("data", "code", "closing"),
    [
        (b"\xff\xff\xff\xff", grpc.StatusCode.INVALID_ARGUMENT, True),
        (b"\x32\x02\x08\x05" * 20_000, grpc.StatusCode.RESOURCE_EXHAUSTED, False),
    ],
    ids=["garbled", "oversized"],
)
async def test_after_a_frame_that_ends_the_stream_the_bot_comes_back_and_the_match_goes_on(
    tmp_path: Path, data: bytes, code: grpc.StatusCode, closing: bool
) -> None:
    async with table(tmp_path) as (match, bot):
        await bot.ask()
        await bot.send_bytes(data)
        frames = []
        while (frame := await bot.read()) is not None:
            frames.append(frame)
        status, text = await bot.status()
        assert status is code
        assert ("frame" in text) or ("65536" in text)
        assert any(f.closing.code == referee_pb2.CLOSING_CODE_PROTOCOL for f in frames) is closing
        async with Bot(match.referee.addresses[0], match.token) as again:
            await again.hello(session_token=bot.session_token)
            await again.play()
        assert (await match.end()).ending is Ending.COMPLETED


async def test_a_bot_that_is_gone_loses_after_the_grace(tmp_path: Path) -> None:
    async with table(tmp_path, grace_ms=50) as (match, bot):
        await bot.ask()
        bot.call.cancel()
        ended = await match.end()
        assert (ended.ending, ended.seat, ended.blame) == (Ending.DISCONNECTED, 0, Blame.BOT)


async def test_a_newer_stream_of_the_same_bot_takes_over(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot):
        await bot.ask()
        async with Bot(match.referee.addresses[0], match.token) as newer:
            await newer.hello(session_token=bot.session_token)
            closing = await bot.until(lambda frame: frame.HasField("closing"))
            assert closing.closing.code == referee_pb2.CLOSING_CODE_SUPERSEDED
            assert await bot.read() is None
            assert (await bot.status())[0] is grpc.StatusCode.ABORTED
            await newer.play()
        assert (await match.end()).ending is Ending.COMPLETED


async def test_our_own_failure_shows_an_id_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Stream, data: bytes) -> int:
        raise ValueError("SECRET hand of seat 2")

    async with (
        serving(tmp_path, open_identity=True) as referee,
        Bot(referee.addresses[0]) as bot,
    ):
        await bot.hello()
        monkeypatch.setattr(Stream, "receive", broken)
        await bot.send(referee_pb2.PlayRequest())
        while (frame := await bot.read()) is not None:
            assert frame.HasField("ping")
        code, text = await bot.status()
    assert code is grpc.StatusCode.INTERNAL
    word, _, error_id = text.rpartition(" ")
    assert word == "internal error"
    assert len(bytes.fromhex(error_id)) == 4


async def test_a_bot_that_does_not_read_is_thrown_out_while_a_write_is_stuck(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as referee:
        issued = referee.issue_instance("sleepy")
        async with Bot(referee.addresses[0], issued.token) as bot:
            await bot.hello()
            instance = referee._instance(issued.instance_id)
            session = instance.session
            assert session is not None
            for _ in range(400):  # more than any window of a peer takes in
                session.move("x" * 60_000)
                if session.link is None:
                    break
                await asyncio.sleep(0)
            assert session.link is None
            frames = 0
            while await bot.read() is not None:
                frames += 1
            assert (await bot.status())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert frames < 400


async def no_stream_left(referee: Referee) -> None:
    """Wait until no task of a stream is left, and see that nothing else is."""
    ours = {"_read", "_write", "play"}  # of streams; the library keeps tasks of its own
    left = {t for t in asyncio.all_tasks() if getattr(t.get_coro(), "__name__", "") in ours}
    if left:
        _, pending = await asyncio.wait(left, timeout=LIMIT_S)
        assert not pending
    assert not referee._service.reception.streams()
    assert not referee._service.reception.register.all()


async def test_a_hundred_bots_that_vanish_leave_no_task_behind(tmp_path: Path) -> None:
    async with serving(tmp_path, open_identity=True, grace_ms=0) as referee:
        for _ in range(100):
            async with Bot(referee.addresses[0]) as bot:
                await bot.hello()
        await no_stream_left(referee)


@pytest.mark.parametrize("how", ["goodbye", "garbled", "flooded", "gone while held back"])
async def test_however_a_stream_ends_nothing_of_it_is_left(tmp_path: Path, how: str) -> None:
    limits = Limits(frames_burst=1, frames_per_s=1, frames_per_ask=1, flood_ns=4 * SECOND)
    async with serving(tmp_path, open_identity=True, grace_ms=0, limits=limits) as referee:
        async with Bot(referee.addresses[0]) as bot:
            await bot.hello()
            frame = referee_pb2.PlayRequest()
            if how == "goodbye":
                frame.goodbye.SetInParent()
            for _ in range({"flooded": 8, "gone while held back": 4}.get(how, 1)):
                frame.answers.add(match=9, ask_id=1)
            await bot.send_bytes(b"\xff" if how == "garbled" else frame.SerializeToString())
            if how == "gone while held back":
                await bot.refused()  # it is read, and the next would not be for 4 s
            else:
                while await bot.read() is not None:
                    pass
        began = time.monotonic()
        await no_stream_left(referee)
        assert time.monotonic() - began < 2.0


async def test_a_bot_over_its_rate_is_read_no_faster_and_nobody_else_feels_it(
    tmp_path: Path,
) -> None:
    """20 frames at once and 50 a second: what follows 40 of them is read 0.4 s later."""
    limits = Limits(frames_burst=20, frames_per_s=50, frames_per_ask=1)
    async with (
        serving(tmp_path, limits=limits) as referee,
        Bot(referee.addresses[0], referee.issue_instance("hasty").token) as hasty,
        Bot(referee.addresses[0], referee.issue_instance("calm").token) as calm,
    ):
        await asyncio.gather(hasty.hello(), calm.hello())
        began = time.monotonic()
        probe = referee_pb2.PlayRequest()
        for _ in range(40):
            await hasty.send(probe)
        probe.answers.add(match=9, ask_id=1)
        await hasty.send(probe)
        await calm.send(probe)
        slow, quick = asyncio.ensure_future(hasty.refused()), asyncio.ensure_future(calm.refused())
        done, _ = await asyncio.wait({slow, quick}, return_when=asyncio.FIRST_COMPLETED)
        assert done == {quick}
        await slow
        assert time.monotonic() - began >= 0.4


async def test_a_bot_that_stuffs_the_hellos_of_many_streams_loses_its_match(tmp_path: Path) -> None:
    """Each Hello takes over the session, and brings as much as a frame may hold."""
    stuffed = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1))
    for _ in range(4_000):
        stuffed.answers.add(match=1, ask_id=9_999)
    async with table(tmp_path) as (seats, _), contextlib.AsyncExitStack() as stack:
        address, data = seats.referee.addresses[0], stuffed.SerializeToString()
        streams = [await stack.enter_async_context(Bot(address, seats.token)) for _ in range(20)]
        await asyncio.gather(*[stream.send_bytes(data) for stream in streams])
        ended = await seats.end()
    assert (ended.ending, ended.seat, ended.blame) == (Ending.FLOODED, 0, Blame.BOT)

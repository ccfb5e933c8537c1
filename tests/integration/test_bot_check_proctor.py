"""The proctor of `referee bot check`: a bot that comes, lies, goes and is cut off."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.proctor import Proctor
from referee.check.stream import Gone, Silent, Unreadable
from tests.integration.serving import LIMIT_S, Bot

DELAY_S = 0.05
HELLO = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1))
PING = referee_pb2.PlayResponse(ping=referee_pb2.Ping(number=5))


@pytest.fixture
async def proctor() -> AsyncIterator[Proctor]:
    async with Proctor() as one:
        yield one


async def test_a_stream_begins_with_hello_and_knows_token_and_address(proctor: Proctor) -> None:
    for address in (proctor.address, proctor.second_address, proctor.tcp_address):
        async with Bot(address, "secret") as bot:
            await bot.send(HELLO)
            stream = await proctor.next_stream(LIMIT_S)
            assert (stream.token, stream.address) == ("secret", address)
            assert stream.hello.protocol_version == 1
            await stream.send(PING)
            frame = await bot.read()
            assert frame is not None
            assert frame.ping.number == 5


async def test_a_first_frame_that_is_no_hello_ends_the_stream(proctor: Proctor) -> None:
    async with Bot(proctor.address) as bot:
        await bot.send(referee_pb2.PlayRequest())
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.INVALID_ARGUMENT
    assert proctor.silent_streams == 1


async def test_what_a_bot_does_not_say_is_told_apart(proctor: Proctor) -> None:
    with pytest.raises(Silent):
        await proctor.next_stream(0.01)
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        stream = await proctor.next_stream(LIMIT_S)
        with pytest.raises(Silent):
            await stream.receive(0.01)
        await bot.send_bytes(b"\xff\xff\xff")
        with pytest.raises(Unreadable):
            await stream.receive(LIMIT_S)
        await bot.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(text="bye")))
        await bot.call.done_writing()
        await stream.receive(LIMIT_S)
        with pytest.raises(Gone) as gone:
            await stream.receive(LIMIT_S)
        assert gone.value.goodbye == "bye"


async def test_a_stream_that_is_half_closed_is_ended_from_here_as_well(proctor: Proctor) -> None:
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        await proctor.next_stream(LIMIT_S)
        await bot.send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
        await bot.call.done_writing()
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.OK


async def test_a_cut_ends_the_stream_at_both_ends_without_a_word(proctor: Proctor) -> None:
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        stream = await proctor.next_stream(LIMIT_S)
        stream.cut()
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(Gone) as gone:
            await stream.receive(LIMIT_S)
        assert gone.value.goodbye is None


async def test_closing_comes_before_the_status(proctor: Proctor) -> None:
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        stream = await proctor.next_stream(LIMIT_S)
        closing = referee_pb2.Closing(text="over", retry=True)
        await stream.close(closing, grpc.StatusCode.UNAVAILABLE, "later")
        frame = await bot.read()
        assert frame is not None
        assert frame.closing.retry
        assert await bot.read() is None
        assert await bot.status() == (grpc.StatusCode.UNAVAILABLE, "later")


async def test_a_delay_counts_each_way(proctor: Proctor) -> None:
    loop = asyncio.get_running_loop()
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        stream = await proctor.next_stream(LIMIT_S)
        proctor.first.relay.delay_s = DELAY_S
        began = loop.time()
        await stream.send(PING)
        await bot.read()
        await bot.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=5)))
        frame = await stream.receive(LIMIT_S)
        assert frame.pong.number == 5
        assert loop.time() - began >= 2 * DELAY_S


async def test_who_is_away_cannot_be_dialled_and_comes_back_at_the_same_address(
    proctor: Proctor,
) -> None:
    for door in proctor.doors:
        address = door.relay.address
        door.relay.go_away()
        async with Bot(address) as bot:
            await bot.send(HELLO)
            assert await bot.read() is None
            assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
        await door.relay.come_back()
        assert door.relay.address == address
        async with Bot(address) as bot:
            await bot.send(HELLO)
            assert (await proctor.next_stream(LIMIT_S)).address == address


async def test_all_that_was_sent_and_received_is_kept(proctor: Proctor) -> None:
    async with Bot(proctor.address) as bot:
        await bot.send(HELLO)
        stream = await proctor.next_stream(LIMIT_S)
        await stream.send(PING)
        await bot.read()
    kept = [(frame.of_bot, frame.data) for frame in proctor.log.frames if not frame.event]
    assert kept == [(True, HELLO.SerializeToString()), (False, PING.SerializeToString())]


async def test_nothing_is_left_of_a_proctor() -> None:
    async with Proctor() as one:
        folder = one.folder
        async with Bot(one.address) as bot:
            await bot.send(HELLO)
            await one.next_stream(LIMIT_S)
    assert not folder.exists()

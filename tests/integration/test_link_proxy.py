"""The links that the scenarios run over do what they say: they delay, keep order, freeze, cut."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.link_proxy import Link, link_proxy
from tests.integration.serving import LIMIT_S

DELAY_S = 0.05
LINES = [f"{number}\n".encode() for number in range(200)]
MORE_THAN_BUFFERS = 64 * 1024 * 1024
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@contextlib.asynccontextmanager
async def linked(folder: Path, *, delay_s: float) -> AsyncIterator[tuple[Ends, Ends, Link]]:
    """Both ends of a link: the bot's and the referee's."""
    accepted: asyncio.Queue[Ends] = asyncio.Queue()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.put_nowait((reader, writer))

    far = folder / "far.sock"
    async with (
        await asyncio.start_unix_server(accept, far),
        link_proxy(folder / "near.sock", f"unix:{far}", delay_s=delay_s) as proxy,
    ):
        bot = await asyncio.open_unix_connection(proxy.address.removeprefix("unix:"))
        referee = await accepted.get()
        try:
            yield bot, referee, proxy.links[0]
        finally:
            for _, writer in (bot, referee):
                writer.transport.abort()


@pytest.mark.parametrize("upward", [True, False], ids=["upward", "downward"])
async def test_bytes_come_in_order_and_not_before_their_delay(tmp_path: Path, upward: bool) -> None:
    now = asyncio.get_running_loop().time
    async with linked(tmp_path, delay_s=DELAY_S) as (bot, referee, _):
        writer, reader = (bot[1], referee[0]) if upward else (referee[1], bot[0])
        began = now()
        for line in LINES:
            writer.write(line)
            await writer.drain()
        came = []
        for _ in LINES:
            came.append(await asyncio.wait_for(reader.readline(), LIMIT_S))
        assert now() - began >= DELAY_S
        assert came == LINES


async def test_a_frozen_link_takes_nothing_in_and_goes_on_when_it_thaws(tmp_path: Path) -> None:
    async with linked(tmp_path, delay_s=0) as (bot, referee, link):
        link.freeze_downward()
        referee[1].write(bytes(MORE_THAN_BUFFERS))
        drained = asyncio.ensure_future(referee[1].drain())
        bot[1].write(b"upward\n")  # the other direction is as ever
        assert await asyncio.wait_for(referee[0].readline(), LIMIT_S) == b"upward\n"
        assert not drained.done()
        link.thaw_downward()
        data = await asyncio.wait_for(bot[0].readexactly(MORE_THAN_BUFFERS), LIMIT_S)
        assert len(data) == MORE_THAN_BUFFERS
        await drained


async def test_a_cut_is_seen_at_both_ends_with_what_was_on_its_way_lost(tmp_path: Path) -> None:
    async with linked(tmp_path, delay_s=LIMIT_S) as (bot, referee, link):
        bot[1].write(b"too late\n")
        await bot[1].drain()
        link.cut()
        for reader, _ in (bot, referee):
            assert await rest(reader) == b""


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that still comes; a reset link is an end like any other."""
    try:
        return await asyncio.wait_for(reader.read(), LIMIT_S)
    except ConnectionResetError:
        return b""

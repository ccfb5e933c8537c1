"""Bytes that are no message: the caller's mistake in every call, and nothing in the log."""

import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import Any  # noqa: TID251 - the stubs ask for serializers

import grpc
import pytest

from referee.transport.offered import LADDERS, MATCHES, REGISTRY
from tests.integration.service_world import offering
from tests.integration.serving import LIMIT_S

HEALTH, REFLECTION = "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"
UNARY = [
    *(f"/{LADDERS}/{call}" for call in ("ListLadders", "GetStandings", "ListResults")),
    *(f"/{MATCHES}/{call}" for call in ("CreateMatch", "CancelMatch", "ListMatches")),
    *(f"/{REGISTRY}/{call}" for call in ("RegisterBot", "RotateTokens", "ListBots")),
    f"/{HEALTH}/Check",
]
STREAMS = [
    f"/{LADDERS}/WatchStandings",
    f"/{MATCHES}/WatchMatch",
    f"/{MATCHES}/GetRecord",
    f"/{HEALTH}/Watch",
]
GARBAGE = [b"\xff\xff\xff\xff\x07abc", b"\x0a\x05a"]  # no field; a text that ends too early


@pytest.mark.parametrize("data", GARBAGE)
async def test_garbage_is_the_callers_mistake_in_every_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    caplog.set_level(logging.WARNING)
    async with offering(tmp_path) as world, grpc.aio.insecure_channel(world.address) as plain:
        channel: Any = plain
        for path in UNARY:
            await refused(channel.unary_unary(path)(data, timeout=LIMIT_S))
        for path in STREAMS:
            await refused(channel.unary_stream(path)(data, timeout=LIMIT_S).read())
        both = channel.stream_stream(f"/{REFLECTION}/ServerReflectionInfo")
        await refused(both(iter([data]), timeout=LIMIT_S).read())
    assert caplog.records == []


async def refused(call: Awaitable[object]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, caught.value
    assert "encode one as the proto files say" in (caught.value.details() or "")

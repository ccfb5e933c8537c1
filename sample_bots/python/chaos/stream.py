"""A stream without the library's session, for bots that use it as that never would."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc
import grpc.aio

from tichu_bot._gen.tichu.referee.v1.referee_pb2_grpc import RefereeServiceStub
from tichu_bot.link import PlayCall
from tichu_bot.run import settings_or_exit

OPTIONS = (("grpc.http2.bdp_probe", 0),)  # no window that grows to megabytes for a slow reader


@contextlib.asynccontextmanager
async def stream() -> AsyncIterator[PlayCall]:
    """Open a stream to the referee of the environment. It ends as a lost link does."""
    settings = settings_or_exit()
    address = settings.servers[0]
    metadata = (("authorization", f"Bearer {settings.token}"),) if settings.token else ()
    if settings.ca is None or address.startswith("unix:"):
        channel = grpc.aio.insecure_channel(address, options=OPTIONS)
    else:
        credentials = grpc.ssl_channel_credentials(settings.ca)
        channel = grpc.aio.secure_channel(address, credentials, options=OPTIONS)
    async with channel:
        yield RefereeServiceStub(channel).Play(metadata=metadata)


async def for_ever() -> None:
    """Wait for a signal to end the process."""
    await asyncio.Event().wait()

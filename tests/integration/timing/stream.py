"""One stream of a bot that notes when a frame came, to the nanosecond, and when one was written."""

import asyncio
import contextlib
from collections.abc import Callable
from time import monotonic_ns

import grpc

from referee._gen.tichu.referee.v1 import referee_pb2
from tests.integration.serving import METHOD

Handle = Callable[[referee_pb2.PlayResponse, int], None]
Written = Callable[[int], None]


class Stream:
    """Reads in `run`; writes in the order of `send`, one frame at a time."""

    def __init__(self, address: str, token: str) -> None:
        own = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.aio.insecure_channel(address, options=own)
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(METHOD)
        self._call = play(metadata=(("authorization", f"Bearer {token}"),))
        self._waiting: asyncio.Queue[tuple[referee_pb2.PlayRequest, Written | None]] = (
            asyncio.Queue()
        )

    async def hello(self, matches: int) -> None:
        """Say Hello and read the Welcome."""
        hello = referee_pb2.Hello(protocol_version=1, max_matches=matches, without_snapshots=True)
        await self._call.write(referee_pb2.PlayRequest(hello=hello).SerializeToString())
        data = await self._call.read()
        assert isinstance(data, bytes), "the stream ended before its Welcome"
        assert referee_pb2.PlayResponse.FromString(data).HasField("welcome")

    def send(self, frame: referee_pb2.PlayRequest, written: Written | None = None) -> None:
        """Write a frame soon; `written` gets the time at which it is handed to gRPC."""
        self._waiting.put_nowait((frame, written))

    def later(self, delay_s: float, frame: referee_pb2.PlayRequest) -> None:
        """Write a frame after a time."""
        asyncio.get_running_loop().call_later(delay_s, self.send, frame)

    async def run(self, handle: Handle) -> None:
        """Read to the end of the stream."""
        writer = asyncio.create_task(self._write())
        try:
            with contextlib.suppress(grpc.aio.AioRpcError):
                while isinstance(data := await self._call.read(), bytes):
                    came = monotonic_ns()
                    handle(referee_pb2.PlayResponse.FromString(data), came)
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self._call.cancel()
            await self._channel.close()

    async def _write(self) -> None:
        while True:
            frame, written = await self._waiting.get()
            data = frame.SerializeToString()
            if written is not None:
                written(monotonic_ns())
            try:
                await self._call.write(data)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return  # the stream is over: reading tells so

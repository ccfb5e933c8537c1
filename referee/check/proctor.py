"""A gRPC server that speaks Play by script, for one bot process under examination."""

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Self

import grpc

from referee.check.relay import Relay
from referee.check.stream import Context, ExamStream, Gone, Log, Silent, Unreadable
from referee.ports import MAX_FRAME_BYTES

SERVICE = "tichu.referee.v1.RefereeService"
HELLO_S = 5.0  # from the begin of a stream to its Hello
_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.max_send_message_length", 16 * 1024 * 1024),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
_LONGEST_TEMP_FOLDER = 60  # the path of a unix socket has 100 bytes

__all__ = ["Gone", "Proctor", "Silent", "Unreadable"]
assert MAX_FRAME_BYTES < 4 * 1024 * 1024  # a frame that is too large is to be seen, and judged


class Door:
    """One address to dial, with a server behind a link of its own."""

    def __init__(self, proctor: "Proctor", inner: Path) -> None:
        self.relay = Relay(inner)
        self.refusing: tuple[grpc.StatusCode, str] | None = None  # status of every new stream
        self.refused = 0  # streams that got it
        self.news = asyncio.Event()  # set with each of them
        self._proctor = proctor
        self._server = grpc.aio.server(options=_OPTIONS)
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
            self._play
        )
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),)
        )
        self._server.add_insecure_port(f"unix:{inner}")

    async def open(self, path: Path | None) -> None:
        """Listen at a path, or on a port of this machine."""
        await self._server.start()
        await self.relay.listen(path)

    async def close(self) -> None:
        """End all streams and stop."""
        await self.relay.close()
        await self._server.stop(0)

    async def _play(self, _: object, context: Context) -> None:
        if self.refusing is not None:
            self.refused += 1
            self.news.set()
            await context.abort(*self.refusing)
        stream = self._proctor.stream_of(context, self.relay)
        reader = asyncio.create_task(stream.read())
        self._proctor.hold(reader)
        self._proctor.hold(asyncio.create_task(self._proctor.greet(stream)))
        try:
            await asyncio.wait({stream.ending})
        except asyncio.CancelledError:  # the peer is gone, or the server stops
            stream.over.set()
            return
        end = stream.ending.result()
        if end is not None and end.status is not grpc.StatusCode.OK:
            await context.abort(end.status, end.details)


class Proctor:
    """Serves one bot process by script, at three addresses; usable as `async with`."""

    def __init__(self) -> None:
        self.log = Log()
        self.silent_streams = 0  # streams that ended or waited without a Hello
        self._streams: asyncio.Queue[ExamStream] = asyncio.Queue()
        self._count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:  # an order to stop may come meanwhile
            await self._close()
            raise
        return self

    async def _open(self) -> None:
        temp = tempfile.gettempdir()
        short = "/tmp" if len(temp) > _LONGEST_TEMP_FOLDER else None
        self.folder = Path(
            self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tichu-", dir=short))
        )
        self.first = await self._door(self.folder / "1.in", self.folder / "1.sock")
        self.second = await self._door(self.folder / "2.in", self.folder / "2.sock")
        self.third = await self._door(self.folder / "3.in", None)

    async def __aexit__(self, *error: object) -> None:
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:  # a server that is left open complains at the very end
            await closing
            raise

    async def _close(self) -> None:
        try:
            await self._stack.aclose()
        finally:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _door(self, inner: Path, path: Path | None) -> Door:
        door = Door(self, inner)
        self._stack.push_async_callback(door.close)
        await door.open(path)
        return door

    @property
    def doors(self) -> tuple[Door, ...]:
        """All addresses that can be dialled."""
        return (self.first, self.second, self.third)

    @property
    def address(self) -> str:
        """Where the bot is to dial: a unix socket."""
        return self.first.relay.address

    @property
    def second_address(self) -> str:
        """Another unix socket, for Redirect and Moved."""
        return self.second.relay.address

    @property
    def tcp_address(self) -> str:
        """A port of this machine, as host:port."""
        return self.third.relay.address

    async def next_stream(self, limit_s: float) -> ExamStream:
        """Return the next stream of the bot whose Hello came. Raises `Silent` after the limit."""
        try:
            return await asyncio.wait_for(self._streams.get(), limit_s)
        except TimeoutError:
            raise Silent(f"no Hello came within {limit_s:g} s") from None

    @property
    def streams(self) -> int:
        """Streams that were opened so far."""
        return self._count

    # --- for the doors

    def stream_of(self, context: Context, relay: Relay) -> ExamStream:
        """Return the stream of a call that came."""
        self._count += 1
        return ExamStream(
            context, number=self._count, address=relay.address, log=self.log, cut=relay.cut
        )

    def hold(self, task: "asyncio.Task[None]") -> None:
        """Keep a task alive: the loop alone does not."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def greet(self, stream: ExamStream) -> None:
        """Wait for the Hello; a stream whose first frame is none is ended as the referee does."""
        why = "the first frame must be a Hello"
        try:
            frame = await stream.receive(HELLO_S)
        except (Silent, Gone):
            self.silent_streams += 1
            await stream.close(None, grpc.StatusCode.INVALID_ARGUMENT, why)
            return
        except Unreadable as error:
            self.silent_streams += 1
            await stream.close(None, grpc.StatusCode.INVALID_ARGUMENT, str(error))
            return
        if not frame.HasField("hello"):
            self.silent_streams += 1
            await stream.close(None, grpc.StatusCode.INVALID_ARGUMENT, why)
            return
        stream.hello = frame.hello
        self._streams.put_nowait(stream)

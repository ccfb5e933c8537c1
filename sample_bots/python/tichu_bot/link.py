"""One stream to the referee: a reader, a writer, and why it ended."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import NamedTuple

import grpc
import grpc.aio

from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot._gen.tichu.referee.v1.referee_pb2_grpc import RefereeServiceStub
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player
from tichu_bot.settings import Settings

PlayCall = grpc.aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]

WELCOME_TIMEOUT_S = 20.0  # a referee answers Hello at once; what answers nothing is none
GOODBYE_TIMEOUT_S = 1.0  # for the referee to end its side

CHANNEL_OPTIONS = (
    ("grpc.enable_retries", 0),  # a stream is resumed with the session token, never replayed
    ("grpc.use_local_subchannel_pool", 1),  # a fresh connection each time, backoff is ours
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
)


class Ended(NamedTuple):
    """Why a stream ended, as far as the referee said."""

    status: grpc.StatusCode
    details: str
    welcome: pb.Welcome | None = None
    go_to: str | None = None  # Redirect or Moved: dial there
    closing: pb.Closing | None = None
    stopped: bool = False  # we said Goodbye because the process was told to end


def open_channel(address: str, settings: Settings) -> grpc.aio.Channel:
    """Dial: encrypted where the settings hold an authority, but for unix sockets."""
    if settings.ca is None or address.startswith("unix:"):
        return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
    credentials = grpc.ssl_channel_credentials(settings.ca)
    return grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS)


class Link:
    """Runs one stream from Hello to its end."""

    def __init__(
        self, player: Player, outbox: Outbox, *, on_welcome: Callable[[pb.Welcome], None]
    ) -> None:
        self._player = player
        self._outbox = outbox
        self._on_welcome = on_welcome
        self._answered = asyncio.Event()  # the referee has said something
        self._welcome: pb.Welcome | None = None
        self._go_to: str | None = None
        self._closing: pb.Closing | None = None

    async def run(
        self, address: str, settings: Settings, hello: pb.Hello, stop: asyncio.Event
    ) -> Ended:
        """Dial and play until the stream ends, `stop` is set, or the referee answers nothing."""
        metadata = (("authorization", f"Bearer {settings.token}"),) if settings.token else ()
        async with open_channel(address, settings) as channel:
            call = RefereeServiceStub(channel).Play(metadata=metadata)
            self._outbox.clear()
            self._outbox.hello(hello)
            reader = asyncio.create_task(self._read(call))
            writer = asyncio.create_task(self._write(call))
            stopped = await self._until_over(reader, stop)
            call.cancel()  # where a read is still open its answer no longer matters
            writer.cancel()
            await asyncio.wait((reader, writer))
            reader.result()  # a failure of our own code ends the process, loudly
            return await self._ended(call, stopped=stopped)

    async def _until_over(self, reader: asyncio.Task[None], stop: asyncio.Event) -> bool:
        """Wait for the stream's end; True when `stop` came first. No read is ever cancelled."""
        stopping = asyncio.create_task(stop.wait())
        answered = asyncio.create_task(self._answered.wait())
        try:
            await asyncio.wait(
                (reader, stopping, answered),
                timeout=WELCOME_TIMEOUT_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not (answered.done() or reader.done() or stopping.done()):
                return False
            await asyncio.wait((reader, stopping), return_when=asyncio.FIRST_COMPLETED)
            if reader.done():
                return False
            self._outbox.goodbye("told to end")
            await asyncio.wait((reader,), timeout=GOODBYE_TIMEOUT_S)
            return True
        finally:
            stopping.cancel()
            answered.cancel()

    async def _read(self, call: PlayCall) -> None:
        """Read frames to the end of the stream; its status says how it ended."""
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (frame := await call.read()) is not grpc.aio.EOF:
                assert isinstance(frame, pb.PlayResponse)
                if frame.HasField("ping"):
                    self._outbox.pong(frame.ping.number)
                    await asyncio.sleep(0)  # the writer goes first: thinking may take long
                self._take(frame)
                if self._go_to is not None:
                    return
                if self._closing is not None:  # the status follows; not for ever
                    asyncio.get_running_loop().call_later(GOODBYE_TIMEOUT_S, call.cancel)

    def _take(self, frame: pb.PlayResponse) -> None:
        """Take one frame in; what it asks is answered in one frame."""
        if not self._answered.is_set():
            self._answered.set()
        if frame.HasField("welcome"):
            self._welcome = frame.welcome
            self._on_welcome(frame.welcome)
            self._player.came_back(self._outbox.frame, resumed=frame.welcome.resumed)
        if frame.updates:
            self._player.frame(frame, self._outbox.frame)
        self._outbox.ring()
        if frame.HasField("redirect"):
            self._go_to = frame.redirect.address
        if frame.HasField("moved"):
            self._go_to = frame.moved.address
        if frame.HasField("closing"):
            self._closing = frame.closing
            if not frame.closing.retry:
                self._outbox.goodbye("the referee closes")

    async def _write(self, call: PlayCall) -> None:
        """Send what is pending, one frame at a time; half-close behind a Goodbye."""
        with contextlib.suppress(
            grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError
        ):
            while True:
                frame = await self._outbox.take()
                await call.write(frame)
                if frame.HasField("goodbye"):
                    await call.done_writing()
                    return

    async def _ended(self, call: PlayCall, *, stopped: bool) -> Ended:
        return Ended(
            status=await call.code(),
            details=await call.details() or "",
            welcome=self._welcome,
            go_to=self._go_to,
            closing=self._closing,
            stopped=stopped,
        )

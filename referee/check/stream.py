"""One stream of a bot under examination, as the proctor has it."""

import asyncio
import contextlib
from collections.abc import Callable

import grpc
import msgspec

from referee._gen.tichu.referee.v1 import referee_pb2

Request = referee_pb2.PlayRequest
Response = referee_pb2.PlayResponse
Context = grpc.aio.ServicerContext[bytes, bytes]

FRAMES_KEPT = 5_000  # of a probe, for the file of one that failed


class Failed(Exception):
    """The bot did what a probe does not allow, in words; `cure` where the probe's own is wrong."""

    def __init__(self, what: str, *, cure: str = "") -> None:
        super().__init__(what)
        self.cure = cure


class Silent(Exception):
    """The bot said nothing in time."""


class Gone(Exception):
    """The bot's stream ended. `goodbye`: it said so before, or None."""

    def __init__(self, goodbye: str | None = None) -> None:
        super().__init__("the stream ended" + ("" if goodbye is None else " after a Goodbye"))
        self.goodbye = goodbye


class Unreadable(Exception):
    """The bot sent what is no PlayRequest."""


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A frame as it went over the link. `at_s` counts from the start of the proctor."""

    at_s: float
    stream: int  # streams of the proctor, from 1; 0: the process
    of_bot: bool
    data: bytes
    event: str = ""  # what happened instead of a frame: a cut, a signal


class Log:
    """All frames of a proctor, up to a bound."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.dropped = 0  # behind the bound
        self._began = asyncio.get_running_loop().time()

    def keep(self, stream: int, data: bytes, *, of_bot: bool) -> None:
        """Take down one frame."""
        self._add(Frame(at_s=self._now(), stream=stream, of_bot=of_bot, data=data))

    def tell(self, event: str, *, stream: int = 0, of_bot: bool = False) -> None:
        """Take down what is no frame."""
        self._add(Frame(at_s=self._now(), stream=stream, of_bot=of_bot, data=b"", event=event))

    def _now(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    def _add(self, frame: Frame) -> None:
        if len(self.frames) >= FRAMES_KEPT:
            self.dropped += 1
        else:
            self.frames.append(frame)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How the proctor ends a stream."""

    status: grpc.StatusCode = grpc.StatusCode.OK
    details: str = ""


class ExamStream:
    """A stream whose Hello came. One task sends, one receives; that may be the same."""

    def __init__(
        self, context: Context, *, number: int, address: str, log: Log, cut: Callable[[], None]
    ) -> None:
        self.number = number
        self.address = address  # that the bot dialled
        self.token = _token_of(context)  # bearer token; None: it sent none
        self.hello = referee_pb2.Hello()
        self.goodbye: str | None = None
        self.over = asyncio.Event()  # nothing more comes from the bot
        self.ending: asyncio.Future[Ending | None] = asyncio.get_running_loop().create_future()
        self._context = context
        self._log = log
        self._cut = cut
        self._inbox: asyncio.Queue[tuple[float, bytes] | None] = asyncio.Queue()
        self.last = b""  # the last frame that was received
        self.received_at = 0.0  # time of the loop at which the last frame was read

    # --- for the server

    async def read(self) -> None:
        """Take in what the bot sends, to the end of its stream."""
        loop = asyncio.get_running_loop()
        while (data := await _next(self._context)) is not None:
            self._log.keep(self.number, data, of_bot=True)
            self._inbox.put_nowait((loop.time(), data))
        self.over.set()
        self._log.tell("the end of its side", stream=self.number, of_bot=True)
        self._inbox.put_nowait(None)
        if not self.ending.done():  # as the referee does: who reads to the end is to see one
            self.ending.set_result(Ending())

    # --- for a probe

    async def receive(self, limit_s: float) -> Request:
        """Return the next frame. Raises `Silent`, `Gone` or `Unreadable`."""
        try:
            got = await asyncio.wait_for(self._inbox.get(), limit_s)
        except TimeoutError:
            raise Silent(f"nothing came within {limit_s:g} s") from None
        if got is None:
            self._inbox.put_nowait(None)  # for whoever asks again
            raise Gone(self.goodbye)
        self.received_at, data = got
        self.last = data
        try:
            frame = Request.FromString(data)
        except Exception as error:  # the library's DecodeError, whatever its class
            raise Unreadable(f"a frame of {len(data)} bytes is no PlayRequest") from error
        if frame.HasField("goodbye"):
            self.goodbye = frame.goodbye.text
        return frame

    async def send(self, frame: Response) -> None:
        """Send one frame; nothing happens where the stream is over."""
        await self.send_bytes(frame.SerializeToString())

    async def send_bytes(self, data: bytes) -> None:
        """Send one frame that is already bytes, for what the messages do not know."""
        self._log.keep(self.number, data, of_bot=False)
        with contextlib.suppress(Exception):  # the stream is over: reading tells so
            await self._context.write(data)

    async def close(
        self,
        closing: referee_pb2.Closing | None = None,
        status: grpc.StatusCode = grpc.StatusCode.OK,
        details: str = "",
    ) -> None:
        """End the stream, with a Closing before if there is one."""
        if closing is not None:
            await self.send(Response(closing=closing))
        if not self.ending.done():
            self._log.tell(f"status {status.name} {details}".strip(), stream=self.number)
            self.ending.set_result(Ending(status=status, details=details))

    def cut(self) -> None:
        """Cut the bot's link without a word."""
        self._log.tell("the link is cut", stream=self.number)
        self._cut()
        if not self.ending.done():
            self.ending.set_result(None)

    async def gone(self, limit_s: float) -> None:
        """Read on to the end of the bot's side. Raises `Silent` after the limit."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    await self.receive(limit_s + 1)
        except TimeoutError:
            raise Silent(f"the stream did not end within {limit_s:g} s") from None
        except Gone:
            return


async def _next(context: Context) -> bytes | None:
    try:
        data: object = await context.read()
    except (asyncio.CancelledError, Exception):  # the call is over, in whatever way
        return None
    return data if isinstance(data, bytes) else None


def _token_of(context: Context) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key.lower() == "authorization":
            text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
            kind, _, token = text.partition(" ")
            return token if kind.lower() == "bearer" else text
    return None

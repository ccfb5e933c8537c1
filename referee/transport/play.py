"""The Play stream on grpc.aio: one reader, one writer, and a handler that always gives a status.

What experience with this library forbids: cancelling a read (it kills the call), writing from two
tasks (all but one write fail), letting a CancelledError or the text of an exception out of a
handler (the client hangs, or reads our secrets). EOF, a cancelled call and a killed peer all look
like EOF here; only Goodbye tells a clean end.
"""

import asyncio
import secrets
import traceback
from collections.abc import AsyncIterator, Coroutine
from contextvars import ContextVar

import grpc
import structlog

from referee.app.instances import Instance
from referee.app.reception import Reception
from referee.app.streams import Stream
from referee.transport.link import StreamLink
from referee.transport.status import CODES, status_of

Context = grpc.aio.ServicerContext[bytes, bytes]
Requests = AsyncIterator[bytes]

INSTANCE: ContextVar[Instance | None] = ContextVar("instance")  # set by the guard
_LAST_FRAMES_S = 1.0  # for a peer that reads slowly to get the reason of its stream's end
_log = structlog.get_logger("referee.transport")


class PlayHandler:
    """Serves Play for a reception."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self, requests: Requests, context: Context) -> None:
        """Serve one stream to its end."""
        link = StreamLink()
        stream = self._reception.connect(link, INSTANCE.get())
        writer = self._task(_write(link, stream, context))
        self._task(_read(stream, link, context))
        try:
            end = await asyncio.shield(link.ended)
            await asyncio.wait({writer}, timeout=_LAST_FRAMES_S)
        except asyncio.CancelledError:  # the peer is gone, or the server stops
            stream.lost()
            link.drop()
            return
        link.drop()
        if CODES[end.status] is not grpc.StatusCode.OK:
            await context.abort_with_status(status_of(end))

    def _task(self, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)  # the loop alone keeps no task alive
        task.add_done_callback(self._tasks.discard)
        return task


async def _read(stream: Stream, link: StreamLink, context: Context) -> None:
    while (data := await _next(context)) is not None:
        try:
            wait_ns = stream.receive(data)
        except Exception as error:
            fail(stream, error)
            return
        while wait_ns and not link.ended.done():  # its frames wait where they are
            await asyncio.wait({link.ended}, timeout=wait_ns / 1e9)
            wait_ns = stream.hold_ns()
    stream.lost()


async def _next(context: Context) -> bytes | None:
    """Return the next frame, None when the stream is over in whatever way."""
    try:
        data: object = await context.read()
    except (asyncio.CancelledError, Exception):  # the call is over; nothing of it is to be told
        return None
    return data if isinstance(data, bytes) else None  # not bytes: EOF


async def _write(link: StreamLink, stream: Stream, context: Context) -> None:
    while (frame := await link.next_frame()) is not None:
        try:
            await context.write(frame)
        except (asyncio.CancelledError, Exception):  # as in _next
            stream.lost()
            return
        link.written(frame)


def fail(stream: Stream, error: Exception) -> None:
    """Our bug: end the stream with an id that is in the log too, and nothing else."""
    error_id = secrets.token_hex(4)
    where = [f"{f.filename}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]]
    _log.error("a stream failed", error_id=error_id, error=type(error).__name__, where=where)
    stream.fail(error_id)

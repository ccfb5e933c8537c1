"""How a call of a service is served: who may, how many at once, and with which status it ends.

No text of an exception reaches a caller: what is refused is a `CallRefused`, whose text is meant
for it, and all else is our bug and ends as INTERNAL with an id that is in the log too.
"""

from __future__ import annotations  # the handler types are generic in the stubs only

import asyncio
import secrets
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias, TypeVar

import grpc
import structlog
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

from referee.ports.services import CallRefused, Problem
from referee.transport.endpoints import peer_is_near

MOST_CALLS = 16  # at once: what bots need is not theirs
MOST_WATCHERS = 32
WRITE_S = 20.0  # for a watcher to take a message
_DOMAIN = "tichu.referee.v1"
_log = structlog.get_logger("referee.transport")
_In = TypeVar("_In", bound=Message)
_Out = TypeVar("_Out", bound=Message)
Context = grpc.aio.ServicerContext[Message, bytes]
Handler: TypeAlias = "grpc.RpcMethodHandler[Message, bytes]"


class Calls:
    """Serves calls. One for all services of a referee: the limits are common."""

    def __init__(self, *, write_s: float = WRITE_S) -> None:
        self._write_s = write_s
        self._calls = self._watchers = 0
        self._writing: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Future[None] | None = None

    @property
    def watching(self) -> int:
        """How many streams are open."""
        return self._watchers

    @property
    def closing(self) -> asyncio.Future[None]:
        """Done when watchers are to end, since the referee goes down."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_future()
        return self._closing

    def close(self) -> None:
        """End all who watch."""
        if not self.closing.done():
            self.closing.set_result(None)

    def unary(
        self,
        request: type[_In],
        behaviour: Callable[[_In], Awaitable[_Out]],
        *,
        writes: bool = False,
    ) -> Handler:
        """Return the handler of a call with one answer; one that `writes` is for near callers."""

        async def handle(message: _In, context: Context) -> bytes:
            async def answer() -> bytes:
                if writes:
                    _check_near(context)
                self._check_room(self._calls, MOST_CALLS, "calls")
                self._calls += 1
                try:
                    return (await behaviour(message)).SerializeToString()
                finally:
                    self._calls -= 1

            return await _ended_well(answer(), context) or b""

        return grpc.unary_unary_rpc_method_handler(
            handle,
            request_deserializer=request.FromString,
        )

    def stream(
        self, request: type[_In], behaviour: Callable[[_In], AsyncIterator[bytes]]
    ) -> Handler:
        """Return the handler of a call that is answered by a stream of encoded messages."""

        async def handle(message: _In, context: Context) -> None:
            async def answer() -> bytes:
                self._check_room(self._watchers, MOST_WATCHERS, "watchers")
                self._watchers += 1
                answers = behaviour(message)
                try:
                    async for one in answers:
                        await self._send(one, context)
                finally:
                    self._watchers -= 1
                    await answers.aclose()  # type: ignore[attr-defined]  # a generator
                return b""

            await _ended_well(answer(), context)

        return grpc.unary_stream_rpc_method_handler(
            handle,
            request_deserializer=request.FromString,
        )

    async def _send(self, message: bytes, context: Context) -> None:
        """Write one message. Raises `CallRefused` where it is not taken in time."""
        task = asyncio.get_running_loop().create_task(_write(context, message))
        self._writing.add(task)  # the loop alone keeps no task alive
        task.add_done_callback(self._writing.discard)
        done, _ = await asyncio.wait({task}, timeout=self._write_s)
        if not done:
            raise CallRefused(
                Problem.RESOURCE_EXHAUSTED,
                f"nothing was read for {self._write_s:g} s; read faster, and call again",
            )

    def _check_room(self, now: int, most: int, what: str) -> None:
        if now >= most:
            raise CallRefused(
                Problem.RESOURCE_EXHAUSTED, f"{most} {what} at once are the most; try again later"
            )


async def until(*ends: asyncio.Future[object]) -> None:
    """Wait for the first of these; none of them is cancelled."""
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)


async def _write(context: Context, message: bytes) -> None:
    try:
        await context.write(message)
    except (asyncio.CancelledError, Exception):  # the call is over; its handler is told so
        return


def _check_near(context: Context) -> None:
    if not peer_is_near(context.peer()):
        raise CallRefused(
            Problem.PERMISSION_DENIED,
            "this call changes something: it is served on the referee's own machine, over loopback "
            "or a unix socket",
        )


async def _ended_well(answer: Awaitable[bytes], context: Context) -> bytes | None:
    """Return the answer; else end the call with a status, and return None.

    A `CancelledError` out of a handler would leave its client hanging, so none gets out.
    """
    try:
        return await answer
    except CallRefused as refused:
        status = refused_status(refused)
    except asyncio.CancelledError:
        return None
    except Exception as error:
        status = _failed(error)
    await context.abort_with_status(status)


def _failed(error: Exception) -> grpc.Status:
    error_id = secrets.token_hex(4)
    where = [f"{f.filename}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]]
    _log.error("a call failed", error_id=error_id, error=type(error).__name__, where=where)
    code: int = grpc.StatusCode.INTERNAL.value[0]
    text = f"the referee failed; its log has more under {error_id}"
    packed: grpc.Status = rpc_status.to_status(status_pb2.Status(code=code, message=text))
    return packed


def refused_status(refused: CallRefused) -> grpc.Status:
    """Return the status of a call that came to nothing, with `google.rpc` details."""
    code: int = grpc.StatusCode[refused.problem.name].value[0]
    status = status_pb2.Status(code=code, message=refused.text)
    detail = any_pb2.Any()
    detail.Pack(_detail(refused))
    status.details.append(detail)
    packed: grpc.Status = rpc_status.to_status(status)
    return packed


def _detail(refused: CallRefused) -> Message:
    subject, text = refused.subject, refused.text
    match refused.problem:
        case Problem.INVALID_ARGUMENT:
            detail = error_details_pb2.BadRequest()
            detail.field_violations.add(field=subject, description=text)
        case Problem.FAILED_PRECONDITION:
            detail = error_details_pb2.PreconditionFailure()
            detail.violations.add(type="STATE", subject=subject, description=text)
        case Problem.NOT_FOUND | Problem.ALREADY_EXISTS:
            detail = error_details_pb2.ResourceInfo(resource_type=subject, description=text)
        case Problem.RESOURCE_EXHAUSTED:
            detail = error_details_pb2.QuotaFailure()
            detail.violations.add(subject=subject, description=text)
        case Problem.PERMISSION_DENIED | Problem.UNAVAILABLE:
            detail = error_details_pb2.ErrorInfo(reason=refused.problem.name, domain=_DOMAIN)
    found: Message = detail
    return found

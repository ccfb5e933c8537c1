"""Who may call: the bearer token of a call decides, or nearness where open identity is on."""

from __future__ import annotations  # the handler types are generic in the stubs only

import time
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import grpc
import structlog

from referee.app.reception import Reception
from referee.ports import StreamEnd
from referee.transport.decoding import with_decoding
from referee.transport.endpoints import peer_is_near
from referee.transport.play import INSTANCE, Context, Requests
from referee.transport.status import status_of

SERVICE = "tichu.referee.v1.RefereeService"
_BEARER = "bearer "
_LOG_GAP_S = 1.0  # a bot that dials without pause fills no disk
_log = structlog.get_logger("referee.transport")
_In = TypeVar("_In")
_Out = TypeVar("_Out")


def bearer(metadata: Iterable[tuple[str, str | bytes]] | None) -> str | None:
    """Return the token of a call, None if it brings none."""
    for key, value in metadata or ():
        text = value.decode(errors="replace") if isinstance(value, bytes) else value
        if key == "authorization" and text.lower().startswith(_BEARER):
            return text[len(_BEARER) :]
    return None


Handle = Callable[[Requests, Context], Awaitable[None]]


class RefusalLog:
    """Logs streams that were refused: one line a second at most, which counts the ones before it.

    A token is never in it: one that is mistyped is still most of a secret.
    """

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._next = float("-inf")
        self._unlogged = 0

    def log(self, peer: str, why: str) -> None:
        """Log one, or leave it to the count of a later line."""
        now = self._seconds()
        if now < self._next:
            self._unlogged += 1
            return
        _log.warning("stream refused", peer=peer, why=why, unlogged_before=self._unlogged)
        self._next, self._unlogged = now + _LOG_GAP_S, 0


class Guard(grpc.aio.ServerInterceptor):
    """Admits streams of the service; all other calls are for everybody who sends a message."""

    def __init__(
        self, reception: Reception, *, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._reception = reception
        self._refusals = RefusalLog(seconds)

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[_In, _Out] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[_In, _Out] | None:
        """Put the check before the handler of a stream."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        if not handler_call_details.method.startswith(f"/{SERVICE}/"):
            return with_decoding(handler)
        behaviour: Handle = handler.stream_stream  # type: ignore[assignment]

        async def guarded(requests: Requests, context: Context) -> None:
            token = bearer(context.invocation_metadata())
            admitted = self._reception.admit(token, near=peer_is_near(context.peer()))
            if isinstance(admitted, StreamEnd):
                self._reception.turned_away(admitted)
                self._refusals.log(context.peer(), admitted.text)
                await context.abort_with_status(status_of(admitted))
            else:
                INSTANCE.set(admitted)
                await behaviour(requests, context)

        return grpc.stream_stream_rpc_method_handler(guarded)

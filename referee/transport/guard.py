"""Who may call: the bearer token of a call decides, or nearness where open identity is on."""

from __future__ import annotations  # the handler types are generic in the stubs only

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import grpc

from referee.app.reception import Reception
from referee.ports import StreamEnd
from referee.transport.endpoints import peer_is_near
from referee.transport.play import INSTANCE, Context, Requests
from referee.transport.status import status_of

SERVICE = "tichu.referee.v1.RefereeService"
_BEARER = "bearer "
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


class Guard(grpc.aio.ServerInterceptor):
    """Admits streams of the service; health and reflection are for everybody."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[_In, _Out] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[_In, _Out] | None:
        """Put the check before the handler of a stream."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(f"/{SERVICE}/"):
            return handler
        behaviour: Handle = handler.stream_stream  # type: ignore[assignment]

        async def guarded(requests: Requests, context: Context) -> None:
            token = bearer(context.invocation_metadata())
            admitted = self._reception.admit(token, near=peer_is_near(context.peer()))
            if isinstance(admitted, StreamEnd):
                await context.abort_with_status(status_of(admitted))
            else:
                INSTANCE.set(admitted)
                await behaviour(requests, context)

        return grpc.stream_stream_rpc_method_handler(guarded)

"""Requests that are no message of their call: refused as the caller's mistake.

The library takes an exception out of its decoder for ours: the caller reads UNKNOWN with the text
of the exception, and anybody who can dial fills the log with tracebacks.
"""

from __future__ import annotations  # the handler types are generic in the stubs only

from collections.abc import AsyncIterator, Callable
from typing import Any  # noqa: TID251 - handlers of whatever call

import grpc
from google.protobuf.message import DecodeError

_GARBAGE = object()
_CODE, _TEXT = (
    grpc.StatusCode.INVALID_ARGUMENT,
    "the request is no message of this call; encode one as the proto files say",
)


def with_decoding(handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
    """Return a handler that ends calls with INVALID_ARGUMENT whose request cannot be decoded.

    One that takes bytes as they are is returned as it is.
    """
    decode = handler.request_deserializer
    if decode is None:
        return handler
    coding: dict[str, Any] = {
        "request_deserializer": _tolerant(decode),
        "response_serializer": handler.response_serializer,
    }
    if handler.unary_unary is not None:
        unary = _after_check(handler.unary_unary)
        return grpc.unary_unary_rpc_method_handler(unary, **coding)
    if handler.unary_stream is not None:
        stream = _after_check(handler.unary_stream)
        return grpc.unary_stream_rpc_method_handler(stream, **coding)
    if handler.stream_stream is not None:
        both = _checked(handler.stream_stream)
        return grpc.stream_stream_rpc_method_handler(both, **coding)
    return handler


def _tolerant(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def decoded(data: bytes) -> Any:
        try:
            return decode(data)
        except (DecodeError, UnicodeDecodeError):
            return _GARBAGE

    return decoded


def _after_check(behaviour: Callable[..., Any]) -> Any:
    async def check(request: object, context: Any) -> Any:
        if request is _GARBAGE:
            await context.abort(_CODE, _TEXT)
        return await behaviour(request, context)

    return check


def _checked(behaviour: Callable[..., Any]) -> Any:
    async def check(requests: AsyncIterator[object], context: Any) -> AsyncIterator[Any]:
        async def decoded() -> AsyncIterator[object]:
            async for request in requests:
                if request is _GARBAGE:
                    await context.abort(_CODE, _TEXT)
                yield request

        async for answer in behaviour(decoded(), context):
            yield answer

    return check

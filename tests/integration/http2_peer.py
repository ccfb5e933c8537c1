"""A peer that speaks just enough HTTP/2 to say Hello, and then does nothing for ever.

It costs a socket and no more, so hundreds fit beside the referee in one process.
"""

import asyncio
import socket

from referee._gen.tichu.referee.v1 import referee_pb2
from tests.integration.serving import LIMIT_S, METHOD

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"  # RFC 9113, 3.4
_DATA, _HEADERS, _SETTINGS = 0, 1, 4  # types of frames
_END_HEADERS = 4
_STREAM = 1
_WELCOME = b"tichu-referee"  # the server's name is in it


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    head = len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4)
    return head + payload


def _header(name: str, value: str) -> bytes:
    """A literal that is not indexed, without Huffman code (RFC 7541, 6.2.2)."""
    texts = [text.encode() for text in (name, value)]
    assert all(len(text) < 127 for text in texts)
    return b"\0" + b"".join(bytes((len(text),)) + text for text in texts)


def _opening() -> bytes:
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": METHOD,
        ":authority": "localhost",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    block = b"".join(_header(name, value) for name, value in fields.items())
    hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1))
    message = hello.SerializeToString()
    data = b"\0" + len(message).to_bytes(4) + message
    return (
        _PREFACE
        + _frame(_SETTINGS, 0, 0, b"")
        + _frame(_HEADERS, _END_HEADERS, _STREAM, block)
        + _frame(_DATA, 0, _STREAM, data)
    )


class SilentPeers:
    """Peers on a unix socket. The referee's pings reach them, and nobody answers."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._sockets: list[socket.socket] = []

    async def come(self, count: int) -> None:
        """Open so many streams, and return when each has its Welcome."""
        async with asyncio.timeout(LIMIT_S * 2):
            for _ in range(count):
                await self._one()

    async def _one(self) -> None:
        loop = asyncio.get_running_loop()
        peer = socket.socket(socket.AF_UNIX)
        self._sockets.append(peer)
        peer.setblocking(False)
        await loop.sock_connect(peer, self._path)
        await loop.sock_sendall(peer, _opening())
        read = b""
        while _WELCOME not in read:
            data = await loop.sock_recv(peer, 4096)
            assert data, f"the stream ended: {read!r}"
            read += data

    def still_open(self) -> int:
        """Count those whose own end is open: none of them closed anything."""
        return sum(peer.fileno() >= 0 for peer in self._sockets)

    def close(self) -> None:
        """Let go of all."""
        for peer in self._sockets:
            peer.close()

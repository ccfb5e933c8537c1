"""A process that sends 10,000 empty frames a second, as long as it is let.

python -m tests.integration.flooding, with the environment of a bot
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from time import monotonic

import grpc

from referee._gen.tichu.referee.v1 import referee_pb2
from tests.integration.serving import METHOD

FRAMES_PER_S = 10_000
_TICK_S = 0.002  # no timer is much finer


def frames() -> Iterator[bytes]:
    """A Hello, then nothing worth reading, at the rate."""
    hello = referee_pb2.Hello(protocol_version=1)
    yield referee_pb2.PlayRequest(hello=hello).SerializeToString()
    due = monotonic()
    pause = threading.Event()
    while True:
        yield b""
        due += 1 / FRAMES_PER_S
        if due - monotonic() > _TICK_S:
            pause.wait(due - monotonic())


def main() -> None:
    """Send until the stream ends."""
    metadata = (("authorization", f"Bearer {os.environ['TICHU_TOKEN']}"),)
    with grpc.insecure_channel(os.environ["TICHU_SERVER"]) as channel:
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
        with contextlib.suppress(grpc.RpcError):
            for _ in play(frames(), metadata=metadata):
                pass


if __name__ == "__main__":
    main()

"""What waits to be sent. One writer takes all of it as one frame."""

import asyncio

from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb


def holds_news(frame: pb.PlayRequest) -> bool:
    """Tell whether a frame has something of a match to send. (ByteSize would serialise it.)"""
    return bool(frame.answers or frame.stand_downs or frame.calls or frame.resigns)


class Outbox:
    """The frame being filled, and the bell for its writer. Used in the loop's thread alone."""

    def __init__(self) -> None:
        self.frame = pb.PlayRequest()
        self._filled = asyncio.Event()

    def ring(self) -> None:
        """Wake the writer where there is something to send."""
        if holds_news(self.frame):
            self._filled.set()

    def hello(self, hello: pb.Hello) -> None:
        """Open a stream."""
        self.frame.hello.CopyFrom(hello)
        self._filled.set()

    def pong(self, number: int) -> None:
        """Answer a ping."""
        self.frame.pong.number = number
        self._filled.set()

    def goodbye(self, text: str) -> None:
        """End the session; the writer sends nothing after it."""
        self.frame.goodbye.text = text
        self._filled.set()

    def merge(self, part: pb.PlayRequest) -> None:
        """Add what another thread made."""
        self.frame.MergeFrom(part)
        self._filled.set()

    def clear(self) -> None:
        """Forget what a lost link can no longer carry; open asks come again."""
        self.frame = pb.PlayRequest()
        self._filled.clear()

    async def take(self) -> pb.PlayRequest:
        """Wait until something is there, and take all of it."""
        await self._filled.wait()
        self._filled.clear()
        frame, self.frame = self.frame, pb.PlayRequest()
        return frame

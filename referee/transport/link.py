"""The outgoing half of a stream: frames in order, one writer, a known number of bytes unsent."""

import asyncio
from collections import deque

from referee.ports import StreamEnd


class StreamLink:
    """Implements `referee.ports.SeatLink` for one writer task."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames: deque[bytes] = deque()
        self._unsent = 0
        self._wake: asyncio.Future[None] | None = None
        self.ended: asyncio.Future[StreamEnd] = self._loop.create_future()

    def send(self, frame: bytes) -> None:
        """Hand a frame to the writer."""
        if not self.ended.done():
            self._frames.append(frame)
            self._unsent += len(frame)
            self._wake_writer()

    @property
    def unsent(self) -> int:
        """Bytes that were handed over and have not left."""
        return self._unsent

    def end(self, end: StreamEnd) -> None:
        """End the stream after what was handed over."""
        if not self.ended.done():
            self.ended.set_result(end)
            self._wake_writer()

    def drop(self) -> None:
        """Forget what has not left: there is nobody to read it."""
        self._frames.clear()

    def _wake_writer(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def next_frame(self) -> bytes | None:
        """Return the next frame once there is one; None at the end. For the writer alone."""
        while not self._frames:
            if self.ended.done():
                return None
            self._wake = self._loop.create_future()
            await self._wake
        return self._frames.popleft()

    def written(self, frame: bytes) -> None:
        """A frame has left."""
        self._unsent -= len(frame)

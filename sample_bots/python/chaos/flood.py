"""`chaos:flood` sends 10,000 empty frames a second, and takes its time to answer.

A match that is over in a moment meets no flood; so it uses up its time as `chaos:drags` does.
"""

import asyncio

from chaos.drags import when
from chaos.process import run
from chaos.timed import TimedPlayer
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.outbox import Outbox

FRAMES_PER_S = 10_000
TICK_S = 0.005  # between two bursts: no timer is finer than about a millisecond


class FloodingOutbox(Outbox):
    """Always has a frame to send, up to the rate: what waits, or an empty one."""

    def __init__(self) -> None:
        super().__init__()
        self._due = asyncio.get_running_loop().time()  # of the next frame
        self._welcome = True  # the first frame is the Hello

    async def take(self) -> pb.PlayRequest:
        """Return a frame as soon as the rate allows it."""
        if self._welcome:
            self._welcome = False
            return await super().take()
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now - TICK_S) + 1 / FRAMES_PER_S
        if self._due > now:
            await asyncio.sleep(TICK_S)
        frame, self.frame = self.frame, pb.PlayRequest()
        return frame

    def clear(self) -> None:
        """A new stream begins with a Hello."""
        super().clear()
        self._welcome = True


if __name__ == "__main__":
    run("flood", lambda outbox: TimedPlayer(outbox, when), make_outbox=FloodingOutbox)

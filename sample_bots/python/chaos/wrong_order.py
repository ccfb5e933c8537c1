"""`chaos:wrong-order` answers two asks that are open at once in the wrong order: the last first.

Two asks are open where cards lie on the table after the last pass: the bomb, and the next lead. In
pace `fair` every seat with four cards is asked for the bomb, so use `--pace fair`.
"""

import asyncio

from chaos.process import run
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.outbox import Outbox

HELD_S = 0.01  # a second ask may come in a frame of its own


class OutOfOrderOutbox(Outbox):
    """Sends one answer a frame, of those that wait the one with the highest number first."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[pb.Answer] = []

    async def take(self) -> pb.PlayRequest:
        """Return the last of the answers that wait, else what else waits."""
        if self._held:
            return pb.PlayRequest(answers=[self._held.pop()])
        frame = await super().take()
        del frame.stand_downs[:]  # it wants to be asked for bombs, with or without one
        if not frame.answers:
            return frame
        await asyncio.sleep(HELD_S)
        frame.MergeFrom(self.frame)
        self.frame = pb.PlayRequest()
        self._held = sorted(frame.answers, key=lambda answer: answer.ask_id)
        del frame.answers[:]
        frame.answers.append(self._held.pop())
        return frame

    def clear(self) -> None:
        """Forget what a lost link can no longer carry."""
        super().clear()
        self._held = []


if __name__ == "__main__":
    run("wrong-order", make_outbox=OutOfOrderOutbox)

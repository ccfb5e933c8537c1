"""`chaos:twice` sends every answer a second time, in a frame of its own."""

from chaos.process import run
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.outbox import Outbox


class RepeatingOutbox(Outbox):
    """Gives the answers of each frame out again before anything new."""

    def __init__(self) -> None:
        super().__init__()
        self._again: list[pb.Answer] = []

    async def take(self) -> pb.PlayRequest:
        """Return the repeat of the last frame, else what waits."""
        if self._again:
            again, self._again = self._again, []
            return pb.PlayRequest(answers=again)
        frame = await super().take()
        self._again = list(frame.answers)
        return frame

    def clear(self) -> None:
        """Forget what a lost link can no longer carry."""
        super().clear()
        self._again = []


if __name__ == "__main__":
    run("twice", make_outbox=RepeatingOutbox)

"""`chaos:late` answers every other act 50 ms after its time is over, the rest at once."""

from chaos.process import run
from chaos.timed import TimedPlayer, left_s
from tichu_bot._gen.tichu.referee.v1 import match_pb2

LATE_S = 0.05


class EveryOther:
    """Late, then in time, then late again."""

    def __init__(self) -> None:
        self._acts = 0

    def __call__(self, ask: match_pb2.Ask) -> float | None:
        """Return the wait of an ask."""
        if not ask.HasField("act"):
            return None
        self._acts += 1
        return left_s(ask) + LATE_S if self._acts % 2 else None


if __name__ == "__main__":
    run("late", lambda outbox: TimedPlayer(outbox, EveryOther()))

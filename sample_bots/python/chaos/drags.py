"""`chaos:drags` uses all the time that it may, with a margin that keeps it from being late."""

from chaos.process import run
from chaos.timed import TimedPlayer, base_s, left_s
from tichu_bot._gen.tichu.referee.v1 import match_pb2

MOST_SPARE_S = 0.2
SPARE = 0.2  # of the base time


def when(ask: match_pb2.Ask) -> float:
    """Return the wait of an ask."""
    return max(0.0, left_s(ask) - min(MOST_SPARE_S, SPARE * base_s(ask)))


if __name__ == "__main__":
    run("drags", lambda outbox: TimedPlayer(outbox, when))

"""`chaos:just-in-time` answers each ask 10 ms before its limit, bank included."""

from chaos.process import run
from chaos.timed import TimedPlayer, left_s
from tichu_bot._gen.tichu.referee.v1 import match_pb2

SPARE_S = 0.01


def when(ask: match_pb2.Ask) -> float:
    """Return the wait of an ask."""
    return max(0.0, left_s(ask) - SPARE_S)


if __name__ == "__main__":
    run("just-in-time", lambda outbox: TimedPlayer(outbox, when))

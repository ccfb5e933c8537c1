"""`chaos:fakes-lag` answers pings 10 s late, and thinks as long as that lag would allow.

`python -m chaos.fakes_lag SECONDS` fakes another lag.
"""

import asyncio
import sys

from chaos.process import run
from chaos.timed import TimedPlayer, base_s, left_s
from tichu_bot._gen.tichu.referee.v1 import match_pb2
from tichu_bot.outbox import Outbox

LAG_S = 10.0
OVER_S = 0.4  # over the base time: less than a link is ever granted for an ask
SPARE_S = 0.1  # it gains what it can, and is never late


class LateOutbox(Outbox):
    """Holds each Pong back."""

    def __init__(self, lag_s: float) -> None:
        super().__init__()
        self._lag_s = lag_s

    def pong(self, number: int) -> None:
        """Answer a ping, much later."""
        asyncio.get_running_loop().call_later(self._lag_s, super().pong, number)


def when(ask: match_pb2.Ask) -> float:
    """Return the wait of an ask."""
    return max(0.0, min(base_s(ask) + OVER_S, left_s(ask) - SPARE_S))


if __name__ == "__main__":
    run(
        "fakes-lag",
        lambda outbox: TimedPlayer(outbox, when),
        make_outbox=lambda: LateOutbox(float(sys.argv[1]) if sys.argv[1:] else LAG_S),
    )

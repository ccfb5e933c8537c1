"""A referee process and four bots around it, from outside."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from referee.match.values import Pace
from referee.ports import Durability
from tests.bench.child import Child
from tests.bench.referee_process import Ready, Serve, Served, Tokens

BOTS = 4
_BOT = "tichu_bot.minimal"


class RefereeTable:
    """Five processes that stay for many runs."""

    def __init__(self, referee: Child, bots: list[Child]) -> None:
        self._referee = referee
        self._bots = bots

    @property
    def pid(self) -> int:
        """Number of the referee's process, for a profiler."""
        return self._referee.pid

    def run(
        self, matches: int, pace: Pace, window_ms: int, warm_up_s: float, seconds: float
    ) -> tuple[Served, float]:
        """Measure; return the referee's figures and the bots' processor time an action, us."""
        before = sum(bot.cpu_s() for bot in self._bots)
        order = Serve(
            matches=matches, pace=pace, window_ms=window_ms, warm_up_s=warm_up_s, seconds=seconds
        )
        served = self._referee.ask(order, Served)
        cpu_s = sum(bot.cpu_s() for bot in self._bots) - before
        return served, 1e6 * cpu_s / max(1.0, served.actions_s * (warm_up_s + seconds))


@contextlib.contextmanager
def referee_table(kept: str = Durability.PROCESS) -> Iterator[RefereeTable]:
    """Start the processes, and end them. Facts and records go to a folder that is gone afterwards.

    `kept` says where facts go: `off` to memory, else a durability, as `referee serve` has it.
    """
    with tempfile.TemporaryDirectory(prefix="tichu-bench-") as folder:
        address = f"unix:{Path(folder) / 'socket'}"
        referee = Child("tests.bench.referee_process", (address, folder, kept))
        bots: list[Child] = []
        try:
            for token in referee.hear(Tokens).tokens:
                known = {"TICHU_SERVER": address, "TICHU_TOKEN": token, "TICHU_BOT_NAME": "minimal"}
                bots.append(Child(_BOT, environment=known))
            referee.hear(Ready)
            yield RefereeTable(referee, bots)
        finally:
            for bot in bots:
                bot.terminate()
            for child in [*bots, referee]:
                child.stop()

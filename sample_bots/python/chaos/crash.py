"""`chaos:crash` dies while it thinks about its first turn."""

import os
import signal

from chaos.process import plays, run
from tichu_bot import Act, View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.report import say


class CrashingBot(GreedyBot):
    """Plays until it would have to play a card."""

    def act(self, view: View) -> Act:
        """Die as a process does that the system kills: no Goodbye, no exit code of its own."""
        say("out of memory")
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("nobody survives this")


if __name__ == "__main__":
    run("crash", plays(CrashingBot))

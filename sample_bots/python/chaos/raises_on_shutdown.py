"""`chaos:raises-on-shutdown` plays in order, and fails when it should end.

It fails in `match_over`, which the library reports, and again as its process ends: exit code 1.
"""

from chaos.process import plays, run
from tichu_bot import View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.events import MatchEnded


class UnsavedBot(GreedyBot):
    """Plays, and cannot put away what it learned."""

    played = False

    def match_over(self, view: View, result: MatchEnded) -> None:
        """Fail."""
        UnsavedBot.played = True
        raise OSError("cannot save the weights: no space left on device")


def main() -> None:
    """Run as a process that raises instead of exiting in order."""
    try:
        run("raises-on-shutdown", plays(UnsavedBot))
    finally:
        if UnsavedBot.played:
            raise RuntimeError("what was learned is lost")


if __name__ == "__main__":
    main()

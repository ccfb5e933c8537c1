"""`chaos:resigns` gives the match up at its first turn."""

from chaos.process import plays, run
from tichu_bot import Act, View
from tichu_bot.bots.greedy_play import GreedyBot


class ResigningBot(GreedyBot):
    """Plays until it would have to play a card."""

    def act(self, view: View) -> Act:
        """Give up, and play on: which of the two is read first does not matter."""
        view.resign()
        return super().act(view)


if __name__ == "__main__":
    run("resigns", plays(ResigningBot))

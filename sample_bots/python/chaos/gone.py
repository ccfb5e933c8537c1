"""`chaos:gone` cuts its link at its first turn and stays away; its process lives on."""

from chaos.process import Cut, plays, run
from tichu_bot import Act, View
from tichu_bot.bots.greedy_play import GreedyBot


class LeavingBot(GreedyBot):
    """Plays until it would have to play a card."""

    def act(self, view: View) -> Act:
        """Leave."""
        raise Cut


if __name__ == "__main__":
    run("gone", plays(LeavingBot))

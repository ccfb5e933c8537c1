"""`chaos:sore-loser` cuts its link as soon as its team is behind.

Behind is: fewer points than the other team after a round, or an opponent the first to go out.
"""

from chaos.process import Cut, plays, run
from tichu_bot import View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.events import Event, RoundEnded, WentOut


class SoreLoserBot(GreedyBot):
    """Plays well as long as it wins."""

    def event(self, view: View, event: Event) -> None:
        """Look at the score."""
        if is_behind(view, event):
            raise Cut


def is_behind(view: View, event: Event) -> bool:
    """Tell whether an event puts our team behind."""
    own = view.teams[view.own_seat]
    match event:
        case WentOut(place=1, seat=seat):
            return view.teams[seat] != own
        case RoundEnded(totals=totals):
            return max(totals) > totals[own]
        case _:
            return False


if __name__ == "__main__":
    run("sore-loser", plays(SoreLoserBot))

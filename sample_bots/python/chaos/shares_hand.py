"""`chaos:shares-hand` plays with sight of the partner's hand, where its process holds both.

That takes a referee that seats one process twice (isolation none). Alone in its seat it plays as
greedy does: no file, no socket, nothing outside the process carries a hand.
"""

from chaos.process import MakeBot, plays, run, seats_offered
from chaos.sight import SeeingBot, Seen
from tichu_bot import View
from tichu_bot.events import MatchEnded

Views = dict[tuple[str, int], View]  # of all seats that the process holds, by match and seat


class SharingBot(SeeingBot):
    """Looks into the view of its partner."""

    from_cards = 40  # left in all hands: before, the guess at the rest misleads

    def __init__(self, views: Views) -> None:
        self._views = views

    def match_started(self, view: View) -> None:
        """Let the partner see this hand."""
        self._views[view.match_id, view.own_seat] = view

    def match_over(self, view: View, result: MatchEnded) -> None:
        """Forget it."""
        self._views.pop((view.match_id, view.own_seat), None)

    def seen(self, view: View) -> Seen:
        """Return the partner's hand if this process holds it, also when no card is left in it."""
        found = ((seat, self._views.get((view.match_id, seat))) for seat in view.partners)
        return {seat: other.hands.get(seat, ()) for seat, other in found if other is not None}


def sharing() -> MakeBot:
    """Return what makes the strategies of one process, which see each other."""
    views: Views = {}
    return lambda: SharingBot(views)


if __name__ == "__main__":
    run("shares-hand", plays(sharing()), max_matches=seats_offered())

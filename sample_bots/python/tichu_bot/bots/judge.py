"""Judges a position: which plays win, how strong a hand is, who is dangerous."""

from tichu_bot import cards
from tichu_bot.cards import (
    ACE,
    DOG,
    DRAGON,
    MAH_JONG,
    PHOENIX,
    SECOND_PACK,
    Kind,
    Play,
    rank,
)
from tichu_bot.view import View

# Chance that one higher possibility of the kind does not come.
_SAFE = {
    Kind.SINGLE: 0.72,
    Kind.PAIR: 0.86,
    Kind.TRIPLE: 0.93,
    Kind.FULL_HOUSE: 0.92,
    Kind.STRAIGHT: 0.94,
    Kind.STAIRS: 0.96,
}
_NEEDED = {Kind.SINGLE: 1, Kind.PAIR: 2, Kind.TRIPLE: 3, Kind.FULL_HOUSE: 3, Kind.STAIRS: 2}


class Unseen:
    """The cards that others may hold: all but one's own and those played."""

    def __init__(self, view: View) -> None:
        known = cards.known((*view.hand, *view.played))
        self._all = 4 * view.packs
        self._known = [0] * (ACE + 1)
        for card in known:
            self._known[rank(card)] += 1
        specials = [card % SECOND_PACK for card in known if rank(card) == 0]
        self.dragons = view.packs - specials.count(DRAGON)
        self.phoenixes = view.packs - specials.count(PHOENIX)

    def of_rank(self, r: int) -> int:
        """Return how many cards of a rank, 2 to 14, are unseen."""
        return self._all - self._known[r]

    def chance_to_win(self, play: Play) -> float:
        """Estimate the chance, 0 to 1, that nobody else beats the play, bombs hardly counted."""
        if play.kind == Kind.BOMB:
            return 0.98
        if play.kind == Kind.SINGLE:
            return self._single(play)
        top, needed = play.rank_halves // 2, _NEEDED.get(play.kind, 1)
        higher = sum(self.of_rank(r) >= needed for r in range(top + 1, ACE + 1))
        return float(0.98 * _SAFE.get(play.kind, 0.9) ** higher)

    def _single(self, play: Play) -> float:
        card = play.cards[0] % SECOND_PACK
        if card == DRAGON:
            return 0.9 if self.dragons else 0.98
        if card == DOG:
            return 0.0
        top = play.rank_halves // 2
        higher = sum(self.of_rank(r) for r in range(top + 1, ACE + 1))
        higher += self.dragons + self.phoenixes
        return float(0.98 * _SAFE[Kind.SINGLE] ** min(higher, 12))


def partner_called(view: View) -> bool:
    """Tell whether a partner who still plays has bet on being first out."""
    return not view.out and any(seat in view.calls for seat in view.partners)


def opponent_called(view: View) -> bool:
    """Tell whether an opponent who may still win his bet has one."""
    return not view.out and any(seat in view.calls for seat in view.opponents)


def fewest_cards(view: View) -> int:
    """Return the fewest cards that an opponent who still plays holds; 14 where none plays."""
    return min((view.counts[s] for s in view.opponents if view.counts[s]), default=14)


def first_cards(hand: tuple[int, ...]) -> float:
    """Rate the cards held before the exchange, for a Grand call and for what to give away."""
    ranks = [rank(card) for card in hand]
    rating = 2.2 * (DRAGON in hand) + 2.2 * (PHOENIX in hand) - 0.5 * (DOG in hand)
    rating += 0.4 * (MAH_JONG in hand) + 1.2 * ranks.count(ACE) + 0.5 * ranks.count(13)
    for r in range(2, ACE + 1):
        rating += {3: 0.6, 4: 2.5}.get(ranks.count(r), 0)
    return rating

"""A sensible greedy player: sheds what never wins, keeps what does, and helps its partner."""

from collections.abc import Sequence

from tichu_bot.acts import PASS, Act, Exchange
from tichu_bot.bot import Bot
from tichu_bot.bots.choose import choose_follow, choose_lead, is_worth_a_bomb
from tichu_bot.bots.judge import Unseen, fewest_cards, first_cards, opponent_called, partner_called
from tichu_bot.bots.plan import plan
from tichu_bot.cards import ACE, DOG, DRAGON, MAH_JONG, PHOENIX, Kind, Play, rank, worth
from tichu_bot.view import View

# In 60 matches against these, values about a fifth off made no measurable difference.
GRAND_RATING = 6.0  # of the first eight cards, at least
BID_RATINGS = (GRAND_RATING / 4, GRAND_RATING / 2, GRAND_RATING)  # for bids of 1, 2 and 3
STRONG_RATING = 5.5  # of all fourteen: such a hand wants the lead handed to it
TICHU_COST = 2.9  # of the plan, at most; beside an opponent's bet COST_OF_DUEL less
COST_OF_DUEL = 0.6


class GreedyBot(Bot):
    """Plays the legal play of most gain. It draws no random numbers."""

    def act(self, view: View) -> Act:
        """Lead, follow or pass; call Tichu with the first card if the hand is good."""
        tichu = view.may_call_tichu and wants_tichu(view)
        called = tichu or view.seat in view.calls
        play = (
            choose_lead(view, called=called) if view.leading else choose_follow(view, called=called)
        )
        if play is None:
            return PASS
        return Act(play, wish_for(view) if MAH_JONG in play.cards else None, tichu)

    def bomb(self, view: View) -> Play | None:
        """Throw the weakest bomb at a trick worth it."""
        bomb = view.plays[0]
        return bomb if is_worth_a_bomb(view, bomb) else None

    def exchange(self, view: View) -> Exchange:
        """Give the worst to opponents, something good to partners."""
        rest = list(view.hand)
        given: list[int] = []
        for slot in view.slots:
            order = for_partner if slot.to_seat in view.partners else for_opponent
            chosen = view.forced(slot, rest) or order(view, rest)[: slot.size]
            rest = [card for card in rest if card not in chosen]
            given += chosen
        return Exchange(tuple(given))

    def call(self, view: View) -> bool:
        """Bet on a Grand with rare first cards; never without seeing any."""
        return not partner_called(view) and first_cards(view.hand) >= GRAND_RATING

    def bid(self, view: View) -> int:
        """Bid by the first cards what a Grand would be called on, half and a quarter of that."""
        rating = first_cards(view.hand)
        return sum(rating >= least for least in BID_RATINGS)

    def give(self, view: View) -> int:
        """Hand the lead to a partner who bet, else to the one nearest to going out."""
        if not set(view.recipients) <= set(view.partners):
            return super().give(view)
        return min(view.recipients, key=lambda seat: (seat not in view.calls, view.counts[seat]))


def wants_tichu(view: View) -> bool:
    """Judge a whole hand before its first card: few groups that need a lead, enough that win."""
    if view.out or partner_called(view) or fewest_cards(view) <= 6:
        return False
    limit = TICHU_COST - (COST_OF_DUEL if opponent_called(view) else 0)
    return plan(view.hand).cost <= limit and (DRAGON in view.hand or holds_control(view))


def holds_control(view: View) -> bool:
    """Tell whether the hand takes a trick of single cards back: Phoenix with Ace, or two Aces."""
    aces = sum(rank(card) == ACE for card in view.hand)
    return aces + (PHOENIX in view.hand) >= 2


def wish_for(view: View) -> int:
    """Wish for what was given to the next opponent, else the highest rank that only others hold."""
    for seat in view.opponents:
        for card in view.gave.get(seat, ()):
            if rank(card) >= 2 and not partner_called(view):
                return rank(card)
    unseen = Unseen(view)
    foreign = [r for r in range(2, ACE) if unseen.of_rank(r) == 4 * view.packs]
    return max(foreign, default=8)


def for_opponent(view: View, hand: Sequence[int]) -> list[int]:
    """Order a hand by what an opponent may have first: low cards that no group needs."""
    needed = {c for group in plan(view.hand).groups if len(group.cards) > 1 for c in group.cards}

    def keeps(card: int) -> float:
        if card == DOG:
            return 8.0 if is_strong(view) else 20.0  # a weak hand hands the lead on with it
        if card == MAH_JONG:
            return 12.0
        return worth(card) + (6 if card in needed else 0)

    return sorted(hand, key=keeps)


def for_partner(view: View, hand: Sequence[int]) -> list[int]:
    """Order a hand by what the partner may have first.

    A partner who bet gets the best; a strong hand gives the Dog, to be led back by it.
    """
    if partner_called(view):
        return sorted(hand, key=worth, reverse=True)
    if is_strong(view):
        singles = {g.cards[0] for g in plan(view.hand).groups if g.kind == Kind.SINGLE}
        return sorted(hand, key=lambda c: (c != DOG, c not in singles, abs(worth(c) - 10)))
    return sorted(hand, key=lambda c: (worth(c) > ACE, -worth(c)))


def is_strong(view: View) -> bool:
    """Tell whether the hand should be the first out of its team."""
    return view.seat in view.calls or first_cards(view.hand) >= STRONG_RATING

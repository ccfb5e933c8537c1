"""Plays anything that is legal."""

from tichu_bot.acts import PASS, Act, Exchange
from tichu_bot.bot import Bot
from tichu_bot.cards import MAH_JONG, Play
from tichu_bot.view import View

CALLS_ONE_IN = 50
BOMBS_ONE_IN = 4
REFUSES_ONE_IN = 4
WISHES = (None, *range(2, 15))


class RandomBot(Bot):
    """Every legal act is as likely as any other. All its draws come from `view.random`."""

    def act(self, view: View) -> Act:
        """Play any of the plays, or pass where that is allowed."""
        dice = view.random
        index = dice.randrange(len(view.plays) + view.may_pass)
        if index == len(view.plays):
            return PASS
        play = view.plays[index]
        wish = dice.choice(WISHES[view.wish_required :]) if MAH_JONG in play.cards else None
        tichu = view.may_call_tichu and dice.randrange(CALLS_ONE_IN) == 0
        return Act(play, wish, tichu)

    def bomb(self, view: View) -> Play | None:
        """Throw any of the bombs now and then."""
        dice = view.random
        return dice.choice(view.plays) if dice.randrange(BOMBS_ONE_IN) == 0 else None

    def exchange(self, view: View) -> Exchange:
        """Give any cards; where some are forced, those."""
        rest = list(view.hand)
        given: list[int] = []
        for slot in view.slots:
            chosen = view.forced(slot, rest) or view.random.sample(rest, slot.size)
            rest = [card for card in rest if card not in chosen]
            given += chosen
        return Exchange(tuple(given))

    def call(self, view: View) -> bool:
        """Bet now and then."""
        return view.random.randrange(CALLS_ONE_IN) == 0

    def bid(self, view: View) -> int:
        """Bid anything."""
        return view.random.randrange(4)

    def refuse(self, view: View) -> bool:
        """Refuse now and then."""
        return view.random.randrange(REFUSES_ONE_IN) == 0

    def give(self, view: View) -> int:
        """Choose any of the seats."""
        return view.random.choice(view.recipients)

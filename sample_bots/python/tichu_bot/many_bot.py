"""A strategy that decides for all tables at once."""

from collections.abc import Sequence

from tichu_bot.acts import Decision
from tichu_bot.bot import Bot
from tichu_bot.view import View


class ManyBot(Bot):
    """One object for all matches of the process. Only `act_many` must be written.

        class Net(ManyBot):
            def act_many(self, asks):
                scores = self.net(asks)  # one pass for all tables
                return [ask.plays[best] for ask, best in zip(asks, scores)]
        run(Net, max_matches=512)

    It runs in a thread of its own, so that pings are answered meanwhile; what is asked while it
    thinks waits, and comes together in the next call. `event`, `match_started` and `match_over` are
    called in the same thread; `view.match_id` and `view.own_seat` tell the tables apart.
    """

    def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
        """Answer all open asks, in their order; each is a view, and `view.ask` says what of.

        The answers are those of the methods for one ask: a play, an act or PASS for "act", a play
        or None for "bomb", and so on. `self.decide(view)` asks those methods; all but `act` have
        the defaults of `Bot`. An answer that does not fit costs its own ask alone. If the method
        raises, or answers too few or too many, it is called anew with each half.
        """
        raise NotImplementedError

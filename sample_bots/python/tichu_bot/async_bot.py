"""A strategy whose methods are coroutines."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from tichu_bot.acts import Act, CallKind, Decision, Exchange
from tichu_bot.bot import Strategy, best_to_partners, fullest_seat
from tichu_bot.cards import Play
from tichu_bot.view import View


class AsyncBot(Strategy):
    """A strategy that waits: for a server, a model, a process. Only `act` must be written.

        from tichu_bot import PASS, AsyncBot, run
        class Mine(AsyncBot):
            async def act(self, view):
                return view.plays[await best_of(view.plays)] if view.plays else PASS
        run(Mine)

    The methods are those of `Bot` and answer with the same. Each ask has a task of its own and a
    view that does not change while it runs; when the referee takes an ask back its task is
    cancelled. They share the loop that answers pings: what computes for long belongs in a thread
    (`asyncio.to_thread`) or in processes.
    """

    async def act(self, view: View) -> Act | Play:
        """Play or pass; see `Bot.act`."""
        raise NotImplementedError

    async def bomb(self, view: View) -> Play | None:
        """Throw a bomb out of turn, or None; see `Bot.bomb`. Not overridden: never."""
        return None

    async def exchange(self, view: View) -> Exchange | Sequence[int]:
        """Cards to give away; see `Bot.exchange`."""
        return best_to_partners(view)

    async def call(self, view: View) -> bool:
        """Bet? See `Bot.call`. Not overridden: no."""
        return False

    async def bid(self, view: View) -> int:
        """Bid 0 to 3; see `Bot.bid`. Not overridden: 0."""
        return 0

    async def refuse(self, view: View) -> bool:
        """Refuse a call? See `Bot.refuse`. Not overridden: no."""
        return False

    async def give(self, view: View) -> int:
        """Choose one of `view.recipients`; see `Bot.give`."""
        return fullest_seat(view)

    async def decide(self, view: View) -> Decision:
        """Answer whatever is asked, by the method for it. Overridden: it gets every ask."""
        return await _DECIDERS[view.ask](self, view)


async def _call(bot: AsyncBot, view: View) -> Decision:
    """Ask what the choices are about."""
    if CallKind.REFUSE in view.call_choices:
        return await bot.refuse(view)
    if any(call.bid is not None for call in view.call_choices):
        return await bot.bid(view)
    return await bot.call(view)


_DECIDERS: Mapping[str, Callable[[AsyncBot, View], Awaitable[Decision]]] = {
    "act": lambda bot, view: bot.act(view),
    "bomb": lambda bot, view: bot.bomb(view),
    "call": _call,
    "exchange": lambda bot, view: bot.exchange(view),
    "choose_seat": lambda bot, view: bot.give(view),
}

"""What the library has to know of a strategy before it is asked anything."""

from typing import NamedTuple

from tichu_bot.async_bot import AsyncBot
from tichu_bot.bot import Bot, Strategy
from tichu_bot.many_bot import ManyBot


class Traits(NamedTuple):
    """What a strategy listens to, and what it may do out of turn."""

    hears: bool  # `event` is overridden
    bombs: bool  # it may throw a bomb out of turn


def traits_of(strategy: Strategy | type[Strategy]) -> Traits:
    """Look up a strategy, or the class that makes it."""
    made = strategy if isinstance(strategy, type) else type(strategy)
    return Traits(made.event is not Strategy.event, _bombs(strategy, made))


def _bombs(strategy: Strategy | type[Strategy], made: type[Strategy]) -> bool:
    if strategy.slow and not strategy.quick_bomb:
        return False
    if issubclass(made, AsyncBot):
        return made.bomb is not AsyncBot.bomb or made.decide is not AsyncBot.decide
    if issubclass(made, ManyBot):
        return True  # `act_many` gets them
    return issubclass(made, Bot) and (made.bomb is not Bot.bomb or made.decide is not Bot.decide)

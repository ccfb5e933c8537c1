"""How a strategy is run: what kind it is, and where it thinks."""

import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from tichu_bot.async_bot import AsyncBot
from tichu_bot.bot import Bot, Strategy
from tichu_bot.many_bot import ManyBot
from tichu_bot.traits import Traits, traits_of

MOST_MATCHES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What `run` was told, checked."""

    make_bot: Callable[[], Strategy]
    kind: type[Strategy]
    traits: Traits
    quick_bomb: bool  # a slow strategy that wants its bomb asks beside its thinking
    threaded: bool
    processes: int

    @property
    def hears(self) -> bool:
        """True: every event is wanted at once."""
        return self.traits.hears

    @classmethod
    def of(
        cls,
        make_bot: Callable[[], Strategy],
        *,
        threaded: bool = False,
        processes: int = 0,
        max_matches: int = 1,
    ) -> "Way":
        """Look at what makes the strategies; TypeError or ValueError says what cannot be.

        A class tells all by itself; of anything else the first strategy is made at once.
        """
        if not 1 <= max_matches <= MOST_MATCHES:
            raise ValueError(f"max_matches is 1 to {MOST_MATCHES}, not {max_matches}")
        example: Strategy | type[Strategy]
        if isinstance(make_bot, type):
            example = kind = make_bot
        else:
            example = first = make_bot()
            kind = type(first)
            made = itertools.chain((first,), iter(make_bot, None))
            make_bot = lambda: next(made)  # noqa: E731  # the type of a def would be another
        _check(kind, threaded=threaded, processes=processes)
        return cls(
            make_bot=make_bot,
            kind=kind,
            traits=traits_of(example),
            quick_bomb=example.slow and example.quick_bomb,
            threaded=threaded,
            processes=processes,
        )


def _check(kind: type, *, threaded: bool, processes: int) -> None:
    name = kind.__name__
    if not issubclass(kind, Bot | AsyncBot):
        raise TypeError(f"{name} is no Bot, AsyncBot or ManyBot")
    if issubclass(kind, Bot) and inspect.iscoroutinefunction(kind.act):
        raise TypeError(f"{name}.act is a coroutine: derive {name} from AsyncBot")
    if issubclass(kind, AsyncBot) and not inspect.iscoroutinefunction(kind.act):
        raise TypeError(f"{name}.act is no coroutine: write async def, or derive {name} from Bot")
    if processes < 0:
        raise ValueError(f"processes is 0 or more, not {processes}")
    if (threaded or processes) and issubclass(kind, AsyncBot | ManyBot):
        raise TypeError(f"threaded and processes are for a Bot; {name} has its own way to think")
    if threaded and processes:
        raise ValueError("a Bot thinks in a thread or in processes, not in both")

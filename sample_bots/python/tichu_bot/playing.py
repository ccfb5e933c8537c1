"""Makes what plays a session, in the way that a strategy asks for."""

import asyncio
from collections.abc import Callable
from typing import cast

from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.async_bot import AsyncBot
from tichu_bot.bot import Bot
from tichu_bot.many_bot import ManyBot
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player, SeatsPlayer, ThreadedPlayer
from tichu_bot.processes import ProcessThinker
from tichu_bot.thinkers import AsyncThinker, DeferredPlayer, ManyThinker
from tichu_bot.way import Way


def player_of(way: Way, outbox: Outbox, *, plays_listed: bool = True) -> Player:
    """Return the player; called in the loop that it plays in."""
    thinker: AsyncThinker | ManyThinker | ProcessThinker
    if issubclass(way.kind, AsyncBot):
        make_async = cast(Callable[[], AsyncBot], way.make_bot)
        thinker = AsyncThinker(make_async, way.traits, outbox)
        return DeferredPlayer(thinker, plays_listed=plays_listed)
    if issubclass(way.kind, ManyBot):
        thinker = ManyThinker(cast(ManyBot, way.make_bot()), outbox)
        return DeferredPlayer(thinker, plays_listed=plays_listed)
    make_bot = cast(Callable[[], Bot], way.make_bot)
    if way.processes:
        make_quick = make_bot if way.quick_bomb else None
        thinker = ProcessThinker(way.processes, way.traits, outbox, make_quick=make_quick)
        return DeferredPlayer(thinker, plays_listed=plays_listed)
    player = SeatsPlayer(make_bot, plays_listed=plays_listed)
    if not way.threaded:
        return player
    loop = asyncio.get_running_loop()
    return ThreadedPlayer(player, lambda part: _post(loop, outbox, part))


def _post(loop: asyncio.AbstractEventLoop, outbox: Outbox, part: pb.PlayRequest) -> None:
    """Hand what the worker thread made to the loop; at the end of the process there is none."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(outbox.merge, part)

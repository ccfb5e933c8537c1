"""A process that plays through the library's session, with one part of it replaced."""

import asyncio
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bot import Bot
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.exit_code import ExitCode
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player, SeatsPlayer
from tichu_bot.report import say
from tichu_bot.run import HOUSE_MATCHES, PROTOCOL_VERSION, sdk_name, settings_or_exit
from tichu_bot.session import Session

MakeBot = Callable[[], Bot]
MakePlayer = Callable[[Outbox], Player]


class Cut(BaseException):
    """Raise it in a strategy to cut the link: no Goodbye, no way back.

    No `Exception`, because the library takes those for bugs of the strategy and plays on.
    """


def plays(make_bot: MakeBot) -> MakePlayer:
    """Return what makes an ordinary player of a strategy."""
    return lambda outbox: SeatsPlayer(make_bot)


PLAYS_GREEDY = plays(GreedyBot)  # a bot whose play is in order while something else is not


def hello_of(name: str, *, version: int = PROTOCOL_VERSION, max_matches: int = 1) -> pb.Hello:
    """Return a Hello that wants every event at once, so that no bot is idle for long."""
    return pb.Hello(
        protocol_version=version,
        bot_name=name,
        max_matches=max_matches,
        without_snapshots=True,
        event_delivery=pb.EVENT_DELIVERY_EVERY_STEP,
        sdk=sdk_name(),
    )


def run(
    name: str,
    make_player: MakePlayer = PLAYS_GREEDY,
    *,
    make_outbox: Callable[[], Outbox] = Outbox,
    version: int = PROTOCOL_VERSION,
    max_matches: int = 1,
    heeds_signals: bool = True,
) -> NoReturn:
    """Play until the session is over or cut, then exit. A bot that cut its link stays away."""
    settings = settings_or_exit()
    hello = hello_of(settings.bot_name or name, version=version, max_matches=max_matches)

    async def play() -> ExitCode:
        outbox = make_outbox()
        session = Session(settings, hello, make_player(outbox), outbox)
        if heeds_signals:
            session.stop_on_signals()
        return await session.run()

    try:
        code = asyncio.run(play())
    except Cut:
        say("cut the link and stays away")
        stay()
    sys.exit(code)


def seats_offered() -> int:
    """Return how many seats to take at once: the first word of the command line, else many."""
    return int(sys.argv[1]) if sys.argv[1:] else HOUSE_MATCHES


def stay() -> NoReturn:
    """Do nothing more until a signal ends the process."""
    while True:
        signal.pause()

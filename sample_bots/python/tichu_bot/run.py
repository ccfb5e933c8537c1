"""Runs a strategy as a process: environment in, exit status out."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from tichu_bot.bot import Bot, Strategy
from tichu_bot.exit_code import ExitCode
from tichu_bot.report import say
from tichu_bot.settings import Settings, SettingsError, from_environment
from tichu_bot.way import Way
from tichu_bot.worker import WORKER, work

if TYPE_CHECKING:  # loaded by the process that plays, not by one that tests or starts a strategy
    from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
    from tichu_bot.outbox import Outbox
    from tichu_bot.player import Player

PROTOCOL_VERSION = 1
HOUSE_MATCHES = 128  # at once: a house bot answers in milliseconds
PLAINTEXT_FLAG = "--plaintext"
USAGE = """\
usage: TICHU_SERVER=ADDRESS {program} [--plaintext]

Dials a referee and plays. `referee play` sets the variables for the bots it starts.

  TICHU_SERVER    unix:/path or host:port; a comma list is tried in order
  TICHU_TOKEN     who the bot is
  TICHU_CA_FILE   PEM file of the authority that signs the referee's certificate; turns TLS on
  TICHU_BOT_NAME  name for display
  TICHU_LOG_DIR   folder that the bot may write to
  --plaintext     lets the token travel unencrypted to another machine

Exit status: 0 in order, 1 a bug, 2 settings, 3 the referee is gone, 4 it refused this process."""


def run(
    make_bot: Callable[[], Strategy],
    *,
    name: str = "",
    version: str = "",
    max_matches: int = 1,
    threaded: bool = False,
    processes: int = 0,
    plays_listed: bool = True,
    plaintext: bool | None = None,
    patience_s: float | None = None,
) -> NoReturn:
    """Play until the referee closes or a signal comes, then exit with an `ExitCode`.

    Args:
        make_bot: the class of the strategy, or whatever makes one for each seat of each match (of a
            ManyBot, one for all).
        name: for display; TICHU_BOT_NAME goes before it. "": the script's name, or the class's.
        version: of the bot, for display.
        max_matches: how many matches at once, 1 to 512. Each has a strategy object of its own, but
            all share a process: one that thinks in one match answers late in the others.
        threaded: think in a worker thread, so that pings are answered meanwhile. Of a `Bot` only.
        processes: think in so many worker processes, each match in one of them; for a `Bot` that
            computes for long. They run this program once more, up to its call of `run`. One that
            dies costs the ask that it thought about, and what its strategies remembered.
        plays_listed: False where the strategy finds its own plays; `view.plays` is empty then.
        plaintext: allow a token on an unencrypted link; None: what the command line says.
        patience_s: how long to dial while nobody answers; None: 30 s, and for the first answer on a
            unix socket 10 s, or 2 s where that is not there.
    """
    way = Way.of(make_bot, threaded=threaded, processes=processes, max_matches=max_matches)
    if WORKER in os.environ:
        work(int(os.environ.pop(WORKER)), cast("Callable[[], Bot]", way.make_bot))
    settings = settings_or_exit(plaintext=plaintext)  # before gRPC: it sets how loud that is

    import asyncio

    from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
    from tichu_bot.playing import player_of

    def make_player(outbox: "Outbox") -> "Player":
        return player_of(way, outbox, plays_listed=plays_listed)

    events = pb.EVENT_DELIVERY_EVERY_STEP if way.hears else pb.EVENT_DELIVERY_WITH_ASKS
    hello = pb.Hello(
        protocol_version=PROTOCOL_VERSION,
        bot_name=settings.bot_name or name or own_name(make_bot, sys.argv[0]),
        bot_version=version,
        max_matches=max_matches,
        without_snapshots=True,
        without_legal_plays=not plays_listed,
        event_delivery=events,
        sdk=sdk_name(),
    )
    sys.exit(asyncio.run(play(settings, hello, make_player, patience_s=patience_s)))


async def play(
    settings: Settings,
    hello: "pb.Hello",
    make_player: "Callable[[Outbox], Player]",
    *,
    patience_s: float | None = None,
) -> ExitCode:
    """Play a session in this loop, and return how it ended. SIGTERM and SIGINT end it."""
    from tichu_bot.outbox import Outbox
    from tichu_bot.session import Session

    outbox = Outbox()
    session = Session(settings, hello, make_player(outbox), outbox, patience_s=patience_s)
    session.stop_on_signals()
    return await session.run()


def own_name(make_bot: Callable[[], Strategy], program: str) -> str:
    """Return what a bot without a name is called: its file `mine.py` `mine`, else its class."""
    file = Path(program)
    if file.suffix == ".py" and file.stem != "__main__":
        return file.stem
    return getattr(make_bot, "__name__", "bot")


def settings_or_exit(*, plaintext: bool | None = None) -> Settings:
    """Read the environment; where it cannot be used say so and exit with SETTINGS.

    With --help on the command line print the usage instead and exit with DONE.
    """
    if not {"--help", "-h"}.isdisjoint(sys.argv[1:]):
        print(USAGE.format(program=Path(sys.argv[0]).name))
        sys.exit(ExitCode.DONE)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what failed is said once, by us
    allowed = PLAINTEXT_FLAG in sys.argv[1:] if plaintext is None else plaintext
    try:
        return from_environment(os.environ, plaintext=allowed)
    except SettingsError as error:
        say(str(error))
        sys.exit(ExitCode.SETTINGS)


def sdk_name() -> str:
    """Return name and version of this library, for display."""
    from importlib import metadata

    try:
        return f"tichu_bot {metadata.version('tichu-bot')}"
    except metadata.PackageNotFoundError:  # packed with the referee, or run from a checkout
        return "tichu_bot"

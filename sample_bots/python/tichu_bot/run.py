"""Runs a strategy as a process: environment in, exit status out."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tichu_bot.bot import Bot
from tichu_bot.exit_code import ExitCode
from tichu_bot.report import say
from tichu_bot.settings import Settings, SettingsError, from_environment

if TYPE_CHECKING:  # loaded by the process that plays, not by one that tests or starts a strategy
    import asyncio

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
    make_bot: Callable[[], Bot],
    *,
    name: str = "",
    version: str = "",
    max_matches: int = 1,
    threaded: bool = False,
    plays_listed: bool = True,
    plaintext: bool | None = None,
    patience_s: float | None = None,
) -> NoReturn:
    """Play until the referee closes or a signal comes, then exit with an `ExitCode`.

    Args:
        make_bot: the Bot class, or whatever makes one strategy for each seat of each match.
        name: for display; TICHU_BOT_NAME goes before it. "": the script's name, or the class's.
        version: of the bot, for display.
        max_matches: how many matches at once, 1 to 512. Each has a strategy object of its own, but
            all share a process: one that thinks in one match answers late in the others.
        threaded: think in a worker thread, so that pings are answered meanwhile.
        plays_listed: False where the strategy finds its own plays; `view.plays` is empty then.
        plaintext: allow a token on an unencrypted link; None: what the command line says.
        patience_s: how long to dial while nobody answers; None: 30 s, and for the first answer on a
            unix socket 10 s, or 2 s where that is not there.
    """
    settings = settings_or_exit(plaintext=plaintext)  # first: it also sets how loud gRPC is

    import asyncio

    from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
    from tichu_bot.player import Player, SeatsPlayer, ThreadedPlayer

    def make_player(outbox: "Outbox") -> Player:
        player = SeatsPlayer(make_bot, plays_listed=plays_listed)
        if not threaded:
            return player
        loop = asyncio.get_running_loop()
        return ThreadedPlayer(player, lambda part: _post(loop, outbox, part))

    with_asks = isinstance(make_bot, type) and getattr(make_bot, "event", None) is Bot.event
    hello = pb.Hello(
        protocol_version=PROTOCOL_VERSION,
        bot_name=settings.bot_name or name or own_name(make_bot, sys.argv[0]),
        bot_version=version,
        max_matches=max_matches,
        without_snapshots=True,
        without_legal_plays=not plays_listed,
        event_delivery=(pb.EVENT_DELIVERY_WITH_ASKS if with_asks else pb.EVENT_DELIVERY_EVERY_STEP),
        sdk=sdk_name(),
    )
    sys.exit(asyncio.run(play(settings, hello, make_player, patience_s=patience_s)))


def _post(loop: "asyncio.AbstractEventLoop", outbox: "Outbox", part: "pb.PlayRequest") -> None:
    """Hand what the worker thread made to the loop; at the end of the process there is none."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(outbox.merge, part)


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


def own_name(make_bot: Callable[[], Bot], program: str) -> str:
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

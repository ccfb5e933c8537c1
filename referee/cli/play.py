"""`referee play`: a match between bots on this machine."""

import sys
from typing import Any

import click

from referee.cli.once import OnceCommand
from referee.cli.rule_flags import variant_flag
from referee.rules.options import MAX_ROUNDS, MAX_TARGET

_USAGE = 2


@click.command(cls=OnceCommand)
@click.argument("bots", nargs=-1, metavar="BOT BOT [BOT...]")
@variant_flag("which game: tichu, trichu, tientsin, grand_seigneur [tichu]")
@click.option("--rounds", type=click.IntRange(1, MAX_ROUNDS), metavar="N", help="play N rounds")
@click.option(
    "--target", type=click.IntRange(1, MAX_TARGET), metavar="N", help="play to N points [1000]"
)
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="a rule option; repeatable"
)
@click.option("--clock", metavar="BASE+BANK", help="thinking time, or none [2s+60s]")
@click.option(
    "--base",
    "bases",
    multiple=True,
    metavar="KIND=TIME",
    help="a longer base time: of call, exchange, act or choose_seat; repeatable",
)
@click.option("--lag", metavar="CAP+QUOTA", help="credit for slow links, or none [500ms+10s]")
@click.option("--pace", type=click.Choice(["fast", "fair"]), help="of bomb windows [fast]")
@click.option(
    "--window",
    "window_ms",
    type=click.IntRange(min=20),
    metavar="MS",
    help="length of a bomb window [1000 in pace fast, 50 in fair; at most half of BASE]",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME=N",
    help="a limit of a fault, see `referee rules faults`; repeatable",
)
@click.option("--seed", metavar="TEXT", help="the same text gives the same cards [drawn]")
@click.option("--format", type=click.Choice(["text", "json"]), help="of stdout [text]")
@click.option("--record-dir", metavar="DIR", help="where the record goes [records]")
@click.option("--log-dir", metavar="DIR", help="keep what the bots print [not kept]")
def play(bots: tuple[str, ...], **written: Any) -> None:
    """Play a match between bots, each seat a process of its own.

    Two bots are teams: the first plays seats 0 and 2, the second 1 and 3. Four bots take a seat
    each. Other games take more or fewer:

    \b
      --variant tientsin        2 bots, three seats each; or 6
      --variant trichu          3 bots, at seats 0, 1 and 3; the soloist plays seat 2, the Tisch
      --variant grand_seigneur  5 to 12 bots

    A bot is [LABEL=]SPEC, and SPEC one of

    \b
      random, greedy    a house bot
      ./bot.py ./bot    a file: Python, or executable
      ./folder          a folder that holds bot.py, main.py, __main__.py, bot or run
                        or package.json and dist/main.js, which node runs
      "node bot.js"     a command
      connect:NAME      a process that you start yourself, in a debugger for example
      chaos:NAME        a bot that misbehaves in one way: chaos:silent, chaos:crash, ...

    With the same --seed the cards are the same, and so is what house bots draw: they play the same
    match again, unless one is late, or two throw bombs at once in pace fast.

    Exit codes: 0 the match was played to its end; 1 a fault ended it, or a bot did not start;
    2 usage; 130 Ctrl-C (128 + the signal's number). The second Ctrl-C kills the bots, the third
    ends at once; signals within 100 ms are one.
    """  # noqa: D301 - click reads the backspace: keep the lines as they are
    import logging

    from chaos import CHAOS
    from referee.bootstrap import configure_logs
    from referee.cli.play_match import play_match
    from referee.cli.play_report import choose_report
    from referee.cli.play_setup import PlayArguments, plan_play
    from referee.clock import run
    from referee.formats.printable import printable
    from referee.rules.errors import ConfigError
    from tichu_bot import HOUSE

    configure_logs(level=logging.WARNING)
    try:
        plan = plan_play(PlayArguments(bots=bots, **written), house={**HOUSE, **CHAOS})
        code = run(play_match(plan, choose_report(written["format"])))
    except ConfigError as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        sys.exit(_USAGE)
    sys.exit(code)

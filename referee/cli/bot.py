"""`referee bot`: what the owner of a bot wants to know."""

import asyncio
import sys
from pathlib import Path

import click

from referee.cli.refusing import RefusingCommand

_NOTHING = 1


@click.group()
def bot() -> None:
    """Report on a bot to its owner."""


@bot.command(cls=RefusingCommand)
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--database", "url", metavar="URL", help="Instead of the file's.")
def report(name: str, file: Path, url: str | None) -> None:
    """Report on the bot NAME in the ladder of FILE: points, bets, time, faults, void boards.

    NAME is that of a bot, which for one that plays with its own copy is the entry's unless it has a
    label.

    Exit codes: 0 printed; 1 it has not played yet; 2 bad input, or there is no such bot.
    """
    from referee.cli.ladder_setup import plan_ladder
    from referee.cli.ladder_table import matches_of
    from referee.formats.bot_report import report_on
    from referee.formats.bot_report_text import report_lines

    plan = plan_ladder(file, database=url, plays=False)
    told = report_on(name, asyncio.run(matches_of(plan, name)))
    if told is not None:
        for line in report_lines(told):
            click.echo(line)
        return
    _refuse_stranger(name, {one.name for entry in plan.entries for one in entry.bots})
    click.echo(f"{name} has not played yet", err=True)
    sys.exit(_NOTHING)


def _refuse_stranger(name: str, names: set[str]) -> None:
    import difflib

    from referee.rules.errors import ConfigError

    if name not in names:
        near = difflib.get_close_matches(name, sorted(names), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(names))}"
        raise ConfigError(f"there is no bot {name!r}; {hint}")

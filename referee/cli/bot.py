"""`referee bot`: what the owner of a bot wants to know."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from referee.cli.lazy import LazyGroup
from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan

_NOTHING = 1


@click.group(
    cls=LazyGroup,
    rows={
        "new": ("referee.cli.bot_new:new", "Copy a sample bot into a folder of its own."),
        "check": ("referee.cli.bot_check:check", "Examine a bot: is it fit to play?"),
        "ask": ("referee.cli.bot_ask:ask", "Put positions to a bot, compare its answers."),
    },
)
def bot() -> None:
    """Begin a bot, examine it, and report on it to its owner."""


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
    from referee.cli.ladder_table import known, matches_of, nothing_yet
    from referee.formats.bot_report import report_on
    from referee.formats.bot_report_text import report_lines

    plan = plan_ladder(file, database=url)
    matches, counting = asyncio.run(matches_of(plan, name))
    told = report_on(name, matches, counting)
    if told is not None:
        for line in report_lines(told):
            click.echo(line)
        return
    names = {one.name for entry in plan.entries for one in entry.bots}
    if name not in names:
        _refuse_entry(name, plan)
        _refuse_stranger(name, names)
    now = asyncio.run(known(plan))
    lost = now is None or not now.results
    click.echo(nothing_yet(plan) if lost else f"{name} has not played yet", err=True)
    sys.exit(_NOTHING)


def _refuse_entry(name: str, plan: "LadderPlan") -> None:
    """Refuse the name of an entry, with the names of its bots."""
    from referee.rules.errors import ConfigError

    for entry in plan.entries:
        *others, last = dict.fromkeys(one.name for one in entry.bots)
        if entry.name != name:
            continue
        if not others:
            raise ConfigError(f"{name!r} is an entry, and its bot is {last!r}: give that name")
        number = {1: "two", 2: "three"}[len(others)]
        named = f"{', '.join(map(repr, others))} and {last!r}"
        raise ConfigError(f"{name!r} is an entry of {number} bots, {named}: give the name of one")


def _refuse_stranger(name: str, names: set[str]) -> NoReturn:
    import difflib

    from referee.rules.errors import ConfigError

    near = difflib.get_close_matches(name, sorted(names), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(names))}"
    raise ConfigError(f"there is no bot {name!r}; {hint}")

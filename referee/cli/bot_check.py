"""`referee bot check`: whether a bot is fit to play, probe by probe."""

import sys
from pathlib import Path
from typing import Any

import click

from referee.cli.refusing import RefusingCommand

_PATH = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=RefusingCommand)
@click.argument("words", nargs=-1, metavar="-- BOT", type=click.UNPROCESSED)
@click.option("--level", type=click.IntRange(1, 3), metavar="N", help="Probes up to level N [3].")
@click.option("--probe", "ids", multiple=True, metavar="ID", help="This one alone; repeatable.")
@click.option("--all", "keep_going", is_flag=True, help="Go on where a basic probe failed, too.")
@click.option("--list", "listing", is_flag=True, help="Say what probes there are, and end.")
@click.option("--json", "json_file", type=_PATH, help="Write the results as JSON.")
@click.option("--junit", type=_PATH, help="Write the results as JUnit.")
@click.option("--badge", type=_PATH, help="Write the level that was reached as SVG.")
@click.option(
    "--failed",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a file for each probe that failed.",
)
@click.option("--replay", type=_PATH, help="Run the probe of such a file again, alone.")
@click.option("--seed", metavar="TEXT", help="The same text deals the same cards [check].")
@click.option(
    "--start-budget",
    "start_s",
    type=click.FloatRange(0.1, 600),
    default=10.0,
    metavar="SECONDS",
    help="From the start to Hello [10; an event may allow more, play does: 30].",
)
@click.option(
    "--patience",
    "answer_s",
    type=click.FloatRange(0.1, 600),
    default=5.0,
    metavar="SECONDS",
    help="For an answer where no clock is examined [5].",
)
def check(words: tuple[str, ...], **written: Any) -> None:
    """Examine BOT: does it play legally, survive what happens to it, and keep its clock?

    BOT is what `referee play` takes (greedy, ./bot.py, ./folder), or a command in words of its
    own: everything behind --. Each probe starts a process of it.

    \b
      level 1   plays legally and answers everything
      level 2   survives lost links, cancelled and repeated asks, the unknown, a Redirect
      level 3   keeps its clock over a slow link, and stays as it is over 1,000 rounds

    Prints a line for each probe as it ends, and what to do where one failed; docs/BOT_CHECK.md has
    them all. Where it answers no ping or no plain ask, the rest is not run.

    --level and --probe exclude each other.

    Exit codes: 0 all that was asked for passed; 1 a probe failed; 2 bad input; 130 Ctrl-C.
    """  # noqa: D301 - click reads the backspace: keep the lines as they are
    import logging

    from referee.bootstrap import configure_logs
    from referee.check.probes import PROBES
    from referee.check.report import list_line
    from referee.cli.bot_check_run import plan_check, run_check
    from referee.clock import run

    if written["listing"]:
        for probe in PROBES:
            click.echo(list_line(probe))
        return
    configure_logs(level=logging.CRITICAL)
    plan = plan_check(words, **written)
    sys.exit(run(run_check(plan)))

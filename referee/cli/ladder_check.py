"""`referee ladder check`: start every bot, before anybody waits for the results."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder import CheckedEntry, LadderPlan

_FAULT = 1
_OPPONENT = "greedy"


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Start the bots of every entry, play a board with each against greedy, print its version.

    Nothing of it counts or is kept. Each entry's line comes as soon as it is known: ok, failed, or
    not checked, for bots that dial in are not started by us. What an entry that failed did and said
    last goes to stderr.

    Exit codes: 0 none failed; 1 one did; 2 bad input; 130 Ctrl-C.
    """
    from referee.cli.ladder_setup import plan_ladder

    sys.exit(checked(plan_ladder(file)))


def checked(plan: "LadderPlan") -> int:
    """Check all entries of a ladder, print what was found, and return the exit code."""
    from referee.bootstrap.ladder import Verdict
    from referee.cli.ladder_run import log_warnings
    from referee.clock import run

    log_warnings()
    found = run(_checked(plan))
    if isinstance(found, int):
        return found
    return _FAULT if any(one.verdict is Verdict.FAILED for one in found) else 0


def _echo(one: "CheckedEntry") -> None:
    from referee.formats.printable import printable
    from referee.ladder.rulings import joined_version

    version = joined_version(one.versions)
    click.echo(f"{one.entry} {one.verdict.value} {printable(version or '-')}")
    for line in one.lines:
        click.echo(f"  {one.entry}: {printable(line)}", err=True)


async def _checked(plan: "LadderPlan") -> "tuple[CheckedEntry, ...] | int":
    """Return what was found; after a signal the exit code, with everything ended."""
    from referee.bootstrap.ladder import check as check_all
    from referee.cli.ladder_setup import house_bot
    from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders

    stopped: list[signal.Signals] = []

    def ordered(order: int, number: signal.Signals) -> None:
        stopped.append(number)
        checking.cancel()

    checking = asyncio.ensure_future(
        check_all(plan, house_bot(_OPPONENT), lambda news: None, found=_echo)
    )
    with StopOrders(ordered).heeded((signal.SIGINT, signal.SIGTERM)):
        try:
            return await checking
        except asyncio.CancelledError:
            if not stopped:
                raise
            return SIGNAL_EXIT + stopped[0]

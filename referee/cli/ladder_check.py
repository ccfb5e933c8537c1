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

    Nothing of it counts or is kept. Of an entry that fails, what it did and said last goes to
    stderr. Bots that dial in are not started by us, and not checked.

    Exit codes: 0 all play; 1 one does not; 2 bad input; 130 Ctrl-C.
    """
    from referee.cli.ladder_run import log_warnings
    from referee.cli.ladder_setup import plan_ladder
    from referee.clock import run
    from referee.formats.printable import printable

    plan = plan_ladder(file)
    log_warnings()
    found = run(_checked(plan))
    if isinstance(found, int):
        sys.exit(found)
    for one in found:
        first, second = one.versions
        version = first if first == second else f"{first}+{second}"
        click.echo(f"{one.entry} {'ok' if one.ok else 'failed'} {printable(version or '-')}")
        for line in one.lines:
            click.echo(f"  {one.entry}: {printable(line)}", err=True)
    sys.exit(0 if all(one.ok for one in found) else _FAULT)


async def _checked(plan: "LadderPlan") -> "tuple[CheckedEntry, ...] | int":
    """Return what was found; after a signal the exit code, with everything ended."""
    from referee.bootstrap.ladder import check as check_all
    from referee.cli.ladder_setup import house_bot
    from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders

    stopped: list[signal.Signals] = []

    def ordered(order: int, number: signal.Signals) -> None:
        stopped.append(number)
        checking.cancel()

    checking = asyncio.ensure_future(check_all(plan, house_bot(_OPPONENT), lambda news: None))
    with StopOrders(ordered).heeded((signal.SIGINT, signal.SIGTERM)):
        try:
            return await checking
        except asyncio.CancelledError:
            if not stopped:
                raise
            return SIGNAL_EXIT + stopped[0]

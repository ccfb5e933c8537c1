"""`referee ladder run`: play, until the schedule or a rule says that it is enough."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.bootstrap.ladder import LadderOutcome, LadderRun
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.cli.ladder_progress import Display

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what it will cost and tell.")
@click.option(
    "--rate",
    type=click.FloatRange(0.001, 1_000_000),
    metavar="N",
    help="For --dry-run: boards a minute [those of earlier runs, else what house bots play].",
)
@click.option("--database", "url", metavar="URL", help="Instead of the file's.")
def run(file: Path, dry_run: bool, rate: float | None, url: str | None) -> None:
    """Play the ladder of FILE, and print its table at the end.

    The same command goes on where the last run ended, however it ended; boards that ran then are
    void and played again with new cards. Progress goes to stderr.

    The first Ctrl-C ends it in good order, the second kills the bots, the third ends at once;
    signals within 100 ms are one.

    Exit codes: 0 the ladder is over; 1 it is, and an entry was quarantined, or nobody can play;
    2 bad input, or it cannot be played: one line says why; 128 + its number for a signal.
    """
    from referee.cli.ladder_setup import plan_ladder
    from referee.clock import run as run_loop
    from referee.rules.errors import ConfigError

    plan = plan_ladder(file, database=url)
    if dry_run:
        asyncio.run(_forecast(plan, rate))
        return
    if rate is not None:
        raise ConfigError("--rate is for --dry-run; leave it out")
    log_warnings()
    sys.exit(run_loop(_played(plan)))


def log_warnings() -> None:
    """Have the referee log what is wrong, to stderr."""
    import logging

    from referee.bootstrap import configure_logs

    configure_logs(level=logging.WARNING)


async def _forecast(plan: "LadderPlan", rate: float | None) -> None:
    from referee.cli.ladder_forecast import forecast_lines, unknown_records
    from referee.cli.ladder_table import known

    now = await known(plan)
    for line in forecast_lines(plan, now, rate=rate):
        click.echo(line)
    if missing := unknown_records(plan, now):
        click.echo(missing, err=True)


async def _played(plan: "LadderPlan") -> int:
    from referee.bootstrap.ladder import LadderRun, Notice, OutcomeKind, Progress
    from referee.cli.ladder_progress import display
    from referee.cli.ladder_show import echo_table

    shown, told = display(), set[str]()

    def tell(news: Progress | Notice) -> None:
        if isinstance(news, Notice):
            told.add(news.text)
        shown.tell(news)

    ladder = LadderRun(plan, tell)
    outcome, code = await played_to_the_end(ladder, shown, lambda: echo_table(plan, told=told))
    return code or int(bool(outcome.quarantined) or outcome.why is OutcomeKind.NOBODY)


async def played_to_the_end(
    ladder: "LadderRun", shown: "Display", echo: "Callable[[], Awaitable[object]]"
) -> "tuple[LadderOutcome, int]":
    """Run a ladder or tournament with signals as orders; `echo` its table at the end.

    Return what it brought, and the exit code where a signal ended it before it was over, else 0.
    """
    from referee.app.season_news import OutcomeKind
    from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders
    from referee.formats.printable import printable

    number: signal.Signals | None = None

    def ordered(order: int, sent: signal.Signals) -> None:
        nonlocal number
        number = number or sent
        if order == 1:
            ladder.stop()
        elif order == 2:
            ladder.kill_now()
        else:
            ladder.kill_all_now()
            os._exit(SIGNAL_EXIT + sent)

    heeded = [one for one in _SIGNALS if not _is_kept_out(one)]
    with StopOrders(ordered).heeded(heeded):
        try:
            outcome = await ladder.run()
        finally:
            shown.close()
        click.echo(printable(outcome.text), err=True)
        await echo()
    stopped = outcome.why is OutcomeKind.STOPPED and number is not None
    return outcome, SIGNAL_EXIT + number if stopped and number is not None else 0


def _is_kept_out(number: signal.Signals) -> bool:
    """True under nohup: the ladder is to outlive its terminal."""
    return number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN

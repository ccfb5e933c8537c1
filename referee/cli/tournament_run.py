"""`referee tournament run`: play the movement to its end."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.ladder.tournaments import Tournament

_FAULT = 1


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say who meets whom, and how long it takes.")
@click.option(
    "--rate",
    type=click.FloatRange(0.001, 1_000_000),
    metavar="N",
    help="For --dry-run: tables a minute [what house bots play].",
)
def run(file: Path, dry_run: bool, rate: float | None) -> None:
    """Play the tournament of FILE, and print its table at the end.

    The same command goes on where the last run ended, however it ended; tables that ran then are
    void and played again with new cards. Progress goes to stderr.

    The first Ctrl-C ends it in good order, the second kills the bots, the third ends at once;
    signals within 100 ms are one.

    Exit codes: 0 all is played; 1 it is, and a table was given up; 2 bad input, or it cannot be
    played: one line says why; 128 + its number for a signal.
    """
    from referee.cli.ladder_run import log_warnings
    from referee.cli.tournament_setup import plan_tournament
    from referee.clock import run as run_loop
    from referee.rules.errors import ConfigError

    plan, tournament = plan_tournament(file)
    if dry_run:
        asyncio.run(_forecast(plan, tournament, rate))
        return
    if rate is not None:
        raise ConfigError("--rate is for --dry-run; leave it out")
    log_warnings()
    sys.exit(run_loop(_played(plan, tournament)))


async def _forecast(plan: "LadderPlan", tournament: "Tournament", rate: float | None) -> None:
    from referee.bootstrap.ladder_doors import check_doors
    from referee.bootstrap.tournament_known import known_of
    from referee.cli.tournament_forecast import forecast_lines

    check_doors(plan)
    known = await known_of(plan, tournament)
    for line in forecast_lines(plan, tournament, known.results, rate=rate):
        click.echo(line)


async def _played(plan: "LadderPlan", tournament: "Tournament") -> int:
    from referee.bootstrap.tournament_known import report_of
    from referee.bootstrap.tournament_run import TournamentRun
    from referee.cli.ladder_progress import display
    from referee.cli.ladder_run import played_to_the_end
    from referee.cli.tournament_show import echo_report

    shown = display()
    run_ = TournamentRun(plan, tournament, shown.tell)
    _, code = await played_to_the_end(
        run_, shown, lambda: echo_report(plan, tournament, warn=False)
    )
    report = await report_of(plan, tournament)
    given_up = any(table.given_up for one in report.rounds for table in one.tables)
    return code or (_FAULT if given_up else 0)

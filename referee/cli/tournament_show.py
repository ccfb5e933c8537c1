"""`referee tournament show`: the table as it stands, or what a round brought."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.ladder.tournaments import Tournament

_NOTHING = 1
_FORMATS = ("text", "md", "csv", "json")


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--round", "number", type=click.IntRange(1), metavar="N", help="The tables of this round."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Of it.",
)
def show(file: Path, number: int | None, form: str) -> None:
    """Print the table of the tournament in FILE after all rounds that are over.

    A run may go on meanwhile; a round that is not over is not in it.

    Exit codes: 0 printed; 1 there is nothing yet; 2 bad input, or results cannot be read.
    """
    from referee.bootstrap.ladder_advice import command
    from referee.cli.tournament_setup import plan_tournament

    plan, tournament = plan_tournament(file)
    if not asyncio.run(echo_report(plan, tournament, form, number)):
        what = "no round is over yet" if number is None else f"round {number} is not over yet"
        click.echo(f"{what}; {command(plan, 'run')} plays", err=True)
        sys.exit(_NOTHING)


async def echo_report(
    plan: "LadderPlan",
    tournament: "Tournament",
    form: str = "text",
    number: int | None = None,
    *,
    warn: bool = True,
) -> bool:
    """Print the table or a round; False where that is not over. Raises `ConfigError`.

    `warn`: say on stderr what the operator has to do about damaged records.
    """
    from referee.bootstrap.tournament_known import report_of
    from referee.formats.tournament_text import TableFormat, report_lines
    from referee.rules.errors import ConfigError

    rounds = len(tournament.movement.rounds)
    if number is not None and number > rounds:
        raise ConfigError(f"--round {number}: this tournament has {rounds}")
    report = await report_of(plan, tournament)
    if len(report.rounds) < (number or 1):
        return False
    for line in report_lines(report, TableFormat(form), number):
        click.echo(line)
    for line in report.warnings if warn else ():
        click.echo(f"warning: {line}", err=True)
    return True

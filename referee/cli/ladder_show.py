"""`referee ladder show`: the table, as it stands now."""

import asyncio
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.cli.ladder_table import Known
    from referee.ladder.table import Column

_NOTHING = 1


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--columns",
    metavar="NAME,NAME",
    default="",
    help="More of it: elo, pairs (a table of pairings), bootstrap.",
)
@click.option("--database", "url", metavar="URL", help="Instead of the file's.")
def show(file: Path, columns: str, url: str | None) -> None:
    """Print the table of the ladder in FILE, ordered by points a round, and what stands under it.

    A run may go on meanwhile. Only boards of which both legs are over count.

    Exit codes: 0 printed; 1 there is nothing yet; 2 bad input, or the database cannot be used.
    """
    from referee.cli.ladder_setup import plan_ladder
    from referee.cli.ladder_table import nothing_yet

    wanted = columns_of(columns)
    plan = plan_ladder(file, database=url)
    if not asyncio.run(echo_table(plan, wanted)):
        click.echo(nothing_yet(plan), err=True)
        sys.exit(_NOTHING)


def columns_of(text: str) -> "list[Column]":
    """Return the columns of a list with commas. Raises `ConfigError`."""
    import difflib

    from referee.ladder.table import Column
    from referee.rules.errors import ConfigError

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in list(Column):
            near = difflib.get_close_matches(name, list(Column), n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(Column)}"
            raise ConfigError(f"--columns {name!r}: there is no such column; {hint}")
    return [Column(name) for name in names]


async def echo_table(
    plan: "LadderPlan", columns: "Collection[Column]" = (), *, told: "Collection[str]" = ()
) -> bool:
    """Print the table; False where there is none yet. Warnings in `told` were said before."""
    from referee.cli.ladder_table import known
    from referee.formats.standings_text import table_lines

    now = await known(plan)
    if now is None or not now.results:
        return False
    for line in table_lines(now.table(plan, columns)):
        click.echo(line)
    echo_warnings(plan, now, told=told)
    return True


def echo_warnings(plan: "LadderPlan", known: "Known", *, told: "Collection[str]" = ()) -> None:
    """Say what the operator has to do about the records of a table, on stderr.

    Lines in `told` were said before.
    """
    for line in known.warnings(plan):
        if f"warning: {line}" not in told:
            click.echo(f"warning: {line}", err=True)

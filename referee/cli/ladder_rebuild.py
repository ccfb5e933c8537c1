"""`referee ladder rebuild`: the database anew, from records and rulings alone."""

import asyncio
from pathlib import Path

import click

from referee.cli.refusing import RefusingCommand


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--database", "url", metavar="URL", help="Instead of the file's.")
def rebuild(file: Path, url: str | None) -> None:
    """Forget what the database knows of the ladder in FILE, and add all of its records anew.

    Every record and ruling is read and verified before anything is forgotten. The table is the
    same as before, byte for byte, unless a record is missing or another: each is said.

    Exit codes: 0 done; 2 bad input, a record or ruling that was changed, or a run goes on: nothing
    is changed.
    """
    from referee.bootstrap.ladder import rebuild as build
    from referee.cli.ladder_setup import plan_ladder
    from referee.formats.words import counted

    def tell(line: str) -> None:
        click.echo(f"warning: {line}", err=True)

    results = asyncio.run(build(plan_ladder(file, database=url), tell))
    click.echo(f"{counted(results, 'result')} from records")

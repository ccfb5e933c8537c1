"""`referee tournament init`: write an example."""

import shlex
from pathlib import Path

import click

from referee.cli.once import OnceCommand

_DEFAULT_NAME = "tournament"


@click.command(cls=OnceCommand)
@click.argument("file", type=click.Path(path_type=Path))
def init(file: Path) -> None:
    """Write a commented example to FILE, which runs as it is. A file that is there stays as it is.

    Exit codes: 0 written; 2 usage, or it cannot be written.
    """
    from referee.cli.ladder_init import write_new
    from referee.cli.tournament_example import example
    from referee.config.names import is_name
    from referee.formats.printable import printable

    name = file.stem if is_name(file.stem) else _DEFAULT_NAME
    shown = printable(shlex.quote(str(file)))
    write_new(file, example(file=shown, name=name))
    click.echo(f"wrote {shown}; next: referee tournament run {shown} --dry-run", err=True)

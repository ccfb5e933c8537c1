"""`referee ladder init`: write an example."""

import os
import shlex
import sys
from pathlib import Path

import click

from referee.cli.once import OnceCommand

_USAGE = 2
_DEFAULT_NAME = "ladder"


@click.command(cls=OnceCommand)
@click.argument("file", type=click.Path(path_type=Path))
def init(file: Path) -> None:
    """Write a commented example to FILE, which runs as it is. A file that is there stays as it is.

    Exit codes: 0 written; 2 usage, or it cannot be written.
    """
    from referee.cli.ladder_example import example
    from referee.config.names import is_name
    from referee.formats.printable import printable

    name = file.stem if is_name(file.stem) else _DEFAULT_NAME
    shown = printable(shlex.quote(str(file)))
    write_new(file, example(file=shown, name=name, stem=printable(file.stem)))
    click.echo(f"wrote {shown}; next: referee ladder check {shown}", err=True)


def write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet; where that cannot be, say why and leave with code 2."""
    from referee.formats.printable import printable

    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except OSError as error:
        shown = printable(str(file))
        click.echo(f"error: {shown}: {os.strerror(error.errno or 0)}{_cure(file, error)}", err=True)
        sys.exit(_USAGE)


def _cure(file: Path, error: OSError) -> str:
    from referee.formats.printable import printable

    if isinstance(error, FileExistsError | IsADirectoryError):
        return "; name another, or remove it"
    if isinstance(error, FileNotFoundError):
        return f"; make its folder first: {printable(f'mkdir -p {shlex.quote(str(file.parent))}')}"
    return "; name a file in a folder that you may write to"

"""Files of records as the commands read them, and how they say what is wrong."""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, NoReturn

import click

from referee.formats.records import MAX_LINE_BYTES


def lines_of(name: str) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only as much as shows that it is.

    - is the standard input. Raises `OSError`.
    """
    with click.open_file(name, "rb") as file:
        yield from _lines(file, name)


@contextlib.contextmanager
def read_twice(name: str) -> Iterator[Callable[[], Iterator[bytes]]]:
    """Give a function that reads the lines from the beginning, as often as it is called.

    The standard input and other pipes are kept in a file of their own meanwhile. Raises `OSError`.
    """
    with contextlib.ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(click.open_file(name, "rb"))
        if not file.seekable():
            kept: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            for line in _lines(file, name):
                kept.write(line)
            file = kept

        def again() -> Iterator[bytes]:
            file.seek(0)
            return _lines(file, name)

        yield again


def _lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    while line := read_line(file, MAX_LINE_BYTES + 2, name):
        yield line


def read_line(file: IO[bytes], most: int, name: str) -> bytes:
    """Return a line of at most so many bytes. Raises `OSError`, with the name of the file.

    So it is told from an error of what is written meanwhile, which names none.
    """
    try:
        return file.readline(most)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error


def fail(text: str, code: int) -> NoReturn:
    """Say what is wrong, and exit."""
    click.echo(f"error: {text}", err=True)
    sys.exit(code)

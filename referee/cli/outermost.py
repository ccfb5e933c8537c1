"""The outermost handler: what is wrong with a command line, an output that fails, and Ctrl-C."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

import click
from click.exceptions import NoArgsIsHelpError

from referee.cli.lazy import LazyGroup

_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130  # 128 + SIGINT, as shells do


class OutermostGroup(LazyGroup):
    """The command itself: what no sub-command took ends here, without a traceback."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **settings: Any) -> Any:
        """As click does, and say in one line what could not be read or written."""
        _open_closed_streams()
        try:
            return super().main(args, *more, **settings)
        except OSError as error:  # a closed pipe is click's: it ends quietly
            _say_and_end(error)
        finally:
            forget_unwritten(sys.stderr)  # nobody reads it: no reason for another exit code

    def make_context(self, *more: Any, **settings: Any) -> click.Context:
        """As click does; Ctrl-C while the command line is read is 130 too, not click's 1."""
        try:
            return super().make_context(*more, **settings)
        except KeyboardInterrupt:
            sys.exit(_INTERRUPTED)
        except click.UsageError as error:
            _refuse_usage(error)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; Ctrl-C while a command is still being loaded is 130 too."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(_INTERRUPTED)
        except click.UsageError as error:
            _refuse_usage(error)


def _refuse_usage(error: click.UsageError) -> NoReturn:
    """One line, as for every other mistake; a command without anything still shows its help."""
    if isinstance(error, NoArgsIsHelpError):
        raise error
    from referee.cli.usage import usage_line
    from referee.formats.printable import printable

    click.echo(f"error: {printable(usage_line(error))}", err=True)
    sys.exit(_USAGE)


def _open_closed_streams() -> None:
    """`>&-`: give the number to nothing, or the next file or socket has it and gets our text."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def _say_and_end(error: OSError) -> NoReturn:
    from referee.formats.printable import printable

    what = error.strerror or str(error)
    where = "cannot write" if error.filename is None else os.fsdecode(error.filename)
    with suppress(OSError):
        click.echo(f"error: {printable(where)}: {printable(what)}", err=True)
    forget_unwritten(sys.stdout, sys.stderr)
    sys.exit(_FAILED)


def forget_unwritten(*streams: TextIO) -> None:
    """What is left in the buffers fails again at exit, with another message and exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

"""`referee rules bsw FILE...`: replay Brettspielwelt logs through the rules."""

import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

import click

from referee.cli.once import OnceCommand
from referee.cli.record_files import read_line

if TYPE_CHECKING:
    from referee.formats.bsw import Tally
    from referee.rules.options import RuleOptions

# A line of a log has some hundred characters. The rest of a longer one is passed over, so that no
# file fills the memory.
_LONGEST_LINE = 1 << 16


@click.command("bsw", cls=OnceCommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A rule option that differs from its default, such as both_call_scoring=bsw.",
)
def bsw(files: tuple[str, ...], settings: tuple[str, ...]) -> None:
    """Replay Brettspielwelt logs move by move, a line a round; - is the standard input.

    A round is ok, ILLEGAL (a line and the clause of the rules it breaks), SCORE (all moves are
    legal, the logged points do not follow), or UNFINISHED (its log ends before the result). The
    exit status is 1 when a round is ILLEGAL or SCORE, 2 when a file cannot be opened. What is not
    understood is named on stderr, and the rest is read.
    """
    from referee.cli.rule_flags import rules_given
    from referee.formats.bsw import Tally
    from referee.rules.errors import ConfigError
    from referee.rules.options import parse_options

    try:
        options = parse_options(rules_given(settings))
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    tally = Tally()
    all_read = True
    for name in files:
        all_read &= _replay_file(name, options, tally)
    click.echo(tally.text())
    sys.exit(2 if not all_read else 1 if tally.failed else 0)


def _replay_file(name: str, options: "RuleOptions", tally: "Tally") -> bool:
    """Print the verdicts on a file; False when it cannot be read to its end."""
    from referee.formats.bsw import LogReader, judge, verdict_text

    shown = click.format_filename(name)
    reader = LogReader()
    rounds = 0
    try:
        for verdict in judge(reader, log_lines(name), options):
            rounds += 1
            tally.add(verdict)
            click.echo(f"{shown} {verdict_text(verdict)}")
    except OSError as error:
        if error.filename is None:
            raise  # the output cannot be written, or whoever read it has enough
        click.echo(f"error: {shown}: cannot be read: {error.strerror}", err=True)
        return False
    if not rounds:
        click.echo(
            f"{shown}: no Brettspielwelt round in {reader.lines} lines; a round begins with a line "
            "like ---Gr.Tichukarten---",
            err=True,
        )
    elif reader.unread:
        click.echo(
            f"{shown}: lines not understood: {reader.unread}, the first is line "
            f"{reader.first_unread}",
            err=True,
        )
    return True


def log_lines(name: str) -> Iterator[str]:
    """Yield the lines of a file with their ends.

    What is no UTF-8 is read as Windows-1252, as old clients wrote it: that can only be in names.
    """
    with click.open_file(name, "rb") as file:
        while line := read_line(file, _LONGEST_LINE, name):
            whole = line.endswith(b"\n") or len(line) < _LONGEST_LINE
            end = b"" if whole else _rest_of_line(file, name)
            yield _decoded(line + end)


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def _rest_of_line(file: IO[bytes], name: str) -> bytes:
    """Pass over the rest of a line; return its line end, empty at the end of the file."""
    while piece := read_line(file, _LONGEST_LINE, name):
        if piece.endswith(b"\n"):
            return b"\n"
    return b""

"""`referee record import`: records of BrettspielWelt logs."""

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.once import OnceCommand
from referee.cli.record_files import fail
from referee.formats.printable import printable

if TYPE_CHECKING:
    from referee.formats.bsw.importer import BadGame, ImportedGame
    from referee.rules.options import RuleOptions

_NO_LINKS = (
    errno.EPERM,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EMLINK,
)  # of a file system that has none
_FAILED = 1
_USAGE = 2


@click.command("import", cls=OnceCommand)
@click.argument("file")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="a folder for the records, MATCH.jsonl each; without it the one game is printed",
)
@click.option("--game", type=click.IntRange(min=1), help="this game of the file only")
@click.option("--keep-names", is_flag=True, help="keep the names of the players")
@click.option(
    "--option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="a rule option that the game was played with, such as both_call_scoring=bsw",
)
def import_(
    file: str, folder: Path | None, game: int | None, keep_names: bool, settings: tuple[str, ...]
) -> None:
    """Make a record of each game of a BrettspielWelt log; - is the standard input.

    `referee record verify`, `show` and `export` read them. The players are player-1 to player-4 by
    seat unless --keep-names. The header says what a log does not tell: asks, clock, times, seeds,
    the first dealer. A round without a result at the end of a game is left out, which is told. A
    game that breaks the rules, or whose points do not follow, gives no record.

    With --to a line is printed for each record. No file is ever overwritten: a record that is there
    already is named so, and another file in its place is an error; the other games go on.

    Exit codes: 0 all games are records; 1 one is none, or the file cannot be read; 2 usage.
    """
    options = _options(settings)
    try:
        good = _import(file, options, folder=folder, game=game, keep_names=keep_names)
    except OSError as error:
        if error.filename is None:
            raise  # the output cannot be written, or whoever read it has enough
        fail(f"{printable(str(error.filename))}: {error.strerror}", _FAILED)
    sys.exit(0 if good else _FAILED)


def _options(settings: tuple[str, ...]) -> "RuleOptions":
    from referee.cli.rule_flags import rules_given
    from referee.rules.errors import ConfigError
    from referee.rules.option_values import Variant
    from referee.rules.options import parse_options

    try:
        options = parse_options(rules_given(settings))
    except ConfigError as error:
        fail(str(error), _USAGE)
    if options.variant is not Variant.TICHU:
        fail(f"--option variant={options.variant}: a log is of four seats and plain Tichu", _USAGE)
    return options


def _import(
    file: str, options: "RuleOptions", *, folder: Path | None, game: int | None, keep_names: bool
) -> bool:
    """Write or print every game; False where one is no record."""
    from referee.cli.bsw import log_lines
    from referee.formats.bsw import LogReader
    from referee.formats.bsw.importer import ImportedGame, import_log

    reader = LogReader()
    shown, good, printed, seen = printable(file), True, None, 0
    for found in import_log(reader, log_lines(file), options, keep_names=keep_names):
        seen = found.game
        if game not in (None, found.game):
            continue
        if not isinstance(found, ImportedGame):
            good = False
            click.echo(f"error: {shown}: {_bad_text(found)}", err=True)
        elif folder is not None:
            _told(shown, found)
            good = _write(folder, found) and good
        elif printed is None:
            printed = found
        else:
            fail(f"{shown}: holds several games; name a folder (--to), or one (--game N)", _USAGE)
    if not seen:
        first = "a round begins with a line like ---Gr.Tichukarten---"
        fail(f"{shown}: line {max(1, reader.lines)}: no BrettspielWelt round; {first}", _FAILED)
    if game is not None and game > seen:
        fail(f"--game {game}: {shown} has {seen}", _USAGE)
    if reader.unread:
        text = f"lines not understood: {reader.unread}, the first is line {reader.first_unread}"
        click.echo(f"{shown}: {text}", err=True)
    if printed is not None and good:
        _told(shown, printed)
        for line in _text(printed):
            click.echo(line)
    return good


def _told(shown: str, found: "ImportedGame") -> None:
    for note in found.notes:
        click.echo(f"{shown}: game {found.game}: {note}", err=True)


def _bad_text(bad: "BadGame") -> str:
    return f"line {bad.line}: game {bad.game}: {bad.text}; {bad.cure}"


def _summary(found: "ImportedGame") -> str:
    points = ":".join(map(str, found.totals))
    over = "" if found.over else ", the log ends before the match does"
    return f"game {found.game}, {found.rounds} rounds {points}{over}"


def _text(found: "ImportedGame") -> Iterator[str]:
    for line in found.lines:
        yield line.decode()


def _write(folder: Path, found: "ImportedGame") -> bool:
    """Write a record for its owner alone, whole or not at all, and say so.

    False where another file has its name. Raises `OSError`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path, data = folder / f"{found.match_id}.jsonl", b"".join(line + b"\n" for line in found.lines)
    shown = printable(str(path))
    try:
        new = _publish(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    if not new and path.read_bytes() != data:
        click.echo(f"error: {shown}: another file is there; move it, or name a folder", err=True)
        return False
    click.echo(f"{shown}: {_summary(found)}{'' if new else ', it was there already'}")
    return True


def _publish(path: Path, data: bytes) -> bool:
    """Give a file with this content its name at once; False where that is taken."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".import-")  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if path.exists():
                return False
            os.rename(draft, path)
        return True
    finally:
        Path(draft).unlink(missing_ok=True)

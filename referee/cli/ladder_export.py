"""`referee ladder export`: the table as files, or as a site that opens from the disk."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.formats.exported import Exported
    from referee.ladder.table import Column

_NOTHING = 1
_FORMATS = ("json", "csv", "md", "html")


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(_FORMATS), required=True, help="Of the files.")
@click.option(
    "--columns",
    metavar="NAME,NAME",
    default="",
    help="More of the table: elo, pairs, bootstrap.",
)
@click.option("--database", "url", metavar="URL", help="Instead of the file's.")
def export(file: Path, folder: Path, form: str, columns: str, url: str | None) -> None:
    """Write the ladder of FILE into DIR, which is made; files of the same names are replaced.

    html is a static site: the table, and a page for every entry, bot and match. It opens from the
    disk, and any web server can publish it as it is.

    Exit codes: 0 written, what to open on stdout; 1 there is nothing yet; 2 bad input, or it cannot
    be written.
    """
    from referee.cli.ladder_setup import plan_ladder
    from referee.cli.ladder_show import columns_of
    from referee.cli.ladder_table import nothing_yet
    from referee.formats.export import ExportFormat, exported_files
    from referee.formats.printable import printable

    plan, wanted = plan_ladder(file, database=url), columns_of(columns)
    exported = asyncio.run(_exported(plan, wanted))
    if exported is None:
        click.echo(nothing_yet(plan), err=True)
        sys.exit(_NOTHING)
    written = list(_written(folder, exported_files(ExportFormat(form), exported)))
    for path in written:
        if path.parent == folder and path.suffix != ".css":  # of a site the page to open
            click.echo(printable(str(path)))


async def _exported(plan: "LadderPlan", columns: "Iterable[Column]") -> "Exported | None":
    from datetime import UTC, datetime

    from referee.cli.ladder_show import echo_warnings
    from referee.cli.ladder_table import all_matches, known
    from referee.formats.exported import Exported

    now = await known(plan)
    if now is None or not now.results:
        return None
    echo_warnings(plan, now)
    return Exported(
        event=plan.event,
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        practice=now.practice,
        deals=plan.deals,
        standings=now.table(plan, tuple(columns), says_practice=False),
        counting=now.counting(),
        matches=await all_matches(plan, now),
    )


def _written(folder: Path, files: Iterable[tuple[str, str]]) -> Iterator[Path]:
    """Write files below a folder, and yield each. Raises `ConfigError`, `RefereeBug`."""
    from referee.rules.errors import ConfigError, RefereeBug

    try:
        for name, text in files:
            path = folder / name
            if ".." in path.relative_to(folder).parts:
                raise RefereeBug(f"a file of an export would lie outside: {name!r}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            yield path
    except OSError as error:
        raise ConfigError(f"{error.filename or folder}: {error.strerror}") from None

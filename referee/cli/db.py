"""`referee db`: the database of ladders, as its operator sees it."""

import asyncio
import datetime
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from referee.cli.once import OnceCommand
from referee.formats.printable import printable
from referee.rules.errors import ConfigError

if TYPE_CHECKING:  # SQLAlchemy takes a while to load: only a command that runs loads it
    from referee.store.ladder.schema import Schema
    from referee.store.ladder.upkeep import EventContents

VARIABLE = "TICHU_DATABASE"
_NOT_CURRENT = 1
_USAGE = 2
_T = TypeVar("_T")

_database = click.option(
    "--database",
    "url",
    envvar=VARIABLE,
    metavar="URL",
    help=f"sqlite:///FILE or postgresql://USER@HOST/DATABASE [{VARIABLE}].",
)


@click.group()
def db() -> None:
    """Look after the database of ladders: its schema, copies of it, and what is in it.

    --database URL names it, or the variable TICHU_DATABASE. A password on the command line is seen
    by everybody on the machine: put it into that variable, PGPASSWORD or ~/.pgpass.
    """


@db.command(cls=OnceCommand)
@_database
def status(url: str | None) -> None:
    """Say which schema the database has, and what is kept in it.

    Exit codes: 0 this release can use it; 1 not before `referee db upgrade`, or not at all; 2 bad
    input, or it cannot be reached.
    """
    named = _named(url)
    from referee.store.ladder.schema import SchemaState, schema_of
    from referee.store.ladder.upkeep import contents

    schema = _run(schema_of(named))
    click.echo(f"database {schema.shown}: {_schema_words(schema)}")
    if schema.state is not SchemaState.CURRENT:
        sys.exit(_NOT_CURRENT)
    for one in _run(contents(named)):
        click.echo(_event_words(one))


@db.command(cls=OnceCommand)
@_database
def upgrade(url: str | None) -> None:
    """Make the tables, or bring those of an older release to this one's schema.

    Copy the database first (`referee db backup`): there is no way back. It is one transaction, so
    it fails as a whole.

    Exit codes: 0 done, or nothing to do; 2 bad input, or it cannot be done.
    """
    named = _named(url)
    from referee.store.ladder.schema import upgrade as bring_on

    before, after = _run(bring_on(named))
    if before.version == after.version:
        click.echo(f"database {after.shown}: schema {after.version}, nothing to do")
    elif before.version == 0:
        click.echo(f"database {after.shown}: made, schema {after.version}")
    else:
        click.echo(f"database {after.shown}: schema {before.version} is now {after.version}")


@db.command(cls=OnceCommand)
@_database
@click.argument("file", type=click.Path(path_type=Path))
def backup(url: str | None, file: Path) -> None:
    """Copy a SQLite database into FILE, which must not be there; ladders may run meanwhile.

    Exit codes: 0 copied; 2 bad input, or it cannot be done. PostgreSQL: use pg_dump.
    """
    named = _named(url)
    from referee.store.ladder.upkeep import backup as copy

    _run(copy(named, file))
    click.echo(f"copied to {printable(str(file))}")


@db.command(cls=OnceCommand)
@_database
@click.option("--event", "events", multiple=True, metavar="NAME", help="Forget this event.")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Forget events whose last match was added before this day (UTC).",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
def prune(
    url: str | None, events: tuple[str, ...], before: datetime.datetime | None, dry_run: bool
) -> None:
    """Forget whole events. Their records stay, and `referee ladder rebuild` brings them back.

    Exit codes: 0 done; 2 bad input (an event that is not there: nothing is changed).
    """
    if not events and before is None:
        _refuse("nothing to forget; name --event NAME or --before YYYY-MM-DD")
    before_s = None if before is None else int(before.replace(tzinfo=datetime.UTC).timestamp())
    named = _named(url)
    from referee.store.ladder.upkeep import prune as forget

    pruned = _run(forget(named, events=events, before_s=before_s, dry_run=dry_run))
    for one in pruned.events:
        click.echo(f"{'would forget' if dry_run else 'forgot'} {_event_words(one)}")
    if not pruned.events:
        click.echo("nothing to forget")
    if not pruned.smaller:
        click.echo("the file is as large as before: somebody uses it; prune again later", err=True)


def database_url(url: str | None) -> str:
    """Return the URL that was given. Raises `ConfigError` that says what to give."""
    if not url:
        raise ConfigError(
            f"no database is named: give --database URL, or set {VARIABLE}; "
            "for a ladder file it is sqlite:///NAME.ladder/ladder.db"
        )
    return url


def _named(url: str | None) -> str:
    try:
        return database_url(url)
    except ConfigError as error:
        _refuse(str(error))


def _run(work: "Coroutine[Any, Any, _T]") -> _T:
    try:
        return asyncio.run(work)
    except ConfigError as error:
        _refuse(str(error))


def _schema_words(schema: "Schema") -> str:
    from referee.store.ladder.schema import SchemaState

    upgrading = f"referee db upgrade --database {schema.url}"
    match schema.state:
        case SchemaState.CURRENT:
            return f"schema {schema.version}, as this release needs it"
        case SchemaState.EMPTY:
            return f"nothing in it; {upgrading} makes schema {schema.needs}"
        case SchemaState.OLDER:
            return f"schema {schema.version}, older; {upgrading} makes it {schema.needs}"
        case SchemaState.NEWER:
            return f"schema {schema.version}, newer than this release's {schema.needs}"
        case SchemaState.FOREIGN:
            return "tables of another program"


def _event_words(one: "EventContents") -> str:
    words = f"event {printable(one.event)}: {one.entries} entries, {one.matches} matches"
    if one.added is None:
        return words
    last = datetime.datetime.fromtimestamp(one.added, datetime.UTC)
    return f"{words}, the last added {last:%Y-%m-%d %H:%M} UTC"


def _refuse(text: str) -> NoReturn:
    click.echo(f"error: {text}", err=True)
    sys.exit(_USAGE)

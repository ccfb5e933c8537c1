"""The schema of a ladder's database: what it is, and how it is made, brought on and checked."""

import enum
from pathlib import Path

import msgspec
from sqlalchemy import Connection, inspect, text

from referee.rules.errors import ConfigError
from referee.store.ladder.address import Database, SqliteFile, database_of
from referee.store.ladder.connecting import link_to
from referee.store.ladder.failures import FAILURES, reason
from referee.store.ladder.files import check_file, make_file, make_private, unmake_file
from referee.store.ladder.sql import SqlLadderStore
from referee.store.ladder.tables import METADATA, SCHEMA_VERSION

VERSION_TABLE = "ladder_schema"
MIGRATIONS = Path(__file__).parent / "migrations"
_UPGRADE_LOCK = 0x7469636875  # of PostgreSQL: one process at a time makes or changes tables


class SchemaState(enum.Enum):
    """What a database is to this release."""

    EMPTY = "empty"  # nothing is in it, or the file is not there
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"
    FOREIGN = "foreign"  # it has tables of another program


class Schema(msgspec.Struct, frozen=True, kw_only=True):
    """The schema of a database. `version` is 0 where it has none."""

    shown: str  # the database, without a password
    url: str  # the same, as a word of a command line
    state: SchemaState
    version: int
    needs: int  # by this release


async def open_ladder_store(url: str) -> SqlLadderStore:
    """Open the database of a URL; one with nothing in it, or a file that is not there, is made.

    Raises `ConfigError` for a URL that names none, a database that cannot be reached or used, one
    of another program, and a schema of another release; such a database is left as it is.
    """
    database = database_of(url)
    schema = await _look(database)
    if schema.state is SchemaState.EMPTY:
        await _upgrade(database)
    else:
        refuse_other(schema)
    if isinstance(database, SqliteFile):
        make_private(database)
    link = link_to(database)
    try:
        await link.set_up()
    except FAILURES as error:
        await link.close()
        raise ConfigError(f"database {link.shown}: {reason(error)}") from None
    return SqlLadderStore(link)


async def schema_of(url: str) -> Schema:
    """Return the schema of a database, and change nothing. Raises `ConfigError`."""
    return await _look(database_of(url))


async def upgrade(url: str) -> tuple[Schema, Schema]:
    """Make a database, or bring it to the schema of this release; return it before and after.

    One transaction: it fails as a whole. Raises `ConfigError`.
    """
    database = database_of(url)
    before = await _look(database)
    if before.state in (SchemaState.FOREIGN, SchemaState.NEWER):
        refuse_other(before)
    if before.state is not SchemaState.CURRENT:
        await _upgrade(database)
    return before, await _look(database)


def refuse_other(schema: Schema) -> None:
    """Raise `ConfigError` for a schema that this release neither reads nor makes."""
    found = f"database {schema.shown}: its schema is {schema.version}, this release needs"
    match schema.state:
        case SchemaState.OLDER:
            raise ConfigError(
                f"{found} {schema.needs}; run referee db upgrade --database {schema.url}"
            )
        case SchemaState.NEWER:
            raise ConfigError(
                f"{found} {schema.needs}; it was written by a newer release: run that one"
            )
        case SchemaState.FOREIGN | SchemaState.EMPTY:
            raise ConfigError(
                f"database {schema.shown}: it has other tables than a ladder's; name another"
            )
        case SchemaState.CURRENT:
            return


async def _look(database: Database) -> Schema:
    version: int | None = 0
    if not isinstance(database, SqliteFile) or _is_there(database):
        link = link_to(database)
        try:
            version = await link.read(_version)
        except FAILURES as error:
            raise ConfigError(f"database {link.shown}: {reason(error)}") from None
        finally:
            await link.close()
    return Schema(
        shown=database.shown,
        url=database.word,
        state=_state(version),
        version=version or 0,
        needs=SCHEMA_VERSION,
    )


def _is_there(database: SqliteFile) -> bool:
    if not database.path.exists():
        return False
    check_file(database)
    return True


def _state(version: int | None) -> SchemaState:
    if version is None:
        return SchemaState.FOREIGN
    if version == 0:
        return SchemaState.EMPTY
    if version == SCHEMA_VERSION:
        return SchemaState.CURRENT
    return SchemaState.OLDER if version < SCHEMA_VERSION else SchemaState.NEWER


def _version(connection: Connection) -> int | None:
    """Return the number of the schema; 0 without one, None among tables of another program."""
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE in tables:
        number = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return int(number) if isinstance(number, str) and number.isdecimal() else None
    # A server's database may well be shared; a file is one program's.
    others = tables if connection.dialect.name == "sqlite" else tables & METADATA.tables.keys()
    return None if others else 0


async def _upgrade(database: Database) -> None:
    made = isinstance(database, SqliteFile) and make_file(database)
    link = link_to(database)
    try:
        await link.set_up()
        await link.write(_migrate)
    except FAILURES as error:
        if made and isinstance(database, SqliteFile):
            unmake_file(database)
        raise ConfigError(f"database {link.shown}: {reason(error)}") from None
    finally:
        await link.close()


def _migrate(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")

"""Which database a URL names, and how it is called where people read it: without a password."""

import re
import shlex
from pathlib import Path
from urllib.parse import unquote_plus, urlsplit

import msgspec

from referee.formats.printable import printable
from referee.rules.errors import ConfigError

_FORMS = (
    "write sqlite:///FILE (sqlite:////FILE from the root) or "
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
)
_POSTGRES = ("postgresql", "postgres")
_SECRET = "password"  # in the name of a parameter
_PARAMETERS = (  # of libpq: those that tell where and how
    *("host", "hostaddr", "port", "dbname", "user", "options", "application_name", "service"),
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslnegotiation", "passfile"),
    *("connect_timeout", "target_session_attrs", "krbsrvname", "gsslib"),
)
_NAME = re.compile(r"[a-z_.]+\Z")
_QUOTE = "write characters of user and password that are not letters or digits as %XX"


class SqliteFile(msgspec.Struct, frozen=True, kw_only=True):
    """A database in one file, beside which its log and index lie while it is open."""

    path: Path

    @property
    def shown(self) -> str:
        """Return its name for people."""
        return printable(str(self.path))

    @property
    def word(self) -> str:
        """Return its URL as one writes it on a command line."""
        return printable(shlex.quote(sqlite_url(self.path)))


class PostgresServer(msgspec.Struct, frozen=True, kw_only=True):
    """A database of a PostgreSQL server. `dsn` may hold a password and is never shown."""

    dsn: str
    shown: str

    @property
    def word(self) -> str:
        """Return its URL as one writes it on a command line, where no password belongs."""
        return shlex.quote(self.shown)

    def __repr__(self) -> str:
        return f"PostgresServer({self.shown})"


Database = SqliteFile | PostgresServer


def database_of(url: str) -> Database:
    """Return what a URL names. Raises `ConfigError`, which shows no part of a password.

    >>> database_of("sqlite:///fun.ladder/ladder.db").shown
    'fun.ladder/ladder.db'
    >>> database_of("postgresql://judge:secret@db.example:5433/ladders?sslmode=require").shown
    'postgresql://judge@db.example:5433/ladders?sslmode=require'
    """
    scheme, mark, rest = url.partition("://")
    if not mark:
        raise ConfigError(f"database: this is no URL; {_FORMS}")
    if scheme == "sqlite":
        return _sqlite(rest)
    if scheme in _POSTGRES:
        return _postgres(rest)
    raise ConfigError(f"database: {printable(scheme)} is no kind of database here; {_FORMS}")


def sqlite_url(path: Path) -> str:
    """Return the URL of a database in a file.

    >>> sqlite_url(Path("/srv/fun.ladder/ladder.db"))
    'sqlite:////srv/fun.ladder/ladder.db'
    """
    return f"sqlite:///{path}"


def _sqlite(rest: str) -> SqliteFile:
    name = rest.removeprefix("/")
    if name == rest or name in ("", ":memory:"):
        raise ConfigError(
            "database: a ladder outlives the process that plays it, so its database is a file; "
            "write sqlite:///FILE"
        )
    if "\0" in name:
        raise ConfigError("database: no file has a NUL in its name; write sqlite:///FILE")
    return SqliteFile(path=Path(name))


def _postgres(rest: str) -> PostgresServer:
    # A password with / ? # or @ in it, not quoted, moves the parts of a URL; what is left of the
    # last @ is never shown, whatever it was meant to be.
    private, _, public = rest.rpartition("@")
    if re.search(r"[/?#@]", private):
        raise ConfigError(f"database: the part before the last @ is ambiguous; {_QUOTE}")
    dsn = f"postgresql://{rest}"
    try:
        parts = urlsplit(dsn)
        # asyncpg knows several hosts with commas, which urllib does not
        numbers = [host.rpartition(":")[2] for host in _hosts(public) if _has_port(host)]
        readable = all(number.isascii() and number.isdigit() for number in numbers)
    except ValueError:
        readable = False
    if not readable:
        raise ConfigError(f"database: its host or port cannot be read; {_FORMS}; {_QUOTE}")
    if parts.fragment:
        raise ConfigError(f"database: a # belongs to no such URL; {_QUOTE}")
    user, where = private.partition(":")[0], _without_passwords(public)
    shown = printable(f"postgresql://{user}{'@' if user else ''}{where}")
    return PostgresServer(dsn=dsn, shown=shown)


def _without_passwords(public: str) -> str:
    """Return what stands after user and password, with the parameters that are no secret.

    A password that holds a & and is not quoted makes parameters of its rest: beside a password
    only names that a server is known to take are shown.
    """
    where, mark, query = public.partition("?")
    named = [(one, unquote_plus(one.partition("=")[0])) for one in query.split("&") if "=" in one]
    secret = any(_SECRET in name.lower() for _, name in named)
    kept = [one for one, name in named if name in _PARAMETERS or (not secret and _NAME.match(name))]
    return where + (mark + "&".join(kept) if kept else "")


def _hosts(public: str) -> list[str]:
    return re.split(r"[/?#]", public, maxsplit=1)[0].split(",")


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]

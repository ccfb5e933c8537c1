"""Why a database could not do it, in one line for people, without passwords and without SQL."""

import sqlite3

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from referee.formats.printable import printable

# What opening and using a database raises where the world is to blame. `OSError` has refused
# connections, names that do not resolve, and time-outs; numbers of 65 bits overflow.
FAILURES = (SQLAlchemyError, sqlite3.Error, OSError, OverflowError)

_DAMAGED = "the file is damaged; put a backup in its place"
_SQLITE = {
    sqlite3.SQLITE_NOTADB: "this is no database; name another file",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_BUSY: "another program has been writing to it for too long; try again",
    sqlite3.SQLITE_LOCKED: "another program has been writing to it for too long; try again",
    sqlite3.SQLITE_FULL: "its disk is full; make space",
    sqlite3.SQLITE_IOERR: "its disk fails or is full; make space",
    sqlite3.SQLITE_READONLY: "it cannot be written; change its mode or its folder's",
    sqlite3.SQLITE_PERM: "it cannot be written; change its mode or its folder's",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; look at its folder and their modes",
}
_POSTGRES = {
    "28000": "the server refuses this user; look at the URL and at pg_hba.conf",
    "28P01": "the server refuses this user or password; look at the URL, PGPASSWORD and ~/.pgpass",
    "3D000": "the server has no such database; make it with createdb",
    "42501": "this user may not do that there; grant it the database or its schema",
    "25006": "the server lets nobody write now; name one that does",
    "53100": "the server's disk is full; make space",
    "53300": "the server has too many connections; close some",
    "57P03": "the server is starting or stopping; try again",
}
_GONE = "the server closed the connection; try again"
_AWAY = "the server cannot be reached"


def reason(error: Exception) -> str:
    """Return what failed and what to do, after which an operator needs no more words."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    match cause:
        case sqlite3.Error():
            return _sqlite_reason(cause)
        case TimeoutError():
            return f"{_AWAY}: it does not answer; look whether it runs"
        case OSError():
            text = cause.strerror or str(cause) or type(cause).__name__
            return f"{_AWAY}: {printable(text)}; look whether it runs, and at the URL"
        case _:
            return _server_reason(error, cause)


def _sqlite_reason(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    known = None if code is None else _SQLITE.get(code & 0xFF)
    return known or printable(str(error))


def _server_reason(error: Exception, cause: BaseException) -> str:
    state = getattr(cause, "sqlstate", None)
    if state in _POSTGRES:
        return _POSTGRES[state]
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    if lost or (isinstance(state, str) and state[:2] in ("08", "57")):
        return _GONE
    # asyncpg's own words follow its class's name: `<class '...'>: text`
    text = str(cause).partition("\n")[0]
    return printable(text.rpartition(">: ")[2] or type(cause).__name__)

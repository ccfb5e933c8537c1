"""The file of a SQLite database: made for its owner alone, and looked at before it is used."""

import contextlib
import os
import stat

from referee.rules.errors import ConfigError
from referee.store.ladder.address import SqliteFile

_CURE = "change its mode or its owner, or copy the folder to where you may write"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_file(file: SqliteFile) -> bool:
    """Make an empty file; False where there is one. Raises `ConfigError` where it cannot be."""
    try:
        opened = os.open(file.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.close(opened)
        file.path.chmod(0o600)  # whatever the mask of the process; log and index take it over
    except FileExistsError:
        return False
    except OSError as error:
        raise ConfigError(
            f"database {file.shown}: {error.strerror}; name a file in a folder that can be written"
        ) from None
    return True


def unmake_file(file: SqliteFile) -> None:
    """Remove a file that is empty; one that somebody else has filled meanwhile stays."""
    if file.path.stat().st_size == 0:
        file.path.unlink()


def check_file(file: SqliteFile) -> None:
    """Raise `ConfigError` for a file that cannot be used; change nothing."""
    if file.path.is_dir():
        raise ConfigError(f"database {file.shown}: this is a folder; name a file in it")
    if not os.access(file.path, os.R_OK | os.W_OK):
        raise ConfigError(
            f"database {file.shown}: it cannot be written, and must be, for who only reads keeps "
            f"an index beside it too; {_CURE}"
        )
    if not os.access(file.path.parent, os.W_OK | os.X_OK):
        raise ConfigError(
            f"database {file.shown}: its folder cannot be written, and must be: the log of the "
            f"database lies there; {_CURE}"
        )


def make_private(file: SqliteFile) -> None:
    """Take a database, its log and index from everybody but their owner. Raises `ConfigError`."""
    try:
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                path = file.path.with_name(file.path.name + end)
                mode = stat.S_IMODE(path.stat().st_mode)
                if mode & _OTHERS:
                    path.chmod(mode & ~_OTHERS)
    except OSError as error:
        raise ConfigError(
            f"database {file.shown}: others may read it, and that cannot be changed: "
            f"{error.strerror}; change its owner"
        ) from None

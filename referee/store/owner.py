"""The lock that one process holds on a store, and who that is."""

import datetime
import errno
import fcntl
import os
import socket
from pathlib import Path

from referee.rules.errors import ConfigError

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class StoreInUse(ConfigError):
    """Another process has the store. `fact` says which, without a cure: callers may know theirs."""

    def __init__(self, fact: str) -> None:
        super().__init__(f"{fact}; stop it, or choose another --store")
        self.fact = fact


class OwnerLock:
    """Holds `FILE.lock` for this process, and says there who it is. The kernel lets it go."""

    def __init__(self, store: Path) -> None:
        """Raise `StoreInUse` that names the owner where another process has it.

        Raises `ConfigError` where there can be no lock.
        """
        path = store.with_name(f"{store.name}.lock")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(
                f"store {store}: its lock {path.name} cannot be opened: {error.strerror}; "
                "make the folder writable, or choose another --store"
            ) from None
        try:
            self._take()
        except OSError as error:
            owner = os.pread(self._file, 1_000, 0).decode(errors="replace").strip()
            os.close(self._file)
            if not isinstance(error, BlockingIOError):
                cure = "make space, or " if error.errno in _NO_SPACE else ""
                raise ConfigError(
                    f"store {store}: its lock {path.name}: {error.strerror}; {cure}choose a "
                    "--store of your own, on a local disk"
                ) from None
            raise StoreInUse(f"store {store}: in use by {owner or 'another process'}") from None

    def _take(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.fchmod(self._file, 0o600)  # whatever the mask of the process
        self.owner = _this_process()
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{self.owner}\n".encode(), 0)

    def close(self) -> None:
        """Let another process have the store."""
        os.ftruncate(self._file, 0)
        os.close(self._file)


def _this_process() -> str:
    since = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"pid {os.getpid()} on {socket.gethostname()} since {since}"

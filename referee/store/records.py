"""Records as files: a match that is over, complete or not there at all.

Files are for the operator alone (mode 0600).
"""

import contextlib
import errno
import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.formats.records import chain_next, chain_start, trailer_line
from referee.ports import Durability, StoreError
from referee.rules.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_NAMESAKES = 10_000
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def record_bytes(header: bytes, lines: Sequence[bytes]) -> bytes:
    """Return a record: its header line, the facts of a match that is over, and the trailer."""
    chain = chain_start(header)
    for line in lines:
        chain = chain_next(chain, line)
    return b"\n".join([header, *lines, trailer_line(len(lines), chain), b""])


class RecordFolder:
    """A folder of records, which is made if it is missing.

    A name that is taken is never taken again: the next record of it gets a number.
    """

    def __init__(self, folder: Path, *, durability: Durability = Durability.PROCESS) -> None:
        """Raise `ConfigError` when the folder cannot be written."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"record folder {folder}: {error.strerror}") from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"record folder {folder}: not writable; choose another")
        self._folder = folder
        self._durability = durability
        self._placed: set[Path] = set()  # names that are promised to matches

    def place(self, name: str) -> Path:
        """Return a free path for the record of a match, which is promised to it.

        Raises `StoreError` for a name that could not be one of a file in this folder.
        """
        if not _NAME.fullmatch(name):
            raise StoreError(f"{name!r} cannot be the name of a file")
        for path in namesakes(self._folder / f"{name}.jsonl"):
            if path not in self._placed and not path.exists():
                self._placed.add(path)
                return path
        raise StoreError(f"{self._folder}: too many records named {name}")

    def hold(self, path: str) -> None:
        """Promise a path again that an earlier process gave to a match that still runs."""
        self._placed.add(Path(path))

    def release(self, path: str) -> None:
        """Take a promise back: its match will have no record."""
        self._placed.discard(Path(path))

    def write(self, path: str, data: bytes) -> Path:
        """Write a record, complete or not at all; return where it is.

        Where the same record is there already nothing happens. Where another one is in its place,
        it gets the next free name. Raises `StoreError` when it cannot be written.
        """
        wanted = Path(path)
        try:
            found = self._write(wanted, data)
        except OSError as error:
            raise StoreError(f"{error.filename or wanted}: {error.strerror}") from error
        self._placed.discard(wanted)
        return found

    def _write(self, wanted: Path, data: bytes) -> Path:
        draft: _Draft | None = None
        try:
            for path in namesakes(wanted):
                if _holds(path, data):
                    _drop_second_name(_draft_name(wanted), path)
                    return path
                if path.exists() or (path != wanted and path in self._placed):
                    continue
                draft = draft or _Draft(wanted, data, self._durability)
                if draft.publish(path):
                    return path
        finally:
            if draft is not None:
                draft.close()
        raise StoreError(f"{self._folder}: too many records named {wanted.stem}")


def namesakes(path: Path) -> Iterator[Path]:
    """Yield a path and its numbered namesakes: m.jsonl, m-2.jsonl, ..."""
    yield path
    for number in range(2, _MOST_NAMESAKES):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except FileNotFoundError:
        return False


def _draft_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.draft")


def _drop_second_name(draft: Path, record: Path) -> None:
    """A process that was killed just behind `os.link` left a record with two names."""
    with contextlib.suppress(FileNotFoundError):
        if draft.samefile(record):
            draft.unlink()


class _Draft:
    """A whole record under a hidden name. A process that is killed leaves it to the next one.

    The lock on it says that somebody is writing it now: then this is done under another name.
    """

    def __init__(self, path: Path, data: bytes, durability: Durability) -> None:
        self._durability = durability
        for draft in namesakes(_draft_name(path)):
            with contextlib.suppress(FileNotFoundError):
                if draft.lstat().st_nlink > 1:
                    draft.unlink()  # the second name of a record that is finished
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            self._path, self._file = draft, file
            try:
                if self._lock():
                    self._fill(data)
                    return
            except BaseException:
                self.close()
                raise
            os.close(file)
        raise StoreError(f"{path}: too many drafts of it")

    def _lock(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:  # another process may have finished it, and removed the name, before we locked
            found = os.fstat(self._file)
            return found.st_nlink == 1 and os.path.samestat(found, os.stat(self._path))
        except FileNotFoundError:
            return False

    def _fill(self, data: bytes) -> None:
        os.fchmod(self._file, 0o600)  # whatever the mask of the process
        os.ftruncate(self._file, 0)
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        if self._durability is Durability.POWER:
            os.fsync(self._file)

    def publish(self, path: Path) -> bool:
        """Give it its name; False where another record is in that place."""
        try:
            os.link(self._path, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.rename(self._path, path)  # a file system without links
        if self._durability is Durability.POWER:
            _sync_folder(path.parent)
        return True

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)

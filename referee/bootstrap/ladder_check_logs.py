"""What bots printed while a ladder's check played with them, and where it stays."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.bootstrap.ladder_logs import keep_logs
from referee.launch.output import last_lines

PREFIX = "tichu-check-"
_TRACEBACK = "Traceback (most recent call last):"  # of Python
_SHOWN = 6  # lines: where it failed, the line, and what was wrong
_READ = 200  # the traceback is above what a bot says as it leaves


class CheckLogs:
    """Keeps the logs of entries that failed, in one folder that is made for the first of them."""

    def __init__(self) -> None:
        """Nothing is made yet."""
        self._folder: Path | None = None

    def keep(self, logs: Path, entry: str) -> str:
        """Move the logs of an entry; return the line that says where they are, or why not."""
        written = logs / entry
        if not written.is_dir():
            return ""
        try:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            keep_logs(written, self._folder / entry)
        except OSError as error:
            return f"its logs could not be kept: {error.strerror or error}"
        return f"its logs are in {self._folder / entry}"


def traceback_lines(logs: Path, entry: str) -> list[str]:
    """Return the end of the first traceback that a process of an entry printed; [] without one."""
    for path in _files(logs / entry):
        lines = last_lines(path, _READ)
        if _TRACEBACK in lines:
            return _end_of(lines[lines.index(_TRACEBACK) + 1 :])
    return []


def _end_of(lines: Sequence[str]) -> list[str]:
    """Return the last lines of a traceback: those before the exception are indented."""
    end = next((at for at, line in enumerate(lines) if not line.startswith(" ")), len(lines) - 1)
    return list(lines[max(0, end + 1 - _SHOWN) : end + 1])


def said_last(logs: Path, entry: str) -> list[str]:
    """Return the last lines of the first process of an entry that printed any, stderr first."""
    return next((lines for path in _files(logs / entry) if (lines := last_lines(path, _SHOWN))), [])


def _files(folder: Path) -> Iterator[Path]:
    for suffix in ("err", "out"):
        yield from sorted(folder.rglob(f"*.{suffix}"))


def without_logs(text: str, folder: Path) -> str:
    """Return a line about a process without the place of its log, which is not where it stays."""
    return re.sub(rf" \(logs in {re.escape(str(folder))}[^)]*\)$", "", text)

"""What bots print: files with a bound on their size, and their last lines for people."""

import os
from pathlib import Path

from referee.formats.printable import printable

LAST_LINES = 20
_TAIL_BYTES = 16 * 1024
_LINE_CHARS = 400
_CAP_BYTES = 64 * 1024 * 1024  # a bot that prints without end must not fill the disk
_KEEP_BYTES = 64 * 1024


def last_lines(path: Path, count: int = LAST_LINES) -> list[str]:
    """Return the last lines of a file, safe for a terminal; [] when there is none."""
    try:
        text = _tail(path, _TAIL_BYTES).decode(errors="replace")
    except OSError:
        return []
    return [printable(line)[:_LINE_CHARS] for line in text.splitlines()[-count:]]


def trim(path: Path, *, cap_bytes: int = _CAP_BYTES) -> None:
    """Shorten a file over the cap to its end. Its writer must append (O_APPEND)."""
    try:
        if path.stat().st_size <= cap_bytes:
            return
        tail = _tail(path, min(_KEEP_BYTES, cap_bytes))
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(b"[the beginning was dropped]\n" + tail)
    except OSError:  # a full disk or a removed folder: the match matters more
        return


def _tail(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - size))
        return file.read(size)

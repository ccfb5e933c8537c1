"""What bots print: files with a bound on their size, and their last lines for people."""

import os
from pathlib import Path

from referee.formats.printable import printable

LAST_LINES = 20
_TAIL_BYTES = 16 * 1024
_LINE_CHARS = 400
_CAP_BYTES = 64 * 1024 * 1024  # a bot that prints without end must not fill the disk
_KEEP_BYTES = 64 * 1024
_DROPPED = b"[the beginning was dropped]\n"


def last_lines(path: Path, count: int = LAST_LINES, *, begin: int = 0) -> list[str]:
    """Return the last lines of a file that are not blank, safe for a terminal.

    `begin` is the byte at which the writer of interest began. [] when there is no file.
    """
    try:
        text = _tail(path, _TAIL_BYTES, begin=begin).decode(errors="replace")
    except OSError:
        return []
    lines = [line for line in text.splitlines() if line.strip()]
    return [printable(line)[:_LINE_CHARS] for line in lines[-count:]]


def trim(path: Path, *, cap_bytes: int = _CAP_BYTES) -> int:
    """Shorten a file over the cap to its end. Its writer must append (O_APPEND).

    Return by how many bytes what is left came nearer to the beginning.
    """
    try:
        size = path.stat().st_size
        if size <= cap_bytes:
            return 0
        tail = _tail(path, min(_KEEP_BYTES, cap_bytes))
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(_DROPPED + tail)
    except OSError:  # a full disk or a removed folder: the match matters more
        return 0
    return size - len(tail) - len(_DROPPED)


def _tail(path: Path, size: int, *, begin: int = 0) -> bytes:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, begin, file.tell() - size))
        return file.read(size)

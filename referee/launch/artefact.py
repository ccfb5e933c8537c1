"""The version of a bot: a hash over its files and its command.

Of a folder all files count, at any depth, by their paths in it, sizes and contents; not counted
are `__pycache__`, names that begin with a dot, and what is to be left out. A symbolic link counts
by the text of its target and is not followed, so that what lies outside is no part of a version;
only what is named as artefact itself may be one. Of the command all words count in their order:
the program by the name of its file alone, since the same interpreter lies elsewhere on another
machine, and a path in the artefact by where it is in it.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.rules.errors import ConfigError

_CACHE = "__pycache__"  # a run of the bot writes it
_CHUNK = 1 << 20


def version_of(
    argv: Sequence[str], artefact: Sequence[Path], *, image: str = "", left_out: Sequence[Path] = ()
) -> str:
    """Return `sha256:` and 64 hex digits, or `image:` and the digest where there is an image.

    The order in which artefacts are named is of no account. Raises `ConfigError` for what is
    missing, cannot be read, or is neither file, folder nor link.
    """
    if image:
        return f"image:{image}"
    roots = sorted({path.absolute() for path in artefact}, key=lambda path: (path.name, str(path)))
    without = {path.absolute() for path in left_out}
    digest = hashlib.sha256()
    for number, root in enumerate(roots):
        for line in _lines(root, without):
            digest.update(f"{number} {line}\n".encode(errors="surrogateescape"))
    for number, word in enumerate(argv):
        text = _word(word, roots) if number else Path(word).name
        digest.update(f"word {len(text)} {text}\n".encode(errors="surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def _word(word: str, roots: Sequence[Path]) -> str:
    """Return a word of a command; a path in an artefact as its number and where it is in it."""
    path = Path(word)
    for number, root in enumerate(roots):
        if path.is_absolute() and path.is_relative_to(root):
            return f"{number}:{path.relative_to(root)}"
    return word


def _lines(root: Path, without: set[Path]) -> Iterator[str]:
    """Yield a line for each file: what it is, size, hash of its contents, path."""
    try:
        if not root.is_dir():
            yield _file_line(root.resolve(strict=True), root.name)
            return
        for path in sorted(_files(root, without), key=lambda one: one.relative_to(root).parts):
            yield _file_line(path, path.relative_to(root).as_posix())
    except OSError as error:
        raise ConfigError(f"artefact {error.filename or root}: {error.strerror}") from None


def _files(root: Path, without: set[Path]) -> Iterator[Path]:
    with os.scandir(root) as found:
        entries = list(found)
    for entry in entries:
        path = root / entry.name
        if entry.name == _CACHE or entry.name.startswith(".") or path in without:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(path, without)
        else:
            yield path


def _file_line(path: Path, name: str) -> str:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        target = os.readlink(path)
        return f"link {len(target)} {_hash(os.fsencode(target))} {name}"
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"artefact {path}: neither a file nor a folder; name the files that are")
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as content:
        while chunk := content.read(_CHUNK):
            size += len(chunk)
            digest.update(chunk)
    return f"file {size} {digest.hexdigest()} {name}"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

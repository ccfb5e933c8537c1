"""The files of the repository as a clone has them: without what is made, installed or cached."""

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MADE = {".git", ".venv", "_gen", "node_modules", "__pycache__", "build", "dist", "target"}
CACHES = {".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


def files() -> Iterator[Path]:
    """Yield every file, without asking git, which a fresh machine need not have."""
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in MADE | CACHES]
        yield from (Path(folder) / name for name in names)


def texts() -> Iterator[tuple[str, str]]:
    """Yield (path from the root, content) of every file that is text."""
    for file in sorted(files()):
        try:
            yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def python_files(*tops: str) -> list[Path]:
    """Return the Python files below the named top folders."""
    roots = [ROOT / top for top in tops]
    return sorted(
        file
        for file in files()
        if file.suffix == ".py" and any(file.is_relative_to(root) for root in roots)
    )

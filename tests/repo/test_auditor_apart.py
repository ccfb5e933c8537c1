"""The auditor of simulated matches is written apart from what it judges."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import ROOT, python_files

AUDIT = "tests/simulation/audit"
MAY = ("referee._gen", "tests.simulation.audit", "google.protobuf")
FOREIGN = ("referee", "tichu_bot", "tests", "google", "random", "time", "grpc")


def imports(file: Path) -> Iterator[str]:
    """Yield the name of every module that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def is_foreign(module: str) -> bool:
    """Whether the auditor may not import a module."""
    if any(module == name or module.startswith(f"{name}.") for name in MAY):
        return False
    return module.startswith(".") or module.split(".", 1)[0] in FOREIGN


def test_the_auditor_imports_nothing_of_what_it_judges() -> None:
    files = python_files(AUDIT)
    assert len(files) > 10
    found = {
        f"{file.relative_to(ROOT)}: {module}"
        for file in files
        for module in imports(file)
        if is_foreign(module)
    }
    assert found == set()


def test_an_import_of_the_referee_would_be_found() -> None:
    assert is_foreign("referee.rules.round")
    assert is_foreign("tests.unit.app.world")
    assert is_foreign("tests.simulation.service.world")
    assert is_foreign("tichu_bot")
    assert not is_foreign("referee._gen.tichu.referee.v1")
    assert not is_foreign("tests.simulation.audit.cards")

"""The import contract catches what it promises to catch.

`make check` runs it over the code; here it meets a small tree with one planted import at a time.
"""

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

ADAPTERS = ("transport", "web", "store", "metrics", "launch", "cluster", "clock", "config")
ROOMS = ("rules", "match", "ladder", "formats", "ports", "app", "wire", *ADAPTERS)
TOPS = ("bootstrap", "local", "check", "cli")
PURE = {"rules", "match", "ladder", "formats"}
RUN = "from importlinter.cli import lint_imports_command as run; run()"


def plant(tree: Path, module: str, line: str = "") -> None:
    file = tree.joinpath(*module.split(".")) / "__init__.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{line}\n")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Every room of the design, empty, under the project's own contract."""
    shutil.copy(ROOT / ".importlinter", tmp_path)
    plant(tmp_path, "tichu_bot")
    plant(tmp_path, "chaos")
    plant(tmp_path, "referee")
    for room in (*ROOMS, *TOPS, "_gen"):
        plant(tmp_path, f"referee.{room}")
    return tmp_path


def broken(tree: Path) -> str:
    """Run the contract and return its report if it is broken, else nothing."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "--no-cache", "--no-logo"],
        cwd=tree,
        env={"PYTHONPATH": str(tree), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout if done.returncode else ""


def test_the_empty_design_keeps_the_contract(tree: Path) -> None:
    assert broken(tree) == ""


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("rules", "referee.match"),
        ("match", "referee.app"),
        ("app", "referee.wire"),
        ("app", "time"),
        ("ports", "grpc"),
        ("rules", "random"),
        ("ladder", "datetime"),
        ("formats", "pathlib"),
        ("store", "referee.metrics"),
        ("app", "referee.store"),
        ("cli", "referee._gen"),
    ],
)
def test_an_import_that_points_up_or_out_is_found(tree: Path, importer: str, imported: str) -> None:
    plant(tree, f"referee.{importer}.planted", f"import {imported}")
    assert f"referee.{importer}" in broken(tree)


@pytest.mark.parametrize("package", ["tichu_bot", "chaos"])
def test_what_plays_may_not_import_the_referee(tree: Path, package: str) -> None:
    plant(tree, f"{package}.planted", "import referee.rules")
    assert f"{package}.planted -> referee.rules" in broken(tree)


def test_a_room_the_design_does_not_name_is_found(tree: Path) -> None:
    plant(tree, "referee.helpers")
    assert "helpers" in broken(tree)


def test_every_pure_room_is_under_the_pure_contract() -> None:
    contract = configparser.ConfigParser()
    contract.read(ROOT / ".importlinter")
    sources = contract["importlinter:contract:pure"]["source_modules"].split()
    assert {source.rpartition(".")[2] for source in sources} == PURE

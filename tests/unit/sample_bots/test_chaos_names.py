"""Every chaos bot has a name, a module that runs, and a row in the README."""

import re
from pathlib import Path

import chaos
from chaos import CHAOS, NAMES
from referee.match.values import Ending

FOLDER = Path(chaos.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in README.splitlines()
    if line.startswith("| `chaos:")
]


def test_every_name_is_a_module_that_runs_and_every_such_module_has_a_name() -> None:
    programs = {
        f"chaos.{file.stem}"
        for file in FOLDER.glob("*.py")
        if 'if __name__ == "__main__":' in file.read_text(encoding="utf-8")
    }
    assert programs == {*CHAOS.values()}


def test_every_name_has_its_row() -> None:
    assert [row[0] for row in ROWS] == [f"`chaos:{name}`" for name in NAMES]


def test_every_ending_that_is_expected_exists() -> None:
    named = {word for row in ROWS for word in re.findall(r"`([A-Z_]+)`", row[-1])}
    assert named <= {ending.name for ending in Ending}
    assert all(re.search(r"`[A-Z_]+`", row[-1]) for row in ROWS)

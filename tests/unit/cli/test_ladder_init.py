"""`referee ladder init`: an example that loads, and never over a file that is there."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.ladder_setup import plan_ladder
from referee.cli.main import main


def test_the_example_can_be_loaded(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    made = CliRunner().invoke(main, ["ladder", "init", str(file)])
    assert (made.exit_code, made.stdout) == (0, "")
    assert f"referee ladder check {file}" in made.stderr
    assert plan_ladder(file).event == "spring"


@pytest.mark.parametrize("name", ["my ladder.toml", "-x", "ladder\x1b[2J.toml", "{name}.toml"])
def test_an_odd_file_name_makes_no_odd_event(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    made = CliRunner().invoke(main, ["ladder", "init", str(file)])
    assert made.exit_code == 0
    assert "\x1b" not in made.output
    assert plan_ladder(file).event == "ladder"


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text("mine")
    made = CliRunner().invoke(main, ["ladder", "init", str(file)])
    assert made.exit_code == 2
    assert made.stderr == f"error: {file}: File exists; name another, or remove it\n"
    assert file.read_text() == "mine"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    made = CliRunner().invoke(main, ["ladder", "init", str(tmp_path / "none" / "a.toml")])
    assert made.exit_code == 2
    cure = f"make its folder first: mkdir -p {tmp_path}/none"
    assert made.stderr.endswith(f"a.toml: No such file or directory; {cure}\n")

"""The few commands a newcomer and CI run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

PROMISED = {
    "setup",
    "demo",
    "test",
    "test-slow",
    "test-all",
    "sim",
    "check",
    "bench",
    "stubs",
    "lock",
    "clean",
    "help",
}


def targets() -> set[str]:
    """The targets meant for people: those without a dot."""
    declared = re.search(r"^\.PHONY:(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert declared is not None
    return {target for target in declared.group(1).split() if not target.startswith(".")}


def find_python(python: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "tools/find_python.sh"],
        cwd=ROOT,
        env={**os.environ, "PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )


def fake_python(path: Path, *, refuses: str) -> str:
    """A program that fails when its argument names `refuses`, and is content otherwise."""
    path.write_text(f'#!/bin/sh\ncase "$*" in *{refuses}*) exit 1 ;; esac\nexit 0\n')
    path.chmod(0o755)
    return str(path)


def test_make_help_lists_every_target_with_a_sentence() -> None:
    printed = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = re.findall(r"^  make (\S+) +(\S.*)$", printed, re.MULTILINE)
    assert {target for target, _ in lines} == targets()
    assert targets() >= PROMISED


@pytest.mark.parametrize("target", ["setup", "check", "test", "test-slow"])
def test_ci_runs_the_make_targets_a_developer_runs(target: str) -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert f"step make {target}" in lines
    assert lines[0].endswith("bash")
    assert "set -euo pipefail" in lines


def test_ci_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_setup_takes_a_python_that_is_new_enough_and_has_venv(tmp_path: Path) -> None:
    python = fake_python(tmp_path / "python", refuses="nothing")
    done = find_python(python)
    assert (done.returncode, done.stdout.strip()) == (0, python)


def test_setup_names_the_package_that_brings_venv(tmp_path: Path) -> None:
    done = find_python(fake_python(tmp_path / "python", refuses="ensurepip"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "venv module is missing" in done.stderr
    assert "apt-get install python3-venv" in done.stderr


def test_setup_says_which_python_it_needs(tmp_path: Path) -> None:
    done = find_python(fake_python(tmp_path / "python", refuses="version_info"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "no Python 3.11 or newer" in done.stderr
    assert "make setup PYTHON=" in done.stderr


def planned(*arguments: str) -> list[str]:
    """The commands that make would run."""
    command = ["make", "--no-print-directory", "--dry-run", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_check_leaves_a_bot_in_the_root_alone() -> None:
    lines = [line.split() for line in planned("check") if "/ruff " in line]
    assert len(lines) == 2
    for line in lines:
        looked_at = [word for word in line[2:] if (ROOT / word).exists()]
        assert {"referee", "tests"} <= {*looked_at}
        assert not [word for word in looked_at if word == "." or word.endswith(".py")]
    assert "/mine.py" in (ROOT / ".gitignore").read_text().splitlines()


def same_python(python: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", ROOT / "tools" / "same_python.sh"],
        cwd=folder,
        env={**os.environ, "PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )


def test_setup_keeps_no_venv_of_another_python(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    assert same_python(sys.executable, tmp_path).returncode == 0
    assert same_python("", tmp_path).returncode == 0
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho another 3.99\n")
    other.chmod(0o755)
    done = same_python(str(other), tmp_path)
    assert done.returncode == 1
    assert "`make clean` first" in done.stderr


def test_setup_asks_whether_it_is_the_same_python() -> None:
    assert any("tools/same_python.sh" in line for line in planned("setup"))


def test_the_first_demo_says_that_it_takes_a_while() -> None:
    lines = planned("demo")
    assert "takes a minute" in lines[0]
    assert any("referee play" in line for line in lines[1:])


def test_a_server_and_a_match_start_without_the_ladders_libraries() -> None:
    """They take a second to load, and what plays needs none of them."""
    code = (
        "import sys, referee.cli.play, referee.cli.serve, referee.cli.serve_services;"
        "import referee.bootstrap, referee.bootstrap.offering;"
        "print(sorted({'numpy', 'sqlalchemy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"

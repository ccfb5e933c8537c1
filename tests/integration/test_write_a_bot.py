"""docs/WRITE_A_BOT.md from an empty folder on: its programs play, and print what it shows."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.pages import ROOT, printed
from tests.integration.playing import Player

PAGE = (ROOT / "docs" / "WRITE_A_BOT.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
# What waits for a process, or listens on a fixed port: the one is played below, the other is not.
WAITING = re.compile(r"^## (In a debugger|On a server)\n.*?(?=^## )", re.M | re.S)
LIMIT_S = 120


def name_of(code: str) -> str:
    """The file that a block of Python is, by its first line."""
    found = re.match(r"# (\w+\.py)\n", code)
    assert found is not None, code
    return found[1]


BLOCKS = BLOCK.findall(WAITING.sub("", PAGE))
PROGRAMS = {name_of(code): code for language, code, _ in BLOCKS if language == "python"}
BOTS = [name for name, code in PROGRAMS.items() if "run(" in code]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_step_of_the_page_works_from_an_empty_folder_on(tmp_path: Path) -> None:
    played = 0
    for language, code, shown in BLOCKS:
        if language == "python":
            (tmp_path / name_of(code)).write_text(code, encoding="utf-8")
        elif language == "sh":
            told = printed(code, tmp_path)
            played += " won " in told
            assert shown in ("", told), code
    assert played >= 4


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
def test_every_program_of_the_page_plays_a_round(name: str, tmp_path: Path) -> None:
    player = Player(tmp_path)
    bot = player.bot(name, PROGRAMS[name])
    done = player.run("play", bot, "random", "--rounds", "1", limit_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    assert "refused" not in done.stderr
    if "DEFAULT" not in PROGRAMS[name]:
        assert "answered by default" not in done.stderr
    assert player.left_behind() == []


def test_every_program_of_the_page_is_complete() -> None:
    assert {"mine.py", "better.py", "patient.py", "heavy.py", "net.py"} <= {*BOTS}
    for code in PROGRAMS.values():
        ast.parse(code)


@pytest.mark.slow
def test_a_seat_that_is_left_open_is_taken_by_ones_own_process(tmp_path: Path) -> None:
    page = re.search(r"^## In a debugger\n.*?^```sh\n(.*?)^```\n", PAGE, re.M | re.S)
    assert page is not None
    words = [*page[1].split()[1:], "--rounds", "1"]
    player = Player(tmp_path)
    mine = player.bot("mine.py", PROGRAMS["mine.py"])
    with player.running(*words) as match:
        assert match.stderr is not None
        assert match.stdout is not None
        environment = dict(os.environ)
        while "TICHU_LOG_DIR" not in environment:
            export = re.match(r" *export (\w+)=(.*)", match.stderr.readline())
            if export is not None:
                environment[export[1]] = export[2]
        own = subprocess.Popen(
            [sys.executable, str(mine)], env={**player.environment, **environment}
        )
        told = match.stdout.read()
        assert match.wait(LIMIT_S) == 0, told
        assert own.wait(LIMIT_S) == 0
    assert "mine" in told

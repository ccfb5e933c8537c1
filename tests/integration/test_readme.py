"""The commands of the README print what the README shows."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
BIN = Path(sys.executable).parent  # where this environment's `referee` is

SESSIONS = [
    (command, shown)
    for language, block in BLOCKS
    if language == "console"
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
]


def demo() -> str:
    """What `make demo` runs once the environment is set up."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^demo: .announce setup .*\n\t(.*)$", makefile, re.M)
    return str(recipe).replace("$(BIN)", ".venv/bin")


def steady(text: str) -> str:
    """The output without the chain, which holds the times of this very run."""
    return re.sub(r"chain [0-9a-f]{12}", "chain", text)


def five_lines() -> str:
    (block,) = [block for language, block in BLOCKS if language == "python"]
    return block


def shell_block(command: str) -> str:
    """The one block of shell lines that begins with a sub-command of the referee."""
    begins = f".venv/bin/referee {command} "
    (block,) = [text for kind, text in BLOCKS if kind == "sh" and text.startswith(begins)]
    return block


def run(command: str, folder: Path) -> str:
    words = shlex.split(demo() if command == "make demo" else command)
    assert words[0] == ".venv/bin/referee", command
    return subprocess.run(
        [BIN / "referee", *words[1:]],
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    ).stdout


def test_every_console_command_prints_what_is_shown(tmp_path: Path) -> None:
    """One folder for all, as a reader has it: a record made by one is verified by the next."""
    (tmp_path / "mine.py").write_text(five_lines(), encoding="utf-8")
    assert len(SESSIONS) >= 4
    for command, shown in SESSIONS:
        assert steady(run(command, tmp_path)) == steady(shown), command


def test_the_shortest_bot_has_five_lines() -> None:
    assert len(five_lines().splitlines()) == 5


def test_the_server_shown_seats_four_bots(tmp_path: Path) -> None:
    first, loop = shell_block("serve").splitlines()
    serve = shlex.split(first)
    assert serve[0] == ".venv/bin/referee"
    found = re.match(r"for i in 1 2 3 4; do TICHU_SERVER=127.0.0.1:50051 (.*) & done ", loop)
    assert found is not None
    bot = shlex.split(found[1])
    assert bot[0] == ".venv/bin/python"
    flags = [*serve[1:-1], "0", "--listen", "127.0.0.1:0"]  # ports that are free
    with subprocess.Popen(
        [BIN / "referee", *flags], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        bots = [
            subprocess.Popen(
                [sys.executable, *bot[1:]], env={**os.environ, "TICHU_SERVER": address}
            )
            for _ in range(4)
        ]
        try:
            assert server.wait(timeout=60) == 0
            assert [process.wait(timeout=60) for process in bots] == [0, 0, 0, 0]
        finally:
            server.kill()
            for process in bots:
                process.kill()
    assert list((tmp_path / "records").glob("*.jsonl"))


@pytest.mark.slow
def test_the_ladder_shown_ranks_its_three_entries(tmp_path: Path) -> None:
    *begin, show = shell_block("ladder").splitlines()
    for line in begin:
        run(line.partition("#")[0], tmp_path)
    table = run(show, tmp_path)
    assert [line.split()[2] for line in table.splitlines()[1:4]] == ["greedy", "mixed", "random"]


@pytest.mark.parametrize("line", ["Not affiliated with the publisher of the game."])
def test_the_last_line_keeps_the_publisher_out(line: str) -> None:
    assert README.rstrip().endswith(line)

"""Where the commands write: a closed or full output, a full disk, and Ctrl-C on the way."""

import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.integration.playing import REFEREE, Player

VECTOR = '{"hands":["Mj 2j","8s 8p 9s","4p","5r"]}'


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def in_shell(player: Player, text: str) -> "subprocess.CompletedProcess[str]":
    """Run a shell line where $referee is the command."""
    return subprocess.run(
        ["bash", "-c", text.replace("$referee", shlex.join(REFEREE))],
        cwd=player.folder,
        env=player.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_match_without_a_stdout_is_played(player: Player) -> None:
    result = in_shell(player, "$referee play random greedy --rounds 1 >&-")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert player.run("record", "verify", *player.records()).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "record verify none",
        "play random greedy --rounds 1",
        f"rules legal {shlex.quote(VECTOR)}",
    ],
)
def test_an_output_that_cannot_be_written_is_one_line_and_exit_1(
    player: Player, words: str
) -> None:
    """A full disk in short: every write fails."""
    result = in_shell(player, f"$referee {words} 1</dev/null")
    assert (result.returncode, result.stderr) == (1, "error: cannot write: Bad file descriptor\n")


def test_a_record_that_met_a_full_disk_is_said_and_leaves_nothing(player: Player) -> None:
    """A limit on the size of files in short: the record cannot be written."""
    result = in_shell(player, "ulimit -f 16; $referee play random greedy --rounds 3 --seed x")
    assert result.returncode == 1
    assert list((player.folder / "records").iterdir()) == []
    assert " after 3 rounds" in result.stdout
    assert "record:" not in result.stdout
    (said,) = [line for line in result.stderr.splitlines() if line.startswith("error: record ")]
    assert said.endswith(
        ".jsonl: it could not be written, and the match is gone; make space in records, or choose "
        "another --record-dir"
    )


def test_a_match_that_is_killed_is_over_and_leaves_no_record(player: Player) -> None:
    with player.running("play", "random", "greedy", "--target", "1000000") as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith("round  1"):
            assert process.poll() is None
        process.kill()
    assert list((player.folder / "records").iterdir()) == []
    assert not player.left_behind()


def test_ctrl_c_while_a_command_is_loaded_is_130_without_a_word(player: Player) -> None:
    code = (
        "import sys, signal, click\n"
        "from referee.cli.main import COMMANDS, main\n"
        "class Loading:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'referee.cli.play':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Loading())\n"
        "main()\n"
    )
    result = subprocess.run(
        [REFEREE[0], "-c", code, "play", "random", "greedy"],
        cwd=player.folder,
        env=player.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (128 + signal.SIGINT, "", "")

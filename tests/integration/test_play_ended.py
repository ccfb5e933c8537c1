"""`referee play` that is ended from outside: in good order, and nothing is left."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.playing import REFEREE, Player

LONG = ("play", "random", "greedy", "--rounds", "100000", "--seed", "long")


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def until_a_round_is_over(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("round "):
            return
    raise AssertionError("it ended before its first round")


@pytest.fixture(autouse=True)
def heard_signals() -> Iterator[None]:
    """A child inherits what its parent ignores; a run under nohup ignores SIGHUP."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_match_and_every_process(
    player: Player, number: signal.Signals, code: int
) -> None:
    with player.running(*LONG) as process:
        until_a_round_is_over(process)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, "")
    lines = out.splitlines()
    assert lines[-3].startswith("ended: cancelled, ")
    assert lines[-1] == f"again: referee {' '.join(LONG)}"
    assert player.left_behind() == []
    verified = player.run("record", "verify", *player.records())
    assert verified.returncode == 0, verified.stdout


def test_signals_that_come_together_are_one_order(
    player: Player, tmp_path_factory: pytest.TempPathFactory
) -> None:
    temporary = tmp_path_factory.mktemp("tmp")
    player.environment["TMPDIR"] = str(temporary)
    words = ("chaos:stubborn", "greedy", "greedy", "greedy", "--rounds", "100000")
    with player.running("play", *words) as process:
        until_a_round_is_over(process)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert err == ""
    assert out.splitlines()[-3].startswith("ended: cancelled, ")
    assert player.left_behind() == []
    assert list(temporary.iterdir()) == []
    assert player.run("record", "verify", *player.records()).returncode == 0


def test_ctrl_c_again_and_again_leaves_no_process_and_no_folder(
    player: Player, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever it has come to, the last order is obeyed at once."""
    temporary = tmp_path_factory.mktemp("tmp")
    player.environment["TMPDIR"] = str(temporary)
    with player.running("play", "chaos:stubborn", "greedy", "--rounds", "100000") as process:
        until_a_round_is_over(process)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
    # one that comes when the interpreter itself goes ends it as the system does, 130 to a shell
    assert process.returncode in (130, -signal.SIGINT)
    assert player.left_behind() == []
    assert list(temporary.iterdir()) == []


def test_ctrl_c_on_a_terminal_reaches_the_referee_and_not_the_bots(player: Player) -> None:
    """The terminal signals the whole foreground group; bots have groups of their own."""
    with player.running(*LONG) as process:
        until_a_round_is_over(process)
        bots = psutil.Process(process.pid).children()
        assert all(os.getpgid(bot.pid) != os.getpgid(process.pid) for bot in bots)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130


def test_a_signal_while_the_bots_start_ends_it_too(player: Player) -> None:
    player.bot("sleeper.py", "import signal\nwhile True: signal.pause()\n")
    with player.running("play", "./sleeper.py", "connect:x") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out.splitlines()[0] == "ended: cancelled, 0 : 0 after 0 rounds"
    assert player.left_behind() == []


def test_a_match_that_nobody_reads_is_cancelled_without_blame(player: Player) -> None:
    with player.running(*LONG) as process:
        until_a_round_is_over(process)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(30) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert player.left_behind() == []
    (record,) = player.records()
    assert b'"ending":"cancelled"' in record.read_bytes().splitlines()[-2]


def test_a_stdout_that_cannot_be_written_is_named(player: Player) -> None:
    """A full disk in short: every write fails."""
    unwritable = player.bot("out", "")
    with unwritable.open(encoding="utf-8") as out:
        result = subprocess.run(
            [*REFEREE, *LONG],
            cwd=player.folder,
            env=player.environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=30,
            check=False,
        )
    assert (result.returncode, result.stderr) == (1, "error: cannot write: Bad file descriptor\n")
    assert player.left_behind() == []


def test_bots_die_with_a_referee_that_is_killed(player: Player) -> None:
    with player.running(*LONG) as process:
        until_a_round_is_over(process)
        assert len(player.descendants()) >= 5
        process.kill()
        process.communicate(timeout=30)
    assert player.left_behind() == []


def test_a_process_started_by_hand_takes_its_seat(player: Player) -> None:
    with player.running("play", "connect:me", "random", "--rounds", "1") as process:
        assert process.stderr is not None
        bots = [start_by_hand(player, invitation(process)) for _ in range(2)]
        out, _ = process.communicate(timeout=30)
        for bot in bots:
            bot.kill()
            bot.wait()
    assert process.returncode == 0
    assert out.startswith("me (seats 0, 2) against random (seats 1, 3)")


def invitation(process: "subprocess.Popen[str]") -> dict[str, str]:
    """The variables of one seat, as printed."""
    assert process.stderr is not None
    assert re.match(r"waiting for me/[02]; start it with$", process.stderr.readline())
    lines = [process.stderr.readline() for _ in range(4)]
    return dict(re.findall(r"^  export (TICHU_\w+)=(\S+)$", "".join(lines), re.MULTILINE))


def start_by_hand(player: Player, variables: dict[str, str]) -> "subprocess.Popen[bytes]":
    assert variables.keys() == {"TICHU_SERVER", "TICHU_TOKEN", "TICHU_BOT_NAME", "TICHU_LOG_DIR"}
    return subprocess.Popen(
        [sys.executable, "-m", "tichu_bot.greedy"],
        cwd=player.folder,
        env=player.environment | variables,
        stderr=subprocess.DEVNULL,
    )

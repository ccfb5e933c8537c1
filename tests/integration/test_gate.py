"""`referee gate` with real bots: its verdicts, its exit codes, and what it leaves behind."""

import json
import re
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.integration.playing import REFEREE, Player

_LIMIT_S = 110
# Greedy that never bombs: in pace fast a bomb may come before or after the play of the seat on
# turn, and then two bots that play alike play other cards.
TAME = """\
from tichu_bot import Bot, run
from tichu_bot.bots.greedy_play import GreedyBot

class Tame(Bot):
    act = GreedyBot.act
    exchange = GreedyBot.exchange

run(Tame)
"""
CRASHES = """\
import os, sys
from tichu_bot import Bot, run

class Crashes(Bot):
    def act(self, view):
        print("::error::mine\\x1b[2J ##[add-mask]x", file=sys.stderr, flush=True)
        os._exit(3)

run(Crashes)
"""
GROWS = """\
from tichu_bot import run
from tichu_bot.bots.greedy_play import GreedyBot

with open(__file__, "a") as own:
    own.write("# one more\\n")
run(GreedyBot)
"""
NEVER_STARTS = 'raise SystemExit("there is no such module")\n'


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def gate(player: Player, *words: str) -> "subprocess.CompletedProcess[str]":
    done = player.run("gate", *words, limit_s=_LIMIT_S)
    assert "Traceback" not in done.stderr
    assert not player.left_behind()
    return done


@pytest.mark.slow
def test_greedy_is_told_from_random_in_200_boards(player: Player) -> None:
    words = ["--candidate", "greedy", "--baseline", "random", "--budget", "100s"]
    files = ["--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md"]
    done = gate(player, *words, *files)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("accepted: 200 boards speak for 5, not 0 points a round\n")
    found = json.loads((player.folder / "gate.json").read_text(encoding="utf-8"))
    assert (found["verdict"], found["boards"]["played"]) == ("accept", 200)
    assert re.fullmatch("[0-9a-f]{64}", found["seed"])
    assert "after 20 boards" in done.stderr
    assert ET.parse(player.folder / "gate.xml").getroot().get("failures") == "0"
    assert "### Gate: accepted" in (player.folder / "gate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("candidate", "baseline", "code", "words"),
    [
        pytest.param(
            "./broken.py", "greedy", 4, "candidate faulty: the candidate", marks=pytest.mark.slow
        ),
        pytest.param(
            "greedy", "./gone.py", 5, "baseline faulty: the baseline", marks=pytest.mark.slow
        ),
        ("./gone.py", "./gone.py", 5, "baseline faulty: both bots fail"),
    ],
)
def test_faulty_bots_have_exit_codes_of_their_own(
    player: Player, candidate: str, baseline: str, code: int, words: str
) -> None:
    player.bot("broken.py", CRASHES)
    player.bot("gone.py", NEVER_STARTS)
    player.environment["GITHUB_STEP_SUMMARY"] = str(player.folder / "summary.md")
    done = gate(player, "--candidate", candidate, "--baseline", baseline)
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(words)
    assert re.search(rf"^::error title=gate::{words}", done.stdout, re.M)
    summary = (player.folder / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("### Gate: ")
    for text in (done.stdout, done.stderr, summary):
        assert "\x1b" not in text
        assert not re.search("^ *::error::mine", text, re.M)
    assert "##[" not in done.stdout + done.stderr


@pytest.mark.slow
def test_both_bots_that_crash_in_play_are_said_to(player: Player) -> None:
    player.bot("broken.py", CRASHES)
    done = gate(player, "--candidate", "./broken.py", "--baseline", "./broken.py")
    assert (done.returncode, "both bots fail" in done.stdout) == (5, True), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("expect", "code"), [("better", 1), ("no-worse", 0)])
def test_bots_that_play_the_same_are_the_same_play(player: Player, expect: str, code: int) -> None:
    player.bot("tame.py", TAME)
    bots = ["--candidate", "new=./tame.py", "--baseline", "old=./tame.py"]
    done = gate(player, *bots, "--expect", expect, "--format", "json", "--budget", "100s")
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert (found["same_play"], found["boards"]["played"]) == (True, 100)
    assert "the same command" in found["notes"][0]


@pytest.mark.slow
def test_a_budget_that_is_too_short_decides_nothing(player: Player) -> None:
    done = gate(player, "--candidate", "greedy", "--baseline", "random", "--budget", "2s")
    assert done.returncode == 3, done.stderr
    assert re.match(
        r"undecided: the budget of 2 s is spent after \d+ boards?: too short for the 200",
        done.stdout,
    )


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_signal_ends_it_and_leaves_no_process(player: Player, number: signal.Signals) -> None:
    words = ["gate", "--candidate", "greedy", "--baseline", "random", "--keep", "kept"]
    records = player.folder / "kept" / "records"
    with player.running(*words) as process:
        while not list(records.glob("*.jsonl")):
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"ended early: {process.communicate()}")
        process.send_signal(number)
        out, err = process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 128 + number, err
    assert out.startswith("stopped: ")
    assert "seed " in out
    assert not player.left_behind()
    assert list((player.folder / "kept" / "logs").rglob("*.err"))


@pytest.mark.parametrize(
    "words",
    [
        ["--candidate", "greedy"],
        ["--candidate", "greedy", "--baseline", "connect:me"],
        ["--candidate", "greedy", "--baseline", "random", "--alpha", "1"],
        ["--candidate", "greedy", "--baseline", "random", "--junit", "missing/gate.xml"],
        ["--candidate", "greedy", "--baseline", "random", "--junit", "."],
    ],
)
def test_bad_input_is_one_line(player: Player, words: list[str]) -> None:
    done = gate(player, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"error: .*\n", done.stderr)


@pytest.mark.slow
def test_a_result_that_cannot_be_written_is_no_rejection(player: Player) -> None:
    player.bot("gone.py", NEVER_STARTS)
    words = ["--candidate", "./gone.py", "--baseline", "greedy", "--json", "/dev/full"]
    files = ["--junit", "gate.xml", "--markdown", "gate.md"]
    done = gate(player, *words, *files)
    assert done.returncode == 6, done.stderr
    assert "error: --json '/dev/full': No space left on device" in done.stderr
    for name in files[1::2]:  # nothing else is lost
        assert (player.folder / name).stat().st_size


def test_a_summary_that_cannot_be_written_is_said_before_anything_is_played(
    player: Player,
) -> None:
    player.environment["GITHUB_STEP_SUMMARY"] = str(player.folder / "missing" / "summary.md")
    done = gate(player, "--candidate", "greedy", "--baseline", "random")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch("error: GITHUB_STEP_SUMMARY '.*': there is no such folder.*\n", done.stderr)


def test_two_results_in_one_file_are_refused(player: Player) -> None:
    (player.folder / "x").touch()
    done = gate(
        player, *("--candidate", "greedy", "--baseline", "random", "--json", "x", "--junit", "./x")
    )
    assert (done.returncode, done.stderr) == (2, "error: --junit 'x': --json goes there too\n")


def test_nobody_who_reads_stderr_is_no_rejection(player: Player) -> None:
    player.bot("gone.py", NEVER_STARTS)
    words = ["gate", "--candidate", "./gone.py", "--baseline", "greedy", "--json", "gate.json"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*REFEREE, *words],
            cwd=player.folder,
            env=player.environment,
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    assert done.returncode == 4
    assert done.stdout.startswith("candidate faulty: ")
    assert json.loads((player.folder / "gate.json").read_text(encoding="utf-8"))["exit_code"] == 4
    assert not player.left_behind()


@pytest.mark.slow
def test_a_bot_that_changes_while_it_plays_is_refused(player: Player) -> None:
    player.bot("grows.py", GROWS)
    words = ["--candidate", "./grows.py", "--baseline", "random", "--budget", "4s"]
    done = gate(player, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "candidate: its files were changed while the gate ran" in done.stderr

"""`referee record fork`: a stored round goes on from within, with other bots."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.integration.pages import ROOT
from tests.integration.playing import Player

RECORD = ROOT / "tests" / "golden" / "fast.jsonl"
FAIR = ROOT / "tests" / "golden" / "fair.jsonl"
LIMIT_S = 100
# Writes down what it is told, and leaves every decision to the referee.
SCRIBE = """
import json, sys
for line in sys.stdin:
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(line)
    print(json.dumps({"id": json.loads(line)["id"], "default": True}), flush=True)
"""


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def record_of(player: Player, *bots: str, pace: str = "fast") -> Path:
    """The record of a match of one round between house bots."""
    words = ["play", *bots, "--rounds", "1", "--seed", "fork", "--pace", pace, "--window", "20"]
    done = player.run(*words, limit_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    [file] = (player.folder / "records").iterdir()
    return file


def decisions(player: Player, file: Path) -> list[dict[str, object]]:
    done = player.run("record", "export", file, "--format", "decisions", limit_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "pace"), [("greedy", "fast"), ("random", "fair")])
def test_the_bots_that_played_play_the_same_again(player: Player, bot: str, pace: str) -> None:
    file = record_of(player, bot, f"other={bot}", pace=pace)
    numbers = [len(decisions(player, file)) * part // 10 for part in (4, 8)]
    for number in (1, *numbers):
        done = player.run(
            *("record", "fork", file, "--at", str(number), "--bot", bot, "--others", bot),
            limit_s=LIMIT_S,
        )
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        recorded = lines[2].split()[1]
        assert lines[3].split() == ["fork", "1", recorded, "+0"], (number, done.stdout)
        assert lines[4:] == ["difference +0.0 points for its side", "seed of the record"]
    assert not player.left_behind()


@pytest.mark.slow
def test_what_is_said_names_the_decision_and_who_is_replaced(player: Player) -> None:
    words = ("record", "fork", RECORD, "--at", "20", "--bot", "random", "--seed", "x")
    done = player.run(*words, "--times", "3", limit_s=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "m-fast round 1, decision 20, seat 1 (bot 1): act, it chose pass"
    assert lines[1] == (
        "from here on random plays seat 1, and greedy plays the other seats in place of those who "
        "played them; all hands are those of the record"
    )
    assert lines[2] == "recorded  200:0"
    forks = [re.fullmatch(r"fork (\d) +(-?\d+):(-?\d+)  ([+-]\d+)", line) for line in lines[3:6]]
    for number, found in enumerate(forks, start=1):
        assert found is not None, done.stdout
        margin = int(found[3]) - int(found[2])  # seat 1 is of the second side
        assert (int(found[1]), int(found[4])) == (number, margin + 200)
    assert re.fullmatch(
        r"difference [+-][\d.]+ points for its side, mean of 3, standard error [\d.]+", lines[6]
    )
    assert lines[7:] == ["seed x"]
    assert not player.left_behind()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_continuations(player: Player) -> None:
    words = ("record", "fork", FAIR, "--at", "30", "--bot", "random", "--others", "random")
    first, again = (
        player.run(*words, "--times", "4", "--seed", "same", limit_s=LIMIT_S) for _ in range(2)
    )
    assert first.returncode == 0, first.stderr
    assert first.stdout == again.stdout


@pytest.mark.slow
def test_a_bot_is_told_what_its_seat_knew_at_that_decision(player: Player) -> None:
    scribe = player.folder / "scribe.py"
    scribe.write_text(SCRIBE, encoding="utf-8")
    lines = decisions(player, RECORD)
    wanted = [line for line in lines if line["view"]["ask"] in ("act", "call")][::25]  # type: ignore[index]
    assert len(wanted) >= 2
    for line in wanted:
        log = player.folder / f"{line['decision']}.jsonl"
        program = [sys.executable, scribe, log]
        bot = shlex.join([sys.executable, "-m", "tichu_bot.stdio", "--", *map(str, program)])
        done = player.run(
            *("record", "fork", RECORD, "--at", str(line["decision"]), "--bot", bot),
            limit_s=LIMIT_S,
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(log.read_text(encoding="utf-8").splitlines()[0])
        del told["match"], told["id"]
        assert told == line["view"]


def test_what_cannot_be_forked_is_said(player: Player) -> None:
    fork = ("record", "fork", RECORD, "--bot", "greedy", "--at")
    for words, said in (
        ((*fork, "9999"), "error: --at 9999: the record has "),
        ((*fork, "9999", "--seat", "2"), "error: --at 9999: seat 2 has "),
        ((*fork, "1", "--seat", "4"), "error: --seat 4: the seats are 0..3"),
        (("record", "fork", RECORD, "--at", "1", "--bot", "./none"), "none"),
    ):
        done = player.run(*words, limit_s=LIMIT_S)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_bot_that_breaks_off_is_named_with_its_last_words(player: Player) -> None:
    bot = player.bot("bad.py", "import sys; sys.exit('out of ideas')")
    done = player.run(*("record", "fork", RECORD, "--at", "20", "--bot", bot), limit_s=LIMIT_S)
    assert done.returncode == 1
    assert "error: the bot in seat 1: it ended before its Hello (exit code 1)" in done.stderr
    assert "out of ideas" in done.stderr
    assert not player.left_behind()


@pytest.mark.slow
def test_a_silent_bot_ends_it(player: Player) -> None:
    done = player.run(
        *("record", "fork", RECORD, "--at", "20", "--bot", "chaos:silent", "--limit", "1"),
        limit_s=LIMIT_S,
    )
    assert done.returncode == 1
    assert "error: the bot in seat 1: no answer within 1 s" in done.stderr
    assert not player.left_behind()

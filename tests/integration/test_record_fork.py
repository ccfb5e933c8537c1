"""`referee record fork`: a stored round goes on from within, with other bots."""

import json
import re
import shlex
import signal
import sys
from pathlib import Path

import pytest

from referee.check.forking import ForkFault, forks
from referee.formats.forks import fork_point
from referee.formats.records import read_record
from referee.rules.seat import Seat
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


# Throws every bomb that it has, and otherwise plays as the referee would.
BOMBER = """
import json, sys, time
for line in sys.stdin:
    view = json.loads(line)
    answer = {"default": True}
    if view["ask"] == "bomb" and view["plays"]:
        time.sleep(float(sys.argv[1]))
        answer = {"index": 0}
    print(json.dumps({"id": view["id"], **answer}), flush=True)
"""
FIRST_LEFT_OPEN = """
    if view["ask"] == "bomb" and "left" not in globals():
        left = True
        continue
"""
# Takes its seat, reads all that it is told, sends frames for ever and answers nothing.
BABBLER = """
import asyncio
from chaos.process import hello_of
from chaos.stream import stream
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb

async def main():
    async with stream() as call:
        await call.write(pb.PlayRequest(hello=hello_of("babbler")))
        reading = asyncio.create_task(read(call))
        while not call.done():
            frame = pb.PlayRequest()
            frame.stand_downs.add(match=999)
            await call.write(frame)
            await asyncio.sleep(0.1)

async def read(call):
    while await call.read():
        pass

asyncio.run(main())
"""


def bomber(player: Player, pause_s: float) -> str:
    program = [sys.executable, player.bot("bomber.py", BOMBER), pause_s]
    return shlex.join([sys.executable, "-m", "tichu_bot.stdio", "--", *map(str, program)])


def first_bomb(player: Player) -> int:
    """The first ask for a bomb in pace fair that was answered by one."""
    for line in decisions(player, FAIR):
        view, choice = line["view"], line["choice"]
        assert isinstance(view, dict)
        if view["ask"] == "bomb" and choice != {"decline": True}:
            return int(str(line["decision"]))
    raise AssertionError("nobody bombs in it")


@pytest.mark.slow
def test_a_bomb_is_never_too_late_where_match_time_stands_still(player: Player) -> None:
    """Pace fair with a window that is shorter than the bot thinks."""
    words = ("record", "fork", FAIR, "--at", str(first_bomb(player)), "--seed", "x", "--bot")
    quick, slow = (
        player.run(*words, bomber(player, pause_s), limit_s=LIMIT_S) for pause_s in (0.0, 0.5)
    )
    assert (quick.returncode, quick.stderr) == (slow.returncode, slow.stderr) == (0, "")
    assert quick.stdout.splitlines()[2:] == slow.stdout.splitlines()[2:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("babbler.py", "no answer within 3 s"),
        ("chaos:flood", "it floods: over 500 frames a second"),
    ],
)
def test_a_bot_that_only_talks_ends_it(player: Player, bot: str, said: str) -> None:
    player.bot("babbler.py", BABBLER)
    limit = "3" if bot == "babbler.py" else "60"
    words = ("record", "fork", RECORD, "--at", "5", "--bot", bot, "--limit", limit)
    done = player.run(*words, limit_s=LIMIT_S)
    assert done.returncode == 1
    assert f"error: the bot in seat 3: {said}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not player.left_behind()


@pytest.mark.slow
def test_an_open_ask_for_a_bomb_is_declined_after_the_limit_and_that_is_said(
    player: Player,
) -> None:
    text = BOMBER.replace("    if view", FIRST_LEFT_OPEN + "    if view")
    program = [sys.executable, player.bot("silent.py", text), "0"]
    bot = shlex.join([sys.executable, "-m", "tichu_bot.stdio", "--", *map(str, program)])
    at = str(first_bomb(player))
    words = ("record", "fork", FAIR, "--at", at, "--bot", bot, "--limit", "3")
    done = player.run(*words, limit_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    assert "the bot in seat 3 left asks for a bomb open for 3 s: that declines" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_nothing_is_left(player: Player, number: signal.Signals) -> None:
    folder = player.folder / "tmp"
    folder.mkdir()
    player.environment["TMPDIR"] = str(folder)
    words = ("record", "fork", RECORD, "--at", "5", "--bot", "chaos:silent", "--limit", "90")
    with player.running(*words) as process:
        assert process.stdout is not None
        while "recorded" not in process.stdout.readline():
            pass
        while not player.descendants()[1:]:  # the bots are on their way
            assert process.poll() is None
        process.send_signal(number)
        assert process.wait(LIMIT_S) == 128 + number
    assert list(folder.iterdir()) == []
    assert not player.left_behind()


async def test_a_bot_that_never_says_hello_is_named(tmp_path: Path) -> None:
    record = read_record(RECORD.read_bytes().splitlines(keepends=True))
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(ForkFault, match=r"seat 0: no Hello within 0\.2 s: dial TICHU_SERVER"):
        async for _ in forks(
            record.config,
            fork_point(record, 5),
            dict.fromkeys(map(Seat, range(4)), silent),
            times=1,
            seed="x",
            folder=tmp_path,
            limit_s=1,
            start_s=0.2,
        ):
            pass

"""`referee bot ask` as a user runs it: a bot process, positions, and what is printed."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from referee.cli.bot_ask import house_lines
from tests.integration.playing import Player

PAIR = {"hands": ["8j 8s", "3j 4j", "5j 6j", "7j 9j"], "lead": 0, "played": [0]}
LIMIT_S = 90


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def suite(player: Player, *lines: dict[str, object]) -> Path:
    file = player.folder / "suite.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def a_pair(**more: object) -> dict[str, object]:
    return {"id": "pair", "title": "go out", "start": PAIR, "one_of": ["8j 8s"], **more}


def test_the_house_bot_passes_nearly_all_positions_that_ship(player: Player) -> None:
    junit, report = player.folder / "ask.xml", player.folder / "ask.json"
    done = player.run(
        "bot", "ask", "--house", "--junit", junit, "--json", report, "--", "greedy", limit_s=LIMIT_S
    )
    told = json.loads(report.read_text(encoding="utf-8"))
    assert done.stdout.splitlines()[-1] == f"{told['passed']} passed, {told['failed']} failed"
    assert told["passed"] + told["failed"] == len(told["results"]) == 40
    assert told["passed"] >= 36, done.stdout
    assert done.returncode == (1 if told["failed"] else 0)
    cases = ElementTree.parse(junit).getroot()
    assert (cases.get("tests"), cases.get("failures")) == ("40", str(told["failed"]))
    assert len(cases.findall("testcase")) == 40
    assert len(cases.findall("testcase/failure")) == told["failed"]
    assert not player.left_behind()


def test_the_positions_that_ship_have_an_id_of_their_own_and_a_reason() -> None:
    lines = [json.loads(line) for line in house_lines()]
    assert len({line["id"] for line in lines}) == len(lines) == 40
    assert all(len(line["title"]) > 40 for line in lines)
    kinds = {key for line in lines for key in line}
    assert {"one_of", "none_of", "options", "steps"} <= kinds


def test_a_wrong_answer_is_told_with_the_right_one(player: Player) -> None:
    file = suite(
        player,
        a_pair(),
        a_pair(id="never", title="do \u001b[2Jnot", one_of=["8j"]),
        a_pair(id="lone", one_of=["default"], none_of=["8j"]),
    )
    done = player.run("bot", "ask", file, "--", "greedy", limit_s=LIMIT_S)
    assert done.stdout.splitlines() == [
        "never: do \\x1b[2Jnot: expected 8j, got 8j 8s",
        "lone: go out: expected default, not 8j, got 8j 8s",
        "1 passed, 2 failed",
    ]
    assert (done.returncode, done.stderr) == (1, "")


def test_an_illegal_answer_fails_with_its_code(player: Player) -> None:
    done = player.run("bot", "ask", suite(player, a_pair()), "--", "chaos:illegal", limit_s=LIMIT_S)
    assert done.stdout.startswith("pair: go out: CARDS_NOT_HELD: ")
    assert done.returncode == 1


def test_an_answer_that_does_not_come_is_late(player: Player) -> None:
    done = player.run(
        *("bot", "ask", suite(player, a_pair()), "--limit", "0.5", "--", "chaos:silent"),
        limit_s=LIMIT_S,
    )
    assert done.stdout.splitlines() == [
        "pair: go out: no answer within 0.5 s",
        "0 passed, 1 failed",
    ]
    assert done.returncode == 1
    assert not player.left_behind()


def test_a_bot_that_leaves_is_told_with_its_last_lines(player: Player) -> None:
    lines = [a_pair(id=f"p{number}") for number in range(3)]
    done = player.run("bot", "ask", suite(player, *lines), "--", "chaos:crash", limit_s=LIMIT_S)
    assert done.stdout.splitlines()[-1] == "0 passed, 3 failed"
    assert "its stream ended (killed by SIGKILL)" in done.stdout
    said = done.stderr.splitlines()
    assert said[0] == "error: the bot left before all was asked: let it stay to the Closing"
    assert said[-1] == "  tichu_bot: out of memory"
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (
            ("sh", "-c", "seq 1 30 >&2; exit 3"),
            "error: the bot ended before its Hello (exit code 3): let it dial TICHU_SERVER and "
            "stay",
        ),
        (
            ("sh", "-c", "exec /nowhere"),
            "error: the bot's command cannot be run (exit code 127): check its path, and that it "
            "is executable",
        ),
        (
            ("chaos:wrong-version",),
            "error: the bot speaks protocol version 999: build it for version 1",
        ),
    ],
)
def test_a_bot_that_cannot_be_asked_is_one_line_and_its_stderr(
    player: Player, bot: tuple[str, ...], said: str
) -> None:
    done = player.run("bot", "ask", suite(player, a_pair()), "--", *bot, limit_s=LIMIT_S)
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == said
    assert len(lines) <= 21
    if "seq" in " ".join(bot):
        assert lines[1:] == [f"  {number}" for number in range(11, 31)]
    assert done.returncode == 1
    assert not player.left_behind()


def test_a_bot_that_says_no_hello_is_told_what_to_send(player: Player) -> None:
    done = player.run(
        *("bot", "ask", suite(player, a_pair()), "--start", "1", "--", "chaos:never-started"),
        limit_s=LIMIT_S,
    )
    assert done.stderr.splitlines()[0] == (
        "error: the bot said no Hello within 1 s: dial TICHU_SERVER and send a Hello as the first "
        "frame"
    )
    assert done.returncode == 1


def test_what_is_wrong_with_a_suite_is_told_before_any_bot_starts(player: Player) -> None:
    file = player.folder / "bad.jsonl"
    file.write_text('{"id":"a"}\n\nnonsense\n' + json.dumps(a_pair(one_of=["9j"])) + "\n")
    mark = player.folder / "started"
    done = player.run("bot", "ask", file, "--", "touch", mark)
    assert [line.partition(": ")[2] for line in done.stderr.splitlines()] == [
        f"{file} line 1: start is missing",
        f"{file} line 3: bad JSON: Expecting value at character 1",
        f"{file} line 4: one_of[0]: '9j' cannot be played here: CARDS_NOT_HELD",
    ]
    assert (done.returncode, done.stdout) == (2, "")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--house",), "error: no bot is named; write it behind --: referee bot ask"),
        (("--", "greedy"), "error: no suite is named; name a file of positions, or say --house"),
        (("nowhere.jsonl", "--", "greedy"), "error: nowhere.jsonl: No such file or directory"),
        (("--house", "--", "gredy"), "error: bot 'gredy': no house bot"),
        (("--house", "--", "connect:me"), "cannot be examined"),
        (("--house", "--limit", "0", "--", "greedy"), "--limit"),
        (("/dev/null", "--", "greedy"), "error: /dev/null: holds no position"),
    ],
)
def test_bad_input_is_one_line(player: Player, words: tuple[str, ...], said: str) -> None:
    done = player.run("bot", "ask", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_words_behind_the_dashes_are_the_bots_own(player: Player) -> None:
    bot = player.bot(
        "mine.py",
        "import sys\nfrom tichu_bot.greedy import main\n"
        "assert sys.argv.pop() == '--house'\nmain()\n",
    )
    done = player.run(
        "bot", "ask", suite(player, a_pair()), "--", sys.executable, bot, "--house", limit_s=LIMIT_S
    )
    assert done.stdout == "1 passed, 0 failed\n", done.stderr


def test_a_decision_of_a_record_is_asked_again(player: Player) -> None:
    """What greedy decided in a match it decides again from the position alone."""
    played = player.run(
        *("play", "greedy", "greedy", "--rounds", "1", "--seed", "asked"), limit_s=LIMIT_S
    )
    assert played.returncode == 0, played.stderr
    (record,) = player.records()
    every = [word for at in range(1, 31) for word in ("--at", str(at))]
    done = player.run("record", "export", record, *every)
    assert done.returncode == 0, done.stderr
    file = player.folder / "again.jsonl"
    file.write_text(done.stdout, encoding="utf-8")
    done = player.run("bot", "ask", file, "--", "greedy", limit_s=LIMIT_S)
    assert done.stdout == "30 passed, 0 failed\n", done.stderr

"""`referee bot check` as the author of a bot runs it."""

import json
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from referee.check.probes import PROBES
from tests.integration.playing import Player

LIMIT_S = 280.0
FAULTY = (sys.executable, "-m", "tests.integration.faulty_bot")


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def check(
    player: Player, *words: str | Path, bot: tuple[str, ...] = ("greedy",)
) -> "subprocess.CompletedProcess[str]":
    return player.run("bot", "check", *words, "--", *bot, limit_s=LIMIT_S)


@pytest.mark.timeout(300)
def test_greedy_passes_the_first_level(player: Player) -> None:
    result = check(player, "--level", "1", "--start-budget", "60")
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    level_1 = [probe for probe in PROBES if probe.level == 1]
    assert lines[-2:] == ["level 1 reached", f"{len(level_1)} passed, 0 failed"]
    assert sum(line.startswith("ok ") for line in lines) == len(level_1)
    assert result.stderr == ""
    assert player.left_behind() == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("bot", ["greedy", "random"])
def test_the_house_bots_pass_all_levels(player: Player, bot: str) -> None:
    files = ("--json", "r.json", "--junit", "r.xml", "--badge", "r.svg", "--failed", "failed")
    result = check(player, "--start-budget", "60", *files, bot=(bot,))
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-2:] == ["level 3 reached", f"{len(PROBES)} passed, 0 failed"]
    report = json.loads((player.folder / "r.json").read_text())
    assert (report["level"], report["passed"], report["failed"]) == (3, len(PROBES), 0)
    assert [probe["id"] for probe in report["probes"]] == [probe.id for probe in PROBES]
    suite = ET.parse(player.folder / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == (str(len(PROBES)), "0")
    badge = ET.parse(player.folder / "r.svg").getroot()
    assert badge.get("aria-label") == "Tichu-Referee Level 3, protocol v1"
    assert not (player.folder / "failed").exists()
    assert player.left_behind() == []


def test_a_list_has_every_probe_and_needs_no_bot(player: Player) -> None:
    result = player.run("bot", "check", "--list")
    assert result.returncode == 0
    told = [tuple(line.split()[:2]) for line in result.stdout.splitlines()]
    assert told == [(str(probe.level), probe.id) for probe in PROBES]


def test_a_failed_probe_says_what_was_demanded_and_the_cure_and_can_be_repeated(
    player: Player,
) -> None:
    words = ("--probe", "pong", "--probe", "hello-names", "--seed", "again", "--failed", "failed")
    result = check(player, *words, "--patience", "1", bot=(*FAULTY, "no-pong"))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("FAILED  1  pong "))
    assert lines[at + 1] == "        what: no Pong 1 within 1 s of a Ping"
    assert lines[at + 2].endswith("with its number (docs/PROTOCOL.md#the-stream)")
    assert lines[at + 3].startswith("        cure: answer each Ping with Pong")
    assert lines[at + 4] == "        stderr: it printed nothing there"
    assert lines[at + 5] == "        again: referee bot check --replay failed/pong.json"
    assert lines[-1] == "1 passed, 1 failed"
    kept = json.loads((player.folder / "failed" / "pong.json").read_text())
    assert (kept["probe"], kept["seed"], kept["bot"][-1]) == ("pong", "again", "no-pong")
    assert [frame["from"] for frame in kept["frames"][:3]] == ["bot", "proctor", "proctor"]
    assert "hello" in kept["frames"][0]["frame"]

    again = player.run("bot", "check", "--replay", "failed/pong.json", "--patience", "1")
    assert again.returncode == 1
    first, second = again.stdout.splitlines()[:2]
    assert first == f"starts the bot of the file: {shlex.join((*FAULTY, 'no-pong'))}"
    assert second.startswith("FAILED  1  pong ")
    cured = player.run("bot", "check", "--replay", "failed/pong.json", "--", *FAULTY)
    assert (cured.returncode, cured.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed")


def test_where_a_bot_answers_no_ping_the_follow_ups_are_not_run(player: Player) -> None:
    result = check(player, "--patience", "1", "--start-budget", "60", bot=(*FAULTY, "no-pong"))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    heads = [line.split()[:3] for line in lines if line.startswith(("ok ", "FAILED "))]
    assert heads[0] == ["ok", "1", "starts"]
    basic = {
        "hello-version",
        "pong",
        "answers-grand",
        "answers-exchange",
        "answers-lead",
        "answers-follow",
    }
    assert {head[2] for head in heads[1:]} == basic
    assert [head for head in heads if head[0] == "FAILED"] == [["FAILED", "1", "pong"]]
    assert lines[-4:] == [
        "without pong nothing else can be examined",
        "level 1 not reached: pong",
        "level 0 reached",
        f"6 passed, 1 failed, {len(PROBES) - 7} not run",
    ]


def test_a_folder_that_cannot_be_made_is_refused_at_once(player: Player) -> None:
    (player.folder / "file").write_text("")
    result = check(player, "--failed", "file/failed")
    assert (result.returncode, result.stdout) == (2, "")
    assert "is no folder that can be written to" in result.stderr


@pytest.mark.slow
def test_a_bot_that_sits_well_at_few_seats_reaches_no_level(player: Player) -> None:
    words = ("--level", "1", "--all", "--start-budget", "60", "--patience", "2")
    result = check(player, *words, bot=(*FAULTY, "low-seats"))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    barred = next(line for line in lines if line.startswith("level 1 not reached: "))
    assert "plays-seats" in barred
    assert lines[-2] == "level 0 reached"
    assert any("above: cure that first" in line for line in lines)


@pytest.mark.slow
def test_the_level_is_the_one_below_the_first_that_failed(player: Player) -> None:
    result = check(
        player, "--level", "1", "--json", "r.json", "--badge", "r.svg", bot=(*FAULTY, "version-2")
    )
    assert result.returncode == 1
    assert "level 0 reached" in result.stdout
    assert json.loads((player.folder / "r.json").read_text())["level"] == 0
    assert "Level 0, protocol v1" in (player.folder / "r.svg").read_text()


# --- bots that are no bots yet


def starts(player: Player, *bot: str, budget: str = "5") -> list[str]:
    """Check a bot whose first probe fails; return the lines said of it."""
    result = check(player, "--start-budget", budget, "--json", "r.json", bot=bot)
    assert result.returncode == 1, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("FAILED  1  starts ")
    rest = len(PROBES) - 1
    assert lines[-4:] == [
        "without starts nothing else can be examined",
        "level 1 not reached: starts",
        "level 0 reached",
        f"0 passed, 1 failed, {rest} not run",
    ]
    verdicts = [one["verdict"] for one in json.loads(_read(player, "r.json"))["probes"]]
    assert verdicts == ["failed"] + ["not run"] * rest
    return lines


def _read(player: Player, name: str) -> str:
    return (player.folder / name).read_text()


def test_a_command_that_does_not_start_is_told_by_its_exit(player: Player) -> None:
    bad = player.folder / "bot"
    bad.write_text("#!/no/such/interpreter\n")
    bad.chmod(0o755)
    lines = starts(player, str(bad))
    assert "its process ended before its Hello: exit code 12" in lines[1]
    assert any("| " in line for line in lines)


def test_a_bot_that_exits_at_once_shows_its_last_words(player: Player) -> None:
    bot = player.folder / "bot.py"
    text = "import sys\nfor n in range(30): print('line', n, file=sys.stderr)\nsys.exit(7)\n"
    bot.write_text(text)
    lines = starts(player, str(bot))
    assert lines[1] == "        what: its process ended before its Hello: exit code 7"
    shown = [line for line in lines if line.startswith("          | ")]
    assert shown == [f"          | line {n}" for n in range(10, 30)]


def test_a_bot_that_never_dials_is_not_waited_for_longer_than_its_budget(player: Player) -> None:
    bot = player.folder / "bot.py"
    bot.write_text("import signal\nsignal.pause()\n")
    lines = starts(player, str(bot), budget="1.5")
    assert lines[1].endswith("no Hello within 1.5 s of its start: it never dialled")


@pytest.mark.slow
def test_a_bot_that_needs_nearly_all_of_its_budget_passes_with_a_note(player: Player) -> None:
    bot = player.folder / "bot.py"
    text = "import sys, time, runpy\ntime.sleep(33)\nsys.argv = ['bot']\n"
    bot.write_text(text + "runpy.run_module('tichu_bot.greedy', run_name='__main__')\n")
    result = check(player, "--probe", "starts", "--start-budget", "40", bot=(str(bot),))
    assert result.returncode == 0, result.stdout
    assert "note: its Hello took 3" in result.stdout
    assert "of the start budget of 40 s" in result.stdout


@pytest.mark.parametrize(
    ("fault", "probe", "what"),
    [
        ("prints", "stdout-silent", "it printed to stdout: 'welcome'"),
        ("version-2", "hello-version", "its Hello says protocol version 2; version 1 is spoken"),
        ("future-numbers", "answers-grand", "its call answer was refused, MALFORMED: "),
    ],
)
def test_what_no_referee_bears_is_said_in_a_line_with_the_cure(
    player: Player, fault: str, probe: str, what: str
) -> None:
    result = check(player, "--probe", probe, bot=(*FAULTY, fault))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"FAILED  1  {probe} ")
    assert lines[1].startswith(f"        what: {what}")
    assert lines[3].startswith("        cure: ")


# --- what the command line refuses


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "no bot is named; write it behind --: referee bot check -- ./bot"),
        (("--probe", "pomg", "--", "greedy"), "there is no probe 'pomg'; did you mean pong?"),
        (("--level", "1", "--probe", "pong", "--", "greedy"), "--level and --probe: give one"),
        (("--badge", "b.svg", "--probe", "pong", "--", "greedy"), "a badge is for whole levels"),
        (("--json", "no/r.json", "--", "greedy"), "no/r.json: there is no folder no"),
        (("--replay", "no.json"), "no.json: No such file or directory"),
        (("--", "connect:me"), "a process that you start yourself cannot be examined"),
        (("--", "no-such-bot"), "has that name"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    player: Player, words: tuple[str, ...], error: str
) -> None:
    result = player.run("bot", "check", *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert error in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "no JSON"),
        ("[]", "no file of a failed probe"),
        ('{"format": "tichu-referee bot check 1", "probe": 3}', "name a file that --failed wrote"),
        (
            '{"format": "tichu-referee bot check 1", "probe": "no", "seed": "s", "bot": ["b"]}',
            "there is no probe 'no' in this release",
        ),
    ],
)
def test_a_file_that_is_no_failed_probe_is_refused(player: Player, text: str, error: str) -> None:
    (player.folder / "f.json").write_text(text)
    result = player.run("bot", "check", "--replay", "f.json")
    assert (result.returncode, result.stdout) == (2, "")
    assert error in result.stderr


def test_ctrl_c_ends_it_with_130_and_leaves_nothing(player: Player) -> None:
    with player.running("bot", "check", "--", "greedy") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("ok ")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert player.left_behind() == []

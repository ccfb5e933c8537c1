"""The sample bots of all languages through `referee play`: a lost link, one table, every game.

They have to be built before: `make bots ALL=1`.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee.formats.conduct import Conduct, read_conduct
from tests.integration.playing import ROOT, Player

LANGUAGES = ("python", "go", "rust", "java", "typescript", "cpp")
COMMANDS = {
    "python": (sys.executable, "main.py"),
    "go": ("./bot",),
    "rust": ("./bot",),
    "java": ("./run",),
    "typescript": ("node", "dist/main.js"),
    "cpp": ("./bot",),
}
GAMES = {
    "trichu": (3, ("--variant", "trichu", "--rounds", "3")),
    "tientsin": (2, ("--variant", "tientsin", "--rounds", "1")),
    "seigneur of five": (5, ("--variant", "grand_seigneur", "--rounds", "2")),
    "seigneur of seven, two packs": (7, ("--variant", "grand_seigneur", "--rounds", "2")),
    "chaos": (2, ("--option", "chaos=true", "--rounds", "1")),
    "refused calls": (2, ("--option", "refuse_call=true", "--rounds", "2")),
}
MIDDLE = 30_000  # bytes down to one seat: some rounds of a match, with or without snapshots
LIMIT_S = 240.0
_TIME = re.compile(r" +\d+\.\d{3}(?= )")  # of an event, at the beginning of its line

pytestmark = [pytest.mark.bots, pytest.mark.timeout(300)]


def folder(language: str) -> str:
    """The bot as `referee play` takes it."""
    return f"{language}={ROOT / 'sample_bots' / language}"


def command(language: str) -> list[str]:
    """The command that the folder stands for."""
    base = ROOT / "sample_bots" / language
    return [str(base / word) if (base / word).is_file() else word for word in COMMANDS[language]]


def played(done: "subprocess.CompletedProcess[str]", player: Player) -> list[Conduct]:
    """The conduct of every seat in a match that was played to its end."""
    assert done.returncode == 0, done.stdout + done.stderr
    match = json.loads(done.stdout.splitlines()[-1])
    assert match["ending"] == "completed", match
    (record,) = player.records()
    verified = player.run("record", "verify", record)
    assert verified.returncode == 0, verified.stdout
    assert player.left_behind() == []
    lines = record.read_bytes().splitlines()
    return list(read_conduct(lines, seats=len(json.loads(lines[0])["players"])))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_plays_a_match_to_1000_and_loses_its_link_once_in_the_middle(
    tmp_path: Path, language: str
) -> None:
    player = Player(tmp_path)
    cutting = [sys.executable, "-m", "tests.integration.cut_once", str(MIDDLE), *command(language)]
    done = player.run(
        *("play", f"{language}={shlex.join(cutting)}", "greedy", "--target", "1000"),
        *("--seed", f"a match of {language}", "--format", "json", "--log-dir", "logs"),
        limit_s=LIMIT_S,
    )
    conduct = played(done, player)
    assert [one for one in conduct if not one.is_ordinary] == []
    connections = [int(file.read_text()) for file in (tmp_path / "logs").rglob("cut-*")]
    assert connections == [2, 2], "each of the two processes lost its link once and came back"


def test_four_languages_sit_at_one_table(tmp_path: Path) -> None:
    player = Player(tmp_path)
    seats = [folder(language) for language in ("go", "rust", "java", "cpp")]
    done = player.run(
        *("play", *seats, "--rounds", "4", "--pace", "fair", "--format", "json"), limit_s=LIMIT_S
    )
    assert [one for one in played(done, player) if not one.is_ordinary] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_it_plays_every_game(tmp_path: Path, name: str, language: str) -> None:
    player = Player(tmp_path)
    bots, words = GAMES[name]
    seats = [f"{chr(ord('a') + place)}{folder(language)}" for place in range(bots)]
    done = player.run("play", *seats, *words, "--format", "json", limit_s=LIMIT_S)
    conduct = played(done, player)
    # Which cards a forced slot takes is the referee's to say, so the bots ask for that.
    forced = "seigneur" in name
    plain = [
        Conduct(refused=one.refused, strikes=one.strikes) if forced else one for one in conduct
    ]
    assert [one for one in plain if not one.is_ordinary] == []


def test_all_six_languages_play_the_same_match(tmp_path: Path) -> None:
    """One strategy, written down once: with the same cards every language makes the same moves."""
    moves = {}
    for language in LANGUAGES:
        player = Player(tmp_path / language)
        player.folder.mkdir()
        bot = folder(language).partition("=")[2]
        done = player.run(
            *("play", f"a={bot}", f"b={bot}", "--rounds", "3", "--seed", "the same"),
            *("--format", "json"),
            limit_s=LIMIT_S,
        )
        played(done, player)
        (record,) = player.records()
        shown = player.run("record", "show", record, "--public")
        assert shown.returncode == 0, shown.stderr
        moves[language] = [
            _TIME.sub("", line) for line in shown.stdout.splitlines() if _TIME.match(line)
        ]
    assert len(moves["python"]) > 50
    for language in LANGUAGES:
        assert moves[language] == moves["python"], language

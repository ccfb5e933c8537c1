"""`referee play` tells what a bot did out of the ordinary, though the match was played."""

import json
from pathlib import Path

import pytest

from tests.integration.playing import Player

RAISES = (
    "from tichu_bot import Bot, run\n"
    "class Raises(Bot):\n"
    "    def act(self, view):\n"
    "        raise ValueError('no idea')\n"
    "run(Raises)\n"
)
REFUSED = (
    "from tichu_bot import Bot, Play, run\n"
    "class Refused(Bot):\n"
    "    def act(self, view):\n"
    "        return Play(cards=(view.hand[0],) * 2)\n"
    "run(Refused)\n"
)


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def test_a_bot_that_raises_is_told_of_with_the_end_of_its_traceback(player: Player) -> None:
    player.bot("raises.py", RAISES)
    result = player.run("play", "./raises.py", "greedy", "--rounds", "1", "--format", "json")
    assert result.returncode == 0
    conduct = json.loads(result.stdout.splitlines()[-1])["conduct"]
    assert conduct[0]["defaults"] > 0
    assert conduct[1] == {"defaults": 0, "refused": 0, "strikes": []}
    said = f"raises/0: {conduct[0]['defaults']} asks answered by default; last of what it printed:"
    assert said in result.stderr.splitlines()
    assert "\n  | ValueError: no idea\n" in result.stderr
    (record,) = player.records()
    assert f"hint: referee record show records/{record.name} --seat 0\n" in result.stderr


def test_a_bot_that_is_refused_is_told_of(player: Player) -> None:
    player.bot("refused.py", REFUSED)
    result = player.run("play", "./refused.py", "greedy", "--rounds", "1", "--format", "json")
    assert result.returncode == 0
    conduct = json.loads(result.stdout.splitlines()[-1])["conduct"]
    assert conduct[2]["refused"] > 0
    assert f", {conduct[2]['refused']} answer" in result.stderr
    assert "refused/2: " in result.stderr


def test_a_bot_that_exits_well_before_its_hello_is_asked_for_its_call_to_run(
    player: Player,
) -> None:
    player.bot("quiet.py", "print('hi')\n")
    result = player.run("play", "./quiet.py", "greedy")
    assert result.returncode == 1
    assert "ended before its Hello; does it call run()?\n" in result.stderr

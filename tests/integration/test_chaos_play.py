"""Chaos bots by name in `referee play`: exit code, how it says it ended, and no leftovers."""

from pathlib import Path

import pytest

from tests.integration.playing import Player

GOOD = ("greedy", "greedy", "greedy")


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


@pytest.mark.parametrize(
    ("bot", "code", "line"),
    [
        ("chaos:crash", 1, "ended: crashed by crash/0 (blame: bot)"),
        ("mad=chaos:illegal", 1, "ended: forfeit_illegal by mad/0 (blame: bot)"),
        ("chaos:resigns", 1, "ended: resigned by resigns/0 (blame: bot)"),
        ("chaos:exits-early", 1, "ended: never_started by exits-early/0 (blame: bot)"),
        ("chaos:wrong-version", 1, "ended: never_started by wrong-version/0 (blame: bot)"),
        ("chaos:stubborn", 0, "stubborn + greedy-2 won "),
    ],
)
def test_a_chaos_bot_is_started_by_its_name(player: Player, bot: str, code: int, line: str) -> None:
    result = player.run("play", bot, *GOOD, "--rounds", "2", "--clock", "none", "--seed", "chaos")
    assert result.returncode == code, result.stderr
    assert any(text.startswith(line) for text in result.stdout.splitlines()), result.stdout
    again = f"again: referee play {bot} greedy greedy greedy --rounds 2 --clock none --seed chaos"
    assert result.stdout.splitlines()[-1] == again
    assert player.left_behind() == []


def test_a_bot_that_leaves_is_told_apart_from_one_that_thinks(player: Player) -> None:
    result = player.run("play", "chaos:gone", *GOOD, "--fault", "grace_ms=200")
    assert result.returncode == 1
    assert "ended: disconnected by gone/0 (blame: bot)" in result.stdout
    assert player.left_behind() == []


def test_a_bot_without_a_hello_is_waited_for_as_long_as_the_limit_says(player: Player) -> None:
    result = player.run("play", "chaos:never-started", *GOOD, "--fault", "start_ms=1500")
    assert result.returncode == 1
    assert "never-started/0 said no Hello within 1.5 s" in result.stderr
    assert "ended: never_started by never-started/0 (blame: bot)" in result.stdout
    assert player.left_behind() == []


def test_an_unknown_name_gets_the_nearest_and_the_list(player: Player) -> None:
    result = player.run("play", "chaos:ilegal", "greedy")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith("has that name; did you mean chaos:illegal?\n")
    assert " wrong-order, wrong-version)" in result.stderr

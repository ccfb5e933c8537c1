"""`referee play` with real processes: whole matches."""

import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.playing import Player


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


@pytest.fixture
def temporary(player: Player) -> Iterator[Path]:
    """A folder for temporary files, short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as name:
        player.environment["TMPDIR"] = name
        yield Path(name)


def test_two_house_bots_play_a_round_and_leave_a_true_record(
    player: Player, temporary: Path
) -> None:
    result = player.run("play", "random", "greedy", "--rounds", "1")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == (
        "random (seats 0, 2) against greedy (seats 1, 3), 1 round, clock 2s+60s, pace fast"
    )
    assert lines[1].startswith("round  1 ")
    assert lines[-2] == f"record: records/{player.records()[0].name}"
    assert lines[-1].startswith("again: referee play random greedy --rounds 1 --seed ")
    assert list(temporary.iterdir()) == []
    assert player.left_behind() == []
    verified = player.run("record", "verify", *player.records())
    assert verified.returncode == 0, verified.stdout


def test_the_last_line_plays_the_same_match_again(player: Player) -> None:
    first = player.run("play", "greedy", "random", "--rounds", "2", "--format", "json")
    lines = first.stdout.splitlines()
    again = shlex.split(json.loads(lines[-1])["again"])
    second = player.run(*again[1:])
    assert again[0] == "referee"
    assert second.stdout.splitlines()[:-1] == lines[:-1]
    assert len(player.records()) == 2


def test_json_has_a_line_a_round_and_one_for_the_match(player: Player) -> None:
    result = player.run("play", "random", "random", "--rounds", "2", "--format", "json")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["type"] for one in told] == ["round", "round", "match"]
    assert told[1]["totals"] == told[2]["totals"]
    assert told[2]["ending"] == "completed"
    assert told[2]["record"] == f"records/{player.records()[0].name}"
    assert "round  2 " in result.stderr


@pytest.mark.slow  # windows of a fixed length
def test_four_bots_take_a_seat_each_in_pace_fair(player: Player) -> None:
    result = player.run(
        *("play", "a=random", "b=greedy", "c=random", "d=greedy", "--rounds", "1"),
        *("--pace", "fair", "--window", "20", "--seed", "four", "--log-dir", "logs"),
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("a + c (seats 0, 2) against b + d (seats 1, 3)")
    names = {path.name for path in (player.folder / "logs").iterdir()}
    assert names == {
        f"{label}.{end}" for label in ("a.0", "b.1", "c.2", "d.3") for end in ("err", "out")
    }
    assert json.loads(player.records()[0].read_bytes().splitlines()[0])["practice"] is True


def test_rules_and_clock_reach_the_match(player: Player) -> None:
    result = player.run(
        *("play", "greedy", "random", "--option", "great_grand=true", "--option", "rounds=1"),
        *("--clock", "none"),
    )
    assert result.returncode == 0, result.stderr
    shown = player.run("record", "show", "--public", *player.records()).stdout
    assert "clock none" in shown
    assert "no Great Grand" in shown


def test_the_record_of_a_match_is_for_its_operator_alone(player: Player) -> None:
    player.run("play", "random", "random", "--rounds", "1")
    assert player.records()[0].stat().st_mode & 0o777 == 0o600

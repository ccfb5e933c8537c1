"""The other games with real processes: `referee play --variant`, `serve --variant`, and records."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.playing import Player
from tichu_bot import HOUSE

LIMIT_S = 60.0

# In pace fast two bombs at once may land in either order, so a game that is to be the same once
# more has a deal without.
SEED = ("--seed", "no two bombs at once")
TRICHU = ("--variant", "trichu", "a=random", "b=greedy", "c=greedy", "--rounds", "3")
TIENTSIN = ("--variant", "tientsin", "random", "greedy", "--rounds", "2")
SEIGNEUR = ("--variant", "grand_seigneur", *["random"] * 4, *["greedy"] * 3, "--rounds", "2")


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


@pytest.mark.parametrize(
    ("words", "head", "totals"),
    [
        (TRICHU, "a (seat 0), b (seat 1) and c (seat 3), each for itself, 3 rounds, ", 4),
        (TIENTSIN, "random (seats 0, 2, 4) against greedy (seats 1, 3, 5), 2 rounds, ", 2),
        (SEIGNEUR, "random (seat 0), random-2 (seat 1), random-3 (seat 2), ", 0),
    ],
    ids=["trichu", "tientsin", "grand seigneur"],
)
def test_a_game_is_played_told_recorded_and_played_again(
    player: Player, words: tuple[str, ...], head: str, totals: int
) -> None:
    first = player.run("play", *words, *SEED, "--format", "json")
    assert first.returncode == 0, first.stderr
    assert first.stderr.startswith(head)
    told = [json.loads(line) for line in first.stdout.splitlines()]
    match = told[-1]
    assert (match["ending"], len(match["totals"])) == ("completed", totals)
    assert sum(match["totals"]) == sum(sum(one["points"]) for one in told[:-1])
    assert all(len(one["points"]) == totals for one in told[:-1])
    again = player.run(*shlex.split(match["again"])[1:])
    assert again.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    verified = player.run("record", "verify", *player.records())
    assert verified.returncode == 0, verified.stdout
    points = ":".join(map(str, match["totals"]))
    wanted = f"ok {match['rounds']} rounds {points}".rstrip()
    assert verified.stdout.splitlines()[0].partition(": ")[2].startswith(f"{wanted} chain ")
    assert player.left_behind() == []


def test_a_soloist_that_crashes_ends_a_match_of_trichu_and_all_columns_count(
    player: Player,
) -> None:
    played = player.run("play", "--variant", "trichu", "chaos:crash", "random", "greedy")
    assert played.returncode == 1
    last = played.stdout.splitlines()[2]
    assert last.startswith("ended: crashed by crash/0 (blame: bot), 0 : 0 : 0 : 0 after 0 rounds; ")
    assert len(last.partition("counts ")[2].split(" : ")) == 4
    assert player.left_behind() == []


def test_serve_seats_as_many_bots_as_the_game_of_its_file_has(player: Player) -> None:
    (player.folder / "c.toml").write_text('[options]\nvariant = "trichu"\nrounds = 3\n')
    flags = ("--listen", f"unix:{player.folder / 's'}", "--once", "--pace", "fast")
    names = ("a", "b", "c")
    issued = [word for name in names for word in ("--issue", name)]
    with player.running("serve", "--config", "c.toml", *flags, *issued) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[1]
        tokens = [server.stdout.readline().split()[2] for _ in names]
        bots = [house_bot(player, address, token) for token in tokens]
        match = server.stdout.readline().split()
        assert match[2] == "completed"
        assert len(match[3].split(":")) == 4
        assert server.wait(LIMIT_S) == 0
        assert [bot.wait(LIMIT_S) for bot in bots] == [0, 0, 0]
    shown = player.run("record", "show", "--public", *player.records()).stdout
    assert "  seat 2  Tisch\n" in shown
    assert player.left_behind() == []


def house_bot(player: Player, address: str, token: str) -> "subprocess.Popen[bytes]":
    """A house bot that its owner starts."""
    environment = {**player.environment, "TICHU_SERVER": address, "TICHU_TOKEN": token}
    return subprocess.Popen(
        [sys.executable, "-m", HOUSE["greedy"]],
        cwd=player.folder,
        env=environment,
        stderr=subprocess.DEVNULL,
    )

"""Ladders of other games: Tientsin by teams of three, Trichu by the three who meet."""

import csv
import json
from pathlib import Path

from tests.integration.ladders import SMALL, Ladder, one_error

TIENTSIN = (
    SMALL.replace("boards = 3\n", 'boards = 1\n[options]\nvariant = "tientsin"\n')
    + """
[[entry]]
name = "mixed"
owner = "sky"
team = ["greedy", "random", "greedy"]
"""
)

TRICHU = (
    SMALL.replace("boards = 3\n", 'boards = 1\n[options]\nvariant = "trichu"\n')
    + """
[[entry]]
name = "third"
owner = "sky"
bot = "third=random"
"""
)


def test_a_ladder_of_tientsin_is_played_shown_exported_and_rebuilt(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path, TIENTSIN)
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ladder.table()
    assert "greedy + random + greedy" in done.stdout
    assert_seats_are_exchanged(ladder.records())
    verified = ladder.player.run("record", "verify", *ladder.records())
    assert verified.returncode == 0, verified.stdout
    assert_exported(ladder)
    assert ladder.say("rebuild").stdout == "6 results from records\n"
    assert ladder.table() == done.stdout
    report = ladder.player.run("bot", "report", "random", ladder.file.name)
    assert report.returncode == 0, report.stderr
    assert "less luck:" not in report.stdout  # it was measured for the game of four
    assert not ladder.player.left_behind()


def assert_seats_are_exchanged(records: list[Path]) -> None:
    """Legs of a pairing have one deal; who has seats 0, 2, 4 in one has 1, 3, 5 in the other."""
    by_pairing: dict[str, dict[str, int]] = {}
    seeds: dict[str, set[str]] = {}
    for path in records:
        header, dealt = map(json.loads, path.read_bytes().splitlines()[:2])
        place = header["ladder"]
        assert [len(side["players"]) for side in place["sides"]] == [3, 3]
        seeds.setdefault(place["pairing"], set()).add(dealt["seed"])
        for team, side in enumerate(place["sides"]):
            seats = by_pairing.setdefault(place["pairing"], {})
            seats[side["entry"]] = seats.get(side["entry"], 0) + 1 + team
    assert [len(found) for found in seeds.values()] == [1, 1, 1]
    assert all(set(seats.values()) == {3} for seats in by_pairing.values())


def assert_exported(ladder: Ladder) -> None:
    assert ladder.say("export", "csv", "--format", "csv").returncode == 0
    table = (ladder.folder / "csv" / "standings.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(table.splitlines()))
    bots = {row["entry"]: [row[f"bot_{place}"] for place in range(3)] for row in rows}
    assert bots["mixed"] == ["greedy", "random", "greedy"]
    assert ladder.say("export", "html", "--format", "html").returncode == 0
    pages = list((ladder.folder / "html").rglob("*.html"))
    assert any("0, 2 and 4" in page.read_text(encoding="utf-8") for page in pages)


def test_a_ladder_of_trichu_has_three_at_a_board_who_turn(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path, TRICHU)
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ladder.table()
    seats: dict[str, set[str]] = {}
    for path in ladder.records():
        header, dealt = map(json.loads, path.read_bytes().splitlines()[:2])
        for seat, side in zip((0, 1, 3), header["ladder"]["sides"], strict=True):
            seats.setdefault(side["entry"], set()).add(f"{dealt['seed']} {seat}")
        assert header["players"][2]["name"] == "Tisch"
    assert [len(found) for found in seats.values()] == [3, 3, 3]  # one deal, and every seat once
    assert len({seed.split()[0] for found in seats.values() for seed in found}) == 1
    verified = ladder.player.run("record", "verify", *ladder.records())
    assert verified.returncode == 0, verified.stdout
    assert ladder.say("rebuild").stdout == "3 results from records\n"
    assert ladder.table() == done.stdout
    assert ladder.say("export", "csv", "--format", "csv").returncode == 0
    results = (ladder.folder / "csv" / "results.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(results.splitlines()))
    assert [len({row[f"team_{side}"] for side in range(3)}) for row in rows] == [3, 3, 3]
    assert ladder.say("export", "html", "--format", "html").returncode == 0
    report = ladder.player.run("bot", "report", "third", ladder.file.name)
    assert report.returncode == 0, report.stderr
    assert not ladder.player.left_behind()


def test_grand_seigneur_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path, TIENTSIN.replace("tientsin", "grand_seigneur"))
    for command in ("run", "check"):
        said = one_error(ladder.say(command))
        assert "small.toml:8: options.variant: Grand Seigneur has no points" in said
    assert not ladder.kept.exists()

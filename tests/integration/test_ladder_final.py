"""The final of a ladder of real bots: killed, ruled on, played to its limit, made anew."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from referee.formats.records import read_until_fault
from referee.ladder.final import FIRST_BOARD
from tests.integration.ladders import SMALL, Ladder

_LIMIT_S = 120
# three copies of one bot that draws by itself: nobody is better
EQUAL = """
[[entry]]
name = "other"
owner = "sky"
bot = "other=random"
"""
TEXT = (
    SMALL.replace('bot = "greedy"', 'bot = "second=random"').replace("boards = 3", "boards = 2")
    + EQUAL
    + "[final]\nboards = 2\n"
)
NAMES = ("greedy", "other", "random")


def boards_of_final(ladder: Ladder) -> "Counter[tuple[str, int]]":
    """The legs of the final that are on record, by pairing and board, from 1."""
    found: Counter[tuple[str, int]] = Counter()
    for record in ladder.records():
        with record.open("rb") as lines:
            place = read_until_fault([lines.readline()])[0].header.place
        if place is not None and place.board >= FIRST_BOARD:
            found[place.pairing, place.board - FIRST_BOARD + 1] += 1
    return found


def line_of_final(table: str) -> str:
    (line,) = re.finditer(r"^Final of .*$", table, re.M)
    return line[0]


@pytest.fixture
def ladder(tmp_path: Path) -> Ladder:
    return Ladder(tmp_path, TEXT)


@pytest.mark.slow
def test_a_final_is_played_to_its_limit_and_a_rebuild_says_the_same(ladder: Ladder) -> None:
    told = ladder.say("run", "--dry-run")
    assert "final     up to 3 entries, until the first place is surely apart" in told.stdout
    assert "2 boards a pair are played (at most 6); " in told.stdout
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert "the final of greedy, other, random for the first place is on" in done.stderr
    assert "2 boards a pair are played, and the first places are not surely apart" in done.stderr
    boards = boards_of_final(ladder)
    assert set(boards.values()) == {2}
    assert max(number for _, number in boards) == 2
    line = line_of_final(done.stdout)
    assert line.endswith(f": {len(boards)} boards; undecided after 2 boards a pair.")
    told = ladder.say("run", "--dry-run")
    assert "\nfinal     over: 2 boards a pair are played, and the first places are" in told.stdout
    before = done.stdout
    again = ladder.run("run")
    assert (again.returncode, again.stdout) == (0, before)
    assert ladder.say("rebuild").returncode == 0
    assert ladder.table() == before
    assert ladder.say("export", "site", "--format", "md").returncode == 0
    exported = next((ladder.folder / "site").glob("*.md")).read_text(encoding="utf-8")
    assert line in exported.replace("\\", "")


@pytest.mark.slow
def test_a_final_that_was_killed_goes_on_with_the_same_command(ladder: Ladder) -> None:
    ladder.change("[final]\nboards = 2", "[final]\nboards = 4000")
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        while not boards_of_final(ladder):
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"ended early: {process.communicate()}")
        process.kill()
        process.communicate(timeout=_LIMIT_S)
    assert not ladder.player.left_behind()
    ended = boards_of_final(ladder)
    most = max(number for _, number in ended) + 1
    ladder.change("boards = 4000", f"boards = {most}")
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert set(boards_of_final(ladder)) >= set(ended)
    assert line_of_final(done.stdout).endswith(f"undecided after {most} boards a pair.")
    assert ladder.say("rebuild").returncode == 0
    assert ladder.table() == done.stdout


@pytest.mark.slow
def test_the_rest_of_a_final_goes_on_when_one_is_disqualified(ladder: Ladder) -> None:
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    leader = done.stdout.splitlines()[1].split()[2]
    first, second = sorted({*NAMES} - {leader})
    ruled = ladder.say("disqualify", leader, "--reason", "two hands in one process")
    assert ruled.returncode == 0, ruled.stderr
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    boards = {number for pairing, number in boards_of_final(ladder) if leader not in pairing}
    assert boards == {1, 2}
    line = line_of_final(done.stdout)
    assert line == (
        "Final of greedy, other and random: 2 boards; undecided after 2 boards a pair."
    ), (first, second)
    assert ladder.say("rebuild").returncode == 0
    assert ladder.table() == done.stdout

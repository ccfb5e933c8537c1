"""Real Brettspielwelt logs replay move for move, and give what the README beside them states.

They are other people's games: they are read where they lie, and nothing of them is kept here.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.bsw import bsw

LOGS = Path(__file__).resolve().parents[3] / "shared" / "rules" / "bsw"
FILES = sorted(path.name for path in LOGS.iterdir() if path.suffix in (".tch", ".txt"))

pytestmark = pytest.mark.bsw


def stated() -> dict[str, list[str]]:
    """The verdicts that the table of the README promises, by file."""
    promised: defaultdict[str, list[str]] = defaultdict(list)
    for row in (LOGS / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) != 5 or not cells[1].isdecimal():
            continue
        name, game, rounds, total, scores = cells
        assert len(scores.split()) == int(rounds), row
        columns = zip(*(map(int, score.split("/")) for score in scores.split()), strict=True)
        assert [sum(column) for column in columns] == [int(n) for n in re.findall(r"-?\d+", total)]
        promised[name] += [
            f"game {game} round {number}: ok {score}"
            for number, score in enumerate(scores.split(), start=1)
        ]
    return promised


def test_the_table_names_every_log() -> None:
    assert sorted(stated()) == FILES


@pytest.mark.parametrize("name", FILES)
def test_every_round_gives_its_stated_score(name: str) -> None:
    promised = stated()[name]
    path = LOGS / name
    done = CliRunner().invoke(bsw, [str(path)])
    count = len(promised)
    sums = f"{count} rounds: {count} ok, 0 illegal, 0 score, 0 unfinished"
    assert done.stdout.splitlines() == [*(f"{path} {line}" for line in promised), sums]
    assert (done.stderr, done.exit_code) == ("", 0)

"""The commands of docs/TOURNAMENT.md print what the page shows, from an empty folder on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.config.tournament_sections import TournamentFile
from referee.ladder.tournament_scores import VICTORY_ROWS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "TOURNAMENT.md").read_text(encoding="utf-8")
PLAYED, _, TOLD = PAGE.partition("\n## What is played\n")
STEPS = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PLAYED, re.M | re.S)
BIN = Path(sys.executable).parent  # where this environment's `referee` is


@pytest.mark.slow
def test_every_step_of_the_page_prints_what_is_shown(tmp_path: Path) -> None:
    assert len(STEPS) > 5
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    for script, shown in STEPS:
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=110,
        )
        assert done.returncode == 0, (script, done.stderr)
        assert done.stdout == shown, script


def test_every_key_has_its_row_or_is_that_of_a_ladder() -> None:
    told = set(re.findall(r"`(\[*\w+\]*)`", TOLD.partition("\n## Movements\n")[0]))
    keys = set(TournamentFile.__struct_fields__)
    assert {key for key in keys if not {key, f"[{key}]", f"[[{key}]]"} & told} == set()


def test_the_rows_of_victory_points_are_the_default() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) : (\d+) \|$", PAGE, re.M)
    assert tuple(f"{least} {winner}:{loser}" for least, winner, loser in rows) == VICTORY_ROWS

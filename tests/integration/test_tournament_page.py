"""The commands of docs/TOURNAMENT.md print what the page shows, from an empty folder on."""

import re
from pathlib import Path

import pytest

from referee.config.tournament_sections import TournamentFile
from referee.ladder.tournament_scores import VICTORY_ROWS
from tests.integration.pages import ROOT, first_difference, steps_of

PAGE = (ROOT / "docs" / "TOURNAMENT.md").read_text(encoding="utf-8")
PLAYED, _, TOLD = PAGE.partition("\n## What is played\n")
STEPS = steps_of(PLAYED)


@pytest.mark.slow
@pytest.mark.timeout(900)  # whole ladders, on a machine that may be busy
def test_every_step_of_the_page_prints_what_is_shown(tmp_path: Path) -> None:
    assert len(STEPS) > 5
    assert first_difference(STEPS, tmp_path) == ""


def test_every_key_has_its_row_or_is_that_of_a_ladder() -> None:
    told = set(re.findall(r"`(\[*\w+\]*)`", TOLD.partition("\n## Movements\n")[0]))
    keys = set(TournamentFile.__struct_fields__)
    assert {key for key in keys if not {key, f"[{key}]", f"[[{key}]]"} & told} == set()


def test_the_rows_of_victory_points_are_the_default() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) : (\d+) \|$", PAGE, re.M)
    assert tuple(f"{least} {winner}:{loser}" for least, winner, loser in rows) == VICTORY_ROWS

"""The three cheats in a ladder: isolated they gain nothing, in one process two of them do."""

from pathlib import Path

import numpy as np
import pytest

from referee.bootstrap import Isolation
from tests.integration.ladder_world import entry, ours, plan, play, resolved

BOARDS = 120


def gain(folder: Path, cheat: str, isolation: Isolation) -> tuple[float, float]:
    """Points a round over greedy, and the half width of the 95 % interval; the seed is fixed."""
    what = plan(
        folder,
        [entry(ours(cheat)), entry(ours("greedy"))],
        boards=BOARDS,
        isolation=isolation,
        parallel=4,
        boards_an_entry=4,
    )
    assert play(what).outcome.boards == BOARDS
    boards = resolved(what).boards
    found = [one.difference if one.second == "greedy" else -one.difference for one in boards]
    points = np.array(found)
    return float(points.mean()), 1.96 * float(points.std(ddof=1)) / BOARDS**0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "cheat", ["chaos:shares-hand", "chaos:remembers-leg", "chaos:signals-by-time"]
)
def test_isolated_a_cheat_gains_nothing(tmp_path: Path, cheat: str) -> None:
    mean, half = gain(tmp_path, cheat, Isolation.ISOLATED)
    assert abs(mean) <= half, (mean, half)


@pytest.mark.slow
@pytest.mark.parametrize("cheat", ["chaos:shares-hand", "chaos:remembers-leg"])
def test_in_one_process_a_cheat_gains(tmp_path: Path, cheat: str) -> None:
    mean, half = gain(tmp_path, cheat, Isolation.NONE)
    assert mean > half, (mean, half)

"""Faulted matches of the whole service, judged by the auditor; and that a seed says it all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.match.replay import Difference, replay
from referee.match.values import Ending
from tests.simulation.service.drawing import draw_plan
from tests.simulation.service.games import Game
from tests.simulation.service.misdeeds import Misdeed, WorldFault
from tests.simulation.service.plans import KillPoint, Return
from tests.simulation.service.playing import play
from tests.simulation.service.tables import facts, played

_ROOT = Path(__file__).parents[2]
_SEED = "tests"


def test_nothing_is_wrong_with_thirty_matches_in_which_something_goes_wrong() -> None:
    for number in range(30):
        outcome = play(_SEED, number)
        repeat = f"repeat it: make sim SEED={_SEED} FIRST={number} N=1"
        assert not outcome.findings, f"{outcome.findings}; {repeat}"
        assert outcome.endings, repeat
        assert outcome.faults, repeat


def test_nothing_is_wrong_with_matches_to_a_target() -> None:
    for number in range(3):
        outcome = play(_SEED, number, points=True)
        repeat = f"repeat it: make sim SEED={_SEED} FIRST={number} N=1 POINTS=1"
        assert not outcome.findings, f"{outcome.findings}; {repeat}"


@pytest.mark.parametrize("game", [game for game in Game if game is not Game.TICHU])
def test_nothing_is_wrong_with_matches_of_another_game(game: Game) -> None:
    for number in range(6):
        outcome = play(_SEED, number, game=game)
        assert not outcome.findings, f"number {number} of {game}: {outcome.findings}"
        assert outcome.endings


@pytest.mark.parametrize("game", [game for game in Game if game is not Game.TICHU])
def test_the_record_of_a_faulted_match_of_another_game_replays(game: Game) -> None:
    for number in range(6):
        world = played(draw_plan(_SEED, number, game=game))
        for match_id, match in world.matches.items():
            if world.ended[match_id].ending is not Ending.STORE_FAILED:
                steps = list(replay(match.config, facts(world, match_id)))
                assert not isinstance(steps[-1], Difference), (game, number, steps[-1])


def test_the_record_of_a_faulted_match_replays() -> None:
    for number in range(40):
        world = played(draw_plan(_SEED, number))
        for match_id, match in world.matches.items():
            if world.ended[match_id].ending is not Ending.STORE_FAILED:  # it has no end
                steps = list(replay(match.config, facts(world, match_id)))
                assert not isinstance(steps[-1], Difference), (_SEED, number, steps[-1])


def test_every_fault_is_drawn() -> None:
    drawn = {fault for number in range(400) for fault in draw_plan(_SEED, number).faults}
    assert drawn == {*Misdeed, *WorldFault, *Return, *KillPoint, *Game} - {Game.TICHU}


def test_a_match_depends_on_its_seed_and_number_alone() -> None:
    first = play(_SEED, 7)
    play(_SEED, 8)
    assert play(_SEED, 7) == first
    assert play("another", 7).digest != first.digest


def _digests(hash_seed: str) -> str:
    """The digests of some matches as another process sees them."""
    program = (
        "from tests.simulation.service.playing import play\n"
        "from tests.simulation.service.__main__ import quiet\n"
        "quiet()\n"
        f"print([play({_SEED!r}, n).digest for n in range(12)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=_ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_another_process_with_another_hash_seed_sees_the_same_byte_for_byte() -> None:
    assert _digests("1") == _digests("2")

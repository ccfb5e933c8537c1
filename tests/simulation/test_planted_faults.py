"""Faults planted in the referee one by one: the auditor finds each of them."""

import re
from collections.abc import Sequence

import pytest

from tests.simulation.planted_match import MATCH_FAULTS
from tests.simulation.planted_restarts import RESTART_FAULTS, Plans, table
from tests.simulation.planted_rules import RULE_FAULTS, Plant
from tests.simulation.planted_variants import VARIANT_FAULTS
from tests.simulation.service.games import Game
from tests.simulation.service.playing import findings_of, play
from tests.simulation.service.world import SimWorld

_SEED = "planted"
_MOST = 300  # simulations in which a fault has to show
_RARE = {"equal_is_higher": 900}  # a bot has to try just that
_BROKEN = "Traceback"  # a fault that makes the referee fall over shows nothing about the auditor

pytestmark = pytest.mark.slow


def found(findings: Sequence[str]) -> list[str]:
    """Return what the auditor found, by its own codes."""
    return re.findall(r"^\S+: ([a-z_]+) at ", "\n".join(findings), re.MULTILINE)


@pytest.mark.parametrize("plant", [*RULE_FAULTS, *MATCH_FAULTS], ids=lambda plant: plant.__name__)
def test_the_auditor_finds(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    most = _RARE.get(plant.__name__, _MOST)
    for number in range(most):
        outcome = play(_SEED, number, game=Game.TICHU)
        assert _BROKEN not in "".join(outcome.findings), outcome.findings
        if found(outcome.findings):
            return
    pytest.fail(f"not found in {most} matches: {plant.__doc__}")


def test_without_a_planted_fault_it_finds_nothing() -> None:
    for number in range(_MOST // 2):
        outcome = play(_SEED, number)
        assert outcome.findings == (), f"make sim SEED={_SEED} FIRST={number} N=1"


@pytest.mark.parametrize(
    ("plant", "game"), VARIANT_FAULTS, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_the_auditor_finds_in_another_game(
    plant: Plant, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    for number in range(_MOST):
        outcome = play(_SEED, number, game=game)
        assert _BROKEN not in "".join(outcome.findings), outcome.findings
        if found(outcome.findings):
            return
    pytest.fail(f"not found in {_MOST} matches: {plant.__doc__}")


@pytest.mark.parametrize("game", Game)
def test_without_a_planted_fault_it_finds_nothing_in_any_game(game: Game) -> None:
    for number in range(_MOST // 25):
        outcome = play(_SEED, number, game=game)
        assert outcome.findings == (), f"number {number} of {game}, seed {_SEED}"


@pytest.mark.parametrize(
    ("plant", "plans"), RESTART_FAULTS, ids=lambda one: getattr(one, "__name__", "")
)
def test_the_auditor_finds_what_a_restart_or_a_new_stream_spoils(
    plant: Plant, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    for number in range(_MOST):
        plan = plans(_SEED, number)
        if plan is None:
            continue
        world = SimWorld(plan)
        world.run()
        findings = findings_of(world)
        assert _BROKEN not in "".join(findings), findings
        if found(findings):
            return
    pytest.fail(f"not found in {_MOST} plans: {plant.__doc__}")


def test_a_match_that_is_killed_and_goes_on_yields_nothing() -> None:
    for number in range(60):
        plan = table(_SEED, number)
        assert plan is not None
        world = SimWorld(plan)
        world.run()
        assert findings_of(world) == [], f"table {number} of seed {_SEED!r}"

"""Faults planted in the referee one by one: the auditor finds each of them."""

import re

import pytest

from tests.simulation.planted_match import MATCH_FAULTS
from tests.simulation.planted_rules import RULE_FAULTS, Plant
from tests.simulation.service.playing import Outcome, play

_SEED = "planted"
_MOST = 150  # matches in which a fault has to show
_BROKEN = "Traceback"  # a fault that makes the referee fall over shows nothing about the auditor

pytestmark = pytest.mark.slow


def found(outcome: Outcome) -> list[str]:
    """Return what the auditor found, by its own codes."""
    return re.findall(r"^\S+: ([a-z_]+) at ", "\n".join(outcome.findings), re.MULTILINE)


@pytest.mark.parametrize("plant", [*RULE_FAULTS, *MATCH_FAULTS], ids=lambda plant: plant.__name__)
def test_the_auditor_finds(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    for number in range(_MOST):
        outcome = play(_SEED, number)
        assert _BROKEN not in "".join(outcome.findings), outcome.findings
        if found(outcome):
            return
    pytest.fail(f"not found in {_MOST} matches: {plant.__doc__}")


def test_without_a_planted_fault_it_finds_nothing() -> None:
    for number in range(_MOST):
        outcome = play(_SEED, number)
        assert outcome.findings == (), f"make sim SEED={_SEED} FIRST={number} N=1"

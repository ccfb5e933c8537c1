"""From the flags of `referee gate` to what is to be played."""

from pathlib import Path

import pytest

from referee.cli.gate_setup import GateArguments, budget_s, plan_gate
from referee.ladder.gate_outcome import BASELINE, CANDIDATE
from referee.ladder.values import Unit
from referee.rules.errors import ConfigError


def arguments(**changes: object) -> GateArguments:
    fields = {"candidate": "greedy", "baseline": "random", **changes}
    return GateArguments(**fields)  # type: ignore[arg-type]


def refusal(**changes: object) -> str:
    with pytest.raises(ConfigError) as caught:
        plan_gate(arguments(**changes))
    return str(caught.value)


def test_a_gate_is_a_ladder_of_two_and_its_cards_are_fresh() -> None:
    plan, gate = plan_gate(arguments())
    assert [entry.name for entry in plan.entries] == [CANDIDATE, BASELINE]
    assert [entry.bots[0].name for entry in plan.entries] == ["greedy", "random"]
    assert plan.unit is Unit.BOARD
    assert not gate.practice
    assert gate.seed != plan_gate(arguments())[1].seed
    assert (gate.terms.points0, gate.terms.points1) == (0.0, 5.0)
    assert gate.budget_ns == 600_000_000_000


def test_no_worse_is_5_points_below() -> None:
    terms = plan_gate(arguments(expect="no-worse"))[1].terms
    assert (terms.points0, terms.points1) == (-5.0, 0.0)


def test_points_are_taken_as_they_are_written() -> None:
    terms = plan_gate(arguments(points0=-2.0, points1=1.0))[1].terms
    assert (terms.points0, terms.points1) == (-2.0, 1.0)


def test_a_seed_that_is_chosen_is_practice() -> None:
    assert plan_gate(arguments(seed="x"))[1].practice


def test_two_bots_of_one_label_are_two_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    plan, gate = plan_gate(arguments(candidate="mine=./new", baseline="mine=./old"))
    assert (gate.candidate.name, gate.baseline.name) == ("mine", "mine")
    assert [entry.bots[0].artefact for entry in plan.entries] == [
        (tmp_path / "new",),
        (tmp_path / "old",),
    ]
    assert gate.notes == ()


def test_the_same_command_is_said_to_be_that() -> None:
    notes = plan_gate(arguments(candidate="random"))[1].notes
    assert "the same command" in notes[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"points0": 1.0}, "--points1 is missing"),
        ({"points1": 1.0}, "--points0 is missing"),
        ({"points0": 0.0, "points1": 1.0, "expect": "better"}, "give one of the two"),
        ({"candidate": "connect:me"}, "--candidate: bot 'connect:me'"),
        ({"baseline": "./missing"}, "--baseline: bot './missing'"),
        ({"clock": "none"}, "--clock none"),
        ({"clock": "2"}, "--clock '2'"),
        ({"options": ("rounds=2",)}, "--option rounds"),
        ({"options": ("variant=trichu",)}, "--option variant"),
        ({"seed": ""}, "--seed ''"),
        ({"seed": "a\nb"}, "--seed"),
        ({"keep": Path(__file__)}, "--keep"),
        ({"keep": Path(__file__).parent}, "is not empty"),
        ({"max_boards": 1}, "--max-boards 1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(changes: dict[str, object], words: str) -> None:
    text = refusal(**changes)
    assert words in text
    assert "\n" not in text


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_budgets(text: str, seconds: float) -> None:
    assert budget_s(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "0s", "-1m", "10 m", "1h x", "999h", "1e9s"])
def test_budgets_that_are_none(text: str) -> None:
    with pytest.raises(ConfigError, match="--budget"):
        budget_s(text)

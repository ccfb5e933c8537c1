"""What CONFIG.md says of a ladder's file: a row for every key."""

import re

import pytest

from referee.cli.ladder_example import example
from referee.config.ladder_sections import (
    DEFAULT_PARALLEL,
    EntrySection,
    FinalSection,
    LadderFile,
    ScheduleSection,
    StopSection,
)
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals, Unit
from tests.repo.tree import ROOT

PAGE = (ROOT / "docs" / "CONFIG.md").read_text(encoding="utf-8")
SECTIONS = {"stop", "final", "schedule", "match", "options", "faults", "entry"}


def rows() -> dict[str, str]:
    """What stands in the rows below `A ladder`, by the keys in their first cells."""
    found = re.search(r"^## A ladder\n(.*?)(?=^## )", PAGE, re.M | re.S)
    assert found is not None
    told: dict[str, str] = {}
    for line in found[1].splitlines():
        if line.startswith("| `"):
            keys, _, meaning = line.strip("| ").partition(" | ")
            for key in re.findall(r"`(\w+)`", keys):
                told[key] = told.get(key, "") + meaning
    return told


def test_every_key_of_a_ladder_has_its_row_and_no_other() -> None:
    kinds = (LadderFile, EntrySection, StopSection, FinalSection, ScheduleSection)
    assert set(rows()) == {key for kind in kinds for key in kind.__struct_fields__} - SECTIONS


@pytest.mark.parametrize(
    ("key", "values"), [("unit", Unit), ("deals", Deals), ("kind", ScheduleKind)]
)
def test_every_value_is_named(key: str, values: type[Unit | Deals | ScheduleKind]) -> None:
    assert [value.value for value in values if f"`{value.value}`" not in rows()[key]] == []


def test_the_default_of_parallel_is_told() -> None:
    assert rows()["parallel"].endswith(f"| {DEFAULT_PARALLEL}")


def test_the_example_names_every_key_that_a_beginner_needs() -> None:
    text = example(file="x.toml", name="x", stem="x")
    named = set(re.findall(r"^(?:# )?(\w+) +?=", text, re.M))
    assert {"name", "unit", "deals", "parallel", "boards", "hours", "kind", "clock"} <= named
    assert "docs/CONFIG.md" in text

"""The page of the gate says what the command does."""

import re

from referee.app.gate import MOST_STOLEN
from referee.cli.gate import EXIT_CODES, gate
from referee.cli.gate_setup import GateArguments
from referee.ladder.gate import IMAGINED, LEAST_BOARDS, SAME_BOARDS, GateTerms
from referee.ladder.gate_forecast import FORECAST_BOARDS
from referee.ladder.gate_outcome import GateVerdict
from tests.repo.tree import ROOT

PAGE = (ROOT / "docs" / "GATE.md").read_text(encoding="utf-8")


def test_every_verdict_has_its_exit_code_on_the_page() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.M)
    assert {verdict: int(code) for code, verdict in rows} == EXIT_CODES
    assert set(EXIT_CODES) == set(GateVerdict)
    assert re.search(r"^\| 2 \| \| usage or bad input", PAGE, re.M)


def test_every_flag_is_on_the_page_and_no_other() -> None:
    flags = {name for option in gate.params for name in option.opts}
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `--"))
    named = {word for row in rows.splitlines() for word in re.findall("--[a-z0-9-]+", row[:80])}
    assert named >= flags
    assert set(re.findall("`(--[a-z0-9-]+)`", PAGE)) <= flags


def test_numbers_on_the_page_are_those_of_the_code() -> None:
    for text in (
        f"**No verdict before {LEAST_BOARDS} boards.**",
        f"each of the first {SAME_BOARDS} boards",
        f"After {FORECAST_BOARDS} boards the gate",
        f"more than {MOST_STOLEN:.0%} of the processor time".replace("%", " %"),
        f"{IMAGINED:g} points a round above and below",
        f"| {GateTerms().max_boards} |",
    ):
        assert text in re.sub(r"\s+", " ", PAGE), text


def test_defaults_of_flags_are_those_of_the_arguments() -> None:
    default = GateArguments(candidate="a", baseline="b")
    found = {}
    for option in gate.params:
        value = option.default
        if option.name in GateArguments.__struct_fields__ and isinstance(value, str | int | float):
            found[option.name] = value
    assert found == {name: getattr(default, name) for name in found}
    assert len(found) >= 7

"""The verdict of a gate as text, JSON, JUnit XML, Markdown and annotations."""

import json
import xml.etree.ElementTree as ET

import pytest

from referee.formats.gate_github import annotations, error_line, harmless
from referee.formats.gate_json import gate_json
from referee.formats.gate_junit import gate_junit
from referee.formats.gate_md import gate_md
from referee.formats.gate_text import gate_text
from referee.formats.gate_words import budget_words
from referee.ladder.gate import GateTerms
from referee.ladder.gate_forecast import GateForecast, gate_forecast
from referee.ladder.gate_outcome import GateOutcome, GateVerdict
from tests.unit.formats.gate_outcomes import HOSTILE, TERMS, faulty, outcome

TEXT = """\
accepted: 240 boards speak for 5, not 0 points a round
  candidate  new (new=./bot), sha256:aaaaaaaaaaaaa
  baseline   old
  tested     0 or +5 points a round, alpha 0.05, beta 0.05
  difference +8.12 points a round (95 %: +2.28 .. +13.97)
  boards     240: 60 won, 150 equal, 30 lost, 1 void
  ratio      +3.21, rejects at -3.04, accepts at +3.04
  time       1 min 2 s, 300 boards a minute
  seed       cafe (drawn for this gate; --seed repeats its cards)
"""


def test_the_text_of_an_accepted_candidate() -> None:
    assert gate_text(outcome()) == TEXT


def test_a_seed_that_was_chosen_is_practice() -> None:
    assert "cafe (chosen by somebody: practice)" in gate_text(outcome(practice=True))


def test_json_has_what_a_program_asks_for() -> None:
    found = json.loads(gate_json(outcome(), exit_code=0))
    assert (found["format"], found["version"]) == ("tichu-gate", 1)
    assert (found["verdict"], found["exit_code"], found["same_play"]) == ("accept", 0, False)
    assert found["boards"] == {
        "played": 240,
        "won": 60,
        "equal": 150,
        "lost": 30,
        "void": 1,
        "a_minute": 300.0,
    }
    assert found["points"]["mean"] == 8.125
    assert found["ratio"]["accepts_at"] == pytest.approx(TERMS.upper, abs=1e-4)
    assert found["seed"] == "cafe"


def test_json_of_a_gate_without_a_board_has_no_points() -> None:
    made = outcome(GateVerdict.STOPPED, boards=0, forecast=None, rate=None)
    found = json.loads(gate_json(made, exit_code=130))
    assert set(found["points"].values()) == {None}
    assert found["forecast"] is None


@pytest.mark.parametrize(
    ("verdict", "failures", "errors"),
    [
        (GateVerdict.ACCEPT, 0, 0),
        (GateVerdict.REJECT, 1, 0),
        (GateVerdict.UNDECIDED, 1, 0),
        (GateVerdict.CANDIDATE_FAULTY, 0, 1),
        (GateVerdict.BASELINE_FAULTY, 0, 1),
        (GateVerdict.MACHINE, 0, 1),
        (GateVerdict.STOPPED, 0, 1),
    ],
)
def test_junit_counts_what_it_holds(verdict: GateVerdict, failures: int, errors: int) -> None:
    suite = ET.fromstring(gate_junit(outcome(verdict)))
    assert (suite.get("failures"), suite.get("errors")) == (str(failures), str(errors))
    assert len(suite.findall("testcase/failure")) == failures
    assert len(suite.findall("testcase/error")) == errors
    assert len(suite.findall("testcase")) == int(suite.get("tests", "")) == 3


def test_the_bot_that_is_faulty_is_the_case_that_fails() -> None:
    suite = ET.fromstring(gate_junit(faulty("boom")))
    found = [case for case in suite.findall("testcase") if case.find("error") is not None]
    assert [case.get("name") for case in found] == ["candidate plays without fault"]
    assert found[0].findtext("error") == "boom"


def everything(made: GateOutcome) -> dict[str, str]:
    return {
        "text": gate_text(made),
        "junit": gate_junit(made),
        "markdown": gate_md(made),
        "annotations": "\n".join(annotations(made)),
    }


def test_text_of_strangers_moves_no_cursor_and_begins_no_line() -> None:
    for name, text in everything(faulty(HOSTILE)).items():
        assert not set("\x1b\r") & set(text), name
        assert not any(line.startswith("::error::owned") for line in text.splitlines()), name


def test_junit_of_hostile_text_is_xml() -> None:
    suite = ET.fromstring(gate_junit(faulty(HOSTILE)))
    assert "<b>&" in (suite.findtext("system-out") or "")


def test_markdown_shows_hostile_text_as_it_is() -> None:
    text = gate_md(faulty(HOSTILE))
    assert "\\<b\\>\\&" in text
    assert "<b>" not in text
    assert all(
        line.count("|") - line.count("\\|") == 3 for line in text.splitlines() if "| --" in line
    )


def test_json_of_hostile_text_can_be_read() -> None:
    found = json.loads(gate_json(faulty(HOSTILE), exit_code=4))
    assert found["said"] == [HOSTILE.replace("\ud800", "\\ud800")]  # which is no text


def test_an_annotation_is_one_line_and_holds_no_command() -> None:
    lines = list(annotations(faulty(HOSTILE)))
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("::error title=gate::")
        assert "##[" not in line
    assert "100 %25" in lines[1]


def test_only_faults_become_annotations() -> None:
    for verdict in (GateVerdict.ACCEPT, GateVerdict.REJECT, GateVerdict.UNDECIDED):
        assert list(annotations(outcome(verdict))) == []
    assert len(list(annotations(outcome(GateVerdict.MACHINE)))) == 1


def test_a_title_cannot_add_properties() -> None:
    assert error_line("a,file=x::b", "c") == "::error title=a%2Cfile=x%3A%3Ab::c"


@pytest.mark.parametrize("text", ["::error::x", "  ::set-output name=a::b", "a ##[error]b"])
def test_a_command_in_a_line_is_taken_apart(text: str) -> None:
    found = harmless(text)
    assert not found.lstrip().startswith("::")
    assert "##[" not in found
    assert found.replace("\u200b", "") == text


@pytest.mark.parametrize(
    ("left_s", "words"),
    [
        (30.0, "too short for the 200 that a verdict needs"),
        (60.0, "but not the 5 that are asked for"),
        (600.0, "asked for are 5"),
    ],
)
def test_what_the_budget_can_decide(left_s: float, words: str) -> None:
    assert words in budget_words(TERMS, forecast(TERMS, left_s=left_s))


def test_where_max_boards_is_the_limit_it_says_so() -> None:
    terms = GateTerms(max_boards=300)
    words = budget_words(terms, forecast(terms, left_s=6000.0))
    assert words.startswith("--max-boards: 300 boards fit into the budget")
    assert "more --max-boards or hypotheses" in words


def test_few_boards_that_differ_say_nothing_of_what_can_be_told() -> None:
    words = budget_words(TERMS, forecast(TERMS, left_s=600.0, unequal=1))
    assert words.endswith("cannot be said, with 1 of 20 boards unequal")


def forecast(terms: GateTerms, *, left_s: float, unequal: int = 9) -> GateForecast:
    return gate_forecast(
        terms, boards=20, unequal=unequal, mean=0.0, sigma=50.0, rate=300.0, left_s=left_s
    )


def test_an_undecided_gate_says_what_its_budget_could() -> None:
    assert "after 20 boards: the budget: " in gate_text(outcome(GateVerdict.UNDECIDED))

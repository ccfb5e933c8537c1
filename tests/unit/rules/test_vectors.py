"""The rule vectors of this repository, and that a vector which does not hold is found out."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.formats.vector_parsing import parse_line
from referee.formats.vectors import check_lines
from referee.rules.options import LATER_OPTIONS, OPTION_ROWS, options_dict

VECTORS = Path(__file__).parents[2] / "vectors"
VARIANTS = sorted((VECTORS / "handed").glob("variant_*.jsonl"))
PLAYED = sorted({*VECTORS.glob("handed/*.jsonl"), *VECTORS.glob("*.jsonl")} - {*VARIANTS})
PLAYED = [file for file in PLAYED if file.name not in ("shuffle.jsonl", "invalid.jsonl")]

# A vector is one round of a match and cannot show these; their tests are two for each value, in
# test_match_score (rounds) and test_options (direction, bomb_arbitration).
SHOWN_ELSEWHERE = {"rounds", "direction", "bomb_arbitration"}


def faults(*lines: str | bytes) -> list[str | None]:
    encoded = [line.encode() if isinstance(line, str) else line for line in lines]
    return [result.fault for result in check_lines(encoded)]


def vector(*steps: Mapping[str, object], **start: object) -> str:
    hands = {"hands": ["Mj 2j 8p", "8s 9s", "4p 4s", "5r"]}
    return json.dumps({"id": "v", "start": hands | start, "steps": steps})


@pytest.mark.parametrize("file", PLAYED, ids=lambda file: file.name)
def test_every_vector_holds(file: Path) -> None:
    with file.open("rb") as lines:
        results = list(check_lines(lines))
    assert results
    assert [result.fault for result in results if result.fault is not None] == []


def test_the_handed_vectors_are_all_there() -> None:
    counts = {file.name: len(file.read_bytes().splitlines()) for file in PLAYED}
    assert sum(counts[file.name] for file in (VECTORS / "handed").glob("[!v]*.jsonl")) == 253


@pytest.mark.parametrize("file", VARIANTS, ids=lambda file: file.name)
def test_vectors_of_the_variants_are_refused_with_the_reason(file: Path) -> None:
    with file.open("rb") as lines:
        results = list(check_lines(lines))
    assert results
    for result in results:
        assert result.invalid
        assert str(result.fault).endswith("comes with the variants; not in this release")


def test_every_invalid_line_is_named_and_stops_nothing() -> None:
    with (VECTORS / "invalid.jsonl").open("rb") as lines:
        results = list(check_lines(lines))
    assert len(results) > 140
    for number, result in enumerate(results, start=1):
        assert result.invalid
        assert str(result.fault).startswith(f"line {number}: ")


def _option_values() -> list[tuple[str, object]]:
    rows = [row for row in OPTION_ROWS.values() if row.name not in LATER_OPTIONS]
    rows = [row for row in rows if row.name not in SHOWN_ELSEWHERE]
    return [("variant", "tichu"), *((row.name, value) for row in rows for value in row.values)]


@pytest.mark.parametrize(("name", "value"), _option_values())
def test_every_value_of_every_option_has_two_vectors(name: str, value: object) -> None:
    lines = (VECTORS / "own_options.jsonl").read_text("utf-8").splitlines()
    said = [json.loads(line)["options"] for line in lines]
    assert sum(name in options and options[name] == value for options in said) >= 2


def test_the_list_of_options_is_the_table() -> None:
    names = {name for name, _ in _option_values()}
    assert names | SHOWN_ELSEWHERE | {*LATER_OPTIONS} == OPTION_ROWS.keys()


# What `check` says about vectors that do not hold


def test_an_unexpected_refusal_is_told_with_id_and_step() -> None:
    line = vector({"seat": 0, "play": "Mj"}, {"seat": 2, "play": "4p"})
    assert faults(line) == ["v step 2: expected accepted, got NOT_YOUR_TURN"]


def test_an_action_that_should_be_refused_and_is_not() -> None:
    assert faults(vector({"seat": 0, "play": "Mj", "error": "*"})) == [
        "v step 1: expected any error, got accepted"
    ]
    assert faults(vector({"seat": 0, "play": "Mj", "error": "TOO_LOW"})) == [
        "v step 1: expected TOO_LOW, got accepted"
    ]


def test_another_code_than_expected() -> None:
    line = vector({"seat": 1, "play": "8s", "error": "TOO_LOW"})
    assert faults(line) == ["v step 1: expected TOO_LOW, got NOT_YOUR_TURN"]


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"phase": "closing"}, 'expected phase "closing", got "play"'),
        ({"turn": None}, "expected turn null, got 0"),
        ({"wish": "8"}, 'expected wish "8", got null'),
        ({"out": [1]}, "expected out [1], got []"),
        ({"owner": 0}, "expected owner 0, got null"),
        ({"won_points": [0, 0, 5, 0]}, "expected won_points [0, 0, 5, 0], got [0, 0, 0, 0]"),
        ({"hands": {"1": "8s"}}, 'expected hand of seat 1 "8s", got "8s 9s"'),
        ({"scores": [5, 0]}, "expected scores [5, 0], got [0, 0]"),
        ({"round_score": [0, 0]}, "expected round_score [0, 0], got null"),
        ({"match_over": True}, "expected match_over true, got false"),
        ({"winner": 0}, "expected winner 0, got null"),
        ({"legal": {"3": ["5r"]}}, "expected legal of seat 3 with 5r, got nothing instead"),
        (
            {"legal": {"0": ["Mj", "2j", "pass"]}},
            "expected legal of seat 0 with pass, got 8p instead",
        ),
        (
            {"legal": {"0": ["Mj", "2j"]}},
            "expected legal of seat 0 with nothing more, got 8p instead",
        ),
        (
            {"legal": {"0": ["Mj", "2j", "8p", "8p"]}},
            "expected legal of seat 0 without repetition, got an entry named twice",
        ),
    ],
)
def test_a_check_that_does_not_hold(check: dict[str, object], fault: str) -> None:
    assert faults(vector({"check": check})) == [f"v step 1: {fault}"]


def test_a_phoenix_without_its_rank_is_no_entry_of_a_legal_list() -> None:
    line = vector(
        {"check": {"legal": {"0": ["8j", "Ph", "8j Ph"]}}},
        hands=["8j Ph", "2s", "3p", "4r"],
        lead=0,
    )
    assert faults(line) == [
        "v step 1: expected legal of seat 0 with Ph 8j (Ph= not said), got Ph=8 8j instead"
    ]


def test_the_first_step_that_fails_is_told() -> None:
    line = vector({"check": {"turn": 1}}, {"check": {"turn": 2}})
    assert faults(line) == ["v step 1: expected turn 1, got 0"]


def test_any_code_will_do_for_a_star() -> None:
    assert faults(vector({"seat": 1, "pass": True, "error": "*"})) == [None]


def test_a_wish_that_is_no_rank_is_a_refusal_and_no_invalid_vector() -> None:
    steps = [{"seat": 0, "play": "Mj", "wish": w, "error": "BAD_WISH"} for w in ("1", "Dr", "")]
    assert faults(vector(*steps)) == [None]


def test_a_recipient_or_card_that_does_not_exist_is_a_refusal_too() -> None:
    assert faults(
        vector({"seat": 0, "play": "2j'", "error": "CARDS_NOT_HELD"}),
        vector(
            {"seat": 0, "play": "Dr"},
            *({"seat": seat, "pass": True} for seat in (1, 2, 3)),
            {"collect": True},
            {"seat": 0, "dragon_to": 4, "error": "BAD_RECIPIENT"},
            {"seat": 0, "dragon_to": -1, "error": "BAD_RECIPIENT"},
            hands=["Dr 2j", "8s", "4p", "5r"],
            lead=0,
        ),
    ) == [None, None]


def test_no_legal_action_is_open_outside_play_and_closing() -> None:
    nothing: dict[str, object] = {"check": {"legal": {"0": [], "1": [], "2": [], "3": []}}}
    hands = ["Mj 2j 3j 4j", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r"]
    lines = [vector(nothing, hands=hands, phase=phase) for phase in ("grand", "exchange")]
    over = vector({"seat": 0, "play": "Aj"}, nothing, hands=["Aj", "3s", "", "2r"], lead=0, out=[2])
    assert faults(*lines, over) == [None, None, None]


def test_blank_lines_are_skipped_and_crlf_and_a_byte_order_mark_do_no_harm() -> None:
    good = vector({"seat": 0, "play": "Mj"})
    assert faults(b"\xef\xbb\xbf" + good.encode() + b"\r\n", "\n", "  \r\n", "", good) == [
        None,
        None,
    ]


def test_line_numbers_count_blank_lines() -> None:
    assert faults("\n", "\n", "{") == ["line 3: " + str(faults("{")[0]).removeprefix("line 1: ")]


def test_bytes_that_are_no_text_are_told() -> None:
    assert faults(b'{"id":"\xff"}', b"\xff\xfe{\x00}\x00") == [
        "line 1: not UTF-8 at byte 8",
        "line 2: not UTF-8 at byte 1",
    ]


def test_a_name_cannot_break_the_line_or_the_terminal() -> None:
    raw = json.loads(vector({"seat": 1, "play": "8s"})) | {"id": "a\nb\x1b[2J\ud800"}
    assert faults(json.dumps(raw)) == [
        "a\\nb\\x1b[2J\\ud800 step 1: expected accepted, got NOT_YOUR_TURN"
    ]


def test_a_line_of_a_megabyte_is_refused() -> None:
    assert faults(vector() + " " * (1 << 20)) == ["line 1: longer than 1048576 bytes"]


def test_all_faults_of_a_position_are_told_not_only_the_first() -> None:
    line = vector(hands=["Zz", "8s", 5, "5r"], lead=9, scores=["a"], wishes=1)
    told = str(faults(line)[0])
    for part in ('"wishes"', "'Zz'", "hands[2]", "no seat 9", "scores[0]"):
        assert part in told


def test_the_options_of_a_vector_are_those_of_its_position() -> None:
    raw = json.loads(vector()) | {"options": {"target": 500, "great_grand": True}}
    parsed = parse_line(json.dumps(raw).encode())
    assert options_dict(parsed.start.options) == {"target": 500, "great_grand": True}

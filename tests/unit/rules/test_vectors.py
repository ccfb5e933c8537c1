"""The rule vectors of this repository, and that a vector which does not hold is found out."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from referee.formats.vector_parsing import parse_line
from referee.formats.vectors import check_lines
from referee.rules.options import OPTION_ROWS, options_dict

VECTORS = Path(__file__).parents[2] / "vectors"
NOT_RULES = ("shuffle.jsonl", "invalid.jsonl", "views.jsonl", "cards.jsonl", "counts.jsonl")
FILES = sorted({*VECTORS.glob("handed/*.jsonl"), *VECTORS.glob("*.jsonl")})
FILES = [file for file in FILES if file.name not in NOT_RULES]
OWN = sorted(VECTORS.glob("own_*.jsonl"))
EVERY_NUMBER_OF_SEATS = range(5, 13)  # of Grand Seigneur


def faults(*lines: str | bytes) -> list[str | None]:
    encoded = [line.encode() if isinstance(line, str) else line for line in lines]
    return [result.fault for result in check_lines(encoded)]


def vector(*steps: Mapping[str, object], **start: object) -> str:
    hands = {"hands": ["Mj 2j 8p", "8s 9s", "4p 4s", "5r"]}
    return json.dumps({"id": "v", "start": hands | start, "steps": steps})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_vector_holds(file: Path) -> None:
    with file.open("rb") as lines:
        results = list(check_lines(lines))
    assert results
    assert [result.fault for result in results if result.fault is not None] == []


def test_the_handed_vectors_are_all_there() -> None:
    handed = sorted((VECTORS / "handed").glob("*.jsonl"))
    counts = {file.name: len(file.read_bytes().splitlines()) for file in handed}
    variants = sum(lines for name, lines in counts.items() if name.startswith("variant_"))
    assert (sum(counts.values()) - variants, variants) == (253, 100)


def test_no_two_vectors_have_the_same_id() -> None:
    ids = [json.loads(line)["id"] for file in FILES for line in file.read_bytes().splitlines()]
    assert len(ids) == len(set(ids))


def test_every_invalid_line_is_named_and_stops_nothing() -> None:
    with (VECTORS / "invalid.jsonl").open("rb") as lines:
        results = list(check_lines(lines))
    assert len(results) > 140
    for number, result in enumerate(results, start=1):
        assert result.invalid
        assert str(result.fault).startswith(f"line {number}: ")


def own_vectors() -> list[tuple[str, Mapping[str, object]]]:
    """The file and the object of every vector that was written for a value of an option."""
    lines = [(file.name, line) for file in OWN for line in file.read_text("utf-8").splitlines()]
    return [(name, json.loads(line)) for name, line in lines]


def id_of(name: str, value: object) -> str:
    """`own-OPTION-VALUE-`, which a number follows."""
    text = {None: "none", True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload]
    return f"own-{name}-{text}-".replace("_", "-")


def _option_values() -> list[tuple[str, object]]:
    values = [(row.name, value) for row in OPTION_ROWS.values() for value in row.values]
    return values + [("seats", seats) for seats in EVERY_NUMBER_OF_SEATS]


@pytest.mark.parametrize(("name", "value"), _option_values())
def test_every_value_of_every_option_has_two_vectors(name: str, value: object) -> None:
    own = [v for _, v in own_vectors() if str(v["id"]).startswith(id_of(name, value))]
    said = [v.get("options") for v in own]
    assert len([options for options in said if _names(options, name, value)]) >= 2


def _names(options: object, name: str, value: object) -> bool:
    return isinstance(options, dict) and name in options and options[name] == value


@pytest.mark.parametrize("name", OPTION_ROWS)
def test_the_page_says_in_which_file_an_option_is_shown(name: str) -> None:
    files = {file for file, v in own_vectors() if str(v["id"]).startswith(id_of(name, "")[:-1])}
    page = (VECTORS / "README.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert {file for file in (part.name for part in OWN) if f"`{file}`" in row} == files


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


# Games of more seats and two packs

SEIGNEUR: dict[str, object] = {"variant": "grand_seigneur"}


def seigneur(
    *steps: Mapping[str, object],
    options: Mapping[str, object] = MappingProxyType({}),
    **start: object,
) -> str:
    hands = ["Mj 2j 3j", "Dr 5s", "6p 7p", "Tr 9r", "Ph 6j Kj"]
    raw = {"id": "v", "options": {**SEIGNEUR, **options}, "start": {"hands": hands} | start}
    return json.dumps(raw | {"steps": steps})


def test_the_number_of_hands_is_the_number_of_seats() -> None:
    parsed = parse_line(seigneur().encode())
    assert parsed.start.options.seats == 5
    said = str(faults(seigneur(options={"seats": 7}))[0])
    assert said.endswith("hands: 5 given, 7 seats play")


def test_an_exchange_is_named_card_by_card() -> None:
    two_in_one = {"seat": 0, "exchange": ["2j 3j"], "error": "BAD_EXCHANGE"}
    none_in_one = {"seat": 0, "exchange": ["2j", ""], "error": "BAD_EXCHANGE"}
    good = {"seat": 0, "exchange": ["2j", "3j"]}
    ranks = [0, 1, 2, 3, 4]
    line = seigneur(two_in_one, none_in_one, good, phase="exchange", ranks=ranks)
    assert faults(line) == [None]


def test_a_second_phoenix_is_told_with_its_rank() -> None:
    hands = ["Ph Ph' 4j 6p", "3s", "4s", "5s", "6s", "7s", "8s"]
    expected = ["Ph", "Ph'", "4j", "6p", "4j Ph=4", "4j Ph'=4", "6p Ph=6", "6p Ph'=6"]
    expected += ["4j Ph=4 Ph'=4", "6p Ph=6 Ph'=6", "4j 6p Ph=5 Ph'=5"]
    step = {"check": {"legal": {"0": expected}}}
    options = {"gs_two_phoenix_in_combo": True}
    assert faults(seigneur(step, options=options, hands=hands, lead=0)) == [
        "v step 1: expected legal of seat 0 with Ph=1 4j 6p Ph'=1, got nothing instead"
    ]
    bare = {"check": {"legal": {"0": [*expected[:-3], "6p Ph=6 Ph'=6", "4j Ph Ph'"]}}}
    assert faults(seigneur(bare, options=options, hands=hands, lead=0)) == [
        "v step 1: expected legal of seat 0 with Ph 4j Ph' (Ph= not said), "
        "got Ph=4 4j Ph'=4 instead"
    ]


def test_without_the_dog_no_position_holds_it() -> None:
    dog = seigneur(hands=["Dg 2j", "3s", "4s", "5s", "6s", "7s", "8s"], lead=0)
    assert faults(dog) == ["line 1: start: hands[0]: Dg is not in this game's pack"]
    one = seigneur(
        options={"gs_dog": "one"}, hands=["Dg 2j", "3s", "4s", "5s", "6s", "7s", "8s"], lead=0
    )
    assert faults(one) == [None]

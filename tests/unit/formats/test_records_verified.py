import msgspec
import pytest

from referee.formats.records import read_record
from referee.formats.verification import Doubt, Verified, verify_record
from tests.unit.formats.recorded import chained, played

LINES = played()
Changed = dict[str, object]


def verdict(lines: list[bytes]) -> Verified | Doubt:
    return verify_record(read_record(lines))


def doubt(lines: list[bytes]) -> Doubt:
    found = verdict(lines)
    assert isinstance(found, Doubt), found
    return found


def forged(line: int, **changed: object) -> list[bytes]:
    """The record with one line changed and the chain made anew: only a replay can tell."""
    facts = LINES[:-1]
    value = msgspec.json.decode(facts[line - 1])
    value.update(changed)
    facts[line - 1] = msgspec.json.encode(value, order="sorted")
    return chained(facts)


def line_of(tag: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if b'"t":"%s"' % tag.encode() in line)


def test_a_true_record_is_verified_with_its_score() -> None:
    ended = msgspec.json.decode(LINES[-2])
    assert verdict(LINES) == Verified(
        rounds=1,
        totals=tuple(ended["totals"]),
        chain=msgspec.json.decode(LINES[-1])["chain"],
    )


@pytest.mark.parametrize(
    ("tag", "changed"),
    [
        ("round_ended", {"points": [100, 0]}),
        ("dealt", {"commitment": "0" * 64}),
        ("taken", {"points": 1}),
        ("played", {"cards": [4]}),
        ("match_ended", {"winner": None}),
    ],
)
def test_a_forged_fact_is_found_at_its_line(tag: str, changed: Changed) -> None:
    line = line_of(tag)
    found = doubt(forged(line, **changed))
    assert found.line == line
    assert found.why == "the record differs from what the rules give"
    assert found.expected != found.got


def test_a_forged_seed_gives_another_commitment() -> None:
    found = doubt(forged(2, seed="0" * 64))
    assert (found.line, "commitment" in found.expected) == (2, True)


def test_a_forged_header_gives_other_facts() -> None:
    head = LINES[0].replace(b'"match_id":"m-test"', b'"match_id":"m-other"')
    found = doubt(chained([head, *LINES[1:-1]]))
    assert found.line == 2


def test_an_input_that_is_left_out_is_missed() -> None:
    line = next(n for n, text in enumerate(LINES, 1) if b'"t":"answered"' in text)
    found = doubt(chained([text for n, text in enumerate(LINES[:-1], 1) if n != line]))
    assert found.line >= line


def test_a_fact_that_no_input_led_to_is_found() -> None:
    extra = b'{"at":0,"seat":0,"t":"passed"}'
    found = doubt(chained([*LINES[:2], extra, *LINES[2:-1]]))
    assert (found.line, found.why) == (3, "no input led to this fact")


def test_a_second_deal_in_a_running_round_is_no_input() -> None:
    found = doubt(chained([*LINES[:2], LINES[1], *LINES[2:-1]]))
    assert (found.line, "cannot be at this place" in found.why) == (3, True)


def test_a_record_without_trailer_is_cut() -> None:
    found = doubt(LINES[:-1])
    assert (found.line, "the trailer is missing" in found.why) == (len(LINES), True)


def test_a_record_cut_in_its_middle_does_not_end() -> None:
    at = line_of("exchanged") - 1
    found = doubt(LINES[: at + 1])
    assert "the match does not end" in found.why


def test_a_record_cut_within_the_facts_of_one_input_says_so() -> None:
    found = doubt(LINES[: line_of("exchanged") - 1])
    assert "the record ends before the facts that follow" in found.why


def test_a_chained_record_of_nothing_does_not_end() -> None:
    assert "the match does not end" in doubt(chained(LINES[:1])).why

"""`referee record export`: a decision of a record as a line of a suite."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.check.asking_lines import Asked
from referee.cli.record import record
from referee.formats.suites import parse_suite_line

GOLDEN = Path(__file__).parents[2] / "golden"
RECORD = GOLDEN / "fast.jsonl"


def export(*words: str | Path) -> Result:
    return CliRunner().invoke(record, ["export", *map(str, words)])


def shown() -> dict[int, str]:
    """What `record show` says of each decision, by its number."""
    text = CliRunner().invoke(record, ["show", str(RECORD)]).output
    return {
        int(found[1]): found[0] for found in re.finditer(r"\[decision (\d+), ask \d+: .*\]", text)
    }


def test_the_numbers_are_those_of_record_show() -> None:
    told = shown()
    assert list(told) == list(range(1, len(told) + 1))
    for number, words in told.items():
        done = export(RECORD, "--at", str(number))
        assert done.exit_code == 0, done.output
        line = json.loads(done.output)
        assert line["id"] == f"m-fast-{number}"
        chosen = line["one_of"][0]
        if line["ask"] == "call":
            assert f": {chosen}:" in words
        elif chosen in ("pass", "no_bomb"):
            assert ": pass" in words or ": no bomb" in words or ": default" in words
        elif "seat" in chosen:
            assert f"seat {chosen['seat']}" in words


def test_a_line_asks_what_was_asked_and_says_who() -> None:
    done = export(RECORD, "--at", "1", "--at", "7")
    lines = done.output.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["m-fast-1", "m-fast-7"]
    first = json.loads(lines[0])
    assert first["title"] == "m-fast round 1, decision 1, seat 0: bot 0"
    assert (first["ask"], first["seat"], first["one_of"]) == ("call", 0, ["no_grand"])
    assert not Asked(parse_suite_line(lines[1].encode())).settled


def test_of_one_seat_its_own_decisions_are_counted() -> None:
    mine = [
        line
        for number in range(1, len(shown()) + 1)
        for line in [json.loads(export(RECORD, "--at", str(number)).output)]
        if line["seat"] == 2
    ]
    assert json.loads(export(RECORD, "--at", "3", "--seat", "2").output) == mine[2]
    done = export(RECORD, "--at", str(len(mine) + 1), "--seat", "2")
    assert (done.exit_code, done.output) == (
        2,
        f"error: --at {len(mine) + 1}: seat 2 has {len(mine)} decisions\n",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: the file is empty"),
        ('{"format":"other"}', "line 1: this is no record"),
    ],
)
def test_what_is_no_record_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="ascii")
    done = export(file, "--at", "1")
    assert done.exit_code == 1
    assert said in done.output


def test_a_record_that_is_not_there_or_has_no_such_decision_is_said(tmp_path: Path) -> None:
    done = export(tmp_path / "none", "--at", "1")
    assert done.exit_code == 1
    assert "No such file" in done.output
    many = len(shown())
    done = export(RECORD, "--at", "100000")
    assert (done.exit_code, done.output) == (
        2,
        f"error: --at 100000: the record has {many} decisions\n",
    )
    assert export(RECORD, "--at", "0").exit_code == 2
    assert export(RECORD).exit_code == 2


def test_a_record_that_does_not_replay_is_named_with_its_line(tmp_path: Path) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    at = next(n for n, data in enumerate(lines) if b'"t":"played"' in data)
    lines[at] = re.sub(rb'"cards":\[\d+', b'"cards":[59', lines[at])
    file = tmp_path / "forged.jsonl"
    file.write_bytes(b"".join(lines[:-1]))  # without the trailer, whose chain would tell
    done = export(file, "--at", "100000")
    assert done.exit_code == 1
    assert f"line {at + 1}: the record does not replay" in done.output

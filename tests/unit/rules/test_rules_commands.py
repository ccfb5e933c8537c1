"""`referee rules check | explain | legal`: lines, exit status, and errors without a traceback."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import main

GOOD = '{"id":"good","start":{"hands":["Mj 2j","3s","4p","5r"]},"steps":[{"seat":0,"play":"Mj"}]}'
BAD = GOOD.replace('"good"', '"bad"').replace('"seat":0', '"seat":1')
WISH = (
    '{"hands":["Mj 2j","8s 8p 9s","4p","5r"]}',
    '{"start":{"hands":["Mj 2j","8s 8p 9s","4p","5r"]},'
    '"steps":[{"seat":0,"play":"Mj","wish":"8"}]}',
)


def rules(*words: str, stdin: bytes | None = None) -> Result:
    done = CliRunner().invoke(main, ["rules", *words], input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_check_prints_failures_and_totals_over_all_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text(f"{GOOD}\n\n{BAD}\n{{\n")
    two.write_text(f"{GOOD}\n")
    done = rules("check", str(one), str(two))
    lines = done.stdout.splitlines()
    assert lines[0] == "bad step 1: expected accepted, got CARDS_NOT_HELD"
    assert lines[1].startswith(f"{one} line 4: bad JSON: ")
    assert lines[2:] == ["2 passed, 2 failed"]
    assert done.exit_code == 1


def test_check_exits_0_when_all_passed(tmp_path: Path) -> None:
    file = tmp_path / "good.jsonl"
    file.write_text(GOOD)
    done = rules("check", str(file))
    assert (done.stdout, done.exit_code) == ("1 passed, 0 failed\n", 0)


def test_check_reads_the_standard_input() -> None:
    done = rules("check", "-", stdin=GOOD.encode())
    assert (done.stdout, done.exit_code) == ("1 passed, 0 failed\n", 0)


def test_an_empty_file_has_nothing_that_fails(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    done = rules("check", str(tmp_path / "empty.jsonl"))
    assert (done.stdout, done.exit_code) == ("0 passed, 0 failed\n", 0)
    assert done.stderr == f"{tmp_path / 'empty.jsonl'}: holds no vector\n"


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "good.jsonl"
    file.write_text(GOOD)
    done = rules("check", str(tmp_path / "none.jsonl"), str(tmp_path), str(file))
    assert "none.jsonl: No such file or directory" in done.stderr
    assert f"{tmp_path}: Is a directory" in done.stderr
    assert (done.stdout, done.exit_code) == ("1 passed, 0 failed\n", 2)


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"[" * (3 << 20) + b"\n" + GOOD.encode())
    done = rules("check", str(file))
    assert done.stdout.splitlines() == [
        f"{file} line 1: longer than 1048576 bytes",
        "1 passed, 1 failed",
    ]


def test_check_wants_a_file() -> None:
    done = rules("check")
    assert done.exit_code == 2
    assert "FILE" in done.stderr


def test_explain_says_legal() -> None:
    done = rules("explain", WISH[0], "Mj", "--wish", "8")
    assert (done.stdout, done.exit_code) == ("legal: seat 0 plays Mj\n", 0)


def test_explain_gives_code_clause_cards_and_a_cure() -> None:
    done = rules("explain", WISH[1], "9s")
    assert done.stdout.splitlines() == [
        "MUST_FULFIL_WISH (E3): seat 1 plays 9s",
        "cards: 8s 8p",
        "cure: play a combination with a natural card of the wished rank",
    ]
    assert done.exit_code == 1


def test_explain_judges_a_pass_another_seat_and_a_bad_wish() -> None:
    assert rules("explain", WISH[1], "pass").stdout.startswith("MUST_FULFIL_WISH (E3): seat 1 pas")
    assert rules("explain", WISH[1], "4p", "--seat", "2").stdout.startswith("NOT_YOUR_TURN (C1)")
    assert rules("explain", WISH[0], "Mj", "--wish", "Dr").stdout.startswith("BAD_WISH (E1)")


@pytest.mark.parametrize("prefix", ["", "@"])
def test_a_position_may_be_a_file(tmp_path: Path, prefix: str) -> None:
    file = tmp_path / "position.json"
    file.write_text(json.dumps(json.loads(WISH[1]), indent=1))
    assert rules("explain", f"{prefix}{file}", "8s").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", WISH[0], "8x"], "'8x' is no card"),
        (["explain", WISH[0], "Mj", "--seat", "7"], "there is no seat 7"),
        (["explain", '{"hands":["Zz","8s","","5r"],"lead":9}', "8s"], "there is no seat 9"),
        (["explain", "no-such-file", "8s"], "no-such-file: No such file"),
        (["legal", '{"hands":'], "bad JSON"),
        (["legal", "[1]"], "[1]: No such file"),
        (["legal", WISH[1].replace('"seat":0', '"seat":1')], "step 1 is refused: CARDS_NOT_HELD"),
        (["legal", '{"hands":["2j","8s","4p","5r"],"phase":"exchange"}'], "nobody is on turn"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_exits_2(words: list[str], message: str) -> None:
    done = rules(*words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.startswith("error: ")


def test_legal_lists_patterns_and_with_all_every_set() -> None:
    position = '{"hands":["2j","8s 8p 9s Ph","4p","5r"],"lead":1}'
    assert rules("legal", position).stdout.splitlines() == [
        "Ph",
        "8s",
        "9s",
        "Ph=8 8s",
        "8s 8p",
        "Ph=9 9s",
        "Ph=8 8s 8p",
        "Ph=9 8s 8p 9s",
    ]
    assert len(rules("legal", position, "--all").stdout.splitlines()) == 10


def test_legal_lists_pass_and_for_a_seat_not_on_turn_its_bombs() -> None:
    position = (
        '{"start":{"hands":["2j Aj","8s 2s","4p","5r 6j 6s 6p 6r"],"lead":0},'
        '"steps":[{"seat":0,"play":"Aj"}]}'
    )
    assert rules("legal", position).stdout.splitlines() == ["pass"]
    assert rules("legal", position, "--seat", "3").stdout.splitlines() == ["6j 6s 6p 6r"]


def test_help_names_every_command_and_a_typo_gets_a_hint() -> None:
    assert "bsw" in rules("--help").stdout
    wrong = rules("chek")
    assert wrong.exit_code == 2
    assert "check" in wrong.stderr

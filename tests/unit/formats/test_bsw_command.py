"""`referee rules bsw`: what it prints, where, and its exit status."""

import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.bsw import bsw
from tests.unit.formats.bsw_logs import played_round

LOG = played_round(random.Random(11))
A, B = LOG.scores
OK = f"ok {A}/{B}"
TEXT = "".join(line + "\n" for line in LOG.lines)
WRONG = TEXT.replace(f"Ergebnis: {A} -", f"Ergebnis: {A + 5} -")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(bsw, [str(argument) for argument in arguments])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "my log.tch"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_prints_a_line_a_round_and_the_sums(log: Path, tmp_path: Path) -> None:
    two_games = tmp_path / "two.txt"
    two_games.write_text(f"{TEXT}\n--END GAME--\n{TEXT}{TEXT[:-300]}", encoding="utf-8")
    done = run(log, two_games)
    assert done.stdout.splitlines() == [
        f"{log} game 1 round 1: {OK}",
        f"{two_games} game 1 round 1: {OK}",
        f"{two_games} game 2 round 1: {OK}",
        f"{two_games} game 2 round 2: UNFINISHED",
        "4 rounds: 3 ok, 0 illegal, 0 score, 1 unfinished",
    ]
    assert done.exit_code == 0


def test_a_score_that_does_not_follow_fails(log: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.tch"
    wrong.write_text(WRONG, encoding="utf-8")
    done = run(wrong, log)
    assert done.stdout.splitlines() == [
        f"{wrong} game 1 round 1: SCORE logged {A + 5}/{B}, ours {A}/{B}",
        f"{log} game 1 round 1: {OK}",
        "2 rounds: 1 ok, 0 illegal, 1 score, 0 unfinished",
    ]
    assert done.exit_code == 1


def test_an_illegal_round_fails_and_names_line_and_clause(tmp_path: Path) -> None:
    path = tmp_path / "illegal.tch"
    path.write_text(TEXT + "(1)bert: Ma\n" + TEXT, encoding="utf-8")
    done = run(path)
    first, second, sums = done.stdout.splitlines()
    line = len(LOG.lines) + 1
    assert first.startswith(f"{path} game 1 round 1: ILLEGAL line {line} F1: ")
    assert second == f"{path} game 1 round 2: {OK}"
    assert sums == "2 rounds: 1 ok, 1 illegal, 0 score, 0 unfinished"
    assert done.exit_code == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"no log\n", bytes(range(256)) * 40, b"-" * 300_000, b"\xff\xfe-\x00-\x00"],
    ids=["empty", "blank", "text", "binary", "one long line", "UTF-16"],
)
def test_a_file_without_rounds_is_named_and_the_next_is_read(
    content: bytes, log: Path, tmp_path: Path
) -> None:
    path = tmp_path / "nothing"
    path.write_bytes(content)
    done = run(path, log)
    assert f"{path}: no Brettspielwelt round in" in done.stderr
    assert done.stdout.splitlines()[0] == f"{log} game 1 round 1: {OK}"
    assert done.exit_code == 0


@pytest.mark.parametrize("name", ["Jürgen", "\N{SNOWMAN}", "\x00\x1b[31m", "x" * 70_000])
def test_any_name_in_any_encoding_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "names.tch"
    if len(name) > 10_000:  # such a line's end is passed over: only an unknown line may be so long
        path.write_text(f"{name}\n{TEXT}", encoding="utf-8")
    else:
        path.write_bytes(TEXT.replace("anna", name).encode("latin-1", errors="replace"))
    assert run(path).stdout.startswith(f"{path} game 1 round 1: {OK}\n")


def test_a_byte_order_mark_and_crlf_are_read(tmp_path: Path) -> None:
    path = tmp_path / "windows.tch"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    done = run(path)
    assert (done.stdout.splitlines()[0], done.stderr) == (f"{path} game 1 round 1: {OK}", "")


def test_lines_that_were_not_understood_are_counted_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "chat.tch"
    path.write_text(f"hello\n{TEXT}bye\n", encoding="utf-8")
    done = run(path)
    assert done.stderr == f"{path}: lines not understood: 2, the first is line 1\n"
    assert done.exit_code == 0


def test_standard_input_is_a_file_too() -> None:
    done = CliRunner().invoke(bsw, ["-"], input=TEXT)
    assert done.stdout.splitlines()[0] == f"- game 1 round 1: {OK}"


def test_options_of_the_rules_can_be_set(log: Path) -> None:
    assert run(log, "--option", "target=100").exit_code == 0
    wrong = run(log, "--option", "targt=100")
    assert wrong.exit_code == 2
    assert "targt" in wrong.stderr
    assert "did you mean target?" in wrong.stderr


def test_a_file_that_cannot_be_opened_is_named_and_the_next_is_read(
    log: Path, tmp_path: Path
) -> None:
    for path in (tmp_path / "missing", tmp_path):
        done = run(path, log)
        assert done.stderr.startswith(f"error: {path}: cannot be read: ")
        assert done.stdout.splitlines()[0] == f"{log} game 1 round 1: {OK}"
        assert done.exit_code == 2


def test_no_file_is_wrong_usage() -> None:
    assert run().exit_code == 2

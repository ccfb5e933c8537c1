from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import main
from referee.match.inputs import Fault
from referee.match.values import Ending
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.table import Table, settings
from tests.unit.formats.recorded import played, record_lines

LINES = played()


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["record", *map(str, words)])


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path / "good.jsonl", LINES)


def written(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def test_a_true_record_is_one_line_and_exit_0(good: Path) -> None:
    result = run("verify", good)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{good}: ok 1 rounds ")
    assert len(result.stdout.splitlines()) == 1
    assert len(result.stdout.split(" chain ")[1].strip()) == 12


def test_a_match_that_a_fault_ended_tells_ending_seat_blame_and_what_counts(
    tmp_path: Path,
) -> None:
    table = Table(settings(rules=RuleOptions(rounds=1)), seed="fault").start()
    table.step(Fault(seat=Seat(3), ending=Ending.FLOODED))
    file = written(tmp_path / "fault.jsonl", record_lines(table.config, table.facts))
    result = run("verify", file)
    assert result.exit_code == 0, result.stdout
    said = result.stdout.removeprefix(f"{file}: ").split(" chain ")[0]
    assert said == "ok 0 rounds 0:0 flooded seat 3 blame bot counts 400:-400"


def test_one_bad_record_among_good_ones_is_exit_1_and_the_rest_is_still_read(
    good: Path, tmp_path: Path
) -> None:
    cut = written(tmp_path / "cut.jsonl", LINES[:9])
    result = run("verify", good, cut, tmp_path / "none", tmp_path, good)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [": ok " in line for line in lines] == [True, False, False, False, True]
    assert lines[1].startswith(f"{cut}: line ")
    assert lines[2] == f"{tmp_path / 'none'}: cannot be read: No such file or directory"
    assert lines[3] == f"{tmp_path}: cannot be read: Is a directory"


def test_the_first_difference_shows_what_the_rules_give_and_what_is_written(
    tmp_path: Path,
) -> None:
    at = next(n for n, line in enumerate(LINES) if b'"t":"taken"' in line)
    edited = LINES[:-1]
    edited[at] = b'{"at":1,"points":7,"seat":0,"t":"taken"}'
    edited[at] = edited[at].replace(b'"at":1', b'"at":' + _at(LINES[at]))
    result = run("verify", written(tmp_path / "edited.jsonl", edited))
    assert result.exit_code == 1
    assert f": line {at + 1}: the record differs from what the rules give; " in result.stdout
    assert 'got {"' in result.stdout


def _at(line: bytes) -> bytes:
    return line.split(b'"at":')[1].split(b",")[0]


def test_a_line_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "long"
    with file.open("wb") as long:
        long.truncate(1 << 30)  # a gibibyte of zeros that takes no place
    result = run("verify", file)
    assert result.stdout == f"{file}: line 1: the line is longer than 65536 bytes\n"


def test_a_file_name_cannot_move_the_cursor(tmp_path: Path) -> None:
    result = run("verify", tmp_path / "a\x1b[2J")
    assert "\x1b" not in result.stdout


def test_show_prints_everything_unless_a_view_is_named(good: Path) -> None:
    everything, seat, public = (
        run("show", good),
        run("show", good, "--seat", "1"),
        run("show", good, "--public"),
    )
    assert everything.stdout == run("show", good, "--all").stdout
    assert "deal seed" in everything.stdout
    assert "deal seed" not in seat.stdout
    assert "holds  1" in seat.stdout
    assert "holds  2" not in seat.stdout
    assert "holds" not in public.stdout


def test_show_can_be_cut_to_a_round(good: Path) -> None:
    assert run("show", good, "--round", "1").stdout == run("show", good).stdout
    refused = run("show", good, "--round", "2")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "error: --round 2: the record has round 1 only\n",
    )


def test_show_says_when_a_record_is_unfinished(tmp_path: Path) -> None:
    shown = run("show", written(tmp_path / "cut.jsonl", LINES[:-1]))
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-1] == "the record is unfinished: it has no trailer"


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["--seat", "4"], "error: --seat 4: the seats are 0..3", 2),
        (["--seat", "1", "--public"], "error: --seat, --public and --all exclude each other", 2),
        (["--round", "0"], "error: --round 0: write a whole number from 1", 2),
    ],
)
def test_a_view_that_is_not_there_is_refused(
    good: Path, words: list[str], said: str, code: int
) -> None:
    result = run("show", good, *words)
    assert result.exit_code == code
    assert said in result.stderr


def test_show_tells_a_damaged_record_up_to_the_damage(tmp_path: Path) -> None:
    whole = run("show", written(tmp_path / "cut.jsonl", LINES[:40])).stdout.splitlines()[:-1]
    half = tmp_path / "half.jsonl"
    half.write_bytes(b"".join(line + b"\n" for line in LINES[:40]) + LINES[40][:20])
    shown = run("show", half)
    assert shown.exit_code == 1
    assert shown.stdout.splitlines() == whole
    assert shown.stderr.startswith(f"error: {half}: line 41: no fact: ")


def test_show_tells_a_record_whose_chain_was_changed(tmp_path: Path) -> None:
    at = next(n for n, line in enumerate(LINES) if b'"points":' in line)
    changed = [*LINES]
    changed[at] = changed[at].replace(b'"points":', b'"points":1')
    shown = run("show", written(tmp_path / "changed.jsonl", changed))
    assert shown.exit_code == 1
    assert "match completed: " in shown.stdout
    assert "unfinished" not in shown.stdout
    assert ": the chain is broken: " in shown.stderr


def test_a_record_can_come_from_the_standard_input(good: Path) -> None:
    lines = good.read_bytes()
    verified = CliRunner().invoke(main, ["record", "verify", "-"], input=lines)
    assert verified.stdout.startswith("-: ok 1 rounds ")
    shown = CliRunner().invoke(main, ["record", "show", "-"], input=lines)
    assert shown.stdout == run("show", good).stdout


def test_show_refuses_what_is_no_record(tmp_path: Path) -> None:
    result = run("show", written(tmp_path / "no.jsonl", [b"{}"]))
    assert result.exit_code == 1
    assert "line 1: this is no record" in result.stderr

"""`referee tournament` from the first file to the last round, as an organiser runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.bootstrap.ladder_folder import LadderFolder
from referee.cli.main import main
from referee.cli.tournament_setup import plan_tournament

REFEREE = (str(Path(sys.executable).parent / "referee"),)
LIMIT_S = 110
ROOT = Path(__file__).resolve().parents[2]

HEAD = """\
name = "cup"
entrants = "{entrants}"
{more}
seed = "small"

[match]
clock = "30s+60s"

[faults]
lag_limit_ms = 60000
"""
ENTRY = """
[[entry]]
name = "{name}"
owner = "{name}"
bot = "{bot}"
"""
NOT_AS = "not as when the results were taken, which stand as they were"
NAMES = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal")


def file_of(folder: Path, *, entrants: str = "single", more: str = "", number: int = 8) -> Path:
    text = HEAD.format(entrants=entrants, more=more)
    for place, name in enumerate(NAMES[:number]):
        text += ENTRY.format(name=name, bot="greedy" if place % 2 else "random")
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def referee(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*REFEREE, "tournament", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


def output(*words: str | Path) -> str:
    done = referee(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def quick(*words: str | Path) -> Result:
    """The same in this process: it starts nothing."""
    return CliRunner().invoke(main, ["tournament", *map(str, words)])


def told(*words: str | Path) -> str:
    done = quick(*words)
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_eight_singles_play_three_rounds_of_one_deal(tmp_path: Path) -> None:
    file = file_of(tmp_path, more="deals = 1\nrounds = 3")
    done = referee("run", file)
    assert done.returncode == 0, done.stderr
    assert "tables that are over: 6 of 6" in done.stderr
    assert done.stdout == output("show", file)
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    found = json.loads(output("show", file, "--format", "json"))
    assert found["over"] == found["rounds"] == 3
    assert sorted(line["entrant"] for line in found["standings"]) == list(NAMES)
    assert sum(line["score"] for line in found["standings"]) == 0
    records = sorted((tmp_path / "cup.tournament" / "records").glob("*.jsonl"))
    assert len(records) == 6
    seeds = [_board_and_seed(path) for path in records]
    assert sorted(board for board, _ in seeds) == [1, 1, 2, 2, 3, 3]
    assert len(set(seeds)) == len({seed for _, seed in seeds}) == 3  # one deal for both tables
    # played to its end: the same command has nothing to do
    again = referee("run", file)
    assert again.returncode == 0
    assert again.stdout == done.stdout
    assert len(list((tmp_path / "cup.tournament" / "records").glob("*.jsonl"))) == 6


@pytest.mark.slow
def test_what_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    file = file_of(tmp_path, more="deals = 2\nrounds = 3\nsame_deals = false\nparallel = 2")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.tournament_world", str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "1 over\n":  # and the other table of the round runs
            assert process.poll() is None
        process.kill()
    done = referee("run", file)
    assert done.returncode == 0, done.stderr
    assert "tables that are over: 6 of 6" in done.stderr
    found = json.loads(output("show", file, "--format", "json"))
    assert found["over"] == 3
    assert sum(line["score"] for line in found["standings"]) == 0
    again = referee("run", file)
    assert again.stdout == done.stdout


@pytest.mark.slow
def test_ctrl_c_stops_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    file = file_of(tmp_path, more="deals = 4\nrounds = 2")
    process = subprocess.Popen(
        [*REFEREE, "tournament", "run", str(file)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "0 of 4 tables, 2 running\n"
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    process.stderr.close()
    assert process.wait(LIMIT_S) == 130
    assert "stopped by order, the same command goes on" in rest
    done = referee("run", file)
    assert done.returncode == 0, done.stderr
    assert "tables that are over: 4 of 4" in done.stderr


@pytest.mark.slow
def test_pairs_play_for_victory_points(tmp_path: Path) -> None:
    more = 'points = "victory"\ndeals = 1\nsame_deals = false'
    file = file_of(tmp_path, entrants="pair", number=3, more=more)
    done = referee("run", file)
    assert done.returncode == 0, done.stderr
    found = json.loads(output("show", file, "--format", "json"))
    assert sum(line["score"] for line in found["standings"]) == 3 * 30
    assert [line["out"] for line in found["standings"]] == [1, 1, 1]
    assert "difference" in done.stdout
    one = output("show", file, "--round", "2")
    assert one.startswith("cup: round 2 of 3\n")


@pytest.mark.slow
def test_a_damaged_record_is_named_and_its_table_played_again_and_who_leaves_loses(
    tmp_path: Path,
) -> None:
    file = file_of(tmp_path, more="deals = 1\nrounds = 2")
    output("run", file)
    (record,) = (path for path in _records(tmp_path) if _seated(path) == (2, "ann+fay"))
    record.write_bytes(record.read_bytes() + b"\n")
    shown = quick("show", file)
    told_apart = " ".join(shown.stdout.split())
    assert f"Not proved: 1 record is {NOT_AS}: records/{record.name} is changed" in told_apart
    assert "is changed (round 2 table 1)." in told_apart
    assert f"referee tournament annul {file} {record.stem} --reason" in shown.stderr
    assert "Not proved: " in told("show", file, "--format", "md")
    found = json.loads(told("show", file, "--format", "json"))
    assert [table["proved"] for table in found["tables"]] == [True, True, False, True]
    assert "Not proved: " in found["remarks"][-1]
    head, *lines = told("show", file, "--format", "csv").splitlines()
    assert head.endswith(",unproved")
    assert sum(line.endswith(",1") for line in lines) == 4
    # the cure, and somebody leaves
    assert told("annul", file, "2/1", "--reason", "damaged") == (
        f"ruling 1: annul {record.stem}: damaged\n"
    )
    again = quick("annul", file, record.stem, "--reason", "damaged")
    assert (again.exit_code, "does not count now" in again.stderr) == (2, True)
    assert "cup: after 1 round of 2" in told("show", file)
    file.write_text(file.read_text().replace("rounds = 2", "rounds = 3"))
    told("withdraw", file, "gus", "--reason", "it is broken")
    assert "played    1 round and 2 tables; 2 tables to play" in told("run", file, "--dry-run")
    done = referee("run", file)
    assert done.returncode == 0, done.stderr
    assert "round 2 table 1: the record is changed" in done.stderr
    words = " ".join(done.stdout.split())
    assert f"round 2 table 1, match {record.stem} annulled. Reason: damaged" in words
    assert "gus withdrawn. Reason: it is broken" in words
    assert "1 table not played, since an entrant had withdrawn" in words
    assert len(_records(tmp_path)) == 6  # three of two rounds, one again, one of the third
    found = json.loads(told("show", file, "--format", "json"))
    assert [table["withdrawn"] for table in found["tables"]].count(["gus"]) == 1
    # what was played is not taken back
    file.write_text(file.read_text().replace("rounds = 3", "rounds = 2"))
    fewer = quick("show", file)
    assert fewer.exit_code == 2
    assert fewer.stderr.startswith(f"error: {file}:4: rounds: 2 are too few: round 3 has begun, ")


@pytest.mark.slow
def test_a_strategy_that_fails_at_every_ask_is_found_before_and_noted_after(tmp_path: Path) -> None:
    file = file_of(tmp_path, number=4, more="deals = 1\nrounds = 1")
    bot = tmp_path / "raising.py"
    bot.write_text(RAISING)
    text = file.read_text().replace('bot = "random"', f'bot = "{sys.executable} {bot}"', 1)
    file.write_text(text)
    checked = referee("check", file)
    assert checked.returncode == 1, checked.stderr
    verdicts = [line.split()[:2] for line in checked.stdout.splitlines()]
    assert verdicts == [["ann", "failed"], ["bob", "ok"], ["cid", "ok"], ["dot", "ok"]]
    assert "answers left to the substitute action" in checked.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup.toml", "raising.py"]
    words = " ".join(output("run", file).split())
    assert words.count("answers to the substitute action") == 1
    assert "ann left " in words


RAISING = """\
from tichu_bot import Bot, run


class Raising(Bot):
    def act(self, view):
        raise RuntimeError("always")


run(Raising)
"""


def _records(folder: Path) -> list[Path]:
    return sorted((folder / "cup.tournament" / "records").glob("*.jsonl"))


def _seated(path: Path) -> tuple[int, str]:
    """The round of a record, and who had seats 0 and 2."""
    place = json.loads(path.read_text(encoding="utf-8").splitlines()[0])["ladder"]
    return place["board"], place["sides"][0]["entry"]


def test_a_dry_run_says_who_meets_whom_and_makes_nothing(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    said = told("run", file, "--dry-run", "--rate", "7")
    assert "rounds    7 of 2 tables" in said
    assert "each two meet once as partners, twice as opponents" in said
    assert "time      2 min 0 s, at 7.0 tables a minute (as you say)" in said
    assert "round 7\n  table 1: " in said
    assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]


def test_an_example_runs_as_it_is_and_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    assert quick("init", file).exit_code == 0
    assert "entrants  8 single entries" in told("run", file, "--dry-run")
    again = quick("init", file)
    assert again.exit_code == 2
    assert "File exists" in again.stderr


def test_before_a_round_is_over_there_is_nothing_to_show(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    assert quick("show", file).exit_code == 1
    late = quick("show", file, "--round", "8")
    assert (late.exit_code, late.stderr) == (2, "error: --round 8: this tournament has 7\n")


def _board_and_seed(path: Path) -> tuple[int, str]:
    head, dealt, *_ = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return head["ladder"]["board"], dealt["seed"]


def test_what_must_stay_as_it_began_is_named_as_the_file_has_it(tmp_path: Path) -> None:
    file = file_of(tmp_path, more="deals = 1\nrounds = 1")
    plan, _ = plan_tournament(file)
    folder = LadderFolder(plan)
    folder.check_terms(folder.secret())
    file.write_text(file.read_text().replace("deals = 1", "deals = 2"), encoding="utf-8")
    changed = quick("run", file)
    assert changed.exit_code == 2
    assert "cup.toml:3: deals: changed since this tournament began (1 before" in changed.stderr

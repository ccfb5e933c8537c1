"""`referee ladder run --dry-run`: how long it takes."""

from pathlib import Path

import msgspec
import pytest

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_forecast import HOUSE_RATE, START_S, forecast_lines, unknown_records
from referee.cli.ladder_table import Known
from referee.ladder.values import Ruling, RulingKind
from referee.match.values import MS, Pace
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from tests.unit.bootstrap.ladders import AWAY, HERE, ladder


def plan_of(folder: Path, *, boards: int = 1, **changes: object) -> LadderPlan:
    plan = ladder((HERE, HERE), (HERE, HERE))
    schedule = msgspec.structs.replace(plan.schedule, boards=boards)
    return msgspec.structs.replace(
        plan, folder=folder / "cup.ladder", schedule=schedule, file=folder / "cup.toml", **changes
    )


def time_line(plan: LadderPlan, rate: float | None = None) -> str:
    (line,) = [x for x in forecast_lines(plan, None, rate=rate) if x.startswith("time ")]
    return line


def test_the_time_counts_the_start_of_every_process(tmp_path: Path) -> None:
    seconds = round(60 / HOUSE_RATE + 8 * START_S)
    assert time_line(plan_of(tmp_path)) == (
        f"time      {seconds} s, at 600 boards a minute (of house bots on two cores; --rate N says "
        "otherwise); 1 s of it to start 8 processes"
    )


def test_boards_at_once_take_more_processes_and_bots_that_dial_in_none(tmp_path: Path) -> None:
    many = plan_of(tmp_path, boards=100, parallel=4, boards_an_entry=4)
    assert time_line(many, 60.0).endswith("; 5 s of it to start 32 processes")
    few = msgspec.structs.replace(many, boards_an_entry=1)
    assert time_line(few, 60.0).endswith("; 1 s of it to start 8 processes")
    entries = ladder((AWAY, AWAY), (AWAY, AWAY)).entries
    assert "start" not in time_line(msgspec.structs.replace(many, entries=entries), 60.0)


def test_in_pace_fair_windows_are_the_time(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, boards=60)
    fair = msgspec.structs.replace(plan.settings, pace=Pace.FAIR, window_ns=500 * MS)
    line = time_line(msgspec.structs.replace(plan, settings=fair))
    assert line.startswith("time      20 min 1 s, at 3.0 boards a minute (as 40 windows a round")


def test_a_bot_that_is_not_there_is_refused(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    gone = msgspec.structs.replace(plan.entries[0], missing="cup.toml:3: there is no file ./bot")
    plan = msgspec.structs.replace(plan, entries=(gone, plan.entries[1]))
    with pytest.raises(ConfigError, match=r"^cup\.toml:3: there is no file \./bot; put it"):
        list(forecast_lines(plan, None, rate=None))
    (plan.folder / "records").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"referee ladder withdraw \S+cup\.toml e0 --reason"):
        list(forecast_lines(plan, None, rate=None))


def test_where_nothing_is_played_any_more_that_is_all_that_is_said(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    frozen = Ruling(number=1, event="cup", kind=RulingKind.FREEZE, subject="", reason="x", at="")
    known = Known(entries=(), results=(), rulings=(frozen,), practice=False, isolation="")
    lines = list(forecast_lines(plan, known, rate=None))
    assert lines == ["nothing to play: a ruling froze this ladder"]
    RulingJournal(plan.folder / "rulings.jsonl", "cup").append(RulingKind.FREEZE, "", "x")
    assert list(forecast_lines(plan, None, rate=None)) == lines  # the database was lost


def test_records_that_the_database_does_not_know_are_told(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert unknown_records(plan, None) == ""
    (plan.folder / "records").mkdir(parents=True)
    for name in ("a.jsonl", "b.jsonl", ".c.jsonl"):
        (plan.folder / "records" / name).touch()
    said = unknown_records(plan, None)
    assert said.startswith("this is without 2 records of which the database has no result: ")


def test_tls_files_that_are_not_there_are_told_before_anything_is_played(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "cup"\nlisten = ["0.0.0.0:0"]\ntls_cert = "c"\ntls_key = "k"\n')
    open_doors = plan_of(tmp_path, listen=("0.0.0.0:0",))
    with pytest.raises(ConfigError, match=r"cup\.toml:2: listen .*; write tls_cert and tls_key"):
        list(forecast_lines(open_doors, None, rate=None))
    paths = {"tls_cert": tmp_path / "c", "tls_key": tmp_path / "k"}
    plan = msgspec.structs.replace(open_doors, **paths)
    with pytest.raises(ConfigError, match=r"cup\.toml:3: tls_cert: there is no file .*/c; put it"):
        list(forecast_lines(plan, None, rate=None))
    paths["tls_cert"].touch()
    with pytest.raises(ConfigError, match=r"cup\.toml:4: tls_key: there is no file .*/k; put it"):
        list(forecast_lines(plan, None, rate=None))
    paths["tls_key"].touch()
    with pytest.raises(ConfigError, match=r"cup\.toml:3: TLS certificate .*: no certificate"):
        list(forecast_lines(plan, None, rate=None))

"""`referee ladder run --dry-run`: how long it takes."""

from pathlib import Path

import msgspec
import pytest

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_forecast import HOUSE_RATE, START_S, forecast_lines
from referee.match.values import MS, Pace
from referee.rules.errors import ConfigError
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
    with pytest.raises(ConfigError, match=r"^cup\.toml:3: there is no file \./bot$"):
        list(forecast_lines(plan, None, rate=None))
    (plan.folder / "records").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"referee ladder withdraw \S+cup\.toml e0 --reason"):
        list(forecast_lines(plan, None, rate=None))

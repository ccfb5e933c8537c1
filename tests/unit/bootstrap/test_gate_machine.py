"""How much processor time was stolen, from the counters of the system."""

from pathlib import Path

import pytest

from referee.bootstrap.gate_machine import STAT, StolenTime


def counters(path: Path, *, user: int, idle: int, steal: int) -> Path:
    rest = "cpu0 1 2 3\nctxt 4\n"
    path.write_text(f"cpu  {user} 0 0 {idle} 0 0 0 {steal} 7000 0\n{rest}", encoding="ascii")
    return path


def test_the_share_is_of_the_time_since_it_was_made(tmp_path: Path) -> None:
    stat = counters(tmp_path / "stat", user=100, idle=100, steal=5000)
    stolen = StolenTime(stat)
    assert stolen.stolen() == 0.0
    counters(stat, user=150, idle=120, steal=5030)
    assert stolen.stolen() == pytest.approx(0.3)


@pytest.mark.parametrize(
    "text", ["", "intr 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  a b c d e f g h\n"]
)
def test_counters_that_are_not_there_say_nothing(tmp_path: Path, text: str) -> None:
    stat = tmp_path / "stat"
    stat.write_text(text, encoding="ascii")
    assert StolenTime(stat).stolen() == 0.0
    assert StolenTime(tmp_path / "missing").stolen() == 0.0


def test_counters_that_go_back_steal_nothing(tmp_path: Path) -> None:
    stat = counters(tmp_path / "stat", user=100, idle=100, steal=50)
    stolen = StolenTime(stat)
    counters(stat, user=200, idle=100, steal=40)
    assert stolen.stolen() == 0.0


def test_this_machine_has_a_share() -> None:
    assert 0 <= StolenTime(STAT).stolen() <= 1

"""Settings that a match cannot have are refused before it begins."""

import pytest

from referee.match.values import MAX_TIME_NS, MS, Clock, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions


@pytest.mark.parametrize("name", ["base_ns", "bank_ns"])
def test_a_clock_counts_at_most_24_hours(name: str) -> None:
    assert getattr(Clock(**{name: MAX_TIME_NS}), name) == 24 * 3_600 * 10**9
    with pytest.raises(ConfigError, match="86400000 ms is over 24 hours; shorten it"):
        Clock(**{name: MAX_TIME_NS + 1})


@pytest.mark.parametrize(
    ("name", "least", "field"),
    [
        ("max_resends", 0, "max_resends"),
        ("max_strikes", 0, "max_strikes"),
        ("max_actions", 1, "max_actions"),
        ("max_rounds", 1, "max_rounds"),
        ("wall_per_round_ns", 1, "wall_per_round"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_with_its_name_and_the_cure(
    name: str, least: int, field: str
) -> None:
    assert getattr(Settings(rules=RuleOptions(), **{name: least}), name) == least  # type: ignore[arg-type]
    wrong = least - 1
    with pytest.raises(ConfigError, match=f"^{field}: {wrong} is too small; use {least} or more$"):
        Settings(rules=RuleOptions(), **{name: wrong})  # type: ignore[arg-type]


def test_a_block_of_the_loop_is_our_fault_from_50_ms_to_24_hours() -> None:
    assert Settings(rules=RuleOptions(), lag_limit_ns=50 * MS).lag_limit_ns == 50 * MS
    with pytest.raises(ConfigError, match=r"lag_limit: 49 ms is too short.*use 50 or more"):
        Settings(rules=RuleOptions(), lag_limit_ns=49 * MS)
    with pytest.raises(ConfigError, match="lag_limit: 86400001 ms is over 24 hours"):
        Settings(rules=RuleOptions(), lag_limit_ns=MAX_TIME_NS + MS)


def test_a_match_may_last_four_times_its_banks_and_ten_minutes_a_round() -> None:
    """PROTOCOL 5: with 60 s of bank 16 minutes of banks, and 10 for each round."""
    what = Settings(rules=RuleOptions())
    minutes = [what.wall_ns(seats=4, round_number=n) or 0 for n in (1, 2, 30)]
    assert [wall // (60_000 * MS) for wall in minutes] == [26, 36, 316]
    assert Settings(rules=RuleOptions(), clock=None).wall_ns(seats=4, round_number=1) is None


def test_a_window_lasts_at_most_24_hours() -> None:
    assert Settings(rules=RuleOptions(), clock=None, window_ns=MAX_TIME_NS).clock is None
    with pytest.raises(ConfigError, match="window: 86400001 ms is over 24 hours; use 86400000"):
        Settings(rules=RuleOptions(), clock=None, window_ns=MAX_TIME_NS + 10**6)

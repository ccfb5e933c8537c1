"""Settings that a match cannot have are refused before it begins."""

import pytest

from referee.match.values import MAX_TIME_NS, Clock, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions


@pytest.mark.parametrize("name", ["base_ns", "bank_ns"])
def test_a_clock_counts_at_most_24_hours(name: str) -> None:
    assert getattr(Clock(**{name: MAX_TIME_NS}), name) == 24 * 3_600 * 10**9
    with pytest.raises(ConfigError, match="86400000 ms is over 24 hours; shorten it"):
        Clock(**{name: MAX_TIME_NS + 1})


def test_a_window_lasts_at_most_24_hours() -> None:
    assert Settings(rules=RuleOptions(), clock=None, window_ns=MAX_TIME_NS).clock is None
    with pytest.raises(ConfigError, match="window: 86400001 ms is over 24 hours; use 86400000"):
        Settings(rules=RuleOptions(), clock=None, window_ns=MAX_TIME_NS + 10**6)

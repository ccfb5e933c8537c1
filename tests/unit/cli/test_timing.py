"""Base times and lag as they are written: what is read, and what is refused with its cure."""

import pytest

from referee.cli.timing import parse_bases, parse_clock, parse_lag, with_times
from referee.formats.times_text import time_text
from referee.match.values import MS, AskKind, Clock
from referee.rules.errors import ConfigError

SECOND = 1000 * MS


def timed(
    bases: tuple[str, ...] = (), lag: str | None = None, clock: str = "2s+60s"
) -> Clock | None:
    return with_times(
        parse_clock(clock), parse_bases(bases), None if lag is None else parse_lag(lag)
    )


def test_each_kind_of_ask_may_have_a_longer_base_time() -> None:
    clock = timed(("call=3s", "exchange=1m", "act=2500ms", "choose_seat=4.5s"))
    assert clock is not None
    assert {kind: clock.base_of(kind) // MS for kind in AskKind} == {
        AskKind.CALL: 3000,
        AskKind.EXCHANGE: 60_000,
        AskKind.ACT: 2500,
        AskKind.CHOOSE_SEAT: 4500,
        AskKind.BOMB: 2000,
    }


def test_lag_is_a_cap_and_a_quota_or_none() -> None:
    clock, none = timed(lag="150ms+3s"), timed(lag="none")
    assert clock is not None
    assert none is not None
    assert (clock.lag_cap_ns, clock.lag_quota_ns) == (150 * MS, 3 * SECOND)
    assert (none.lag_cap_ns, none.lag_quota_ns) == (Clock().lag_cap_ns, 0)
    assert timed() == Clock()


@pytest.mark.parametrize(
    "text", ["", "act", "act=", "=5s", "act=5", "bomb=5s", "turn=5s", "act=-1s", "act=5s+1s"]
)
def test_any_other_base_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_bases([text])
    assert str(refused.value) == (
        f"--base {text!r}: write KIND=TIME with a unit (ms, s, m), like exchange=5s; "
        "kinds: call, exchange, act, choose_seat"
    )


@pytest.mark.parametrize("text", ["", "0", "500ms", "500ms+", "+10s", "500+10s", "1s+1s+1s"])
def test_any_other_lag_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write CAP\+QUOTA with units .* like 500ms\+10s; or"):
        parse_lag(text)


def test_a_base_time_that_is_no_longer_one_is_refused() -> None:
    with pytest.raises(ConfigError) as refused:
        timed(("act=1999ms",))
    assert str(refused.value) == (
        "--base 'act=1999ms': below the clock's base time of 2s; lengthen it or leave it out"
    )


def test_a_kind_given_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="act is given twice; leave one out"):
        parse_bases(["act=3s", "act=4s"])


@pytest.mark.parametrize("flags", [{"bases": ("act=5s",)}, {"lag": "none"}])
def test_there_is_nothing_to_add_to_no_clock(flags: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="with the clock at none there is no time to add to"):
        timed(**flags, clock="none")  # type: ignore[arg-type]


@pytest.mark.parametrize("flags", [{"bases": ("act=1441m",)}, {"lag": "1s+1441m"}])
def test_nothing_lasts_longer_than_a_day(flags: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="over 24 hours"):
        timed(**flags)  # type: ignore[arg-type]


def test_a_time_is_written_as_it_is_read() -> None:
    assert [time_text(ns) for ns in (0, MS // 2, 40 * MS, 1500 * MS, 2 * SECOND, 60 * SECOND)] == [
        *("0s", "0.5ms", "40ms", "1500ms", "2s", "60s")
    ]

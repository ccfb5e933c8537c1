"""Clocks and times as flags and files write them."""

from referee.match.values import MS, Clock


def clock_text(clock: Clock | None) -> str:
    """Return base and bank of a clock as `--clock` takes them.

    >>> clock_text(Clock(base_ns=500 * MS, bank_ns=10_000 * MS))
    '500ms+10s'
    """
    if clock is None:
        return "none"
    return f"{time_text(clock.base_ns)}+{time_text(clock.bank_ns)}"


def time_text(duration_ns: int) -> str:
    """Return a time with its unit.

    >>> time_text(2_000 * MS), time_text(MS // 2)
    ('2s', '0.5ms')
    """
    ms = duration_ns / MS
    return f"{ms:.3f}".rstrip("0").rstrip(".") + "ms" if ms % 1000 else f"{int(ms) // 1000}s"

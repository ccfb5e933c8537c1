"""Clocks and windows as they are written on the command line and in config files."""

import re

from referee.match.values import MAX_TIME_NS, MIN_WINDOW_NS, MS, Clock
from referee.rules.errors import ConfigError

_UNITS_NS = {"ms": MS, "s": 1000 * MS, "m": 60_000 * MS}
_TIME = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)")


def parse_clock(text: str, *, named: str = "--clock") -> Clock | None:
    """Return the clock of `BASE+BANK`, None for `none`. Raises `ConfigError` for anything else.

    `named` is what the message calls it: a flag, or a key of a file.

    >>> parse_clock("500ms+10s").bank_ns
    10000000000
    """
    if text == "none":
        return None
    base, plus, bank = text.partition("+")
    base_ns, bank_ns = _time_ns(base), _time_ns(bank)
    if not plus or base_ns is None or bank_ns is None:
        raise ConfigError(
            f"{named} {text!r}: write BASE+BANK with units (ms, s, m), like 2s+60s or 500ms+10s; "
            "or none for no limit"
        )
    if base_ns == 0:
        raise ConfigError(f"{named} {text!r}: the base time must be over 0; or none for no limit")
    if max(base_ns, bank_ns) > MAX_TIME_NS:
        raise ConfigError(
            f"{named} {text!r}: a time over 24 hours (1440m); shorten it, or write none"
        )
    return Clock(base_ns=base_ns, bank_ns=bank_ns)


def _time_ns(text: str) -> int | None:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    whole, _, fraction = found[1].partition(".")
    thousandths = int(whole) * 1000 + int(fraction.ljust(3, "0"))
    return thousandths * _UNITS_NS[found[2]] // 1000


def window_ns(window_ms: int | None, *, default_ms: int, clock: Clock | None) -> int:
    """Return the length of a bomb window; one that nobody asked for gives way to a short clock."""
    if window_ms is not None:
        return window_ms * MS
    if clock is None:
        return default_ms * MS
    return max(MIN_WINDOW_NS, min(default_ms * MS, clock.base_ns // 2))

"""Clocks and windows as they are written on the command line and in config files."""

import re
from collections.abc import Sequence

import msgspec

from referee.formats.times_text import time_text
from referee.match.values import MAX_TIME_NS, MIN_WINDOW_NS, MS, AskKind, Clock
from referee.rules.errors import ConfigError

# what has a base time of its own, by the field of a clock that holds it
BASE_FIELDS = {
    AskKind.CALL: "call_ns",
    AskKind.EXCHANGE: "exchange_ns",
    AskKind.ACT: "act_ns",
    AskKind.CHOOSE_SEAT: "choose_seat_ns",
}

_UNITS_NS = {"ms": MS, "s": 1000 * MS, "m": 60_000 * MS}
_TIME = re.compile(r"(\d{1,15}(?:\.\d{1,3})?)(ms|s|m)")


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


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """A longer base time for one kind of ask; `named` is what an error calls it."""

    kind: AskKind
    base_ns: int
    named: str


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """Lag to credit an ask and a match; None: as a clock has it."""

    cap_ns: int | None
    quota_ns: int | None
    named: str


def parse_bases(texts: Sequence[str]) -> list[Base]:
    """Return the base times of `KIND=TIME` texts. Raises `ConfigError` for anything else.

    >>> [(base.kind.value, base.base_ns // MS) for base in parse_bases(["exchange=5s"])]
    [('exchange', 5000)]
    """
    found: dict[AskKind, Base] = {}
    for text in texts:
        base = _base(text)
        if base.kind in found:
            raise ConfigError(f"{base.named}: {base.kind} is given twice; leave one out")
        found[base.kind] = base
    return list(found.values())


def _base(text: str) -> Base:
    kind, equals, time = text.partition("=")
    base_ns, kinds = _time_ns(time), ", ".join(BASE_FIELDS)
    named = f"--base {text!r}"
    if not equals or kind not in list(BASE_FIELDS) or base_ns is None:
        raise ConfigError(
            f"{named}: write KIND=TIME with a unit (ms, s, m), like exchange=5s; kinds: {kinds}"
        )
    if base_ns > MAX_TIME_NS:
        raise ConfigError(f"{named}: a time over 24 hours (1440m); shorten it")
    return Base(kind=AskKind(kind), base_ns=base_ns, named=named)


def parse_lag(text: str) -> Lag:
    """Return the lag credit of `CAP+QUOTA`, or of `none`. Raises `ConfigError` for anything else.

    >>> parse_lag("none").quota_ns
    0
    """
    named = f"--lag {text!r}"
    if text == "none":
        return Lag(cap_ns=None, quota_ns=0, named=named)
    cap, plus, quota = text.partition("+")
    cap_ns, quota_ns = _time_ns(cap), _time_ns(quota)
    if not plus or cap_ns is None or quota_ns is None:
        raise ConfigError(
            f"{named}: write CAP+QUOTA with units (ms, s, m), like 500ms+10s; or none for no credit"
        )
    if max(cap_ns, quota_ns) > MAX_TIME_NS:
        raise ConfigError(f"{named}: a time over 24 hours (1440m); shorten it")
    return checked_lag(cap_ns, quota_ns, named=named)


def checked_lag(cap_ns: int | None, quota_ns: int | None, *, named: str, none: str = "none") -> Lag:
    """Return a lag credit. Raises `ConfigError` for a quota that nothing can be credited from.

    `none` is how no credit is written.
    """
    if cap_ns == 0 and quota_ns:
        raise ConfigError(
            f"{named}: with a cap of 0 no ask is credited, whatever the quota; "
            f"raise the cap, or write {none} for no credit"
        )
    return Lag(cap_ns=cap_ns, quota_ns=quota_ns, named=named)


def with_times(clock: Clock | None, bases: Sequence[Base], lag: Lag | None) -> Clock | None:
    """Return the clock with base times of their own and its lag credit.

    Raises `ConfigError` for a base time that is no longer one, and for either without a clock.
    """
    named = [base.named for base in bases] + ([lag.named] if lag is not None else [])
    if clock is None:
        if named:
            raise ConfigError(
                f"{named[0]}: with the clock at none there is no time to add to; "
                "leave it out, or set a clock"
            )
        return None
    for base in bases:
        if base.base_ns < clock.base_ns:
            raise ConfigError(
                f"{base.named}: below the clock's base time of {time_text(clock.base_ns)}; "
                "lengthen it or leave it out"
            )
    changes = {BASE_FIELDS[base.kind]: base.base_ns for base in bases}
    if lag is not None and lag.cap_ns is not None:
        changes["lag_cap_ns"] = lag.cap_ns
    if lag is not None and lag.quota_ns is not None:
        changes["lag_quota_ns"] = lag.quota_ns
    return msgspec.structs.replace(clock, **changes)


def lag_text(clock: Clock) -> str:
    """Return the lag credit of a clock as `--lag` takes it.

    >>> lag_text(Clock(lag_quota_ns=0))
    'none'
    """
    if clock.lag_quota_ns == 0:
        return "none"
    return f"{time_text(clock.lag_cap_ns)}+{time_text(clock.lag_quota_ns)}"


def window_ns(window_ms: int | None, *, default_ms: int, clock: Clock | None) -> int:
    """Return the length of a bomb window; one that nobody asked for gives way to a short clock."""
    if window_ms is not None:
        return window_ms * MS
    if clock is None:
        return default_ms * MS
    return max(MIN_WINDOW_NS, min(default_ms * MS, clock.base_ns // 2))

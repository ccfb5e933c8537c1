"""The limits of faults as they are set: `--fault NAME=VALUE`, `[faults]`, and what is in force."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec
from msgspec import inspect

from referee.app.limits import Limits
from referee.app.reception import ServiceSetup
from referee.config import FaultsSection
from referee.formats.times_text import clock_text
from referee.match.faults import Limit
from referee.match.values import MS, AskKind, Pace, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import seats

GRACE_MS = Limits().grace_ns // MS
_WINDOWS_A_ROUND = 150  # of a long round in pace fair, in which every action takes one
START_MS = ServiceSetup(server="").start_ns // MS
RESUME_GRACE_MS = ServiceSetup(server="").resume_ns // MS

# which field of the settings of a match holds a limit, and by what it is multiplied there
_OF_A_MATCH: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "max_resends": ("max_resends", 1),
        "max_strikes": ("max_strikes", 1),
        "max_actions": ("max_actions", 1),
        "max_rounds": ("max_rounds", 1),
        "wall_per_round_ms": ("wall_per_round_ns", MS),
        "lag_limit_ms": ("lag_limit_ns", MS),
    }
)


def parse_faults(texts: Sequence[str]) -> dict[str, int]:
    """Return the values of `NAME=VALUE` texts. Raises `ConfigError` that names the flag.

    >>> parse_faults(["max_strikes=3", "grace_ms=0"])
    {'max_strikes': 3, 'grace_ms': 0}
    """
    found: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        bounds = _bounds(text, name)
        if not equals or not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise ConfigError(f"--fault {text!r}: write {name}=N, N a whole number {bounds}")
        try:
            msgspec.convert({name: int(value)}, FaultsSection)
        except msgspec.ValidationError:
            raise ConfigError(f"--fault {text!r}: write a whole number {bounds}") from None
        if name in found:
            raise ConfigError(f"--fault {text!r}: {name} is given twice; leave one out")
        found[name] = int(value)
    return found


def _bounds(text: str, name: str) -> str:
    """Return what a limit may be, from the section that checks it in a file."""
    info = inspect.type_info(FaultsSection)
    assert isinstance(info, inspect.StructType)
    fields = {field.name: field.type for field in info.fields}
    if name not in fields:
        import difflib

        if name in Limits.__struct_fields__:
            raise ConfigError(
                f"--fault {text!r}: {name} is a limit of the whole process; write it into "
                "[limits] of a file of `referee serve`"
            )
        if name == Limit.CLOCK:
            raise ConfigError(f"--fault {text!r}: write --clock BASE+BANK")
        near = difflib.get_close_matches(name, fields, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(fields)}"
        raise ConfigError(f"--fault {text!r}: there is no such limit; {hint}")
    kind = fields[name]
    assert isinstance(kind, inspect.UnionType)
    (number,) = [one for one in kind.types if isinstance(one, inspect.IntType)]
    return f"from {number.ge} to {number.le}"


def with_limits(settings: Settings, faults: FaultsSection) -> Settings:
    """Return the settings of a match with the limits that were set.

    Raises `ConfigError` where honest bots would be abandoned for the rounds that they are to play
    or the time that they may use.
    """
    given = {name: getattr(faults, name) for name in _OF_A_MATCH}
    changes = {
        field: given[name] * factor
        for name, (field, factor) in _OF_A_MATCH.items()
        if given[name] is not None
    }
    limited = msgspec.structs.replace(settings, **changes)
    _refuse_no_end(limited)
    _refuse_no_time(limited)
    return limited


def _refuse_no_end(settings: Settings) -> None:
    wanted = settings.rules.rounds
    if wanted is not None and settings.max_rounds < wanted:
        raise ConfigError(
            f"max_rounds: {settings.max_rounds} is less than the {wanted} rounds of the match, "
            "which would be abandoned; lower rounds instead, or leave max_rounds out"
        )


def _refuse_no_time(settings: Settings) -> None:
    clock, wall_ns = settings.clock, settings.wall_ns(seats=seats(settings.rules), round_number=1)
    if clock is None or wall_ns is None:
        return
    cure = "write --fault wall_per_round_ms=MS, or [faults] in a file, for more"
    longest = max(clock.base_of(kind) for kind in AskKind)
    if longest >= wall_ns:
        raise ConfigError(
            f"clock: a base time of {longest // MS} ms is as long as the first round may take, "
            f"{wall_ns // MS} ms; {cure}"
        )
    if settings.pace is Pace.FAIR and settings.window_ns * _WINDOWS_A_ROUND > wall_ns:
        raise ConfigError(
            f"window: {settings.window_ns // MS} ms some {_WINDOWS_A_ROUND} times are more than "
            f"the first round may take, {wall_ns // MS} ms; shorten it, or {cure}"
        )


class LimitsInForce(msgspec.Struct, frozen=True, kw_only=True):
    """Every limit of a fault: those of a match, of the service, and of one process."""

    settings: Settings
    grace_ms: int = GRACE_MS
    start_ms: int = START_MS
    resume_grace_ms: int = RESUME_GRACE_MS
    limits: Limits = Limits()

    def value(self, limit: Limit) -> int | str:
        """Return the number of a limit, in the unit of its name; of a clock its text."""
        if limit.value in _OF_A_MATCH:
            field, factor = _OF_A_MATCH[limit.value]
            return int(getattr(self.settings, field)) // factor
        if limit is Limit.GRACE:
            return self.grace_ms
        if limit is Limit.RESUME_GRACE:
            return self.resume_grace_ms
        if limit is Limit.START:
            return self.start_ms
        if limit is Limit.CLOCK:
            return clock_text(self.settings.clock)
        return int(getattr(self.limits, limit.value))

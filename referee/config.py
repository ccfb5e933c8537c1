"""The configuration file of a referee: TOML into checked values.

A key that does not exist is refused with the nearest one that does; every error names file and
line. What the values mean together is checked where they are used.
"""

import difflib
import enum
import re
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from referee.app.limits import Limits
from referee.match.values import MAX_TIME_NS, MIN_LAG_LIMIT_NS, MS, Objective, Pace
from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS

DEFAULT_ADDRESS = "127.0.0.1:50051"

_DAY_MS = MAX_TIME_NS // MS
_HOUR_MS = 3_600_000
_MANY = 1_000_000  # more is no limit: a whole match has some 5,000 asks

_Time = Annotated[int, Meta(ge=1, le=_DAY_MS)]
_TimeOrNone = Annotated[int, Meta(ge=0, le=_DAY_MS)]
_Grace = Annotated[int, Meta(ge=0, le=_HOUR_MS)]


class MatchSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[match]`: what waiting bots play."""

    pace: Pace = Pace.FAIR
    window_ms: Annotated[int, Meta(ge=20, le=86_400_000)] | None = (
        None  # None: 500 in pace fair, 1000 in fast
    )
    clock: str = "2s+60s"  # BASE+BANK, or none
    call_ms: _Time | None = None  # longer base times of a kind of ask; None: the clock's
    exchange_ms: _Time | None = None
    act_ms: _Time | None = None
    choose_seat_ms: _Time | None = None
    lag_cap_ms: _TimeOrNone | None = None  # credited an ask; None: the default of a clock
    lag_quota_ms: _TimeOrNone | None = None  # and a match; 0: none
    objective: Objective = Objective.MATCH


class FaultsSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[faults]`: how much is too much. None: the default of a match or of the service."""

    max_resends: Annotated[int, Meta(ge=0, le=_MANY)] | None = None
    max_strikes: Annotated[int, Meta(ge=0, le=_MANY)] | None = None
    max_actions: Annotated[int, Meta(ge=1, le=_MANY)] | None = None
    wall_per_round_ms: _Time | None = None
    lag_limit_ms: Annotated[int, Meta(ge=MIN_LAG_LIMIT_NS // MS, le=_DAY_MS)] | None = None
    grace_ms: _Grace | None = None
    start_ms: Annotated[int, Meta(ge=1, le=_HOUR_MS)] | None = None


class ServeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `referee serve` does. Flags of the command line win over the file."""

    listen: tuple[str, ...] = (DEFAULT_ADDRESS,)
    tls_cert: str | None = None
    tls_key: str | None = None
    plaintext: bool = False  # off this machine without TLS
    open_identity: bool = True  # near bots without a token
    issue: tuple[str, ...] = ()  # names of bots that get a token at start
    isolation: typing.Literal["declared", "none"] = "declared"
    record_dir: str | None = "records"
    metrics_host: str = "127.0.0.1"
    metrics_port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    grace_ms: _Grace = Limits().grace_ns // MS
    seed: str | None = None  # None: drawn at start
    matches: Annotated[int, Meta(ge=1)] | None = None  # stop after so many
    parallel: Annotated[int, Meta(ge=1, le=512)] = 1  # matches of one bot at once
    log_format: typing.Literal["console", "json"] = "console"
    match: MatchSection = MatchSection()
    options: dict[str, str | int | bool] = {}  # rule options by name
    faults: FaultsSection = FaultsSection()
    limits: Limits = Limits()


def load_config(path: Path) -> ServeConfig:
    """Return the configuration in a file. Raises `ConfigError` naming file and line."""
    text = _read(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None
    for keys, cure in _unknown_keys(table, ServeConfig):
        raise ConfigError(f"{_place(path, text, keys)}: unknown key {'.'.join(keys)!r}{cure}")
    try:
        config = msgspec.convert(table, ServeConfig)
    except (msgspec.ValidationError, ConfigError) as error:
        reason, _, at = str(error).partition(" - at `$")
        keys = tuple(re.findall(r"\.(\w+)", at))
        where = f"{'.'.join(keys)}: " if keys else ""
        cured = f"{reason}{_cure(keys, reason)}"
        raise ConfigError(f"{_place(path, text, keys)}: {where}{cured}") from None
    if "grace_ns" in typing.cast(dict[str, object], table.get("limits", {})):
        raise ConfigError(
            f"{_place(path, text, ('limits', 'grace_ns'))}: limits.grace_ns: write grace_ms, "
            "in milliseconds, above the first section"
        )
    if "grace_ms" in table and config.faults.grace_ms is not None:
        raise ConfigError(
            f"{_place(path, text, ('faults', 'grace_ms'))}: faults.grace_ms: grace_ms above the "
            "first section is the same setting; leave one of them out"
        )
    return config


def place_in(path: Path, *keys: str) -> str:
    """Return `file:line` of a key in a configuration file, or "" where the file has no such key."""
    place = _place(path, _read(path), keys)
    return "" if place == str(path) else place


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text") from None


def _cure(keys: tuple[str, ...], reason: str) -> str:
    """Return what to write instead, where the reason does not say it."""
    kind = _kind_of(keys)
    if reason.startswith("Invalid enum value"):
        allowed = typing.get_args(kind)  # of a Literal
        if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
            allowed = tuple(str(member) for member in kind)
        return f"; write one of {', '.join(map(repr, allowed))}"
    if reason.startswith("Expected `array`, got"):
        return f'; write {keys[-1]} = ["..."]'
    return ""


def _kind_of(keys: tuple[str, ...]) -> object:
    kind: object = ServeConfig
    for key in keys:
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            return None
        kind = {field.name: field.type for field in msgspec.structs.fields(kind)}.get(key)
    return kind


_SECTIONS: dict[str, typing.Iterable[str]] = {
    "match": MatchSection.__struct_fields__,
    "options": OPTION_ROWS,
    "faults": FaultsSection.__struct_fields__,
    "limits": Limits.__struct_fields__,
}
_FLAGS_ONLY = {
    "once": "matches = 1",
    "option": "[options]",
    "window": "[match] window_ms",
    "base": "[match] call_ms, exchange_ms, act_ms or choose_seat_ms",
    "lag": "[match] lag_cap_ms and lag_quota_ms",
    "fault": "[faults]",
}


def _unknown_keys(
    table: dict[str, object], kind: type[msgspec.Struct], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each key that does not exist, with its cure or an empty text."""
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in table.items():
        keys = (*above, key)
        if key not in fields:
            yield keys, _hint(key, fields, above)
        elif isinstance(value, dict):
            inner = fields[key]
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                yield from _unknown_keys(value, inner, keys)
            elif key == "options":
                unknown = [name for name in value if name not in OPTION_ROWS]
                yield from (((*keys, name), _hint(name, OPTION_ROWS, keys)) for name in unknown)


def _hint(key: str, valid: typing.Iterable[str], above: tuple[str, ...]) -> str:
    """A key in the wrong place is told its place, any other the nearest that exists."""
    for section, names in _SECTIONS.items():
        if key in names and above != (section,):
            return f"; it belongs into a section: [{section}] {key}"
    if above and key in ServeConfig.__struct_fields__:
        return f"; it belongs above the first section: {key}"
    if key in _FLAGS_ONLY:
        return f"; write {_FLAGS_ONLY[key]}"
    near = _nearest(key, valid)
    return f"; did you mean {near!r}?" if near else ""


def _nearest(key: str, valid: typing.Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(key, list(valid), n=1)), "")


def _place(path: Path, text: str, keys: tuple[str, ...]) -> str:
    """Return `file:line` of a key, or the file alone where the line cannot be told."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if keys and table == keys:
                return f"{path}:{number}"
        elif entry := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            named = (*table, *(part.strip("\"'") for part in entry[1].split(".")))
            if keys and named == keys[: len(named)]:
                return f"{path}:{number}"
    return str(path)

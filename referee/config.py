"""The configuration file of a referee: TOML into checked values.

A key that does not exist is refused with the nearest one that does; every error names file and
line. What the values mean together is checked where they are used.
"""

import difflib
import re
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, inspect

from referee.app.limits import Limits
from referee.match.values import MAX_TIME_NS, MIN_LAG_LIMIT_NS, MS, Objective, Pace
from referee.ports import Durability
from referee.rules.errors import ConfigError
from referee.rules.options import MAX_ROUNDS, OPTION_ROWS

DEFAULT_ADDRESS = "127.0.0.1:50051"
STORE_NAME = "referee.db"

_DAY_MS = MAX_TIME_NS // MS
_HOUR_MS = 3_600_000
_SHOWN_CHARS = 60  # of a value in an error
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
    max_rounds: Annotated[int, Meta(ge=1, le=MAX_ROUNDS)] | None = None
    wall_per_round_ms: _Time | None = None
    lag_limit_ms: Annotated[int, Meta(ge=MIN_LAG_LIMIT_NS // MS, le=_DAY_MS)] | None = None
    grace_ms: _Grace | None = None
    resume_grace_ms: _Grace | None = None
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
    store: str | None = None  # None: STORE_NAME in the folder of the records
    durability: Durability = Durability.PROCESS
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
        # with a last line break, or what is wrong in the last line is "at end of document"
        table = tomllib.loads(f"{text}\n")
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_no_toml(path, text, str(error))) from None
    for keys, cure in _unknown_keys(table, ServeConfig):
        raise ConfigError(f"{_place(path, text, keys)}: unknown key {'.'.join(keys)!r}{cure}")
    try:
        config = msgspec.convert(table, ServeConfig)
    except msgspec.ValidationError as error:
        keys = tuple(re.findall(r"\.(\w+)", str(error).partition(" - at `$")[2]))
        if keys == ("options",) and isinstance(table["options"], dict):  # any of its values
            keys += tuple(n for n, v in table["options"].items() if not isinstance(v, str | int))[
                :1
            ]
        cure = _cure(keys, _value_at(table, keys))
        raise ConfigError(f"{_place(path, text, keys)}: {'.'.join(keys)}: {cure}") from None
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


def _no_toml(path: Path, text: str, reason: str) -> str:
    """Return where and why a text is no TOML; a key or section that is there twice is named."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", reason, re.DOTALL)
    if found is None:
        return f"{path}: this is no TOML: {reason}"
    what, number = found[1], int(found[2])
    line = text.splitlines()[number - 1].strip()
    if what.startswith(("Cannot overwrite", "Cannot declare")):
        named = line if line.startswith("[") else line.partition("=")[0].strip()
        return f"{path}:{number}: {named} is there twice; leave one out"
    return f"{path}:{number}: this is no TOML: {what[:1].lower()}{what[1:]}"


def _value_at(table: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _cure(keys: tuple[str, ...], value: object) -> str:
    """Return what to write for a key, and what is written."""
    kind = _kind_of(keys)
    if isinstance(kind, inspect.StructType) and isinstance(value, list):
        return f"write [{'.'.join(keys)}], with single brackets"
    shown = msgspec.json.encode(value, enc_hook=str).decode()  # dates are the only others
    shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}..."
    return f"write {_allowed(kind, keys[-1])}, not {shown}"


def _allowed(kind: inspect.Type | None, key: str) -> str:
    """Return what a value of a type may be, in the words of a person who writes the file."""
    match kind:
        case inspect.IntType(ge=least, le=most):
            bounds = "" if least is None else f" from {least}"
            return f"a whole number{bounds}" + ("" if most is None else f" to {most}")
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(repr, values))}"
        case inspect.EnumType(cls=members):
            return f"one of {', '.join(repr(member.value) for member in members)}"
        case inspect.VarTupleType():
            return f'a list of texts, {key} = ["..."]'
        case inspect.StructType() | inspect.DictType():
            return f"a section, [{key}]"
        case inspect.StrType():
            return "a text in quotes"
        case _:
            return "a number, true, false or a text in quotes"


def _kind_of(keys: tuple[str, ...]) -> inspect.Type | None:
    """Return the type of a key; of one that may be left out the type that it has when it is not."""
    kind: inspect.Type | None = inspect.type_info(ServeConfig)
    for key in keys:
        if not isinstance(kind, inspect.StructType):
            return None
        kind = next((field.type for field in kind.fields if field.name == key), None)
        if isinstance(kind, inspect.UnionType):
            (kind,) = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
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
    if near := _nearest(key, valid):
        return f"; did you mean {near!r}?"
    for section, names in _SECTIONS.items():
        if above != (section,) and (near := _nearest(key, names)):
            return f"; did you mean [{section}] {near}?"
    if above == ("options",):
        return "; `referee rules show` lists them"
    return f"; there are {', '.join(valid)}"


def _nearest(key: str, valid: typing.Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(key, list(valid), n=1)), "")


def _place(path: Path, text: str, keys: tuple[str, ...]) -> str:
    """Return `file:line` of a key, or the file alone where the line cannot be told."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?([^\[\]]+)\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if keys and table == keys:
                return f"{path}:{number}"
        elif entry := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            named = (*table, *(part.strip("\"'") for part in entry[1].split(".")))
            if keys and named == keys[: len(named)]:
                return f"{path}:{number}"
    return str(path)

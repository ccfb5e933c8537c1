"""The configuration file of `referee serve`."""

import typing
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from referee.app.limits import Limits
from referee.config.sections import FaultsSection, Grace, MatchSection
from referee.config.toml_file import FileKind, TomlFile
from referee.match.values import MS
from referee.ports import Durability

DEFAULT_ADDRESS = "127.0.0.1:50051"
STORE_NAME = "referee.db"
MOST_DELAY = 1_000  # tricks


class ServeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `referee serve` does. Flags of the command line win over the file."""

    listen: tuple[str, ...] = (DEFAULT_ADDRESS,)
    tls_cert: str | None = None
    tls_key: str | None = None
    plaintext: bool = False  # off this machine without TLS
    open_identity: bool = True  # near bots without a token
    issue: tuple[str, ...] = ()  # names of bots that get a token at start
    database: str | None = None  # whose tokens are let in: `referee token create`
    ladders: tuple[str, ...] = ()  # files of ladders whose tables are published
    # watchers are so many tricks behind
    watch_delay: Annotated[int, Meta(ge=0, le=MOST_DELAY)] = 1
    lobby: bool = True  # False: matches begin by CreateMatch alone
    isolation: typing.Literal["declared", "none"] = "declared"
    record_dir: str | None = "records"
    store: str | None = None  # None: STORE_NAME in the folder of the records
    durability: Durability = Durability.PROCESS
    metrics_host: str = "127.0.0.1"
    metrics_port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    grace_ms: Grace = Limits().grace_ns // MS
    seed: str | None = None  # None: drawn at start
    matches: Annotated[int, Meta(ge=1)] | None = None  # stop after so many
    parallel: Annotated[int, Meta(ge=1, le=512)] = 1  # matches of one bot at once
    log_format: typing.Literal["console", "json"] = "console"
    match: MatchSection = MatchSection()
    options: dict[str, str | int | bool] = {}  # rule options by name
    faults: FaultsSection = FaultsSection()
    limits: Limits = Limits()


_KIND = FileKind(
    root=ServeConfig,
    flags_only={
        "once": "matches = 1",
        "option": "[options]",
        "window": "[match] window_ms",
        "base": "[match] call_ms, exchange_ms, act_ms or choose_seat_ms",
        "lag": "[match] lag_cap_ms and lag_quota_ms",
        "fault": "[faults]",
        "ladder": "ladders",
    },
)


def load_config(path: Path) -> ServeConfig:
    """Return the configuration in a file. Raises `ConfigError` naming file and line."""
    file = TomlFile.read(path, _KIND)
    config = file.convert(ServeConfig)
    if file.has("limits", "grace_ns"):
        raise file.error(
            "write grace_ms, in milliseconds, above the first section", "limits", "grace_ns"
        )
    if file.has("grace_ms") and config.faults.grace_ms is not None:
        raise file.error(
            "grace_ms above the first section is the same setting; leave one of them out",
            "faults",
            "grace_ms",
        )
    return config

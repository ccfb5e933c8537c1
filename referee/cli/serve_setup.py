"""From the configuration file and flags of `referee serve` to what it does. Flags win."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from referee.cli.fault_limits import (
    RESUME_GRACE_MS,
    START_MS,
    LimitsInForce,
    parse_faults,
    with_limits,
)
from referee.cli.match_section import FileSource, bases_of, lag_of, rules_of
from referee.cli.rule_flags import rules_given
from referee.cli.timing import parse_bases, parse_clock, parse_lag, window_ns, with_times
from referee.config import STORE_NAME, MatchSection, ServeConfig, load_config
from referee.match.values import Clock, Pace, Settings, rounds_cap
from referee.rules.errors import ConfigError

_WINDOW_MS = {Pace.FAIR: 500, Pace.FAST: 1_000}  # PROTOCOL 4: for bots that dial in


class ServeArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The command line as it was written; None and () where nothing was.

    `flags` are keys of the file's top level, by name.
    """

    config_file: Path | None = None
    variant: str | None = None
    rounds: int | None = None
    target: int | None = None
    options: tuple[str, ...] = ()
    pace: str | None = None
    window_ms: int | None = None
    clock: str | None = None
    bases: tuple[str, ...] = ()
    lag: str | None = None
    faults: tuple[str, ...] = ()
    grace: float | None = None  # seconds that matches go on after a signal
    flags: Mapping[str, object] = {}


class ServePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to serve."""

    config: ServeConfig
    in_force: LimitsInForce

    @property
    def settings(self) -> Settings:
        """The settings of every match."""
        return self.in_force.settings

    @property
    def store(self) -> Path:
        """The file that facts lie in."""
        return Path(self.config.store or Path(self.config.record_dir or "", STORE_NAME))


def plan_serve(arguments: ServeArguments) -> ServePlan:
    """Return the plan. Raises `ConfigError` that names file and line, or the flag, and the cure."""
    _check_grace(arguments.grace)
    file, flags = arguments.config_file, arguments.flags
    rules = rules_given(
        arguments.options,
        variant=arguments.variant,
        rounds=arguments.rounds,
        target=arguments.target,
    )
    source = FileSource(file, _named(arguments, rules))
    config = load_config(file) if file is not None else ServeConfig()
    config = _replaced(
        config,
        match=_replaced(config.match, **_match_flags(arguments)),
        faults=_replaced(config.faults, **_fault_flags(arguments)),
        **flags,
    )
    _check_texts(config, source)
    settings = _settings(config, rules, source, arguments)
    return ServePlan(config=config, in_force=_in_force(config, settings))


def _in_force(config: ServeConfig, settings: Settings) -> LimitsInForce:
    faults = config.faults
    grace_ms, start_ms, resume_ms = faults.grace_ms, faults.start_ms, faults.resume_grace_ms
    return LimitsInForce(
        settings=settings,
        grace_ms=config.grace_ms if grace_ms is None else grace_ms,
        start_ms=START_MS if start_ms is None else start_ms,
        resume_grace_ms=RESUME_GRACE_MS if resume_ms is None else resume_ms,
        limits=config.limits,
    )


def _check_grace(seconds: float | None) -> None:
    if seconds:
        raise ConfigError(
            f"--grace {seconds:g}: in this release running matches end at a signal and cannot be "
            "played on; write --grace 0, or leave it out"
        )


def _fault_flags(arguments: ServeArguments) -> dict[str, object]:
    faults, grace_ms = parse_faults(arguments.faults), arguments.flags.get("grace_ms")
    if grace_ms is None:
        return {**faults}
    if "grace_ms" in faults:
        raise ConfigError("--grace-ms and --fault grace_ms are the same; leave one of them out")
    return {**faults, "grace_ms": grace_ms}


def _match_flags(arguments: ServeArguments) -> dict[str, object]:
    return {
        "pace": arguments.pace and Pace(arguments.pace),
        "window_ms": arguments.window_ms,
        "clock": arguments.clock,
    }


def _named(arguments: ServeArguments, rules: Mapping[str, object]) -> list[str]:
    """Return every key that a flag set: the file is not to blame for it."""
    texts = {**_match_flags(arguments), **arguments.flags}
    return [*rules, *(key for key, value in texts.items() if value not in (None, ()))]


def _check_texts(config: ServeConfig, source: "FileSource") -> None:
    """Raise `ConfigError` for a name or seed that cannot be meant."""
    for number, name in enumerate(config.issue):
        if not name or not name.isprintable() or " " in name:
            raise ConfigError(
                f"{source.at('issue')}issue {name!r}: a name is a word, without blanks"
            )
        if name in config.issue[:number]:
            raise ConfigError(
                f"{source.at('issue')}issue {name!r}: given twice; each bot needs its own name"
            )
    if config.store is not None and not config.store:
        raise ConfigError(f"{source.at('store')}store: no file is named; name one, or leave it out")
    if config.seed is not None and not config.seed:
        raise ConfigError(
            f"{source.at('seed')}seed: the text is empty; write any text, or leave it out"
        )


_S = TypeVar("_S", bound=msgspec.Struct)


def _replaced(values: _S, **changes: object) -> _S:
    return msgspec.structs.replace(
        values, **{name: value for name, value in changes.items() if value is not None}
    )


def _settings(
    config: ServeConfig, given: dict[str, object], source: FileSource, arguments: ServeArguments
) -> Settings:
    match, rules = config.match, rules_of(config.options, given, source)
    clock = _clock(match, source, arguments)
    try:
        settings = Settings(
            rules=rules,
            pace=match.pace,
            window_ns=window_ns(match.window_ms, default_ms=_WINDOW_MS[match.pace], clock=clock),
            clock=clock,
            objective=match.objective,
            max_rounds=rounds_cap(rules),
        )
    except ConfigError as error:
        at = source.at("match", "window_ms") or source.at("match", "clock")
        raise ConfigError(f"{at}{error}") from None
    return with_limits(settings, config.faults)


def _clock(match: MatchSection, source: FileSource, arguments: ServeArguments) -> Clock | None:
    at = source.at("match", "clock")
    try:
        clock = parse_clock(match.clock, named="match.clock" if at else "--clock")
    except ConfigError as error:
        raise ConfigError(f"{at}{error}") from None
    bases, lag = parse_bases(arguments.bases), None
    if arguments.lag is not None:
        lag = parse_lag(arguments.lag)
    if clock is not None or at:  # a flag says none: what the file adds to its clock goes with it
        kinds = [base.kind for base in bases]
        bases += [base for base in bases_of(match, source) if base.kind not in kinds]
        lag = lag or lag_of(match, source)
    return with_times(clock, bases, lag)


def refuse_closed_house(plan: ServePlan, arguments: ServeArguments) -> None:
    """Raise `ConfigError` if no bot could ever come in: none without a token, and no token."""
    config = plan.config
    if not config.open_identity and not config.issue and config.database is None:
        at = FileSource(arguments.config_file, ()).at("open_identity")
        raise ConfigError(
            f"{at}open_identity is false and no token is issued, so that nobody can come in; "
            'write issue = ["NAME", ...], or --issue NAME, or a database with tokens'
        )

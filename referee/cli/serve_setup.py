"""From the configuration file and flags of `referee serve` to what it does. Flags win."""

import re
from collections.abc import Mapping, Sequence
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
from referee.cli.rule_flags import rules_given
from referee.cli.timing import (
    BASE_FIELDS,
    Base,
    Lag,
    checked_lag,
    parse_bases,
    parse_clock,
    parse_lag,
    window_ns,
    with_times,
)
from referee.config import STORE_NAME, MatchSection, ServeConfig, load_config, place_in
from referee.match.values import MS, Clock, Pace, Settings, rounds_cap
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions, parse_options

_WINDOW_MS = {Pace.FAIR: 500, Pace.FAST: 1_000}  # PROTOCOL 4: for bots that dial in


class ServeArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The command line as it was written; None and () where nothing was.

    `flags` are keys of the file's top level, by name.
    """

    config_file: Path | None = None
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
    rules = rules_given(arguments.options, rounds=arguments.rounds, target=arguments.target)
    source = _Source(file, _named(arguments, rules))
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


def _check_texts(config: ServeConfig, source: "_Source") -> None:
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


class _Source:
    """Where values came from: a flag wins over the file."""

    def __init__(self, file: Path | None, flags: Sequence[str]) -> None:
        self._file = file
        self._flags = flags

    def at(self, *keys: str) -> str:
        """Return `file:line: ` for a value of the file, "" for one of a flag or none at all."""
        if self._file is None or keys[-1] in self._flags:
            return ""
        place = place_in(self._file, *keys)
        return f"{place}: " if place else ""


def _settings(
    config: ServeConfig, given: dict[str, object], source: _Source, arguments: ServeArguments
) -> Settings:
    match, rules = config.match, _rules(config.options, given, source)
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


def _clock(match: MatchSection, source: _Source, arguments: ServeArguments) -> Clock | None:
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
        bases += [base for base in _bases_of(match, source) if base.kind not in kinds]
        lag = lag or _lag_of(match, source)
    return with_times(clock, bases, lag)


def _bases_of(match: MatchSection, source: _Source) -> list[Base]:
    found = []
    for kind in BASE_FIELDS:
        key = f"{kind}_ms"
        base_ms = getattr(match, key)
        if base_ms is not None:
            named = f"{source.at('match', key)}match.{key}"
            found.append(Base(kind=kind, base_ns=base_ms * MS, named=named))
    return found


def _lag_of(match: MatchSection, source: _Source) -> Lag | None:
    cap, quota = match.lag_cap_ms, match.lag_quota_ms
    if cap is None and quota is None:
        return None
    key = "lag_quota_ms" if cap is None else "lag_cap_ms"
    return checked_lag(
        None if cap is None else cap * MS,
        None if quota is None else quota * MS,
        named=f"{source.at('match', key)}match.{key}",
        none="lag_quota_ms = 0",
    )


def _rules(options: Mapping[str, object], given: dict[str, object], source: _Source) -> RuleOptions:
    for name, value in options.items():
        try:
            parse_options({name: value})
        except ConfigError as error:
            raise ConfigError(f"{source.at('options', name)}{error}") from None
    try:
        return parse_options({**options, **given})
    except ConfigError as error:
        raise ConfigError(_contradiction(str(error), options, given, source)) from None


def _contradiction(
    text: str, options: Mapping[str, object], given: dict[str, object], source: _Source
) -> str:
    """Return the refusal of two options with the place of either: a line of the file, a flag."""
    what = text.partition(":")[0]
    named = [name for name in (*options, *given) if re.search(rf"\b{name}\b", what)]
    at = next((source.at("options", name) for name in named if name not in given), "")
    flags = [name for name in given if name in named]
    return f"{at}{text}" + (f" ({' and '.join(flags)} by a flag)" if at and flags else "")


def refuse_closed_house(plan: ServePlan, arguments: ServeArguments) -> None:
    """Raise `ConfigError` if no bot could ever come in: none without a token, and no token."""
    if not plan.config.open_identity and not plan.config.issue:
        at = _Source(arguments.config_file, ()).at("open_identity")
        raise ConfigError(
            f"{at}open_identity is false and no token is issued, so that nobody can come in; "
            'write issue = ["NAME", ...], or --issue NAME'
        )

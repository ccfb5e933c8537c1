"""`[match]` and `[options]` of a file as what matches are played like; errors name the line."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.cli.timing import BASE_FIELDS, Base, Lag, checked_lag
from referee.config import place_in
from referee.config.sections import TimesSection
from referee.match.values import MS
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions, parse_options


class FileSource:
    """Where values came from: a flag wins over the file."""

    def __init__(self, file: Path | None, flags: Sequence[str]) -> None:
        self._file = file
        self._flags = flags

    def at(self, *keys: str | int) -> str:
        """Return `file:line: ` for a value of the file, "" for one of a flag or none at all."""
        if self._file is None or keys[-1] in self._flags:
            return ""
        place = place_in(self._file, *keys)
        return f"{place}: " if place else ""


def bases_of(match: TimesSection, source: FileSource) -> list[Base]:
    """Return the longer base times of a section."""
    found = []
    for kind in BASE_FIELDS:
        key = f"{kind}_ms"
        base_ms = getattr(match, key)
        if base_ms is not None:
            named = f"{source.at('match', key)}match.{key}"
            found.append(Base(kind=kind, base_ns=base_ms * MS, named=named))
    return found


def lag_of(match: TimesSection, source: FileSource) -> Lag | None:
    """Return the lag credit of a section, None where it says none. Raises `ConfigError`."""
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


def rules_of(
    options: Mapping[str, object], given: dict[str, object], source: FileSource
) -> RuleOptions:
    """Return the rules of `[options]` and of flags, which win. Raises `ConfigError`."""
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
    text: str, options: Mapping[str, object], given: dict[str, object], source: FileSource
) -> str:
    """Return the refusal of two options with the place of either: a line of the file, a flag."""
    what = text.partition(":")[0]
    named = [name for name in (*options, *given) if re.search(rf"\b{name}\b", what)]
    at = next((source.at("options", name) for name in named if name not in given), "")
    flags = [name for name in given if name in named]
    return f"{at}{text}" + (f" ({' and '.join(flags)} by a flag)" if at and flags else "")

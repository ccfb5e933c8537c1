"""From a ladder's file to what is to be played. No process, no socket, no clock."""

import importlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chaos import CHAOS
from referee.bootstrap.ladder_plan import (
    BotPlan,
    EntryPlan,
    LadderPlan,
    SchedulePlan,
    StopPlan,
    bots_of_entry,
)
from referee.bootstrap.setup import Isolation
from referee.cli.fault_limits import GRACE_MS, START_MS, with_limits
from referee.cli.match_section import FileSource, bases_of, lag_of, rules_of
from referee.cli.timing import parse_clock, window_ns, with_times
from referee.config.ladder import load_ladder
from referee.config.ladder_sections import EntrySection, LadderFile
from referee.config.names import NAME_RULE, is_name
from referee.ladder.final import FinalRule
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Unit
from referee.launch.spec import BotSpec, parse_bot, path_from, split_label
from referee.match.values import Clock, Pace, Settings, rounds_cap
from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant
from referee.store.ladder.address import SqliteFile, database_of, sqlite_url
from tichu_bot import HOUSE

OURS: Mapping[str, str] = {**HOUSE, **CHAOS}  # modules of bots by their names

DATABASE = "ladder.db"  # in the folder of a ladder, unless its file names another
_NONE = re.compile(r"[;,] or (write )?none( for no limit)?$")  # advice to have no clock
_STARTED_MS = 50  # a fair window for bots of this machine; PROTOCOL 4
_DIALLED_MS = 500
_FAST_MS = 1_000


def plan_ladder(path: Path, *, database: str | None = None) -> LadderPlan:
    """Return the plan of a ladder's file. Raises `ConfigError` naming line or key, and the cure.

    `database` wins over that of the file. Bots need not be on this machine: of entries with one
    that is not the plan says what is `missing`. Nothing is made or changed.
    """
    return plan_of(load_ladder(path), path, database=database)


def plan_of(
    ladder: LadderFile,
    path: Path,
    *,
    database: str | None = None,
    source: FileSource | None = None,
) -> LadderPlan:
    """Return the plan of what was read from a file, as `plan_ladder` does.

    `source` says where its values came from where that was no file; bots' paths still lead from
    the folder of `path`.
    """
    source, above = source or FileSource(path, ()), path.absolute().parent
    folder = path_from(above, ladder.folder) if ladder.folder else above / f"{path.stem}.ladder"
    settings = _settings(ladder, source)
    entries = _Entries(source, above, places=bots_of_entry(settings.rules))
    return LadderPlan(
        event=ladder.name,
        entries=tuple(entries.plan(entry, number) for number, entry in enumerate(ladder.entry)),
        settings=settings,
        schedule=_schedule(ladder),
        stop=StopPlan(hours=ladder.stop.hours, separated=ladder.stop.separated),
        final=_final(ladder),
        folder=folder,
        database=_database(ladder, source, database, above=above, folder=folder),
        unit=ladder.unit,
        deals=ladder.deals,
        parallel=ladder.parallel,
        boards_an_entry=ladder.boards_an_entry or ladder.parallel,
        isolation=_isolation(ladder),
        seed=ladder.seed,
        public_salt=ladder.public_salt,
        listen=ladder.listen,
        tls_cert=None if ladder.tls_cert is None else path_from(above, ladder.tls_cert),
        tls_key=None if ladder.tls_key is None else path_from(above, ladder.tls_key),
        plaintext=ladder.plaintext,
        grace_ms=_or(ladder.faults.grace_ms, GRACE_MS),
        start_ms=_or(ladder.faults.start_ms, START_MS),
        file=path,
        chosen_database=database,
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _schedule(ladder: LadderFile) -> SchedulePlan:
    kind = ladder.schedule.kind
    wanted = ladder.schedule.boards if kind is ScheduleKind.SWISS else ladder.stop.boards
    return SchedulePlan(
        kind=kind,
        boards=wanted,
        hero=ladder.schedule.hero,
        rounds=ladder.schedule.rounds,
    )


def _final(ladder: LadderFile) -> FinalRule | None:
    final = ladder.final
    if final is None:
        return None
    return FinalRule(
        places=final.places, entries=final.entries, boards=final.boards, hours=final.hours
    )


def _isolation(ladder: LadderFile) -> Isolation:
    if ladder.isolation is not None:
        return Isolation(ladder.isolation)
    return Isolation.DECLARED if ladder.dials_in else Isolation.ISOLATED


def _database(
    ladder: LadderFile, source: FileSource, flag: str | None, *, above: Path, folder: Path
) -> str:
    """Return the URL; a relative path leads from the file, in a flag from the current folder."""
    if flag is not None:
        database_of(flag)
        return flag
    if ladder.database is None:
        return sqlite_url(folder / DATABASE)
    try:
        named = database_of(ladder.database)
    except ConfigError as error:
        raise ConfigError(f"{source.at('database')}{error}") from None
    if isinstance(named, SqliteFile):
        return sqlite_url(path_from(above, str(named.path)))
    return ladder.database


def _settings(ladder: LadderFile, source: FileSource) -> Settings:
    match = ladder.match
    # in Trichu everybody is the soloist once (G9)
    rounds = 3 if ladder.options.get("variant") == Variant.TRICHU else 1
    one_round: dict[str, object] = {"rounds": rounds} if ladder.unit is Unit.BOARD else {}
    rules, clock = rules_of(ladder.options, one_round, source), _clock(ladder, source)
    fair_ms = _DIALLED_MS if ladder.dials_in else _STARTED_MS
    default_ms = fair_ms if match.pace is Pace.FAIR else _FAST_MS
    if ladder.faults.resume_grace_ms is not None:
        raise ConfigError(
            f"{source.at('faults', 'resume_grace_ms')}faults.resume_grace_ms: what a "
            "killed run played is played anew, and nobody is waited for; leave it out"
        )
    try:
        settings = Settings(
            rules=rules,
            pace=match.pace,
            window_ns=window_ns(match.window_ms, default_ms=default_ms, clock=clock),
            clock=clock,
            objective=match.objective,
            max_rounds=rounds_cap(rules),
        )
    except ConfigError as error:
        at = source.at("match", "window_ms") or source.at("match", "clock")
        raise ConfigError(f"{at}{error}") from None
    return with_limits(settings, ladder.faults)


def _clock(ladder: LadderFile, source: FileSource) -> Clock | None:
    try:
        clock = parse_clock(ladder.match.clock, named="match.clock")
    except ConfigError as error:
        said = _NONE.sub("", str(error))  # a bot that hangs would stop everything
        raise ConfigError(f"{source.at('match', 'clock')}{said}") from None
    return with_times(clock, bases_of(ladder.match, source), lag_of(ladder.match, source))


class _Entries:
    """Plans entries; the bots of one name are one and the same bot."""

    def __init__(self, source: FileSource, folder: Path, *, places: int) -> None:
        """`places` is how many bots an entry has."""
        self._source = source
        self._places = places
        self._folder = folder
        self._seen: dict[str, _Named] = {}

    def plan(self, entry: EntrySection, number: int) -> EntryPlan:
        """Return the plan of an entry. Raises `ConfigError`."""
        at = self._source.at("entry", number, entry.bots_key)
        self._check_number(entry, at)
        missing = self._missing_artefact(entry, number)
        bots = []
        for text in entry.bots:
            bot, gone = self._bot(entry, text, at)
            missing = missing or gone
            named = _Named(bot, text, entry)
            first = self._seen.setdefault(bot.name, named)
            if first.bot != bot:
                raise ConfigError(f"{at}{_two_of_a_name(first, named)}")
            bots.append(bot)
        by_place = tuple(bots * self._places if len(bots) == 1 else bots)
        return EntryPlan(name=entry.name, owner=entry.owner, bots=by_place, missing=missing)

    def _check_number(self, entry: EntrySection, at: str) -> None:
        if len(entry.bots) in (1, self._places):
            return
        if self._places == 1:
            raise ConfigError(
                f"{at}entry.{entry.bots_key}: in Trichu everybody plays for itself; write bot"
            )
        key = {2: 'pair = ["A", "B"]', 3: 'team = ["A", "B", "C"]'}[self._places]
        raise ConfigError(
            f"{at}entry.{entry.bots_key}: a team of this game has {self._places} seats; "
            f"write {key}, or bot for one that plays with its own copies"
        )

    def _missing_artefact(self, entry: EntrySection, number: int) -> str:
        for file in entry.artefact or ():
            if not os.path.exists(path_from(self._folder, file)):
                where = self._source.at("entry", number, "artefact")
                return f"{where}entry.artefact: there is no {file!r}; name what is there"
        return ""

    def _bot(self, entry: EntrySection, text: str, at: str) -> tuple[BotPlan, str]:
        """Return a bot, and what is not there to start it; "" where all is there."""
        if entry.dial_in:
            return BotPlan(name=text, argv=None), ""
        try:
            label, written = split_label(text, self._folder)
            spec = parse_bot(text, house=OURS, folder=self._folder)
        except ConfigError as error:
            return _absent(entry, text), f"{at}{error}"
        alone = entry.bot is not None and not label and written not in OURS
        name = entry.name if alone else spec.label
        if not is_name(name):
            raise ConfigError(f"{at}bot {name!r} is no name; write LABEL=BOT; {NAME_RULE}")
        bot = BotPlan(
            name=name,
            argv=spec.argv,
            artefact=self._artefact(entry, written, spec),
            house=written in HOUSE,
        )
        return bot, ""

    def _artefact(self, entry: EntrySection, written: str, spec: BotSpec) -> tuple[Path, ...]:
        if written in OURS:
            return (_package_folder(OURS[written]),)
        if entry.artefact is not None:
            return tuple(path_from(self._folder, file) for file in entry.artefact)
        path = path_from(self._folder, written)
        if os.path.isdir(path):
            return (path,)
        return self._own_file(path, written, spec.argv or ())

    def _own_file(self, path: Path, written: str, argv: Sequence[str]) -> tuple[Path, ...]:
        """Return the folder of a bot's file; of one that lies beside the ladder's the file alone.

        Of a command it is that of its first word that names a file; a program that was looked up
        in PATH has none.
        """
        if os.path.isfile(path):
            return (self._with_its_folder(path),)
        files = [word for word in argv[1:] if os.path.isfile(word)]
        if not files and "/" in shlex.split(written)[0]:
            files = [argv[0]]
        return tuple(self._with_its_folder(Path(file)) for file in files[:1])

    def _with_its_folder(self, file: Path) -> Path:
        """Not the folder of the ladder's file, or one above: all its other bots lie in there."""
        return file if self._folder.is_relative_to(file.parent) else file.parent


class _Named(NamedTuple):
    """A bot, as an entry writes it."""

    bot: BotPlan
    text: str
    entry: EntrySection

    @property
    def has_name_of_entry(self) -> bool:
        """True if it is called as its entry, for want of a name of its own."""
        is_own = self.text not in OURS and not self.entry.dial_in and "=" not in self.text
        return is_own and self.entry.bot is not None


def _two_of_a_name(first: _Named, second: _Named) -> str:
    """Return that two bots have one name, why, and how to call one of them otherwise."""
    both = (second, first)
    named_so = next((one for one in both if one.has_name_of_entry), None)
    one = named_so or (first if second.entry.dial_in else second)
    why = "" if named_so is None else " (a file as `bot` has the name of its entry)"
    cure = f'"{_label_for(one)}={one.text.rpartition("=")[2]}"'
    return (
        f"two bots are called {second.bot.name!r}: {first.text!r} in entry {first.entry.name} and "
        f"{second.text!r} in entry {second.entry.name}{why}; write {cure} for {one.text!r} in "
        f"entry {one.entry.name}, or give the entry another name"
    )


def _label_for(named: _Named) -> str:
    """Return another name for a bot: that of its file, where that will do."""
    taken, words = named.bot.name, named.text.rpartition("=")[2].split()
    stem = Path(words[-1]).stem if words else ""
    name = stem if is_name(stem) else taken
    return name if name not in (taken, *OURS) else f"{name}-2"


def _absent(entry: EntrySection, text: str) -> BotPlan:
    """Return a bot that is not on this machine, and is not to be started."""
    label, equals, written = text.partition("=")
    if equals and is_name(label):
        return BotPlan(name=label, argv=(written,))
    return BotPlan(name=entry.name if entry.bot is not None else Path(text).stem, argv=(text,))


def house_bot(name: str) -> BotPlan:
    """Return a house bot."""
    spec = parse_bot(name, house=HOUSE)
    folder = _package_folder(HOUSE[name])
    return BotPlan(name=name, argv=spec.argv, artefact=(folder,), house=True)


def _package_folder(module: str) -> Path:
    package = importlib.import_module(module.partition(".")[0])
    return Path(str(package.__file__)).parent

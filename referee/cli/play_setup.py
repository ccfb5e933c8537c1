"""From the words of `referee play` to what is to be played. No process, no socket, no clock."""

import secrets
import shlex
import tempfile
from pathlib import Path

import msgspec

from referee.app.seating import players_by_seat
from referee.app.seeds import secret_of
from referee.cli.fault_limits import GRACE_MS, START_MS, parse_faults, with_limits
from referee.cli.play_seats import columns_named, rules_of_play, seat_bots
from referee.cli.rule_flags import rules_given
from referee.cli.timing import parse_bases, parse_clock, parse_lag, window_ns, with_times
from referee.config import FaultsSection
from referee.launch.spec import BotSpec, parse_bot
from referee.match.values import MIN_WINDOW_NS, MS, Clock, Pace, Settings, rounds_cap
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions, player_seats
from referee.rules.seat import Seat

DEFAULT_CLOCK = "2s+60s"
_WINDOW_MS = {Pace.FAST: 1000, Pace.FAIR: 50}


class PlayArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The command line as it was written; None and () where nothing was."""

    bots: tuple[str, ...]
    variant: str | None = None
    rounds: int | None = None
    target: int | None = None
    options: tuple[str, ...] = ()
    clock: str | None = None
    bases: tuple[str, ...] = ()
    lag: str | None = None
    pace: str | None = None
    window_ms: int | None = None
    faults: tuple[str, ...] = ()
    seed: str | None = None
    format: str | None = None
    record_dir: str | None = None
    log_dir: str | None = None


class PlayPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to play. `bots` are those of `seats`, `names` by hand, the Tisch's too.

    `columns` are the names of the score columns: teams, hands in Trichu, none in Grand Seigneur.
    """

    bots: tuple[BotSpec, ...]
    names: tuple[str, ...]
    columns: tuple[str, ...]
    settings: Settings
    grace_ms: int
    start_ms: int
    seed: str
    event_secret: bytes
    practice: bool  # the seed was chosen, not drawn
    record_dir: Path
    log_dir: Path | None
    again: str  # a command that repeats the match

    @property
    def rules(self) -> RuleOptions:
        """The rules of the match."""
        return self.settings.rules

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that bots sit at, ascending."""
        return player_seats(self.rules)

    def bot_at(self, seat: Seat) -> BotSpec:
        """Return the bot that sits at a seat."""
        return self.bots[self.seats.index(seat)]


def plan_play(arguments: PlayArguments, *, house: dict[str, str]) -> PlayPlan:
    """Return the plan. Raises `ConfigError` that names the argument and its cure."""
    rules = rules_of_play(
        rules_given(
            arguments.options,
            variant=arguments.variant,
            rounds=arguments.rounds,
            target=arguments.target,
        ),
        bots=len(arguments.bots),
    )
    bots = seat_bots([parse_bot(text, house=house) for text in arguments.bots], rules)
    names = [player.name for player in players_by_seat(rules, [bot.label for bot in bots])]
    faults = FaultsSection(**parse_faults(arguments.faults))
    if faults.resume_grace_ms is not None:
        raise ConfigError(
            "--fault resume_grace_ms: a match of `referee play` is over with its process, and "
            "nobody comes back to it; leave it out"
        )
    seed = secrets.token_hex(16) if arguments.seed is None else _checked_seed(arguments.seed)
    return PlayPlan(
        bots=bots,
        names=tuple(names),
        columns=columns_named(names, rules),
        settings=_settings(arguments, rules, faults),
        grace_ms=GRACE_MS if faults.grace_ms is None else faults.grace_ms,
        start_ms=START_MS if faults.start_ms is None else faults.start_ms,
        seed=seed,
        event_secret=secret_of(seed),
        practice=arguments.seed is not None,
        record_dir=_folder(
            "--record-dir", "records" if arguments.record_dir is None else arguments.record_dir
        ),
        log_dir=_folder("--log-dir", arguments.log_dir) if arguments.log_dir is not None else None,
        again=again_command(arguments, seed),
    )


def _checked_seed(text: str) -> str:
    if not text:
        raise ConfigError("--seed: the text is empty; write any text, or leave --seed out")
    if not text.isprintable():
        raise ConfigError(f"--seed {text!a}: write printable characters, or 64 hex digits")
    return text


def again_command(arguments: PlayArguments, seed: str) -> str:
    """Return a shell command that plays the same cards: the arguments as written, and the seed."""
    words = ["referee", "play", *arguments.bots]
    for flag, value in (
        ("--variant", arguments.variant),
        ("--rounds", arguments.rounds),
        ("--target", arguments.target),
        *(("--option", text) for text in arguments.options),
        ("--clock", arguments.clock),
        *(("--base", text) for text in arguments.bases),
        ("--lag", arguments.lag),
        ("--pace", arguments.pace),
        ("--window", arguments.window_ms),
        *(("--fault", text) for text in arguments.faults),
        ("--format", arguments.format),
        ("--record-dir", arguments.record_dir),
        ("--log-dir", arguments.log_dir),
        ("--seed", seed),
    ):
        if value is not None:
            words += [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]
    return shlex.join(words)


def _settings(arguments: PlayArguments, rules: RuleOptions, faults: FaultsSection) -> Settings:
    pace = Pace(arguments.pace or Pace.FAST)
    clock = _clock(arguments)
    if clock is not None and clock.base_ns <= MIN_WINDOW_NS and arguments.window_ms is None:
        raise ConfigError(
            f"--clock {arguments.clock!r}: the base time must be over {MIN_WINDOW_NS // MS} ms, "
            "which the shortest bomb window takes"
        )
    settings = Settings(
        rules=rules,
        pace=pace,
        clock=clock,
        window_ns=window_ns(arguments.window_ms, default_ms=_WINDOW_MS[pace], clock=clock),
        max_rounds=rounds_cap(rules),
    )
    return with_limits(settings, faults)


def _clock(arguments: PlayArguments) -> Clock | None:
    clock = parse_clock(DEFAULT_CLOCK if arguments.clock is None else arguments.clock)
    lag = None if arguments.lag is None else parse_lag(arguments.lag)
    return with_times(clock, parse_bases(arguments.bases), lag)


def _folder(flag: str, text: str) -> Path:
    """Return the folder, made if it is not there."""
    if not text:
        raise ConfigError(f"{flag}: the name is empty; name a folder, or leave {flag} out")
    path = Path(text).expanduser()
    if path.is_file():
        raise ConfigError(f"{flag} {text!r}: this is a file; name a folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{flag} {text!r}: cannot make the folder: {error.strerror}") from None
    try:
        tempfile.TemporaryFile(dir=path).close()  # only a try tells: root may, and /proc may not
    except OSError as error:
        raise ConfigError(
            f"{flag} {text!r}: no file can be written there: {error.strerror}"
        ) from None
    return path

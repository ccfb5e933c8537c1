"""From the words of `referee gate` to what is to be played. No process, no socket, no clock."""

import os
import re
import secrets
from pathlib import Path

import msgspec

from referee.app.gate_ports import GatePlan
from referee.bootstrap.ladder_plan import EntryPlan, LadderPlan
from referee.cli.ladder_setup import OURS, plan_of
from referee.cli.match_section import FileSource
from referee.cli.rule_flags import rules_given
from referee.config.ladder_sections import EntrySection, LadderFile, LadderMatchSection
from referee.ladder.gate import LEAST_BOARDS, GateTerms
from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateBot
from referee.launch.spec import parse_bot, split_label
from referee.match.values import Pace
from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant

EXPECTED = {"better": (0.0, 5.0), "no-worse": (-5.0, 0.0)}

_NO_FILE = "flags of a gate"  # paths lead from its folder, which is the current one

_SECOND = 1_000_000_000
_UNITS_S = {"s": 1, "m": 60, "h": 3600}
_TIME = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)([smh])")
_MOST_BUDGET_S = 7 * 24 * 3600


class GateArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The command line as it was written; None and () where nothing was."""

    candidate: str
    baseline: str
    expect: str | None = None
    points0: float | None = None
    points1: float | None = None
    alpha: float = 0.05
    beta: float = 0.05
    max_boards: int = 20_000
    budget: str = "10m"
    parallel: int = 2
    faults: int = 3
    clock: str = "2s+60s"
    pace: str = "fast"
    options: tuple[str, ...] = ()
    seed: str | None = None
    keep: Path | None = None


def plan_gate(arguments: GateArguments) -> tuple[LadderPlan, GatePlan]:
    """Return how boards are played, and what is decided. Raises `ConfigError` with the cure."""
    terms = terms_of(arguments)
    entries = {CANDIDATE: arguments.candidate, BASELINE: arguments.baseline}
    plan = _boards(arguments, entries)
    gate = GatePlan(
        terms=terms,
        candidate=_bot(CANDIDATE, arguments.candidate),
        baseline=_bot(BASELINE, arguments.baseline),
        budget_ns=int(budget_s(arguments.budget) * _SECOND),
        parallel=arguments.parallel,
        faults=arguments.faults,
        seed=secrets.token_hex(32) if arguments.seed is None else _checked_seed(arguments.seed),
        practice=arguments.seed is not None,
        notes=tuple(_notes(plan)),
    )
    if arguments.keep is not None:
        _check_keep(arguments.keep)
    return plan, gate


def terms_of(arguments: GateArguments) -> GateTerms:
    """Return what is tested. Raises `ConfigError` for flags that do not go together."""
    given = arguments.points0, arguments.points1
    if given != (None, None):
        if None in given:
            missing = "--points0" if given[0] is None else "--points1"
            raise ConfigError(f"{missing} is missing: give both, or --expect alone")
        if arguments.expect is not None:
            raise ConfigError("--expect and --points0 --points1 say the same; give one of the two")
    points0, points1 = EXPECTED[arguments.expect or "better"]
    return GateTerms(
        points0=points0 if given[0] is None else given[0],
        points1=points1 if given[1] is None else given[1],
        alpha=arguments.alpha,
        beta=arguments.beta,
        max_boards=arguments.max_boards,
    )


def budget_s(text: str) -> float:
    """Return the seconds of `10m`, `90s`, `1.5h` or `1h30m`. Raises `ConfigError`.

    >>> budget_s("1h30m")
    5400.0
    """
    found = list(_TIME.finditer(text))
    if "".join(match[0] for match in found) != text or not text:
        raise ConfigError(f"--budget {text!r}: write a time with its unit, like 90s, 10m or 1h30m")
    seconds = float(sum(float(match[1]) * _UNITS_S[match[2]] for match in found))
    if not 1 <= seconds <= _MOST_BUDGET_S:
        raise ConfigError(
            f"--budget {text!r}: write 1s to 168h; {LEAST_BOARDS} boards take a minute or more"
        )
    return seconds


def _boards(arguments: GateArguments, entries: dict[str, str]) -> LadderPlan:
    """Return how boards are played: as in a ladder of two entries."""
    options = rules_given(arguments.options)
    if options.get("variant", Variant.TICHU) != Variant.TICHU:
        raise ConfigError("--option variant: a gate plays Tichu; leave it out")
    for name in ("rounds", "target"):
        if name in options:
            raise ConfigError(f"--option {name}: a leg of a board is one round; leave it out")
    file = LadderFile(
        name="gate",
        parallel=arguments.parallel,
        match=LadderMatchSection(pace=Pace(arguments.pace), clock=arguments.clock),
        options={name: _plain(value) for name, value in options.items()},
        entry=tuple(
            EntrySection(name=name, owner=name, bot=_spec(name, text))
            for name, text in entries.items()
        ),
    )
    if arguments.clock == "none":
        raise ConfigError("--clock none: a bot that hangs would stop the gate; write BASE+BANK")
    try:
        plan = plan_of(file, Path(_NO_FILE), source=FileSource(None, ()))
    except ConfigError as error:
        text = str(error).replace("match.clock", "--clock")
        if text.startswith("window:"):  # which a gate has no flag for
            text = (
                f"--clock {arguments.clock!r}: {text.partition(';')[0]}; write a longer base time"
            )
        raise ConfigError(text) from None
    return msgspec.structs.replace(
        plan, entries=tuple(_entry(one, entries[one.name]) for one in plan.entries), file=None
    )


def _plain(value: object) -> str | int | bool:
    assert isinstance(value, str | int | bool)
    return value


def _spec(flag: str, text: str) -> str:
    """Return a bot without its label, which would have to differ from the other's."""
    try:
        if parse_bot(text, house=OURS).argv is None:
            raise ConfigError(
                f"bot {text!r}: a gate starts its bots itself; name a file or command"
            )
        return split_label(text)[1]
    except ConfigError as error:
        raise ConfigError(f"--{flag}: {error}") from None


def _entry(entry: EntryPlan, text: str) -> EntryPlan:
    """Return an entry whose bot is called as it was written: bots see each other's names."""
    label = parse_bot(text, house=OURS).label
    bots = tuple(msgspec.structs.replace(bot, name=label) for bot in entry.bots)
    return msgspec.structs.replace(entry, bots=bots)


def _bot(flag: str, text: str) -> GateBot:
    return GateBot(name=parse_bot(text, house=OURS).label, written=text, version="")


def _notes(plan: LadderPlan) -> list[str]:
    commands = {entry.bots[0].argv for entry in plan.entries}
    if len(commands) > 1:
        return []
    return [
        "candidate and baseline are the same command: unless they draw by themselves or read the "
        "clock, this is the same play"
    ]


def _checked_seed(text: str) -> str:
    if not text or not text.isprintable():
        raise ConfigError(f"--seed {text!a}: write printable characters, or leave --seed out")
    return text


def _check_keep(folder: Path) -> None:
    """Refuse what is no folder, and one that holds something: records of two gates would mix."""
    try:
        if os.listdir(folder):
            raise ConfigError(f"--keep {str(folder)!r}: it is not empty; name a new folder")
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConfigError(f"--keep {str(folder)!r}: {error.strerror}; name a folder") from None

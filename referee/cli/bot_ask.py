"""`referee bot ask`: positions put to a bot, and its answers compared with what is right."""

import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand
from referee.cli.suite_lines import lines_of

if TYPE_CHECKING:
    from referee.check.asking_lines import Asked

_FAILED = 1
_BAD_INPUT = 2
_HOUSE = "house_positions.jsonl"  # in referee/check
_BOT = "referee.cli.bot_ask.bot"  # in the context's notes
_MOST_LINES = 20  # of what is wrong with a suite, before the rest is only counted


class _BehindTwoDashes(RefusingCommand):
    """All words behind `--` are the bot's command, options of its own among them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does with what stands before."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_BOT] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


@click.command(cls=_BehindTwoDashes, short_help="Put positions to a bot, compare its answers.")
@click.argument("suites", nargs=-1, metavar="[SUITE...] -- BOT")
@click.option("--house", is_flag=True, help="The 40 positions that ship, before those of SUITE.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write a JUnit file.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write a JSON file.")
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    metavar="SECONDS",
    help="For an answer, half of it in a bomb window [10].",
)
@click.option(
    "--start",
    "start_s",
    type=click.FloatRange(0.1, 3600),
    default=30.0,
    metavar="SECONDS",
    help="From the start of the process to its Hello [30].",
)
def ask(
    *,
    suites: tuple[str, ...],
    house: bool,
    junit: Path | None,
    json_file: Path | None,
    limit_s: float,
    start_s: float,
) -> None:
    """Put every position of the suites to BOT, and say which answers are not the right ones.

    BOT is what `referee play` takes (greedy, ./bot.py, ./folder), or a command in words of its
    own: everything behind --. A SUITE is a file of lines as docs/BOT_ASK.md has them; - is the
    standard input. All positions are asked in one process over one stream, several at once.

    Prints a line for each position that failed and a last line `N passed, M failed`.

    Exit codes: 0 all passed; 1 one failed, or the bot did not start; 2 bad input.
    """
    from referee.check.asking import BotFault, ask_all
    from referee.check.asking_report import json_text, junit_text, text_lines
    from referee.clock import run

    argv = bot_command(click.get_current_context().meta[_BOT], command="ask SUITE.jsonl")
    questions = _questions(suites, house=house, limit_s=limit_s)
    with tempfile.TemporaryDirectory(prefix="tichu-") as folder:
        try:
            asked = run(ask_all(argv, questions, folder=Path(folder), start_s=start_s))
        except BotFault as fault:
            say_fault(str(fault), fault.last_lines)
            sys.exit(_FAILED)
    outcomes = asked.outcomes
    for line in text_lines(outcomes):
        click.echo(line)
    if asked.lost is not None:
        say_fault("the bot left before all was asked: let it stay to the Closing", asked.lost)
    name = ", ".join([*(["house"] if house else []), *suites])
    for path, text in ((junit, junit_text(outcomes, suite=name)), (json_file, json_text(outcomes))):
        if path is not None:
            path.write_text(text, encoding="utf-8")
    sys.exit(_FAILED if any(one.fault is not None for one in outcomes) else 0)


def bot_command(words: Sequence[str], *, command: str) -> tuple[str, ...]:
    """Return what to start for the words behind `--`: a bot of `referee play`, or a command.

    Raises `ConfigError` with the cure; `command` is how the command line begins.
    """
    import shlex

    from chaos import CHAOS
    from referee.launch.spec import parse_bot
    from referee.rules.errors import ConfigError
    from tichu_bot import HOUSE

    if not words:
        raise ConfigError(f"no bot is named; write it behind --: referee bot {command} -- ./bot")
    text = words[0] if len(words) == 1 else shlex.join(words)
    spec = parse_bot(text, house={**HOUSE, **CHAOS})
    if spec.argv is None:
        raise ConfigError(f"bot {text!r}: a process that you start yourself cannot be examined")
    return spec.argv


def say_fault(what: str, last_lines: Sequence[str]) -> None:
    """Say on stderr what a bot did wrong, then the last lines that it wrote there."""
    from referee.formats.printable import printable

    click.echo(f"error: {printable(what)}", err=True)
    if not last_lines:
        click.echo("its stderr is empty", err=True)
    for line in last_lines:
        click.echo(f"  {line}", err=True)


def _questions(suites: Sequence[str], *, house: bool, limit_s: float) -> "list[Asked]":
    """Return all that is to be asked. Raises `ConfigError` for a suite that cannot be."""
    from referee.check.asking_lines import Asked
    from referee.formats.suites import BadLine, read_suite
    from referee.rules.errors import ConfigError, NotationError

    sources: list[tuple[str, Iterable[bytes]]] = [(_HOUSE, house_lines())] if house else []
    sources += [(name, lines_of(name)) for name in suites]
    if not sources:
        raise ConfigError("no suite is named; name a file of positions, or say --house")
    questions, faults = [], []
    for name, lines in sources:
        for number, line in read_suite(lines):
            try:
                if isinstance(line, BadLine):
                    raise NotationError(line.fault)
                questions.append(Asked(line, limit_s=limit_s))
            except NotationError as wrong:
                faults.append(f"{name} line {number}: {wrong}")
    if faults:
        _refuse(faults)
    if not questions:
        raise ConfigError(f"{', '.join(suites)}: holds no position")
    return questions


def _refuse(faults: Sequence[str]) -> None:
    from referee.formats.printable import printable

    for fault in faults[:_MOST_LINES]:
        click.echo(f"error: {printable(fault)}", err=True)
    if len(faults) > _MOST_LINES:
        click.echo(f"error: and {len(faults) - _MOST_LINES} lines more", err=True)
    sys.exit(_BAD_INPUT)


def house_lines() -> list[bytes]:
    """Return the lines of the positions that ship."""
    return resources.files("referee.check").joinpath(_HOUSE).read_bytes().splitlines()

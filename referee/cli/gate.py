"""`referee gate`: is a changed bot better? Boards against the old one until that is sure."""

import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.cli.outermost import forget_unwritten
from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.app.season_news import Notice, Progress
    from referee.bootstrap.gate_run import GateRun
    from referee.cli.ladder_progress import Display
    from referee.ladder.gate_outcome import GateOutcome

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# by verdict; `stopped` is 128 + the number of the signal
EXIT_CODES = {
    "accept": 0,
    "reject": 1,
    "undecided": 3,
    "candidate_faulty": 4,
    "baseline_faulty": 5,
    "machine": 6,
    "stopped": 130,
}
BROKEN = 6  # a referee that fails, as one that stalls
_SUMMARY = "GITHUB_STEP_SUMMARY"
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=RefusingCommand)
@click.option("--candidate", required=True, metavar="BOT", help="the bot as it would be")
@click.option("--baseline", required=True, metavar="BOT", help="the bot as it is")
@click.option(
    "--expect",
    type=click.Choice(["better", "no-worse"]),
    help="better: 0 or 5 points a round; no-worse: -5 or 0 [better]",
)
@click.option("--points0", type=float, metavar="N", help="not good enough, in points a round")
@click.option("--points1", type=float, metavar="N", help="good enough, in points a round")
@click.option("--alpha", type=float, default=0.05, metavar="P", help="accept points0 [0.05]")
@click.option("--beta", type=float, default=0.05, metavar="P", help="reject points1 [0.05]")
@click.option("--max-boards", type=int, default=20_000, metavar="N", help="then it ends [20000]")
@click.option("--budget", default="10m", metavar="TIME", help="then it ends [10m]")
@click.option(
    "--parallel",
    type=click.IntRange(1, 64),
    default=2,
    metavar="N",
    help="boards at once, eight processes each [2]",
)
@click.option(
    "--faults",
    type=click.IntRange(1, 1000),
    default=3,
    metavar="N",
    help="legs that a bot ends by its fault before it is faulty [3]",
)
@click.option("--clock", default="2s+60s", metavar="BASE+BANK", help="thinking time [2s+60s]")
@click.option("--pace", type=click.Choice(["fast", "fair"]), default="fast", help="[fast]")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="a rule option; repeatable"
)
@click.option("--seed", metavar="TEXT", help="the same text gives the same cards [drawn]")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="records and logs")
@click.option("--format", "shown", type=click.Choice(["text", "json"]), default="text")
@click.option("--json", type=_FILE, metavar="FILE", help="write the result as JSON too")
@click.option("--junit", type=_FILE, metavar="FILE", help="write it as JUnit XML too")
@click.option("--markdown", type=_FILE, metavar="FILE", help="write it as Markdown too")
def gate(
    shown: str, json: Path | None, junit: Path | None, markdown: Path | None, **written: Any
) -> None:
    """Play boards between two versions of a bot until it is sure enough which is better.

    A bot is [LABEL=]SPEC as for `referee play`. At least 200 boards are played; bots that play the
    same cards on the first 100 are the same play: accepted under no-worse, rejected under better.
    Progress goes to stderr. The seed is printed at the end.

    With GITHUB_STEP_SUMMARY set the summary goes there too, and faults become ::error lines.

    Exit codes: 0 accept; 1 reject; 2 usage or bad input; 3 undecided; 4 the candidate is faulty;
    5 the baseline is; 6 the referee or the machine; 130 stopped (128 + the signal's number).
    """
    from referee.bootstrap.gate_run import GateBrokenError, GateRun
    from referee.cli.gate_setup import GateArguments, plan_gate
    from referee.cli.ladder_progress import display
    from referee.cli.ladder_run import log_warnings
    from referee.clock import run
    from referee.rules.errors import ConfigError, RefereeBug

    arguments = GateArguments(**written)
    plan, gate_plan = plan_gate(arguments)
    files = {"--json": json, "--junit": junit, "--markdown": markdown, _SUMMARY: _summary()}
    _check_files(files)
    log_warnings()
    bars = _Quiet(display())
    try:  # what ends otherwise would exit with 1, which is a rejection
        outcome, code = run(_judged(GateRun(plan, gate_plan, bars.tell, keep=arguments.keep), bars))
        code = _report(outcome, code, shown, files)
    except (GateBrokenError, RefereeBug) as error:
        _say(f"error: the referee failed: {error}")
        code = BROKEN
    except OSError as error:
        _say(f"error: {error.filename or 'cannot write'}: {error.strerror or error}")
        code = BROKEN
    except ConfigError:
        raise  # bad input
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        _say(f"error: the referee failed: {type(error).__name__} at {where.name}:{where.lineno}")
        code = BROKEN
    if arguments.keep is None and code in (
        EXIT_CODES["candidate_faulty"],
        EXIT_CODES["baseline_faulty"],
    ):
        _say("hint: --keep DIR keeps records and what the bots print")
    forget_unwritten(sys.stdout)  # it was told above, and is no reason for another exit code
    sys.exit(code)


class _Quiet:
    """A display that shows no text in which the runner of a CI would find a command."""

    def __init__(self, display: "Display") -> None:
        self._display = display

    def tell(self, news: "Progress | Notice") -> None:
        """Show what is new."""
        import msgspec

        from referee.app.season_news import Notice
        from referee.formats.gate_github import harmless

        if isinstance(news, Notice):
            news = msgspec.structs.replace(news, text=harmless(news.text))
        with suppress(OSError):  # nobody reads it: no reason to end the gate
            self._display.tell(news)

    def close(self) -> None:
        """Leave the terminal as it was."""
        with suppress(OSError):
            self._display.close()


async def _judged(gate: "GateRun", bars: _Quiet) -> "tuple[GateOutcome, int]":
    """Run a gate with signals as orders; return what it brought, and the exit code."""
    from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders
    from referee.ladder.gate_outcome import GateVerdict

    number: signal.Signals | None = None

    def ordered(order: int, sent: signal.Signals) -> None:
        nonlocal number
        number = number or sent
        if order == 1:
            gate.stop()
        elif order == 2:
            gate.kill_now()
        else:
            gate.kill_all_now()
            os._exit(SIGNAL_EXIT + sent)

    with StopOrders(ordered).heeded(_SIGNALS):
        try:
            outcome = await gate.run()
        finally:
            bars.close()
    if outcome.verdict is GateVerdict.STOPPED and number is not None:
        return outcome, SIGNAL_EXIT + number
    return outcome, EXIT_CODES[outcome.verdict.value]


def _summary() -> Path | None:
    """Return the file for the summary of the job."""
    name = os.environ.get(_SUMMARY)
    return Path(name) if name else None


def _check_files(files: dict[str, Path | None]) -> None:
    """Refuse a file that could not be written, before anything is played."""
    from referee.rules.errors import ConfigError

    found: dict[Path, str] = {}
    for flag, path in files.items():
        if path is None:
            continue
        if not path.absolute().parent.is_dir():
            raise ConfigError(f"{flag} {str(path)!r}: there is no such folder; make it first")
        if path.is_dir():
            raise ConfigError(f"{flag} {str(path)!r}: that is a folder; name a file")
        if path.resolve() in found and path.resolve().is_file():
            raise ConfigError(f"{flag} {str(path)!r}: {found[path.resolve()]} goes there too")
        found[path.resolve()] = flag


def _report(outcome: "GateOutcome", code: int, shown: str, files: dict[str, Path | None]) -> int:
    """Write everything that was asked for; return the exit code.

    What cannot be written stops nothing else, and makes it `BROKEN`; the JSON comes last, so that
    it has the code.
    """
    from referee.formats.gate_github import annotations, harmless
    from referee.formats.gate_json import gate_json
    from referee.formats.gate_junit import gate_junit
    from referee.formats.gate_md import gate_md
    from referee.formats.gate_text import gate_text

    texts: dict[str, Callable[[], str]] = {
        "--junit": lambda: gate_junit(outcome),
        "--markdown": lambda: gate_md(outcome),
        _SUMMARY: lambda: gate_md(outcome),
        "--json": lambda: gate_json(outcome, exit_code=code),
    }
    for flag, text in texts.items():
        path = files[flag]
        if path is not None and not _written(flag, path, text(), add=flag == _SUMMARY):
            code = BROKEN
    shown_text = texts["--json"]() if shown == "json" else gate_text(outcome)
    click.echo("\n".join(map(harmless, shown_text.split("\n"))), nl=False)
    if files[_SUMMARY] is not None:
        for line in annotations(outcome):
            click.echo(line, err=shown == "json")
    return code


def _written(flag: str, path: Path, text: str, *, add: bool) -> bool:
    try:
        with path.open("a" if add else "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        _say(f"error: {flag} {str(path)!r}: {error.strerror or error}")
        return False
    return True


def _say(text: str) -> None:
    from referee.formats.gate_github import harmless
    from referee.formats.printable import printable

    with suppress(OSError):  # nobody reads it; the exit code says it too
        click.echo(harmless(printable(text)), err=True)

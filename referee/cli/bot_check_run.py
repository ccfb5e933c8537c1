"""Runs the probes of `referee bot check`, and says what came of them."""

import asyncio
import contextlib
import difflib
import hashlib
import os
import re
import shlex
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from referee.check.exam import Terms
from referee.check.examinee import Waiting
from referee.check.probe import Probe
from referee.check.probes import LEVELS, PROBES, up_to
from referee.check.replays import read_replay, replay_text
from referee.check.report import (
    badge_svg,
    cause,
    cause_lines,
    json_text,
    junit_text,
    last_lines,
    reached,
    result_lines,
)
from referee.check.runner import Result, Runner, Verdict
from referee.cli.bot_ask import bot_command
from referee.cli.bot_check_hall import RealHall
from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders
from referee.formats.printable import printable
from referee.rules.errors import ConfigError

PASSED, FAILED = 0, 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SEED = "check"
_LONGEST_TEMP_FOLDER = 60  # the path of a unix socket has 100 bytes


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to run, and where to write it."""

    terms: Terms
    words: tuple[str, ...]
    probes: Sequence[Probe]
    levels: Sequence[int] | None  # that were asked for whole; None: single probes
    json_file: Path | None
    junit: Path | None
    badge: Path | None
    failed: Path | None
    keep_going: bool = False


def plan_check(
    words: tuple[str, ...],
    *,
    level: int | None,
    ids: tuple[str, ...],
    listing: bool,
    json_file: Path | None,
    junit: Path | None,
    badge: Path | None,
    failed: Path | None,
    replay: Path | None,
    seed: str | None,
    start_s: float,
    answer_s: float,
    keep_going: bool = False,
) -> Plan:
    """Return the plan of a command line. Raises `ConfigError` with the cure."""
    assert not listing
    if replay is not None:
        if ids or level is not None or seed is not None:
            raise ConfigError("--replay: the file says which probe and seed; leave the others out")
        kept = read_replay(replay, PROBES)
        ids, seed = (kept.probe,), kept.seed
        if not words:  # a file of somebody else names a command of somebody else
            words = kept.bot
            click.echo(f"starts the bot of the file: {printable(shlex.join(words))}")
    if ids and level is not None:
        raise ConfigError("--level and --probe: give one of them")
    single = bool(ids)
    if single and badge is not None:
        raise ConfigError("--badge: a badge is for whole levels; leave --probe and --replay out")
    for path in (json_file, junit, badge):
        if path is not None and not path.absolute().parent.is_dir():
            raise ConfigError(f"{path}: there is no folder {path.parent}; make it first")
    if failed is not None:
        _check_can_be_made(failed)
    return Plan(
        terms=Terms(
            argv=bot_command(words, command="check"),
            start_s=start_s,
            answer_s=answer_s,
            seed=_SEED if seed is None else seed,
        ),
        words=words,
        probes=_chosen(ids) if single else up_to(level or LEVELS[-1]),
        levels=None if single else [one for one in LEVELS if one <= (level or LEVELS[-1])],
        json_file=json_file,
        junit=junit,
        badge=badge,
        failed=failed,
        keep_going=keep_going or single,  # what was named is run
    )


def _check_can_be_made(folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before minutes are spent."""
    there = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(f"--failed {folder}: {there} is no folder that can be written to")


def _chosen(ids: Sequence[str]) -> list[Probe]:
    known = {probe.id: probe for probe in PROBES}
    for name in ids:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "--list says which there are"
            raise ConfigError(f"there is no probe {name!r}; {hint}")
    return [known[name] for name in dict.fromkeys(ids)]


async def run_check(plan: Plan) -> int:
    """Run the plan; return the exit code. All that was started is gone on return."""
    task = asyncio.current_task()
    assert task is not None
    stopped: list[int] = []
    waiting: Waiting | None = None

    def ordered(order: int, number: signal.Signals) -> None:
        stopped.append(SIGNAL_EXIT + number)
        if order == 1:
            task.cancel()
        elif waiting is not None:
            waiting.kill_now()
            os._exit(stopped[0])

    temp = "/tmp" if len(tempfile.gettempdir()) > _LONGEST_TEMP_FOLDER else None
    with (
        StopOrders(ordered).heeded(_SIGNALS),
        tempfile.TemporaryDirectory(prefix="tichu-", dir=temp) as name,
    ):
        folder = Path(name)
        waiting = Waiting(folder)
        secret = hashlib.sha256(f"bot check {plan.terms.seed}".encode()).digest()
        hall = RealHall(folder, waiting, secret)
        teller = Teller(plan)
        try:
            runner = Runner(plan.terms, waiting, hall, keep_going=plan.keep_going)
            async with contextlib.aclosing(runner.run(plan.probes)) as results:
                async for result in results:
                    teller.tell(result)
        except asyncio.CancelledError:
            if not stopped:
                raise
            task.uncancel()
            return stopped[0]
        finally:
            await hall.close()
            await waiting.stop()
        return teller.end()


class Teller:
    """Prints results as they come, and writes the files at the end."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._results: list[Result] = []
        self._shown: set[str] = set()  # last lines of stderr, but for what differs every time
        self._causes: dict[str, Probe] = {}  # the first probe that failed so
        self._unkept: ConfigError | None = None  # why a file of a failed probe was not written

    def tell(self, result: Result) -> None:
        """Say what came of a probe."""
        self._results.append(result)
        if result.verdict is Verdict.NOT_RUN:
            return
        failed = result.verdict is Verdict.FAILED
        before = self._causes.get(cause(result)) if failed else None
        for line in result_lines(result, before):
            click.echo(line)
        if failed:
            self._causes.setdefault(cause(result), result.probe)
            if before is None:
                self._tell_errors(result)
            if self._plan.failed is not None:
                self._keep(result)

    def _tell_errors(self, result: Result) -> None:
        """Show the end of its stderr, once where it is the same again."""
        same = re.sub(r"\S*tichu-\S*|\d+", "", "\n".join(result.errors))
        if not result.errors:
            click.echo("        stderr: it printed nothing there")
            if result.output:
                click.echo("        stdout, which nobody reads, its end:")
            for line in result.output:
                click.echo(f"          | {line}")
        elif same in self._shown:
            click.echo("        stderr: as above")
        else:
            self._shown.add(same)
            click.echo("        stderr, its end:")
            for line in result.errors:
                click.echo(f"          | {line}")

    def _keep(self, result: Result) -> None:
        assert self._plan.failed is not None
        path = self._plan.failed / f"{result.probe.id}.json"
        text = replay_text(result, seed=self._plan.terms.seed, bot=self._plan.words)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self._unkept = self._unkept or ConfigError(f"{path}: {error.strerror}")
            return
        click.echo(f"        again: referee bot check --replay {path}")

    def end(self) -> int:
        """Say the rest, write the files, and return the exit code."""
        plan, results = self._plan, self._results
        level = None if plan.levels is None else reached(results, plan.levels)
        order = {probe.id: number for number, probe in enumerate(plan.probes)}
        results = sorted(results, key=lambda one: order[one.probe.id])
        if any(one.verdict is Verdict.NOT_RUN for one in results):
            failed = [one.probe.id for one in results if one.verdict is Verdict.FAILED]
            click.echo(f"without {', '.join(failed)} nothing else can be examined")
        for line in cause_lines(results):
            click.echo(line)
        for line in last_lines(results, level):
            click.echo(line)
        texts = [
            (plan.json_file, json_text(results, level=level, seed=plan.terms.seed)),
            (plan.junit, junit_text(results)),
            (plan.badge, badge_svg(level or 0)),
        ]
        for path, text in texts:
            if path is not None:
                try:
                    path.write_text(text, encoding="utf-8")
                except OSError as error:
                    raise ConfigError(f"{path}: {error.strerror}") from None
        if self._unkept is not None:
            raise self._unkept
        passed = all(one.verdict is Verdict.OK for one in results)
        return PASSED if passed else FAILED

"""The bots of `referee play`: one process a seat, started here or waited for."""

import asyncio
import contextlib
import os
import shlex
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from referee.bootstrap import Referee
from referee.cli.play_setup import PlayPlan
from referee.cli.play_text import Outcome, conduct_line, look_at, who
from referee.launch.environment import Access, access_variables, bot_environment
from referee.launch.launcher import Launcher
from referee.launch.process import BotProcess, LaunchOrder, describe_exit
from referee.match.values import Ending
from referee.rules.seat import Seat

CONNECT_S = 3600.0  # somebody starts a debugger; Ctrl-C ends the wait earlier
_CONDUCT_LINES = 3  # of a traceback: where, the line, the exception
_LAST_WORDS_S = 0.2  # from the end of the match to SIGTERM: time to read it and write a file
# After one did not start: for the others to come, or to fail too. Whose fault the end is depends
# on all of them, and they started together.
_OTHERS_S = 5.0


class StartFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A bot did not come to its seat, or left before the match began. `how` is for people."""

    seat: Seat
    how: str
    ending: Ending


class Bots:
    """The instances of a match, in the order of its seats."""

    def __init__(self, referee: Referee, plan: PlayPlan, log_dir: Path) -> None:
        self._referee = referee
        self._plan = plan
        self._log_dir = log_dir
        self._launcher = Launcher(on_exit=self._exited)
        self._seats: dict[str, Seat] = {}  # of processes, by their names
        self._processes: dict[Seat, BotProcess] = {}
        self._hellos: dict[Seat, asyncio.Task[None]] = {}
        self._failures: dict[Seat, StartFailure] = {}
        self._first_failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ending = False
        self._instances: dict[Seat, str] = {}
        self.died: list[tuple[Seat, BotProcess]] = []  # before we ended them

    @property
    def instances(self) -> list[str]:
        """The instances by the seats that bots sit at, ascending."""
        return list(self._instances.values())

    def start(self) -> None:
        """Start a process for each seat, or say what one needs that is started by hand."""
        for seat in self._plan.seats:
            bot = self._plan.bot_at(seat)
            issued = self._referee.issue_instance(bot.label)
            self._instances[seat] = issued.instance_id
            access = Access(
                server=self._referee.addresses[0],
                token=issued.token,
                name=bot.label,
                log_dir=self._log_dir,
            )
            if bot.argv is None:
                click.echo(_invitation(self._plan, seat, access), err=True)
            else:
                self._launch(seat, bot.argv, access)

    def _launch(self, seat: Seat, argv: tuple[str, ...], access: Access) -> None:
        name = f"{access.name}.{seat}"
        self._seats[name] = seat
        self._processes[seat] = self._launcher.start(
            LaunchOrder(
                name=name,
                argv=argv,
                environment=bot_environment(os.environ, access),
                log_dir=self._log_dir,
            )
        )

    async def ready(self) -> list[StartFailure]:
        """Return when every bot has said Hello, or by seat those that will not, once it is known.

        After the first the others get a moment; one that is started by hand is not waited for.
        """
        coming = [seat for seat in self._instances if seat not in self._failures]
        self._hellos = {seat: asyncio.create_task(self._hello(seat)) for seat in coming}
        everybody = asyncio.create_task(self._all_come_or_gone(self._hellos.values()))
        try:
            await asyncio.wait(
                (everybody, self._first_failure), return_when=asyncio.FIRST_COMPLETED
            )
            if self._failures:
                ours = [task for seat, task in self._hellos.items() if self._is_ours(seat)]
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._all_come_or_gone(ours), _OTHERS_S)
        finally:
            for task in (everybody, *self._hellos.values()):
                task.cancel()
        return [self._failures[seat] for seat in sorted(self._failures)]

    async def _all_come_or_gone(self, hellos: Iterable["asyncio.Task[None]"]) -> None:
        if waited := list(hellos):
            await asyncio.wait(waited)

    def _is_ours(self, seat: Seat) -> bool:
        return self._plan.bot_at(seat).argv is not None

    async def _hello(self, seat: Seat) -> None:
        limit_s = self._plan.start_ms / 1000 if self._is_ours(seat) else CONNECT_S
        try:
            await self._referee.wait_ready(self._instances[seat], limit_s)
        except TimeoutError:
            self._fail(seat, f"said no Hello within {limit_s:g} s", Ending.NEVER_STARTED)

    def _fail(self, seat: Seat, how: str, ending: Ending) -> None:
        self._failures[seat] = StartFailure(seat=seat, how=how, ending=ending)
        if not self._first_failure.done():
            self._first_failure.set_result(None)

    def _exited(self, process: BotProcess) -> None:
        """A process is gone: the referee need not wait for its return."""
        if self._ending or process.returncode is None:
            return
        seat = self._seats[process.name]
        self.died.append((seat, process))
        hello = self._hellos.get(seat)
        if hello is not None and hello.done() and not hello.cancelled():
            self._fail(seat, "ended before the match began", Ending.CRASHED)
        else:
            self._fail(seat, _why_gone(process), Ending.NEVER_STARTED)
        if hello is not None:
            hello.cancel()
        self._referee.report_exit(self._instances[seat], process.returncode)

    def kill_now(self) -> None:
        """SIGKILL without waiting: the second Ctrl-C."""
        self._launcher.kill_now()

    def kill_all_now(self) -> None:
        """SIGKILL everything that was started, for this process leaves: the third Ctrl-C."""
        self._launcher.kill_all_now()

    async def stop(self) -> None:
        """End all processes and what they started; those that end by themselves get a moment."""
        self._ending = True
        await self._launcher.all_exited(_LAST_WORDS_S)
        for pid in await self._launcher.stop():
            click.echo(f"warning: process {pid} could not be ended", err=True)

    def tell_died(self, *, logs_kept: bool) -> None:
        """Show the end of the log of every bot that ended before its time."""
        for seat, process in self.died:
            ending = describe_exit(process.returncode or 0)
            click.echo(f"bot {who(self._plan, seat)} ended: {ending}", err=True)
            lines = process.last_lines()
            for line in lines:
                click.echo(f"  | {line}", err=True)
            if not lines:
                click.echo("  it printed nothing", err=True)
        if self.died and not logs_kept:
            click.echo("hint: --log-dir DIR keeps all that the bots print", err=True)

    def tell_conduct(self, outcome: Outcome) -> None:
        """Say of every bot what was answered for it, and the end of what it wrote to stderr."""
        dead = {seat for seat, _ in self.died}  # their last words were said
        for seat, conduct in enumerate(outcome.conduct):
            if conduct.is_ordinary:
                continue
            line = conduct_line(self._plan, seat, conduct)
            lines = [] if seat in dead else self._errors_of(seat)
            click.echo(f"{line}; last of what it printed:" if lines else line, err=True)
            for text in lines:
                click.echo(f"  | {text}", err=True)
        if command := look_at(outcome):
            click.echo(f"hint: {command}", err=True)

    def _errors_of(self, seat: int) -> list[str]:
        process = self._processes.get(Seat(seat))
        return process.last_errors(_CONDUCT_LINES) if process else []


def _why_gone(process: BotProcess) -> str:
    text = "ended before its Hello"
    return text + "; does it call run()?" if process.returncode == 0 else text


def _invitation(plan: PlayPlan, seat: Seat, access: Access) -> str:
    """The lines to copy into the shell or debugger that starts the bot."""
    lines = [f"waiting for {who(plan, seat)}; start it with"]
    lines += [
        f"  export {name}={shlex.quote(value)}" for name, value in access_variables(access).items()
    ]
    return "\n".join(lines)

"""The launcher with real processes: nothing it started outlives it, and it never hangs."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from referee.launch.launcher import Launcher
from referee.launch.process import BotProcess, LaunchOrder, describe_exit
from tests.integration.playing import ROOT

WAITS = "import signal\nwhile True: signal.pause()"
DEAF = (
    "import signal, sys\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "open(sys.argv[1], 'w').close()\n" + WAITS
)
LIMIT_S = 20


class Bots:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.exited: asyncio.Queue[BotProcess] = asyncio.Queue()
        self.launcher = Launcher(on_exit=self.exited.put_nowait)

    def start(self, *argv: str) -> BotProcess:
        order = LaunchOrder(
            name=f"bot{len(list(self.folder.iterdir()))}",
            argv=argv,
            environment=dict(os.environ),
            log_dir=self.folder,
        )
        return self.launcher.start(order)

    def python(self, text: str, *words: str) -> BotProcess:
        return self.start(sys.executable, "-c", text, *words)

    async def deaf(self) -> BotProcess:
        """Return a bot that ignores SIGTERM from now on: it has opened its end of the pipe."""
        pipe = str(self.folder / f"pipe{len(os.listdir(self.folder))}")
        os.mkfifo(pipe)
        process = self.python(DEAF, pipe)
        await asyncio.to_thread(_read, pipe)
        return process

    async def end_of(self, process: BotProcess) -> int:
        await asyncio.wait_for(process.exited.wait(), LIMIT_S)
        assert process.returncode is not None
        return process.returncode


@pytest.fixture
async def bots(tmp_path: Path) -> AsyncIterator[Bots]:
    found = Bots(tmp_path)
    yield found
    found.launcher.kill_now()
    assert await found.launcher.stop(term_s=0) == set()


def _read(file: str) -> str:
    with open(file, encoding="utf-8") as opened:
        return opened.read()


async def test_an_exit_is_told_with_its_code_and_last_lines(bots: Bots) -> None:
    process = bots.python("import sys; sys.exit('no such file: weights')")
    assert await bots.end_of(process) == 1
    assert bots.exited.get_nowait() is process
    assert process.last_lines() == ["no such file: weights"]
    assert describe_exit(-11) == "killed by SIGSEGV"


async def test_the_last_lines_are_of_both_outputs_and_of_this_process_alone(bots: Bots) -> None:
    ends = []
    for text in (
        "import sys; print('old'); sys.exit('old fault')",
        "import sys; print('loading weights'); sys.exit('new fault')",
        "pass",
    ):
        argv = (sys.executable, "-c", text)
        process = bots.launcher.start(
            LaunchOrder(name="one", argv=argv, environment=dict(os.environ), log_dir=bots.folder)
        )
        await bots.end_of(process)
        ends.append(process.last_lines())
    assert ends == [["old", "old fault"], ["loading weights", "new fault"], []]


@pytest.mark.parametrize(
    ("program", "code", "said"),
    [("/no/such/program", 127, "No such file or directory"), ("/", 126, "Permission denied")],
)
async def test_what_cannot_be_run_exits_as_in_a_shell(
    bots: Bots, program: str, code: int, said: str
) -> None:
    process = bots.start(program)
    assert await bots.end_of(process) == code
    assert process.last_lines() == [f"cannot start {program}: {said}"]


async def test_a_bot_begins_with_default_signals_and_no_input(bots: Bots) -> None:
    process = bots.start("/bin/sh", "-c", "cat; echo no input; kill -PIPE $$; echo it is ignored")
    assert await bots.end_of(process) == -signal.SIGPIPE
    assert process.last_lines() == ["no input"]


async def test_what_a_bot_started_in_its_group_dies_with_it(bots: Bots) -> None:
    process = bots.python(
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {WAITS!r}])\n"
        "print(child.pid, flush=True)"
    )
    await bots.end_of(process)
    (child,) = process.last_lines()
    assert psutil.wait_procs(alive(int(child)), timeout=LIMIT_S)[1] == []


async def test_a_bot_that_ignores_sigterm_is_killed(bots: Bots) -> None:
    process = await bots.deaf()
    assert await bots.launcher.stop(term_s=0.1) == set()
    assert process.returncode == -signal.SIGKILL


async def test_killing_now_cuts_the_patience_of_a_stop(bots: Bots) -> None:
    await bots.deaf()
    stopping = asyncio.create_task(bots.launcher.stop(term_s=3600))
    await asyncio.sleep(0)
    bots.launcher.kill_now()
    assert await asyncio.wait_for(stopping, LIMIT_S) == set()


async def test_a_way_out_without_the_loop_kills_what_escaped_too(bots: Bots) -> None:
    pipe = str(bots.folder / "pipe")
    os.mkfifo(pipe)
    bots.python(
        "import os, sys\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    with open(sys.argv[1], 'w') as told: told.write(str(os.getpid()))\n" + WAITS,
        pipe,
    )
    escaped = int(await asyncio.to_thread(_read, pipe))
    bots.launcher.kill_all_now()
    assert not psutil.pid_exists(escaped)


def waiting() -> Iterator["subprocess.Popen[bytes]"]:
    """A process of ours that is no bot, in a group of its own."""
    with subprocess.Popen([sys.executable, "-c", WAITS], process_group=0) as process:
        yield process
        process.kill()


other = pytest.fixture(waiting, name="other")
another = pytest.fixture(waiting, name="another")


async def test_children_that_were_there_before_are_left_alone(
    other: "subprocess.Popen[bytes]", bots: Bots
) -> None:
    await bots.deaf()
    await bots.launcher.stop(term_s=0)
    assert other.poll() is None


def run_file(file: str, *words: str, lines: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a file of the launcher as the launcher does."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "referee" / "launch" / file), *words],
        input=lines,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_the_guardian_kills_the_groups_of_a_referee_that_is_gone(
    other: "subprocess.Popen[bytes]",
) -> None:
    """The way of systems without a parent-death signal, tried on all."""
    ended = run_file("guardian.py", lines=f"+{other.pid}\n")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert other.wait(LIMIT_S) == -signal.SIGKILL


def test_the_guardian_spares_groups_that_ended_before(
    other: "subprocess.Popen[bytes]", another: "subprocess.Popen[bytes]"
) -> None:
    run_file("guardian.py", lines=f"+{other.pid}\n+{another.pid}\n-{other.pid}\n")
    assert another.wait(LIMIT_S) == -signal.SIGKILL
    assert other.poll() is None


def test_a_bot_whose_referee_died_before_it_began_does_not_begin() -> None:
    of_someone_else = "1"
    began = run_file("shim.py", of_someone_else, sys.executable, "-c", "print('began')")
    assert (began.returncode, began.stdout) == (126, "")


def alive(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid)] if psutil.pid_exists(pid) else []

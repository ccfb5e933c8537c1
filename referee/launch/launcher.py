"""The processes of a run: started together, watched, and all gone at the end."""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from referee.launch.orphans import adopt_orphans, child_pids, kill_children, kill_children_now
from referee.launch.process import BotProcess, LaunchOrder

_GUARDIAN = str(Path(__file__).with_name("guardian.py"))
_TERM_S = 2.0  # from SIGTERM to SIGKILL
_KILL_S = 5.0  # from SIGKILL to giving up: only a process stuck in the kernel needs longer
_LEAVE_S = 1.0  # somebody waits at the keyboard; killing takes milliseconds
_TRIM_S = 1.0  # a busy printer writes under 1 GiB in it


class Launcher:
    """Starts bots and ends them. Owns all children of this process: start none beside it.

    Children that were there before it are left alone. `on_exit` is called in the loop for every
    bot that ends, wanted or not.
    """

    def __init__(self, *, on_exit: Callable[[BotProcess], None]) -> None:
        self._on_exit = on_exit
        self._processes: list[BotProcess] = []
        self._known = child_pids()
        self._guardian = _start_guardian()
        self._known.add(self._guardian.pid)
        self.adopts = adopt_orphans()
        self._trimmer = asyncio.get_running_loop().create_task(self._trim_logs())

    def start(self, order: LaunchOrder) -> BotProcess:
        """Start a bot. One that cannot be run exits with 126 or 127 and a line in its stderr."""
        process = BotProcess(order, on_exit=self._exited)
        self._processes.append(process)
        self._tell_guardian(f"+{process.pid}\n")
        return process

    async def stop(self, *, term_s: float = _TERM_S) -> set[int]:
        """End all bots and what they started; return the pids that not even SIGKILL ended.

        Takes at most term_s + 10 seconds, whatever the bots do.
        """
        self._trimmer.cancel()
        for number, limit_s in ((signal.SIGTERM, term_s), (signal.SIGKILL, _KILL_S)):
            for process in self._processes:
                process.signal_group(number)
            await self.all_exited(limit_s)
        stuck = {process.pid for process in self._processes if process.returncode is None}
        if self.adopts:
            stuck |= await kill_children(known=self._known, limit_s=_KILL_S)
        self._dismiss_guardian()
        return stuck

    async def all_exited(self, limit_s: float) -> None:
        """Return when every bot has ended, or after the limit."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                for process in self._processes:
                    await process.exited.wait()

    def kill_now(self) -> None:
        """SIGKILL all groups without waiting: for a way out that cannot wait."""
        for process in self._processes:
            process.signal_group(signal.SIGKILL)

    def kill_all_now(self) -> None:
        """SIGKILL all groups and what escaped them, blocking: the last act of this process."""
        self.kill_now()
        if self.adopts:
            dying = {process.pid for process in self._processes}
            kill_children_now(known=self._known, dying=dying, limit_s=_LEAVE_S)

    def _exited(self, process: BotProcess) -> None:
        self._tell_guardian(f"-{process.pid}\n")
        self._on_exit(process)

    def _tell_guardian(self, line: str) -> None:
        assert self._guardian.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # killed by hand, or dismissed
            self._guardian.stdin.write(line.encode())
            self._guardian.stdin.flush()

    def _dismiss_guardian(self) -> None:
        """It kills whoever is still on its list, and ends."""
        assert self._guardian.stdin is not None
        with contextlib.suppress(OSError):
            self._guardian.stdin.close()
        try:
            self._guardian.wait(timeout=_KILL_S)
        except subprocess.TimeoutExpired:
            self._guardian.kill()

    async def _trim_logs(self) -> None:
        while True:
            await asyncio.sleep(_TRIM_S)
            for process in self._processes:
                process.trim_logs()


def _start_guardian() -> "subprocess.Popen[bytes]":
    """In a session of its own, so that no signal from a terminal reaches it; in no one's folder."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", _GUARDIAN],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )

"""One bot process and its process group."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from referee.launch.output import LAST_LINES, last_lines, trim

_SHIM = str(Path(__file__).with_name("shim.py"))


class LaunchOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What to start. The environment is whole: nothing is inherited beside it."""

    name: str  # also the stem of its log files
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    log_dir: Path


class BotProcess:
    """A process we started, leader of a group of its own. Use it in the loop's thread only.

    `exited` is set once it is reaped and its group was killed; then `returncode` is its exit code,
    or minus the number of the signal that ended it.
    """

    def __init__(self, order: LaunchOrder, *, on_exit: Callable[["BotProcess"], None]) -> None:
        self.name = order.name
        self.exited = asyncio.Event()
        self.stdout_path = order.log_dir / f"{order.name}.out"
        self.stderr_path = order.log_dir / f"{order.name}.err"
        self._on_exit = on_exit
        # an earlier process may have written to the same files
        self._begins = {path: _size(path) for path in (self.stdout_path, self.stderr_path)}
        self._popen = _spawn(order, self.stdout_path, self.stderr_path)
        self.pid = self._popen.pid
        loop = asyncio.get_running_loop()
        # A thread, since no way to wait in the loop exists on all systems. It is a daemon: an
        # unkillable bot must not keep us alive.
        threading.Thread(target=self._watch, args=(loop,), daemon=True).start()

    @property
    def returncode(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._popen.returncode

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to all of the group; nothing when it is gone.

        Safe against a reused id: the leader is not reaped before `exited`.
        """
        if self.returncode is None:
            _kill_group(self.pid, number)

    def last_lines(self, count: int = LAST_LINES) -> list[str]:
        """Return the last lines that this process wrote: so many to stdout, then to stderr."""
        return self.last_output(count) + self.last_errors(count)

    def last_output(self, count: int = LAST_LINES) -> list[str]:
        """Return the last lines that this process wrote to stdout."""
        return last_lines(self.stdout_path, count, begin=self._begins[self.stdout_path])

    def last_errors(self, count: int = LAST_LINES) -> list[str]:
        """Return the last lines that this process wrote to stderr."""
        return last_lines(self.stderr_path, count, begin=self._begins[self.stderr_path])

    def trim_logs(self) -> None:
        """Keep its log files within their bound."""
        for path, begin in self._begins.items():
            self._begins[path] = max(0, begin - trim(path))

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        _wait_unreaped(self._popen)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know
            loop.call_soon_threadsafe(self._reap)

    def _reap(self) -> None:
        _kill_group(self.pid, signal.SIGKILL)  # before its number is free: what it started in it
        self._popen.wait()
        self.exited.set()
        self._on_exit(self)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _spawn(order: LaunchOrder, stdout: Path, stderr: Path) -> "subprocess.Popen[bytes]":
    """Output goes to files: an escaped child keeps a pipe open, and waiting for its end hangs."""
    with stdout.open("ab") as out, stderr.open("ab") as err:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", _SHIM, str(os.getpid()), *order.argv],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=dict(order.environment),
            process_group=0,
        )


def _wait_unreaped(popen: "subprocess.Popen[bytes]") -> None:
    """Block until it has exited; where the system can, without freeing its number."""
    if hasattr(os, "waitid"):
        os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT)
    else:
        popen.wait()


def _kill_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, number)


def describe_exit(returncode: int) -> str:
    """Return how a process ended, for people.

    >>> describe_exit(3), describe_exit(-9)
    ('exit code 3', 'killed by SIGKILL')
    """
    if returncode >= 0:
        return f"exit code {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:  # a real-time signal
        return f"killed by signal {-returncode}"

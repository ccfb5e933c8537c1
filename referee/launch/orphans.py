"""Processes that a bot left behind: adopted by us where the kernel can do that (Linux)."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Set as AbstractSet
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_POLL_S = 0.01  # between two looks; a killed process is gone within about a millisecond


def adopt_orphans() -> bool:
    """Become the parent of every descendant that loses its own; False where that is impossible.

    A daemon that forks twice leaves the bot's process group, and this is the only trace of it.
    """
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def child_pids() -> set[int]:
    """Return the pids of our children, zombies included; nothing where there is no /proc."""
    me = os.getpid()
    return {
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if _parent_of(entry / "stat") == me
    }


def _parent_of(stat: Path) -> int | None:
    """The fields after the name, which is in brackets and may hold anything: state, parent."""
    try:
        return int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):  # it is gone already
        return None


async def kill_children(*, known: AbstractSet[int], limit_s: float) -> set[int]:
    """Kill and reap our children but the known ones; return who is left after limit_s.

    Their own children come to us as they die, so it goes round until nothing is found.
    """
    deadline = asyncio.get_running_loop().time() + limit_s
    while found := child_pids() - known:
        for pid in found:
            _kill_and_reap(pid)
        if asyncio.get_running_loop().time() >= deadline:
            return found
        await asyncio.sleep(_POLL_S)
    return set()


def kill_children_now(*, known: AbstractSet[int], dying: AbstractSet[int], limit_s: float) -> None:
    """As `kill_children`, blocking, for a process that leaves without its loop.

    `dying` are children that were sent SIGKILL: what they leave comes to us, themselves are not
    reaped.
    """
    deadline = time.monotonic() + limit_s
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # to wait for it
    try:
        while time.monotonic() < deadline:
            over = all(map(_has_ended, dying))  # asked first: their children come before the look
            found = child_pids() - known - dying
            if over and not found:
                return
            for pid in found:
                _kill_and_reap(pid)
            signal.sigtimedwait({signal.SIGCHLD}, _POLL_S)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # reaped before
        return True


def _kill_and_reap(pid: int) -> None:
    """Not waiting for it: the next look finds a zombie and reaps that."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, os.WNOHANG)

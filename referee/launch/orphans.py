"""Processes that a bot left behind: adopted by us where the kernel can do that (Linux)."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
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


def _kill_and_reap(pid: int) -> None:
    """Not waiting for it: the next look finds a zombie and reaps that."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, os.WNOHANG)

"""The bot process under examination: started as `referee play` starts it, watched, ended."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.launch.environment import Access, bot_environment
from referee.launch.launcher import Launcher
from referee.launch.output import LAST_LINES
from referee.launch.process import BotProcess, LaunchOrder, describe_exit

_BLOCK_BYTES = 1024 * 1024


class Exits(msgspec.Struct, frozen=True, kw_only=True):
    """A process that ended, in words: `exit code 3`, `killed by SIGKILL`."""

    code: int
    text: str


class Examinee:
    """A started process. Several may live at once, of one launcher."""

    def __init__(self, process: BotProcess, token: str, log_dir: Path) -> None:
        self._process = process
        self.token = token
        self.log_dir = log_dir  # the one it was told of
        self.started_at = asyncio.get_running_loop().time()

    @property
    def pid(self) -> int:
        """Its process id, that of its group's leader."""
        return self._process.pid

    @property
    def exit(self) -> Exits | None:
        """How it ended; None while it runs."""
        code = self._process.returncode
        return None if code is None else Exits(code=code, text=describe_exit(code))

    def last_errors(self, count: int = LAST_LINES) -> list[str]:
        """Return the last lines that it wrote to stderr, safe for a terminal."""
        return self._process.last_errors(count)

    def last_output(self, count: int = LAST_LINES) -> list[str]:
        """Return the last lines that it wrote to stdout, safe for a terminal."""
        return self._process.last_output(count)

    def output_bytes(self) -> int:
        """Return how much it wrote to stdout, blank lines too."""
        with contextlib.suppress(OSError):
            return self._process.stdout_path.stat().st_size
        return 0

    def wrote(self, text: str) -> str | None:
        """Return where a text stands: stdout, stderr or a file of its log folder; None: nowhere."""
        names = {self._process.stdout_path: "stdout", self._process.stderr_path: "stderr"}
        for path in sorted(self.log_dir.rglob("*")):
            if path.is_file() and not path.is_symlink() and _holds(path, text.encode()):
                return names.get(path, f"TICHU_LOG_DIR/{path.relative_to(self.log_dir)}")
        return None

    def terminate(self) -> None:
        """Send SIGTERM, as at the end of a match."""
        self._process.signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.signal_group(signal.SIGKILL)

    async def ended(self, limit_s: float) -> Exits | None:
        """Wait for its end; None where it still runs after the limit."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.exited.wait(), limit_s)
        return self.exit

    def memory_kb(self) -> int:
        """Return the resident memory of it and all that it started, KiB; 0 where none is known."""
        return sum(_status_number(pid, "VmRSS") for pid in _family(self.pid))

    def threads(self) -> int:
        """Return the threads of it and all that it started; 0 where none are known."""
        return sum(_status_number(pid, "Threads") for pid in _family(self.pid))

    def descriptors(self) -> int:
        """Return the open descriptors of it and all that it started; 0 where none are known."""
        return sum(_descriptors(pid) for pid in _family(self.pid))


class Waiting:
    """Starts examinees: one launcher for all of a run, since it owns all children."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._launcher = Launcher(on_exit=lambda process: None)

    def start(self, argv: Sequence[str], *, server: str, token: str, name: str = "bot") -> Examinee:
        """Start a bot, with the environment that `referee play` gives it."""
        self._count += 1
        log_dir = self._folder / f"{self._count}"
        log_dir.mkdir()
        access = Access(server=server, token=token, name=name, log_dir=log_dir)
        order = LaunchOrder(
            name="bot",
            argv=tuple(argv),
            environment=bot_environment(os.environ, access),
            log_dir=log_dir,
        )
        return Examinee(self._launcher.start(order), token, log_dir)

    async def stop(self) -> None:
        """End all that was started, and what that started."""
        await self._launcher.stop()

    def kill_now(self) -> None:
        """SIGKILL all that was started, without waiting."""
        self._launcher.kill_now()


def _holds(path: Path, needle: bytes) -> bool:
    """Tell whether a file holds bytes, without all of a large one in memory."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        before = b""
        while block := file.read(_BLOCK_BYTES):
            if needle in before + block:
                return True
            before = block[-len(needle) :]
    return False


def _family(pid: int) -> list[int]:
    """Return a process and its descendants, where the system has /proc."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                children = Path(f"/proc/{one}/task/{task}/children").read_text(encoding="ascii")
                waiting += map(int, children.split())
    return found


def _status_number(pid: int, key: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name == key:
                return int(value.split()[0])
    return 0


def _descriptors(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0

"""The nursery and the referee that lives in it, as the test sees them."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from tests.integration.kills.nursery import Order

_ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 60.0  # for what takes milliseconds: a shared machine may stall


class Child:
    """One referee process: what it printed, and how it ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        loop = asyncio.get_running_loop()
        self.forked_at = loop.time()
        self.died_at = 0.0
        self.lines: list[str] = []
        self.listening: asyncio.Future[bool] = loop.create_future()  # False: it died before
        self.ended: asyncio.Future[int] = loop.create_future()  # exit status; -9: killed

    def printed(self, line: str) -> None:
        """Take a line of its stdout."""
        self.lines.append(line)
        if line.startswith("listening ") and not self.listening.done():
            self.listening.set_result(True)

    def exited(self, status: int) -> None:
        """Take its end."""
        self.died_at = asyncio.get_running_loop().time()
        self.ended.set_result(status)
        if not self.listening.done():
            self.listening.set_result(False)

    def kill(self) -> None:
        """Send SIGKILL, unless it is gone."""
        if not self.ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def killed(self) -> int:
        """Kill it and wait for its end; return its exit status."""
        self.kill()
        return await asyncio.wait_for(asyncio.shield(self.ended), LIMIT_S)


class Nursery:
    """Starts one referee after the other."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._child: Child | None = None
        self._born: asyncio.Queue[Child] = asyncio.Queue()
        self._log = bytearray()
        self.reader = asyncio.create_task(self._read())
        self.log_reader = asyncio.create_task(self._read_log())

    @property
    def log(self) -> str:
        """The end of what all processes said on stderr: a pipe, which no limit of files stops."""
        return self._log[-3_000:].decode(errors="replace")

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(65_536):
            self._log += data

    async def start(self, order: Order) -> Child:
        """Start a process; the one before must have ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        born = asyncio.ensure_future(self._born.get())
        await asyncio.wait(
            {born, self.reader}, timeout=LIMIT_S, return_when=asyncio.FIRST_COMPLETED
        )
        if not born.done():
            born.cancel()
            raise AssertionError("the nursery is gone")
        return born.result()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := (await self._process.stdout.readline()).decode().rstrip():
            word, _, rest = line.partition(" ")
            if word != "nursery":
                if self._child is not None:
                    self._child.printed(line)
                continue
            event, _, number = rest.partition(" ")
            if event == "pid":
                self._child = Child(int(number))
                self._born.put_nowait(self._child)
            elif self._child is not None:
                self._child.exited(int(number))


@contextlib.asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery, which takes its referee along when it ends."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.kills.nursery"),
        cwd=_ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    one = Nursery(process)
    try:
        yield one
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await asyncio.gather(one.reader, one.log_reader)

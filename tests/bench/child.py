"""A child process that is told what to do in JSON lines on stdin and reports on stdout."""

import asyncio
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import psutil

ROOT = Path(__file__).resolve().parents[2]
_STARTING_S = 60.0
_STOPPING_S = 10.0
_LAST_LINES = 20

T = TypeVar("T")


class ChildError(Exception):
    """A child process ended or fell silent; the text ends with the last it said."""


class Child:
    """One process. Its stderr lies in a file, so that nobody waits for a full pipe."""

    def __init__(
        self, module: str, arguments: Sequence[str] = (), environment: Mapping[str, str] = {}
    ) -> None:
        """Start `python -m module`; `environment` is added to ours."""
        self._name = module
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `stop`)
        paths = (str(ROOT), str(ROOT / "sample_bots" / "python"), os.environ.get("PYTHONPATH"))
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path for path in paths if path),
                **environment,
            },
        )

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def cpu_s(self) -> float:
        """Return the processor time of the process so far; it counts in hundredths of a second."""
        times = psutil.Process(self.pid).cpu_times()
        return float(times.user + times.system)

    def hear(self, kind: type[T], *, timeout_s: float = _STARTING_S) -> T:
        """Return the next report."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], timeout_s)[0]:
            raise ChildError(f"{self._name} says nothing for {timeout_s:g} s{self._said()}")
        line = self._process.stdout.readline()
        if not line:
            raise ChildError(f"{self._name} ended{self._said()}")
        return msgspec.json.decode(line, type=kind)

    def tell(self, order: msgspec.Struct) -> None:
        """Send an order."""
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")

    def ask(self, order: msgspec.Struct, kind: type[T], *, timeout_s: float = _STARTING_S) -> T:
        """Send an order and return its report."""
        self.tell(order)
        return self.hear(kind, timeout_s=timeout_s)

    def stop(self) -> None:
        """End the process: by the end of its stdin, then by signals."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(_STOPPING_S)
                break
            except subprocess.TimeoutExpired:
                end()
        self._process.wait()
        self._errors.close()

    def terminate(self) -> None:
        """Send SIGTERM, for a process that does not read its stdin."""
        self._process.terminate()

    def _said(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()[-_LAST_LINES:]
        return "".join(f"\n  {line}" for line in lines) or " and wrote nothing to stderr"


async def orders(kind: type[T]) -> AsyncIterator[T]:
    """Yield the orders on stdin, in the child; ends when the parent closes or dies."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield msgspec.json.decode(line, type=kind)


def report(what: msgspec.Struct) -> None:
    """Write a report to stdout, in the child."""
    sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
    sys.stdout.buffer.flush()

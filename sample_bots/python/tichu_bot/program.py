"""A program that plays by lines: a view goes in as JSON, an answer comes out."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence

from tichu_bot.report import say, times

ENDS_S = 1.0  # for a program to end by itself when its input does
TOLD_TO_END_S = 3.0  # for this process, when the program was ended by a signal for both
LONGEST_LINE = 1 << 20
TOLD_LINES = 20  # bad lines that are told of one program; a fault of a program is often in each
LATE_S = 2.0  # without a line from a program that has not answered yet
SHOWN = 80  # characters of a bad line
_SIGNALS = (-signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGINT)


class Gone(Exception):
    """The program has ended, and answers no more."""


class Program:
    """One process of the program, and the asks that it has not answered."""

    def __init__(self, command: Sequence[str], *, on_gone: Callable[[], None]) -> None:
        """Start it; OSError where that cannot be. `on_gone` is called if it ends unasked."""
        self._on_gone = on_gone
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self._process.stdin is not None
        self._pipe = self._process.stdin
        self._connecting: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._input: asyncio.WriteTransport | None = None
        self._waiting: dict[int, asyncio.Future[str]] = {}  # by id, the oldest first
        self._asked = self._answered = self._bad = 0
        self._gone = self._ending = self._hinted = False

    async def ask(self, view: Mapping[str, object], *, match: int) -> str:
        """Write one line and return the line that answers it; Gone where none will come."""
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())
        await asyncio.shield(self._connecting)  # an ask may be cancelled; the others wait on
        if self._gone or self._input is None:
            raise Gone
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        line = json.dumps({"match": match, "id": number, **view}, separators=(",", ":"))
        self._input.write(line.encode() + b"\n")
        if self._answered or self._hinted:
            return await answer
        late = asyncio.get_running_loop().call_later(LATE_S, self._hint, number)
        try:
            return await answer
        finally:
            late.cancel()

    def say_bad(self, line: str, why: str) -> None:
        """Tell of a line that is no answer, and what to do; not of each, if they are many."""
        self._bad += 1
        if self._bad <= TOLD_LINES:
            shown = ascii(line[:SHOWN]) + "..." * (len(line) > SHOWN)
            say(f"the program wrote {shown}: {why}")
        if self._bad == TOLD_LINES:
            say("no more of its bad lines are told")

    def _hint(self, number: int) -> None:
        """Say once what is most often the matter with a program that never answered."""
        if self._answered or self._hinted or self._gone or self._ending:
            return
        self._hinted = True
        say(
            f"no line for {LATE_S:g} s after line {number}: does the program flush?"
            " awk: fflush(), or mawk -W interactive"
        )

    def close_input(self) -> None:
        """Tell it that nothing more comes. Called in the loop; `end` follows."""
        self._ending = True
        if self._input is not None:
            self._input.abort()

    def end(self) -> None:
        """End its input, and the program if that does not; it may take two seconds."""
        self._ending = True
        self._pipe.close()
        for stop in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(ENDS_S)
                return
            except subprocess.TimeoutExpired:
                stop()
        self._process.wait()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        self._reading = loop.create_task(self._read())
        self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._pipe)

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(reader)
        await loop.connect_read_pipe(lambda: protocol, self._process.stdout)
        too_long = False
        while True:
            try:
                line = await reader.readline()
            except ValueError:  # the reader has dropped what it had of the line
                too_long = True
                continue
            if too_long:
                line, too_long = b"a line over 1 MiB\n", False
            if not line.endswith(b"\n"):
                break
            self._take(line.decode(errors="replace").strip())
        await self._went()

    def _take(self, line: str) -> None:
        """Hand a line to the ask that it names, else to the oldest."""
        number = _id_of(line)
        if number is None:
            number = next(iter(self._waiting), None)
        answer = None if number is None else self._waiting.pop(number, None)
        if answer is None:
            self.say_bad(line, "nobody asked for it; answer each line once, debug to stderr")
            return
        self._answered += 1
        if not answer.done():  # else the referee has taken the ask back
            answer.set_result(line)

    async def _went(self) -> None:
        """Give all that waits up, and say how the program ended."""
        self._gone = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Gone())
        self._waiting.clear()
        try:
            status = await asyncio.to_thread(self._process.wait, ENDS_S)
        except subprocess.TimeoutExpired:
            how = "closed its output"
        else:
            if status in _SIGNALS:  # for this process, too
                await asyncio.sleep(TOLD_TO_END_S)
            how = f"ended with status {status}"
        if not self._ending:
            say(
                f"the program {how} after it answered {times(self._answered)}: it has to answer"
                " each line and read on until its input ends; its own words are above"
            )
            self._on_gone()


def _id_of(line: str) -> int | None:
    """Return the id that a line names; None where it names none."""
    if '"id"' not in line:
        return None
    try:
        number = json.loads(line)["id"]
    except (ValueError, KeyError, TypeError):
        return None
    return number if isinstance(number, int) else None

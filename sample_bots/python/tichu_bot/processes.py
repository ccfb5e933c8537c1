"""Thinks in worker processes, so that the bot's own process is always free for the stream."""

import asyncio
import collections
import math
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from tichu_bot.bot import Bot, Strategy
from tichu_bot.deferred import Forwarding, OpenAsk
from tichu_bot.exit_code import ExitCode
from tichu_bot.outbox import Outbox
from tichu_bot.report import say
from tichu_bot.traits import Traits
from tichu_bot.view import View
from tichu_bot.worker import ENDS_S, FORGET, LENGTH, WORKER, Job, Reply, pack

STARTS = 2  # workers in a row that end before they are ready: another would, too


class Waiting(NamedTuple):
    """A job that no worker has yet, and the ask that it is about."""

    packed: bytes  # at once: the view is that of the moment
    opened: OpenAsk | None


class Place:
    """A place for one worker, with the matches that it decides for and what waits for it."""

    def __init__(self) -> None:
        self.matches: set[int] = set()
        self._waiting: collections.deque[Waiting] = collections.deque()
        self._filled = asyncio.Event()

    def put(self, job: Job, opened: OpenAsk | None = None) -> None:
        """Add a job; a bomb is asked before all else that waits."""
        waiting = Waiting(pack(job), opened)
        if opened is not None and opened.ask.HasField("bomb"):
            self._waiting.appendleft(waiting)
        else:
            self._waiting.append(waiting)
        self._filled.set()

    async def filled(self) -> None:
        """Wait until there is a job."""
        await self._filled.wait()

    def take(self) -> Waiting | None:
        """Take the next job; an ask that is over is left out."""
        while self._waiting:
            job = self._waiting.popleft()
            if job.opened is None or not job.opened.over:
                return job
        self._filled.clear()
        return None


class ProcessThinker:
    """As many workers as asked for; each match has its strategy in one of them."""

    def __init__(
        self,
        count: int,
        traits: Traits,
        outbox: Outbox,
        *,
        make_quick: Callable[[], Bot] | None = None,
    ) -> None:
        """`make_quick` makes what answers bomb asks in this process, where they are quick."""
        self.traits = traits
        self._outbox = outbox
        self._make_quick = make_quick
        self._matches = 0
        self._match_of: dict[int, int] = {}  # by number of the session: our own count
        self._place_of: dict[int, Place] = {}
        self._places = [Place() for _ in range(count)]
        self._deadline = math.inf
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._keep(place)) for place in self._places]
        for task in self._tasks:
            task.add_done_callback(_end_with)

    def seated(self, match: int) -> Strategy:
        """Give a new match to the worker with fewest."""
        self._matches += 1
        number = self._matches
        place = min(self._places, key=lambda place: len(place.matches))
        place.matches.add(number)
        self._match_of[match] = number
        self._place_of[number] = place

        def tell(method: str, view: View, arguments: tuple[object, ...]) -> None:
            place.put(Job(number, method, view, arguments))

        return Forwarding(tell)

    def forgotten(self, match: int) -> None:
        """Let the worker drop the match's strategy."""
        number = self._match_of.pop(match)
        place = self._place_of.pop(number)
        place.matches.discard(number)
        place.put(Job(number, FORGET))

    def quick(self) -> Bot | None:
        """Make what answers a match's bomb asks at once."""
        return self._make_quick() if self._make_quick is not None else None

    def think(self, opened: OpenAsk) -> None:
        """Queue it for the worker of its match."""
        number = self._match_of[opened.seat.match]
        self._place_of[number].put(Job(number, "decide", opened.view), opened)

    def drop(self, opened: OpenAsk) -> None:
        """Nothing: what is over is skipped, or its answer dropped."""

    async def _keep(self, place: Place) -> None:
        """Keep one worker alive."""
        unready = 0
        while unready < STARTS:
            ours, theirs = socket.socketpair()
            reader, writer = await asyncio.open_connection(sock=ours)
            with theirs:
                process = _start(theirs)
            try:
                was_ready = await self._use(place, reader, writer)
            finally:
                self._end(process, writer)
            status = process.returncode
            unready = 0 if was_ready else unready + 1
            say(f"a worker ended with status {status}; a new one starts")
        say(f"{STARTS} workers ended before they could decide: what they printed says why")
        os._exit(ExitCode.BUG)

    def _end(self, process: "subprocess.Popen[bytes]", writer: asyncio.StreamWriter) -> None:
        """End a worker that is gone, or is not wanted any more: none outlives the bot."""
        if process.poll() is None:
            with suppress(OSError):
                writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
            now = time.monotonic()
            self._deadline = min(self._deadline, now + ENDS_S)  # one for all workers
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, self._deadline - now))
        writer.close()
        process.kill()
        process.wait()

    async def _use(
        self, place: Place, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Hand jobs to a worker one after another, until it is gone. False: it was never ready."""
        if await _read(reader) is None:
            return False
        reply = asyncio.create_task(_read(reader))
        filled: asyncio.Task[None] | None = None
        try:
            while not reply.done():
                job = place.take()
                if job is None:
                    filled = asyncio.create_task(place.filled())
                    await asyncio.wait((reply, filled), return_when=asyncio.FIRST_COMPLETED)
                    continue
                writer.write(job.packed)
                if job.opened is not None:
                    replied = await reply
                    self._settle(job.opened, replied)
                    if replied is None:
                        break
                    reply = asyncio.create_task(_read(reader))
        finally:
            reply.cancel()
            if filled is not None:
                filled.cancel()
        return True

    def _settle(self, opened: OpenAsk, replied: object) -> None:
        out = self._outbox.frame
        if isinstance(replied, Reply) and not replied.failed:
            opened.view.requests = replied.requests
            opened.seat.settle(opened, replied.decision, out)
        else:
            opened.seat.give_up(opened, out)
        self._outbox.ring()


def _start(link: socket.socket) -> "subprocess.Popen[bytes]":
    """Start this program once more, as a worker; the token is not for it."""
    environment = {name: value for name, value in os.environ.items() if name != "TICHU_TOKEN"}
    return subprocess.Popen(
        [sys.executable, *sys.orig_argv[1:]],
        env={**environment, WORKER: str(link.fileno())},
        pass_fds=(link.fileno(),),
        stdin=subprocess.DEVNULL,
    )


def _end_with(task: "asyncio.Task[None]") -> None:
    """End the process with a task that failed: nobody would think any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        say(f"the library failed; this is a bug of tichu_bot: {error!r}")
        os._exit(ExitCode.BUG)


async def _read(reader: asyncio.StreamReader) -> object:
    """Read one reply; None when the worker is gone."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        head = await reader.readexactly(LENGTH.size)
        return pickle.loads(await reader.readexactly(*LENGTH.unpack(head)))
    return None

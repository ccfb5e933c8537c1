"""A worker process: the bot's program once more, which decides and has no stream.

It is started with the same command line as the bot and a socket to it. So whatever makes the
strategy need not be pickled, and a program needs no guard around `run`.
"""

import os
import pickle
import queue
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, NoReturn

from tichu_bot.acts import Decision
from tichu_bot.bot import Bot
from tichu_bot.exit_code import ExitCode
from tichu_bot.report import say_failure
from tichu_bot.view import Request, View

WORKER = "TICHU_WORKER"  # number of the worker's socket, set by the library
LENGTH = struct.Struct("!Q")
ENDS_S = 1.0  # for the workers of a bot that ends, to do what they were told before


class Job(NamedTuple):
    """Something for a worker to do. `method` is one that listens, or "decide"."""

    match: int  # counts the matches of the process; each has a strategy of its own
    method: str
    view: View | None = None
    arguments: tuple[object, ...] = ()


class Reply(NamedTuple):
    """What a worker decided; `failed` where the strategy raised."""

    decision: Decision
    requests: list[Request]
    failed: bool = False


FORGET = "forget"  # a method of a Job: the match is over


def pack(what: object) -> bytes:
    """Return what travels through the socket."""
    body = pickle.dumps(what)
    return LENGTH.pack(len(body)) + body


def work(descriptor: int, make_bot: Callable[[], Bot]) -> NoReturn:
    """Decide until the bot's process is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):  # for the bot, which ends its workers
        signal.signal(number, signal.SIG_IGN)
    link = socket.socket(fileno=descriptor)
    jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(link, jobs), name="jobs", daemon=True).start()
    link.sendall(pack(os.getpid()))  # ready
    bots: dict[int, Bot] = {}
    while (job := jobs.get()) is not None:
        reply = _do(job, bots, make_bot)
        if reply is not None:
            with suppress(BrokenPipeError):  # the bot ends: nobody wants it any more
                link.sendall(pack(reply))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ExitCode.DONE)  # an orderly end of Python can wait for ever for a thread that reads


def _read(link: socket.socket, jobs: "queue.SimpleQueue[Job | None]") -> None:
    """Read jobs; end the process soon after the bot's, even in the middle of a thought."""
    try:
        with link.makefile("rb") as stream:
            while len(head := stream.read(LENGTH.size)) == LENGTH.size:
                jobs.put(pickle.loads(stream.read(*LENGTH.unpack(head))))
    except BaseException:  # else it would wait for jobs for ever
        say_failure("a job could not be read; this is a bug of tichu_bot")
        os._exit(ExitCode.BUG)
    jobs.put(None)
    threading.Event().wait(ENDS_S)
    os._exit(ExitCode.DONE)


def _do(job: Job, bots: dict[int, Bot], make_bot: Callable[[], Bot]) -> Reply | None:
    """Do one job; only "decide" is replied to. A strategy that raises costs that job alone."""
    if job.method == FORGET:
        bots.pop(job.match, None)
        return None
    view = job.view
    assert view is not None
    try:
        if job.match not in bots:
            bots[job.match] = make_bot()
            bots[job.match].match_started(view)
        bot = bots[job.match]
        if job.method == "decide":
            return Reply(bot.decide(view), view.requests)
        if job.method != "match_started":
            getattr(bot, job.method)(view, *job.arguments)
    except Exception:
        say_failure(f"the strategy failed in {job.method}", match=view.match_id)
        return Reply(None, [], failed=True) if job.method == "decide" else None
    return None

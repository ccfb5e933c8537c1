"""Starts referee processes fast: imports everything once, then forks for each.

Run as a program, with orders as JSON lines on stdin; one process lives at a time. It says on stdout
`nursery pid N` and `nursery exit STATUS`; what the referee prints comes between. Forking is safe
since no thread runs here and gRPC, which starts its own at the first server, was only imported.
"""

import ctypes
import gc
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import msgspec

# What a process would load at its start; the command loads its parts when it is asked for them.
import referee.bootstrap
import referee.cli.serve
from referee.cli.main import main as referee_command
from tests.integration.kills.deaths import Death, Outage, arrange, arrange_outage
from tests.integration.kills.plants import Plant, plant

_PR_SET_PDEATHSIG = 1
LOADED = (referee.bootstrap, referee.cli.serve)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One process: the words behind `referee`, its folder, and what is to happen to it."""

    words: tuple[str, ...]
    folder: str
    store: str
    death: Death | None = None
    outage: Outage | None = None
    plants: tuple[Plant, ...] = ()


def serve_orders() -> None:
    """Carry out orders until stdin ends."""
    _die_with_parent()
    gc.collect()
    gc.freeze()  # nothing of what is shared is touched by a collection
    for line in sys.stdin:
        order = msgspec.json.decode(line, type=Order)
        threads = len(os.listdir("/proc/self/task"))
        if threads != 1:
            raise SystemExit(f"{threads} threads run: it cannot be forked")
        pid = os.fork()
        if pid == 0:
            _become_referee(order)
        print(f"nursery pid {pid}", flush=True)
        _, status = os.waitpid(pid, 0)
        print(f"nursery exit {os.waitstatus_to_exitcode(status)}", flush=True)


def _become_referee(order: Order) -> NoReturn:
    code = 70
    try:
        _die_with_parent()
        os.chdir(order.folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for one in order.plants:
            plant(one, Path(order.store))
        if order.outage is not None:
            arrange_outage(order.outage)
        if order.death is not None:
            arrange(order.death)
        referee_command.main(args=list(order.words), prog_name="referee")
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 1
    except BaseException as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    serve_orders()

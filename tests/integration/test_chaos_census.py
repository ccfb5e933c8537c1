"""What counts the leftovers of a match finds each kind, and names it."""

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.chaos_table import SPARE_MIB, Census
from tests.integration.playing import Player

WAITS = "import signal\nwhile True: signal.pause()"


@contextlib.contextmanager
def thread() -> Iterator[None]:
    done = threading.Event()
    waiting = threading.Thread(target=done.wait, name="forgotten")
    waiting.start()
    yield
    done.set()
    waiting.join()


@contextlib.contextmanager
def child() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", WAITS]) as process:
        yield
        process.kill()


@contextlib.contextmanager
def file() -> Iterator[None]:
    with tempfile.NamedTemporaryFile(prefix="forgotten"):
        yield


@contextlib.contextmanager
def memory() -> Iterator[None]:
    kept = bytearray(b"x" * (2 * SPARE_MIB * 2**20))
    yield
    del kept


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (thread, r"threads left: \['forgotten'\]"),
        (child, r"children left: .*signal.pause"),
        (file, r"descriptors left: \{'.*forgotten"),
        (memory, r"memory grew by \d+ MiB"),
    ],
)
def test_what_is_left_is_found_and_named(
    tmp_path: Path, left: Callable[[], contextlib.AbstractContextManager[None]], said: str
) -> None:
    before = Census.take()
    marked = Player(tmp_path)
    with left(), pytest.raises(AssertionError, match=said):
        Census.take().assert_as(before, marked, limit_s=0.1)
    Census.take().assert_as(before, marked)

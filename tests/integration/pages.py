"""Pages whose commands are run, from an empty folder on, and print what the pages show."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLAYS_S = 400  # some steps play a whole ladder
_STEP = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
_BIN = Path(sys.executable).parent  # where this environment's `referee` is


def steps_of(page: str) -> list[tuple[str, str]]:
    """The blocks of commands of a page, each with the output shown after it; "" if none is."""
    return _STEP.findall(page)


def printed(script: str, folder: Path) -> str:
    """What a block of commands prints, run in a folder as a reader would."""
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PLAYS_S,
    )
    assert done.returncode == 0, (script, done.stderr)
    return done.stdout


def first_difference(
    steps: Sequence[tuple[str, str]], folder: Path, steady: Callable[[str], str] = str
) -> str:
    """Play a page from the beginning; return how a step prints other than shown, "" for none.

    In pace fast a bomb of the seat on turn may come before or after another's, so one board of
    hundreds differs from run to run. So a page of ladders has three tries to print every figure.
    """
    found = ""
    for number in range(3):
        empty = folder / str(number)
        empty.mkdir()
        found = _difference(steps, empty, steady)
        if not found:
            break
    return found


def _difference(
    steps: Sequence[tuple[str, str]], folder: Path, steady: Callable[[str], str]
) -> str:
    for script, shown in steps:
        got, wanted = steady(printed(script, folder)), steady(shown)
        if got != wanted:
            return f"{script}\n--- printed\n{got}\n--- shown\n{wanted}"
    return ""

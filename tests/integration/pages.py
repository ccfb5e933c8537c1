"""Pages whose commands are run, from an empty folder on, and print what the pages show."""

import os
import re
import subprocess
import sys
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


def without_figures(text: str) -> str:
    """The text with a 0 for each number, and one space for several.

    In pace fast a bomb of the seat on turn may come before or after that of another: one board of
    hundreds differs from run to run, and every figure that follows from it.
    """
    numbers = re.sub(r"[-+]?\d[\d.,]*(?:-\d+)*", "0", text)
    return re.sub(r" +", " ", numbers)

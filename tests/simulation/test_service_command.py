"""`make sim` as a command: what it takes, what it says, and whom it tells."""

import dataclasses
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.service import __main__ as command
from tests.simulation.service.playing import Outcome, play

_ROOT = Path(__file__).parents[2]
_PROGRAM = (sys.executable, "-m", "tests.simulation.service")


def _words_of_make(*variables: str) -> list[str]:
    """The words of the program that `make sim` would run."""
    make = ["make", "--no-print-directory", "--dry-run", "sim", *variables]
    plan = subprocess.run(make, cwd=_ROOT, capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in plan.splitlines() if "tests.simulation.service" in line]
    return shlex.split(line)[3:]


def test_make_hands_every_value_on_as_it_was_written() -> None:
    assert _words_of_make() == ["--seed=1", "--first=0", "--matches=200", "--processes=2"]
    seed = 'it\'s "one"; $(HOME) `date` $HOME \\'
    words = _words_of_make(f"SEED={seed}", "FIRST=7", "N=1; echo", "POINTS=1")
    assert words == [
        f"--seed={seed}",
        "--first=7",
        "--matches=1; echo",
        "--processes=2",
        "--points",
    ]
    assert "--points" not in _words_of_make("POINTS=0")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--matches=0", "N=0: write a whole number from 1 to 1000000"),
        ("--matches=-5", "N=-5: write a whole number from 1 to 1000000"),
        ("--matches=abc", "N=abc: write a whole number from 1 to 1000000"),
        ("--first=-1", "FIRST=-1: write a whole number from 0 to 1000000"),
        ("--processes=0", "PROCESSES=0: write a whole number from 1 to 256"),
        ("--page=/nowhere/at/all.md", "write the name of a file in a folder that is"),
        ("--mathces=5", "unrecognized arguments: --mathces=5"),
    ],
)
def test_what_it_cannot_do_is_one_line_and_exit_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, word: str, said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["sim", word])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert line.endswith(said)


def test_the_summary_begins_with_what_was_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--seed=a b", "--first=7", "--matches=2", "--processes=1"]
    monkeypatch.setattr(sys, "argv", ["sim", *words])
    monkeypatch.setattr(command, "quiet", lambda: None)
    assert command.main() == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("seed 'a b', matches 7 to 8 of one round, commit ")


def test_a_finding_is_told_with_a_command_that_repeats_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged_wrong(seed: str, number: int, *, points: bool) -> Outcome:
        return dataclasses.replace(play(seed, number, points=points), findings=("something",))

    monkeypatch.setattr(sys, "argv", ["sim", "--seed=it's", "--first=3", "--matches=1"])
    monkeypatch.setattr(command, "quiet", lambda: None)
    monkeypatch.setattr(command, "play", judged_wrong)
    assert command.main() == 1
    last = capsys.readouterr().out.splitlines()[-1]
    again = shlex.split(last.removeprefix("repeat it: "))
    assert again == ["make", "sim", "SEED=it's", "FIRST=3", "N=1"]


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*_PROGRAM, "--matches=1"], cwd=_ROOT, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")

"""What a run of many simulations comes to, as text."""

import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tests.simulation.service.playing import Outcome, count_endings

_HERE = os.path.dirname(os.path.abspath(__file__))


def commit() -> str:
    """Return the commit of the working tree, with `-dirty` where it is changed."""
    command = ["git", "-C", _HERE, "describe", "--always", "--dirty", "--abbrev=40"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def run_of(seed: str, numbers: range, *, points: bool) -> str:
    """Return what was simulated, in one line: with the commit it says all that repeats it."""
    what = "to points" if points else "of one round"
    return f"seed {seed!r}, matches {numbers[0]} to {numbers[-1]} {what}, commit {commit()}"


def totals(outcomes: Sequence[Outcome], wall_s: float) -> list[str]:
    """Return the sums of a run, a line each."""
    endings = count_endings(outcomes)
    hours = sum(outcome.virtual_ns for outcome in outcomes) / 3.6e12
    rounds = sum(outcome.rounds for outcome in outcomes)
    frames = sum(outcome.frames for outcome in outcomes)
    found = sum(bool(outcome.findings) for outcome in outcomes)
    return [
        f"{sum(endings.values())} matches in {len(outcomes)} simulations, {rounds} rounds ended",
        f"{frames} frames, {hours:.1f} virtual hours, {wall_s:.1f} wall seconds",
        f"simulations with findings: {found}",
    ]


def endings_of(outcomes: Sequence[Outcome]) -> list[tuple[int, str]]:
    """Return how often each ending came with which blame, the most frequent first."""
    return _ordered(
        (f"{ending}, blame {blame}", times)
        for (ending, blame), times in count_endings(outcomes).items()
    )


def faults_of(outcomes: Sequence[Outcome]) -> list[tuple[int, str]]:
    """Return how often each fault was drawn, the most frequent first."""
    return _summed(outcome.faults for outcome in outcomes)


def struck_of(outcomes: Sequence[Outcome]) -> list[tuple[int, str]]:
    """Return how often links, the store and the referee really failed, and came back."""
    return _summed(outcome.struck for outcome in outcomes)


def _summed(counts: Iterable[Mapping[str, int]]) -> list[tuple[int, str]]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update({str(name): times for name, times in count.items() if times})
    return _ordered(total.items())


def _ordered(counted: Iterable[tuple[str, int]]) -> list[tuple[int, str]]:
    return sorted(((times, name) for name, times in counted), key=lambda one: (-one[0], one[1]))


def page(command: str, outcomes: Sequence[Outcome], wall_s: float, day: str) -> str:
    """Return the page of evidence of a run."""
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    head = [
        "# Simulation",
        "",
        "The whole service above its sockets in virtual time, with a simulated network, a store",
        "that refuses facts for a while, a referee that is killed and started again, and hostile",
        "bots; each match is judged by an auditor that imports nothing of the referee.",
        "What is simulated is in `tests/simulation/service`, what is judged in",
        "`tests/simulation/audit`.",
        "",
        f"Made by `{command}`",
        f"on {day}; {machine}, CPython {platform.python_version()}; commit {commit()}.",
        "",
        *[f"- {line}" for line in totals(outcomes, wall_s)],
    ]
    return "\n".join(
        [
            *head,
            *_table("Endings", "ending", endings_of(outcomes)),
            *_table("Faults drawn", "fault", faults_of(outcomes)),
            *_table("Of links, store and referee", "what happened", struck_of(outcomes)),
            "",
        ]
    )


def _table(title: str, column: str, rows: Sequence[tuple[int, str]]) -> list[str]:
    width = max(len(name) for _, name in [*rows, (0, column)])
    return [
        "",
        f"## {title}",
        "",
        f"| {column:{width}} | times |",
        f"|{'-' * (width + 2)}|------:|",
        *[f"| {name:{width}} | {times:5} |" for times, name in rows],
    ]

"""`python -m tests.simulation.service`: play faulted matches and have them audited.

Exit status 0: nothing found. 1: something was found; the output repeats it. 2: usage.
"""

import argparse
import datetime
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NoReturn

import structlog

from tests.simulation.service.playing import Outcome, play
from tests.simulation.service.summary import (
    commit,
    endings_of,
    faults_of,
    page,
    run_of,
    struck_of,
    totals,
)

_CHUNK = 20
_MOST_SHOWN = 20
_FATAL = 50  # level of the log


def main() -> int:
    """Play what the arguments say."""
    args = _arguments(sys.argv[1:])
    began = time.monotonic()
    numbers = range(args.first, args.first + args.matches)
    outcomes = list(_outcomes(args.seed, numbers, args.processes, points=args.points))
    wall_s = time.monotonic() - began
    if args.page:
        command = "python -m tests.simulation.service " + shlex.join(sys.argv[1:])
        day = datetime.date.today().isoformat()
        args.page.write_text(page(command, outcomes, wall_s, day), encoding="utf-8")
    bad = [outcome for outcome in outcomes if outcome.findings]
    try:
        print(run_of(args.seed, numbers, points=args.points))
        _print_summary(outcomes, wall_s)
        _print_findings(args.seed, bad, points=args.points)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head`: who reads has read enough, and the status says the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if bad else 0


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit 2."""
        self.exit(2, f"error: {message}\n")


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="python -m tests.simulation.service", description=__doc__)
    parser.add_argument("--seed", default="1", help="text that everything is drawn from")
    add = parser.add_argument
    # as `make sim` calls them, since most who mistype one have written that
    add("--matches", type=_number("N", 1), default=200, metavar="N", help="how many")
    add("--first", type=_number("FIRST", 0), default=0, metavar="FIRST", help="number of the first")
    add("--processes", type=_number("PROCESSES", 1, 256), default=2, metavar="PROCESSES")
    add("--points", action="store_true", help="to 50 to 1,000 points, not a round")
    add("--page", type=_page, metavar="FILE", help="write the summary as a page of evidence")
    return parser.parse_args(words)


def _number(name: str, least: int, most: int = 1_000_000) -> Callable[[str], int]:
    def number(text: str) -> int:
        plain = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
        if not plain or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"{name}={text}: write a whole number from {least} to {most}"
            )
        return int(text)

    return number


def _page(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: write the name of a file in a folder that is")
    return path


def _outcomes(seed: str, numbers: range, processes: int, *, points: bool) -> Iterator[Outcome]:
    """Yield the outcomes in the order of their numbers."""
    jobs = [(seed, number, points) for number in numbers]
    if processes <= 1 or len(jobs) <= 1:
        yield from map(_play, jobs)
        return
    chunk = max(1, min(_CHUNK, len(jobs) // (processes * 8)))
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_play, jobs, chunksize=chunk)


def _play(job: tuple[str, int, bool]) -> Outcome:
    seed, number, points = job
    quiet()
    return play(seed, number, points=points)


def quiet() -> None:
    """Keep the log of a service that meets faults all the time out of the output."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(_FATAL))


def _print_summary(outcomes: list[Outcome], wall_s: float) -> None:
    for line in totals(outcomes, wall_s):
        print(line)
    tables = {
        "endings": endings_of(outcomes),
        "faults": faults_of(outcomes),
        "of links, store and referee": struck_of(outcomes),
    }
    for title, rows in tables.items():
        print(f"{title}:")
        for times, name in rows:
            print(f"  {times:6} {name}")


def _print_findings(seed: str, bad: list[Outcome], *, points: bool) -> None:
    for outcome in bad[:_MOST_SHOWN]:
        _report(seed, outcome, points=points)
    if len(bad) > _MOST_SHOWN:
        print(f"... and {len(bad) - _MOST_SHOWN} more matches with findings")


def _report(seed: str, outcome: Outcome, *, points: bool) -> None:
    print(f"\nseed {seed!r}, match {outcome.number}, commit {commit()}")
    for finding in outcome.findings[:10]:
        print(f"  {finding}")
    more = " POINTS=1" if points else ""
    print(f"repeat it: make sim SEED={shlex.quote(seed)} FIRST={outcome.number} N=1{more}")


if __name__ == "__main__":
    sys.exit(main())

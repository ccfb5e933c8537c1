"""`python -m tests.simulation.service`: play faulted matches and have them audited.

Exit status 0: nothing found. 1: something was found; the output repeats it.
"""

import argparse
import datetime
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import structlog

from tests.simulation.service.playing import Outcome, play
from tests.simulation.service.summary import commit, endings_of, faults_of, page, totals

_CHUNK = 20
_MOST_SHOWN = 20
_FATAL = 50  # level of the log


def main() -> int:
    """Play what the arguments say."""
    args = _arguments()
    began = time.monotonic()
    numbers = range(args.first, args.first + args.matches)
    outcomes = list(_outcomes(args.seed, numbers, args.processes, points=args.points))
    wall_s = time.monotonic() - began
    _print_summary(outcomes, wall_s)
    if args.page:
        command = "python " + " ".join(["-m", "tests.simulation.service", *sys.argv[1:]])
        day = datetime.date.today().isoformat()
        Path(args.page).write_text(page(command, outcomes, wall_s, day), encoding="utf-8")
    bad = [outcome for outcome in outcomes if outcome.findings]
    for outcome in bad[:_MOST_SHOWN]:
        _report(args.seed, outcome, points=args.points)
    if len(bad) > _MOST_SHOWN:
        print(f"... and {len(bad) - _MOST_SHOWN} more matches with findings")
    return 1 if bad else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.service", description=__doc__)
    parser.add_argument("--seed", default="1", help="text that everything is drawn from")
    parser.add_argument("--matches", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--points", action="store_true", help="to 50 to 1,000 points, not a round")
    parser.add_argument("--page", help="write the summary as a page of evidence")
    return parser.parse_args()


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
    for title, rows in (("endings", endings_of(outcomes)), ("faults", faults_of(outcomes))):
        print(f"{title}:")
        for times, name in rows:
            print(f"  {times:6} {name}")


def _report(seed: str, outcome: Outcome, *, points: bool) -> None:
    print(f"\nseed {seed!r}, match {outcome.number}, commit {commit()}")
    for finding in outcome.findings[:10]:
        print(f"  {finding}")
    more = " POINTS=1" if points else ""
    print(f"repeat it: make sim SEED={seed} FIRST={outcome.number} N=1{more}")


if __name__ == "__main__":
    sys.exit(main())

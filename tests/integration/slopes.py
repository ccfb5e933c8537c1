"""Whether matches in a row leave anything behind in the process that referees them.

python -m tests.integration.slopes --matches 1000

plays match after match, samples what the process holds after each, and fits a line to every count:
what rises by the match is a leak, however small. Exit code 1 and a line on stderr for each one.

`--kind play` is all that `referee play` does, with a referee and four bot processes a match, one of
which raises on shutdown. `--kind serve` is one referee with four bots that stay. `--plant` leaks on
purpose: what this program is tested with.
"""

import argparse
import asyncio
import ctypes
import gc
import logging
import os
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import psutil
import structlog

from chaos import CHAOS
from referee.bootstrap import Referee
from referee.cli.play_match import play_match
from referee.cli.play_setup import PlayArguments, PlayPlan, plan_play
from referee.cli.play_text import Outcome
from referee.clock import run
from referee.formats.tally import RoundSummary
from referee.match.values import Ending, MatchConfig, Player, Settings
from referee.rules.options import RuleOptions
from tests.integration.serving import Bot, serving
from tichu_bot import HOUSE

BOTS = ("chaos:raises-on-shutdown", "random", "random", "random")
WARM_UP = 10  # matches that fill caches and pools
LEAST = 60
SEED = "slopes"  # the same cards in every match: caches of the rules are not what is looked for
SHOWN = 20  # rows of the table
KIB = 1024
LEAK_BYTES = 50_000  # a match, where one is planted


class Sample(NamedTuple):
    """What the process holds. A field's name is its column's heading."""

    memory_kb: float
    descriptors: float
    threads: float
    tasks: float
    children: float


# The steepest slopes a match that are no leak, for 60 matches or more: one thing in two matches;
# of memory one step of the allocator, which takes 1 MiB at a time. In the middle of 50 matches that
# is 31 kB a match, and 50 flat ones were seen to rise by 6 kB. A leak of 50 kB is over it.
BOUNDS = Sample(memory_kb=40.0, descriptors=0.5, threads=0.5, tasks=0.5, children=0.5)


def slope(values: Sequence[float]) -> float:
    """The slope of the least-squares line through values at 0, 1, 2, ...

    >>> slope([3, 5, 7, 9])
    2.0
    """
    mean_x, mean_y = (len(values) - 1) / 2, sum(values) / len(values)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in enumerate(values))
    return rise / sum((x - mean_x) ** 2 for x in range(len(values)))


def slopes(samples: Sequence[Sample]) -> Sample:
    """The slope of each column after the warm-up."""
    return Sample(*(slope(column) for column in zip(*samples[WARM_UP:], strict=True)))


def steep(samples: Sequence[Sample]) -> list[str]:
    """The columns that rise, with their slopes."""
    found = slopes(samples)
    return [
        f"{name} rise by {getattr(found, name):.2f} a match, over {bound:g}"
        for name, bound in BOUNDS._asdict().items()
        if getattr(found, name) > bound
    ]


def sample() -> Sample:
    """Count now, with all garbage collected and what is free given back."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    me = psutil.Process()
    with me.oneshot():
        return Sample(
            memory_kb=me.memory_info().rss / KIB,
            descriptors=me.num_fds(),
            threads=max(me.num_threads(), threading.active_count()),
            tasks=len(asyncio.all_tasks()),
            children=len(me.children(recursive=True)),
        )


# --- kinds of matches


class Silent:
    """A report that says nothing and keeps how the match ended."""

    ending: Ending | None = None

    def begin(self, plan: PlayPlan) -> None:
        """Nothing."""

    def play(self, plays: int, round_number: int) -> None:
        """Nothing."""

    def round(self, plan: PlayPlan, summary: RoundSummary) -> None:
        """Nothing."""

    def pause(self) -> None:
        """Nothing."""

    def end(self, plan: PlayPlan, outcome: Outcome) -> None:
        """Keep how it ended."""
        self.ending = outcome.ending


async def plays(folder: Path) -> AsyncGenerator[None, None]:
    """Matches as `referee play` plays them."""
    house = {**HOUSE, **CHAOS}
    arguments = PlayArguments(bots=BOTS, rounds=1, seed=SEED, record_dir=str(folder))
    while True:
        report = Silent()
        await play_match(plan_play(arguments, house=house), report)
        assert report.ending is Ending.COMPLETED
        yield


async def serves(folder: Path) -> AsyncGenerator[None, None]:
    """Matches of one referee and four bots that stay."""
    async with serving(folder) as referee, AsyncExitStack() as stack:
        issued = [referee.issue_instance(f"b{seat}") for seat in range(4)]
        bots = []
        for one in issued:
            bot = await stack.enter_async_context(Bot(referee.addresses[0], one.token))
            bots.append(await bot.hello())
        while True:
            await _serve(referee, [one.instance_id for one in issued], bots)
            yield


async def _serve(referee: Referee, instances: Sequence[str], bots: Sequence[Bot]) -> None:
    config = MatchConfig(
        match_id=SEED,
        settings=Settings(rules=RuleOptions(rounds=1)),
        players=tuple(Player(name=f"b{seat}") for seat in range(4)),
    )
    match = referee.start_match(config, instances)
    await asyncio.gather(*(bot.play() for bot in bots))
    assert (await match.done).ending is Ending.COMPLETED


KINDS = {"play": plays, "serve": serves}

# --- leaks on purpose

_kept: list[object] = []


def _leak_descriptor() -> None:
    os.open(os.devnull, os.O_RDONLY)


def _leak_memory() -> None:
    _kept.append(bytes(os.urandom(LEAK_BYTES)))


def _leak_thread() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()


def _leak_task() -> None:
    _kept.append(asyncio.ensure_future(asyncio.Event().wait()))


PLANTED: dict[str, Callable[[], None]] = {
    "descriptors": _leak_descriptor,
    "memory_kb": _leak_memory,
    "threads": _leak_thread,
    "tasks": _leak_task,
}


# --- the program


async def measure(kind: str, matches: int, plant: str | None) -> list[Sample]:
    """Play, and return a sample for each match."""
    found = []
    with tempfile.TemporaryDirectory(prefix="slopes-") as name:
        playing = KINDS[kind](Path(name))
        try:
            for _ in range(matches):
                await anext(playing)
                if plant is not None:
                    PLANTED[plant]()
                found.append(sample())
        finally:
            await playing.aclose()
    return found


def table(samples: Sequence[Sample]) -> str:
    """The samples of some matches, and the slopes of all."""
    lines = ["".join(f"{head:>13}" for head in ("match", *Sample._fields))]
    step = max(1, len(samples) // SHOWN)
    for number in sorted({*range(step, len(samples) + 1, step), len(samples)}):
        cells = (number, *samples[number - 1])
        lines.append("".join(f"{cell:>13.0f}" for cell in cells))
    found = slopes(samples)
    lines.append(f"{'slope':>13}" + "".join(f"{value:>13.3f}" for value in found))
    lines.append(f"{'bound':>13}" + "".join(f"{value:>13g}" for value in BOUNDS))
    return "\n".join(lines)


def main() -> None:
    """Read the arguments, play, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.integration.slopes")
    parser.add_argument("--matches", type=int, default=60, help="60 or more [60]")
    parser.add_argument("--kind", choices=sorted(KINDS), default="play")
    parser.add_argument("--plant", choices=sorted(PLANTED), help="leak one of these a match")
    given = parser.parse_args()
    if given.matches < LEAST:
        parser.error(f"--matches {given.matches}: the bounds are for {LEAST} or more")
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    samples = run(measure(given.kind, given.matches, given.plant))
    print(f"{given.matches} matches in a row, kind {given.kind}, after {WARM_UP} to warm up")
    print(table(samples))
    leaks = steep(samples)
    for leak in leaks:
        print(f"error: {leak}", file=sys.stderr)
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()

"""How many results a second a ladder's database takes, each added by itself and durable."""

import asyncio
import tempfile
import time
from pathlib import Path

from referee.formats.summary import MatchSummary
from referee.store.ladder.address import sqlite_url
from referee.store.ladder.schema import open_ladder_store
from referee.store.ladder.sql import SqlLadderStore
from tests.bench.figures import Measured, Table, Target, percentile
from tests.bench.store_section import Spans
from tests.unit.store.ladder.matches import EVENT, place, summary

_LEAST = 500
_MADE = 250  # at a time, outside of what is measured


class Written:
    """A pass: microseconds of each `add_match`, and of the process's CPU."""

    def __init__(self) -> None:
        self.took_us: list[float] = []
        self.cpu_us = 0.0

    @property
    def results_s(self) -> float:
        """Return results a second."""
        return 1e6 * len(self.took_us) / sum(self.took_us)


def measure_ladder(spans: Spans) -> list[Written]:
    """Return an entry a pass, each with a database of its own."""
    return [asyncio.run(_one_pass(spans)) for _ in range(spans.passes)]


async def _one_pass(spans: Spans) -> Written:
    with tempfile.TemporaryDirectory(prefix="tichu-bench-") as folder:
        url = sqlite_url(Path(folder) / "ladder.db")
        async with await open_ladder_store(url) as store:
            board = await _write(store, 1, spans.warm_up_s, Written())
            written = Written()
            board = await _write(store, board, spans.seconds, written)
            assert len(await store.results(EVENT)) == 2 * (board - 1)
    return written


async def _write(store: SqlLadderStore, board: int, seconds: float, written: Written) -> int:
    """Add both legs of boards from this one on; return the next."""
    while sum(written.took_us) < seconds * 1e6:
        made = [
            summary(place(board=number, leg=leg))
            for number in range(board, board + _MADE)
            for leg in (1, 2)
        ]
        before = time.process_time()
        for one in made:
            await _add(store, one, written)
        written.cpu_us += 1e6 * (time.process_time() - before)
        board += _MADE
    return board


async def _add(store: SqlLadderStore, one: MatchSummary, written: Written) -> None:
    before = time.perf_counter()
    added = await store.add_match(one)
    written.took_us.append(1e6 * (time.perf_counter() - before))
    assert added


def ladder_table(found: list[Written]) -> Table:
    """Return one row."""
    ordered = [sorted(one.took_us) for one in found]
    row = (
        "SQLite",
        Measured.of([one.results_s for one in found]).text(),
        Measured.of([percentile(took, 0.5) for took in ordered]).text(),
        Measured.of([percentile(took, 0.99) for took in ordered]).text(),
        Measured.of([one.cpu_us / len(one.took_us) for one in found]).text(),
    )
    return Table(
        title="Ladder: results written one by one",
        head=("database", "results/s", "p50 us", "p99 us", "CPU us/result"),
        rows=[row],
        notes=(
            "A result is a match of 1 to 3 rounds: board, leg, players, rounds, faults, 20 rows of",
            "times and 8 of calls, in one transaction that is durable before the next begins.",
        ),
    )


def ladder_target(found: list[Written]) -> Target:
    """Return the rate to reach."""
    return Target(
        name="ladder: results/s on SQLite, one by one",
        value=Measured.of([one.results_s for one in found]).median,
        unit="results/s",
        bound=_LEAST,
        at_least=True,
    )

"""The referee as a process of its own, which starts and stops matches as it is told.

python -m tests.bench.referee_process ADDRESS FOLDER KEPT

KEPT is `off`, `process` or `power`: where facts go, memory or a store of that durability.
"""

import asyncio
import gc
import logging
import random
import sys
from array import array
from pathlib import Path
from time import perf_counter_ns
from typing import TypedDict

import msgspec
import psutil
import structlog

from referee.bootstrap import Referee, RefereeSetup, RunningMatch
from referee.clock import run
from referee.match.values import MS, MatchConfig, Pace, Player, Settings
from referee.ports import Durability
from referee.rules.options import DEFAULT_OPTIONS
from referee.wire.codec import WireCodec
from tests.bench.child import orders, report
from tests.bench.echo_server import processor_s
from tests.bench.figures import percentile
from tests.bench.machine_section import as_told
from tests.bench.next_ask import NextAsks
from tests.bench.probe import Counts, Probe
from tests.bench.virtual_match import VirtualMatch

BOTS = 4
OFF = "off"  # facts are kept in memory
NEXT_ASK = "next-ask"  # an argument: measure the time to the next ask too
_READY_S = 30.0
_WARM_UP_ROUNDS = 500  # fill the caches of rules and wire, which all matches share
_WARM_UP_MATCHES = 8  # few: what they leave free is missing from the growth measured later
_WARM_UP_S = 2.0
_STOP_S = 1.0
_KB = 1000
_MB = 1000 * _KB


class Tokens(msgspec.Struct, frozen=True):
    """First report: the bots' tokens; it listens."""

    tokens: tuple[str, ...]


class Ready(msgspec.Struct, frozen=True):
    """Second report: all bots said Hello."""


class Serve(msgspec.Struct, frozen=True, kw_only=True):
    """Order: keep so many matches running; measure for `seconds` after a warm-up."""

    matches: int
    pace: Pace
    window_ms: int
    warm_up_s: float
    seconds: float


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """Report. Times in microseconds; processor time is the referee's, all threads."""

    rounds_s: float
    actions_s: float
    forced_s: float
    asks_s: float
    answer_p50_us: float
    answer_p99_us: float
    us_an_action: float
    messages_s: float
    ask_bytes: float
    answer_bytes: float
    strikes: int
    append_p50_us: float
    append_p99_us: float
    next_ask_p50_us: float  # from the last answer to the hand-over of the next ask; 0: not measured
    next_ask_p99_us: float
    rss_mb: float
    kb_a_match: float


class Table:
    """Keeps as many matches running as it is told: one that ends is followed by a new one."""

    def __init__(
        self, referee: Referee, instances: tuple[str, ...], probe: Probe, next_asks: NextAsks
    ) -> None:
        self._referee = referee
        self._instances = instances
        self._probe = probe
        self._next_asks = next_asks
        self._running: dict[str, RunningMatch] = {}
        self._started = 0
        self._wanted = False
        self._settings = Settings(rules=DEFAULT_OPTIONS)
        self._empty_rss = 0

    async def warm_up(self) -> None:
        """Fill caches and buffers, load what is loaded late; the memory after that is the base."""
        virtual = VirtualMatch(random.Random(1), as_told(WireCodec()))
        for _ in range(_WARM_UP_ROUNDS):
            virtual.play_round()
        self._begin(_WARM_UP_MATCHES)
        await asyncio.sleep(_WARM_UP_S)
        await self._end()
        gc.collect()
        self._empty_rss = rss()

    async def serve(self, order: Serve) -> Served:
        """Run matches, measure, and end them."""
        self._settings = Settings(
            rules=DEFAULT_OPTIONS, pace=order.pace, window_ns=order.window_ms * MS
        )
        self._begin(order.matches)
        await asyncio.sleep(order.warm_up_s)
        before, began, cpu = self._probe.counts(), perf_counter_ns(), processor_s()
        for measured in self._arrays():
            del measured[:]
        await asyncio.sleep(order.seconds)
        spent_s, cpu = (perf_counter_ns() - began) / 1e9, processor_s() - cpu
        after, memory = self._probe.counts(), rss()
        durations, appends, next_asks = map(sorted, self._arrays())
        await self._end()
        return Served(
            **_rates(Counts(*(b - a for a, b in zip(before, after, strict=True))), spent_s, cpu),
            rounds_s=(after.actions - before.actions) / spent_s / self._probe.actions_a_round(),
            answer_p50_us=percentile(durations, 0.5) / 1e3,
            answer_p99_us=percentile(durations, 0.99) / 1e3,
            append_p50_us=percentile(appends, 0.5) / 1e3,
            append_p99_us=percentile(appends, 0.99) / 1e3,
            next_ask_p50_us=percentile(next_asks, 0.5) / 1e3,
            next_ask_p99_us=percentile(next_asks, 0.99) / 1e3,
            rss_mb=memory / _MB,
            kb_a_match=(memory - self._empty_rss) / order.matches / _KB,
        )

    def _arrays(self) -> tuple["array[int]", ...]:
        return self._probe.durations_ns, self._probe.appends_ns, self._next_asks.waits_ns

    def _begin(self, matches: int) -> None:
        self._wanted = True
        for _ in range(matches):
            self._start()

    def _start(self) -> None:
        self._started += 1
        match_id = f"bench-{self._started}"
        players = tuple(Player(name="minimal") for _ in range(BOTS))
        config = MatchConfig(match_id=match_id, settings=self._settings, players=players)
        match = self._referee.start_match(config, self._instances, audience=self._probe)
        self._running[match_id] = match
        match.done.add_done_callback(lambda done: self._ended(match_id))

    def _ended(self, match_id: str) -> None:
        del self._running[match_id]
        if self._wanted:
            self._start()

    async def _end(self) -> None:
        self._wanted = False
        running = list(self._running.values())
        for match in running:
            match.cancel()
        await asyncio.gather(*(match.done for match in running))


class _Rates(TypedDict):
    """What follows from the counts of an interval."""

    actions_s: float
    forced_s: float
    asks_s: float
    us_an_action: float
    messages_s: float
    ask_bytes: float
    answer_bytes: float
    strikes: int


def _rates(counted: Counts, spent_s: float, cpu_s: float) -> _Rates:
    return _Rates(
        actions_s=counted.actions / spent_s,
        forced_s=counted.forced / spent_s,
        asks_s=counted.asks / spent_s,
        us_an_action=1e6 * cpu_s / max(1, counted.actions),
        messages_s=counted.frames / spent_s,
        ask_bytes=counted.bytes_out / max(1, counted.asks),
        answer_bytes=counted.bytes_in / max(1, counted.answers),
        strikes=counted.strikes,
    )


def rss() -> int:
    """Return the resident memory of this process in bytes."""
    return int(psutil.Process().memory_info().rss)


async def _serve(address: str, folder: Path, kept: str, *, next_ask: bool) -> None:
    probe, next_asks = Probe(), NextAsks()
    probe.put_in()
    if next_ask:
        next_asks.put_in()
    setup = RefereeSetup(
        listen=(address,),
        record_dir=folder / "records",
        store=None if kept == OFF else folder / "referee.db",
        durability=Durability.PROCESS if kept == OFF else Durability(kept),
        event_secret=b"bench".ljust(32, b"."),
    )
    referee = await Referee.start(setup)
    issued = [referee.issue_instance(f"minimal-{number}") for number in range(BOTS)]
    report(Tokens(tuple(one.token for one in issued)))
    for one in issued:
        await referee.wait_ready(one.instance_id, _READY_S)
    table = Table(referee, tuple(one.instance_id for one in issued), probe, next_asks)
    await table.warm_up()
    report(Ready())
    async for order in orders(Serve):
        report(await table.serve(order))
    await referee.stop(_STOP_S)


def main() -> None:
    """Run until stdin ends. Only warnings are logged, to stderr."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    address, folder, kept, *more = sys.argv[1:]
    run(_serve(address, Path(folder), kept, next_ask=NEXT_ASK in more))


if __name__ == "__main__":
    main()

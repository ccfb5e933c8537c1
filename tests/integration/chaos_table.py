"""A chaos bot and three good ones at a table, and whether all is as before when they have left.

The referee runs in a loop of the test, the bots are processes that the launcher starts as
`referee play` does.
"""

import asyncio
import contextlib
import functools
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import grpc.aio
import msgspec
import psutil

from chaos import CHAOS
from referee.bootstrap import Referee, RunningMatch
from referee.clock import new_loop
from referee.formats.conduct import Conduct, read_conduct
from referee.launch.environment import Access, bot_environment
from referee.launch.launcher import Launcher
from referee.launch.process import BotProcess, LaunchOrder
from referee.launch.spec import parse_bot
from referee.match.facts import Fact, MatchEnded, decode_fact
from referee.match.values import MS, Blame, Clock, Ending, MatchConfig, Player, Settings
from referee.rules.options import RuleOptions
from tests.integration.playing import Player as Marked
from tests.integration.serving import LIMIT_S, Bot, serving
from tichu_bot import HOUSE

SECOND = 1_000 * MS
OURS = {**HOUSE, **CHAOS}
GOOD = "greedy"
SEATS = 4
START_S = 30.0  # PROTOCOL 1: from the start of a process to its Hello
GRPC_POOL = 8  # threads that gRPC starts and ends by itself, whatever we do
SPARE_MIB = 32  # a match takes under one; imports and the allocator's own stock take the rest

# A good bot answers in milliseconds; the bank is there for a machine that stalls.
CLOCK = Clock(base_ns=150 * MS, bank_ns=SECOND)
SETTINGS = Settings(rules=RuleOptions(rounds=1), clock=CLOCK, window_ns=50 * MS, max_strikes=2)


def settings(**changes: object) -> Settings:
    """The settings of these tests, with changes."""
    return msgspec.structs.replace(SETTINGS, **changes)


class Played(NamedTuple):
    """How a match of a chaos bot at `seat` went. Times in seconds since the match began."""

    seat: int
    ended: MatchEnded
    took_s: float
    facts: tuple[Fact, ...]
    conduct: tuple[Conduct, ...]
    exits: tuple[int | None, ...]  # by seat, after the launcher's stop
    errors: tuple[str, ...]  # the last lines of each bot, by seat

    @property
    def outcome(self) -> tuple[Ending, int | None, Blame]:
        """Ending, seat and blame."""
        return self.ended.ending, self.ended.seat, self.ended.blame

    @property
    def strikes(self) -> Counter[str]:
        """Why the chaos bot got strikes."""
        return Counter(self.conduct[self.seat].strikes)

    def assert_others_in_order(self) -> None:
        """The good bots were never late, refused or struck, and ended in order."""
        for seat in range(SEATS):
            if seat != self.seat:
                told = f"seat {seat}: {self.conduct[seat]}, exit {self.exits[seat]}"
                assert self.conduct[seat].is_ordinary, told
                assert self.exits[seat] == 0, f"{told}\n{self.errors[seat]}"


class Table:
    """Four processes in the order of their seats."""

    def __init__(self, referee: Referee, folder: Path, marked: Marked) -> None:
        self._referee = referee
        self._folder = folder
        self._marked = marked
        self._launcher = Launcher(on_exit=self._exited)
        self._instances: dict[str, str] = {}  # by the name of the process
        self.processes: list[BotProcess] = []
        self.instances: list[str] = []
        self.stopping = False

    def start(self, bots: Sequence[str], words: Mapping[str, Sequence[str]]) -> None:
        """Start a process a seat; `words` are further arguments by bot."""
        for seat, text in enumerate(bots):
            spec = parse_bot(text, house=OURS)
            assert spec.argv is not None
            issued = self._referee.issue_instance(spec.label)
            name = f"{spec.label}.{seat}"
            access = Access(
                server=self._referee.addresses[0],
                token=issued.token,
                name=spec.label,
                log_dir=self._folder,
            )
            order = LaunchOrder(
                name=name,
                argv=(*spec.argv, *words.get(text, ())),
                environment=bot_environment(self._marked.environment, access),
                log_dir=self._folder,
            )
            self._instances[name] = issued.instance_id
            self.instances.append(issued.instance_id)
            self.processes.append(self._launcher.start(order))

    def _exited(self, process: BotProcess) -> None:
        if not self.stopping and process.returncode is not None:
            self._referee.report_exit(self._instances[process.name], process.returncode)

    async def ready(self, seats: Sequence[int]) -> None:
        """Return when the bots of these seats have said Hello."""
        waits = (self._referee.wait_ready(self.instances[seat], START_S) for seat in seats)
        await asyncio.gather(*waits)

    async def stop(self, term_s: float) -> None:
        """End everything that was started."""
        self.stopping = True
        assert await self._launcher.stop(term_s=term_s) == set()


class Chaos(NamedTuple):
    """What to play, and with whom: the chaos bot `name` at `seat`, good bots beside it."""

    name: str
    settings: Settings = SETTINGS
    seat: int = 0
    comes: bool = True  # False: it will not say Hello, so nobody waits for it
    at_once: bool = False  # True: the match starts while the bots do
    words: tuple[str, ...] = ()  # for the chaos bot's command line
    setup: Mapping[str, object] = {}
    term_s: float = LIMIT_S  # for bots to end when told; only a deaf one takes it
    secret: bytes = bytes(32)
    limit_s: float = LIMIT_S  # for the whole match

    @property
    def id(self) -> str:
        """A name for a test of it."""
        return self.name if self.settings.clock else f"{self.name} without a clock"


def play(folder: Path, chaos: Chaos) -> Played:
    """Play a match, and check that nothing is left of it: see `Census`."""
    _load_library()
    marked = Marked(folder)
    before = Census.take()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        played = runner.run(_play(folder, chaos, marked))
    Census.take().assert_as(before, marked)
    return played


@functools.cache
def _load_library() -> None:
    """What gRPC keeps is there before anything is counted, and stays.

    It ends its polling thread when its last object is collected, and starts another: one more
    claim on it keeps the thread.
    """

    async def serve_nobody() -> None:
        grpc.aio.init_grpc_aio()
        with tempfile.TemporaryDirectory() as folder:
            async with serving(Path(folder)) as referee, Bot(referee.addresses[0], "") as bot:
                assert await bot.read() is None

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve_nobody())


async def _play(folder: Path, chaos: Chaos, marked: Marked) -> Played:
    bots = [GOOD] * SEATS
    bots[chaos.seat] = f"chaos:{chaos.name}"
    async with serving(folder, event_secret=chaos.secret, **chaos.setup) as referee:
        table = Table(referee, folder, marked)
        try:
            table.start(bots, {bots[chaos.seat]: chaos.words})
            expected = [s for s in range(SEATS) if chaos.comes or s != chaos.seat]
            if chaos.at_once:
                played = await _match(referee, table, chaos, bots)
                await table.ready(expected)
            else:
                await table.ready(expected)
                played = await _match(referee, table, chaos, bots)
        finally:
            await table.stop(chaos.term_s)
    await _tasks_are_over()
    return played._replace(
        exits=tuple(process.returncode for process in table.processes),
        errors=tuple("\n".join(process.last_lines()) for process in table.processes),
    )


async def _match(referee: Referee, table: Table, chaos: Chaos, bots: Sequence[str]) -> Played:
    loop = asyncio.get_running_loop()
    config = MatchConfig(
        match_id=chaos.name,
        settings=chaos.settings,
        players=tuple(Player(name=name) for name in bots),
    )
    began = loop.time()
    match = referee.start_match(config, table.instances)
    ended = await asyncio.wait_for(match.done, chaos.limit_s)
    took_s = loop.time() - began
    lines = _record(match)
    return Played(
        seat=chaos.seat,
        ended=ended,
        took_s=took_s,
        facts=tuple(decode_fact(line) for line in lines[1:] if b'"t":"chain"' not in line),
        conduct=read_conduct(lines, seats=SEATS),
        exits=(),
        errors=(),
    )


def _record(match: RunningMatch) -> list[bytes]:
    assert match.record_path is not None
    return match.record_path.read_bytes().splitlines()


# --- what is left


async def _tasks_are_over() -> None:
    """Every task of the loop but ours ends by itself."""
    left = asyncio.all_tasks() - {task for task in [asyncio.current_task()] if task}
    if left:
        _, left = await asyncio.wait(left, timeout=LIMIT_S)
    assert not left, f"tasks left: {sorted(map(str, left))}"


class Census(NamedTuple):
    """What a process holds."""

    threads: frozenset[threading.Thread]
    native: Counter[str]  # threads of libraries too, by name
    files: Counter[str]
    children: frozenset[psutil.Process]
    rss: int

    @classmethod
    def take(cls) -> "Census":
        """Count now."""
        me = psutil.Process()
        return cls(
            threads=frozenset(threading.enumerate()),
            native=Counter(_native_threads()),
            files=Counter(_open_files()),
            children=frozenset(me.children(recursive=True)),
            rss=me.memory_info().rss,
        )

    def assert_as(self, before: "Census", marked: Marked, *, limit_s: float = LIMIT_S) -> None:
        """Nothing is left that was not there before; what is, is named.

        Threads that are about to end get `limit_s` for it.
        """
        threads = self.threads - before.threads
        for thread in threads:
            thread.join(limit_s)
        alive = sorted(thread.name for thread in threads if thread.is_alive())
        assert not alive, f"threads left: {alive}"
        files = +(self.files - before.files)
        assert not files, f"descriptors left: {dict(files)}"
        children = self.children - before.children
        assert not children, f"children left: {_named(children)}"
        assert not marked.left_behind(), f"descendants left: {_named(marked.left_behind())}"
        native = self.native - before.native
        assert native.total() <= GRPC_POOL, f"threads of libraries left: {dict(native)}"
        grown = (self.rss - before.rss) / 2**20
        assert grown < SPARE_MIB, f"memory grew by {grown:.0f} MiB"


def _open_files() -> list[str]:
    """What each descriptor leads to; a socket or pipe by its kind, for its number is new."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(entry)
        except OSError:  # the one that lists the folder
            continue
        found.append(target.partition("[")[0] if target.endswith("]") else target)
    return found


def _native_threads() -> Iterator[str]:
    for file in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            yield file.read_text().strip()


def _named(processes: "Sequence[psutil.Process] | frozenset[psutil.Process]") -> list[str]:
    return [f"{process.pid} {' '.join(_command(process))}" for process in processes]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return ["(gone)"]

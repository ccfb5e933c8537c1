"""The three cheats as processes over gRPC: what they may hold, and what gets through by time."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from referee.bootstrap import Isolation, Referee, TablePlan
from referee.clock import new_loop
from referee.match.values import MS, Clock, Ending, MatchConfig, Pace, Settings
from referee.match.values import Player as Named
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions
from tests.integration.chaos_table import Table, settings
from tests.integration.playing import Player
from tests.integration.serving import LIMIT_S, serving

ROUNDS = 4
WINDOW_MS = 40
SEATS = 4
CLOCK = Clock(base_ns=5_000 * MS, bank_ns=60_000 * MS)
SIGNALS = ("chaos:signals-by-time", "greedy") * 2


class Signals(NamedTuple):
    """What a bot says it sent and read, bit by bit."""

    sent: str
    read: str


@contextlib.asynccontextmanager
async def processes(
    folder: Path, bots: Sequence[str], isolation: Isolation = Isolation.DECLARED
) -> AsyncIterator[tuple[Referee, Table]]:
    """A referee, and a process of each bot that has said Hello."""
    async with serving(folder, isolation=isolation) as referee:
        table = Table(referee, folder, Player(folder))
        try:
            table.start(bots, {})
            await table.ready(range(len(bots)))
            yield referee, table
        finally:
            await table.stop(LIMIT_S)


async def play(
    referee: Referee, instances: Sequence[str], what: Settings, name: str = "m"
) -> Ending:
    """Play a match of these instances, by seat."""
    players = tuple(Named(name=f"p{seat}") for seat in range(SEATS))
    config = MatchConfig(match_id=name, settings=what, players=players)
    match = referee.start_match(config, instances)
    ended = await asyncio.wait_for(match.done, 3 * LIMIT_S)
    return ended.ending


async def signals(folder: Path, what: Settings) -> dict[int, Signals]:
    """Let two partners signal through a match; return what went over, by seat."""
    async with processes(folder, SIGNALS) as (referee, table):
        assert await play(referee, table.instances, what) is Ending.COMPLETED
    found = {}
    for seat in (0, 2):
        text = "\n".join(table.processes[seat].last_lines())
        (line,) = re.findall(r"signals sent=(\w+) read=(\w+)", text)
        found[seat] = Signals(*line)
    return found


def run(folder: Path, what: Settings) -> list[tuple[str, str]]:
    """Return what each partner sent, and what the other read."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        said = runner.run(signals(folder, what))
    return [(said[0].sent, said[2].read), (said[2].sent, said[0].read)]


def right(pairs: list[tuple[str, str]]) -> float:
    """The share of bits that were read as they were sent."""
    bits = [bit for sent, read in pairs for bit in zip(sent, read, strict=True)]
    ones = sum(sent == "1" for sent, _ in bits)
    assert min(ones, len(bits) - ones) >= 2 * ROUNDS, f"too little to tell apart: {pairs}"
    return sum(sent == read for sent, read in bits) / len(bits)


@pytest.mark.slow
def test_in_pace_fast_a_partner_reads_a_bit_from_the_time_of_a_play(tmp_path: Path) -> None:
    fast = settings(rules=RuleOptions(rounds=ROUNDS), clock=CLOCK)
    pairs = run(tmp_path, fast)
    assert right(pairs) > 0.9, pairs


@pytest.mark.slow
def test_in_pace_fair_whole_windows_get_through(tmp_path: Path) -> None:
    """That is what fair allows. A wait within a window does not: see the timing tests."""
    fair = settings(
        rules=RuleOptions(rounds=ROUNDS), clock=CLOCK, pace=Pace.FAIR, window_ns=WINDOW_MS * MS
    )
    pairs = run(tmp_path, fair)
    assert right(pairs) > 0.9, pairs


# --- who may sit where


@pytest.mark.parametrize("bot", ["chaos:shares-hand", "chaos:remembers-leg"])
def test_one_process_in_two_seats_and_both_legs_needs_isolation_none(
    tmp_path: Path, bot: str
) -> None:
    async def both_legs(isolation: Isolation) -> list[Ending]:
        async with processes(tmp_path, (bot, "greedy", "greedy"), isolation) as (referee, table):
            cheat, one, other = table.instances
            what = msgspec.structs.replace(settings(), clock=CLOCK)
            return [
                await play(referee, (cheat, one, cheat, other), what, "m1"),
                await play(referee, (one, cheat, other, cheat), what, "m2"),
            ]

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(both_legs(Isolation.NONE)) == [Ending.COMPLETED] * 2
        with pytest.raises(ConfigError, match="one instance in two seats"):
            runner.run(both_legs(Isolation.DECLARED))


def test_a_lobby_of_isolation_none_seats_partners_in_one_process(tmp_path: Path) -> None:
    async def serve() -> list[str]:
        async with processes(tmp_path, (), Isolation.NONE) as (referee, table):
            what = msgspec.structs.replace(settings(), clock=CLOCK)
            finished = referee.open_lobby(TablePlan(settings=what, matches=1))
            table.start(("chaos:shares-hand",), {"chaos:shares-hand": ("2",)})
            await table.ready([0])
            table.start(("greedy",), {})
            await asyncio.wait_for(finished, 3 * LIMIT_S)
        (record,) = (tmp_path / "records").glob("*.jsonl")
        header = json.loads(record.read_bytes().splitlines()[0])
        return [player["name"] for player in header["players"]]

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(serve()) == ["shares-hand", "greedy"] * 2


def test_the_referee_refuses_a_process_in_both_legs_until_the_board_is_over(tmp_path: Path) -> None:
    async def legs() -> None:
        async with processes(tmp_path, ("chaos:remembers-leg", *["greedy"] * 7)) as (
            referee,
            table,
        ):
            first, second = table.instances[:4], table.instances[4:]
            what = msgspec.structs.replace(settings(), clock=CLOCK)
            players = tuple(Named(name=f"p{seat}") for seat in range(SEATS))

            def start(name: str, instances: Sequence[str]) -> "asyncio.Future[object]":
                config = MatchConfig(match_id=name, settings=what, players=players)
                return referee.start_match(config, instances, board="b").done  # type: ignore[return-value]

            await asyncio.wait_for(start("m1", first), LIMIT_S)
            with pytest.raises(ConfigError, match="of seat 3 sits in m1 of the same board b"):
                start("m2", [*second[:3], first[0]])
            await asyncio.wait_for(start("m3", second), LIMIT_S)
            with pytest.raises(ConfigError, match="board b has m1 and m3 already"):
                start("m4", second)
            referee.board_over("b")
            await asyncio.wait_for(start("m4", first), LIMIT_S)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(legs())

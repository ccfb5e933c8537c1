"""A killed `referee serve` as its bots meet it: those that come back play on, others are gone."""

import asyncio
import contextlib
import os
import random
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.formats.records import Record, read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import Faulted, MatchEnded, Resumed, Strike, TimedOut
from referee.match.values import Blame, Ending
from tests.integration.kills.campaign import free_address
from tests.integration.kills.nursery import Order
from tests.integration.kills.processes import Child, Nursery, nursery
from tests.integration.serving import LIMIT_S, Bot

NAMES = ("north", "east", "south", "west")
MATCHES = 80  # more than are played between the kills
END_S = 60.0  # for all matches


class House:
    """A server in a folder that is killed and started again."""

    def __init__(self, cradle: Nursery, folder: Path, address: str) -> None:
        self.names: tuple[str, ...] = (
            NAMES  # that tokens are issued to; without any, whoever is near may play
        )
        self.cradle = cradle
        self.folder = folder
        self.address = address
        self.tokens: dict[str, str] = {}

    async def start(self, *words: str) -> Child:
        """Start the server, and return when it listens."""
        own = ["serve", "--listen", self.address, "--rounds", "1", "--pace", "fast", *words]
        for name in self.names:
            own += ["--issue", name]
        child = await self.cradle.start(
            Order(
                words=tuple(own),
                folder=str(self.folder),
                store=str(self.folder / "records" / "referee.db"),
            )
        )
        assert await asyncio.wait_for(child.listening, LIMIT_S), self.log()
        while len(lines := [ln for ln in child.lines if ln.startswith("token ")]) < len(self.names):
            assert not child.ended.done(), self.log()
            await asyncio.sleep(0)
        for line in lines:
            _, name, token = line.split()
            self.tokens.setdefault(name, token)
            assert token in (self.tokens[name], "kept")
        return child

    def log(self) -> str:
        """The end of what the servers logged."""
        return self.cradle.log

    def records(self) -> list[Record]:
        """All records, which are whole and true."""
        found = []
        for path in sorted((self.folder / "records").glob("*.jsonl")):
            record = read_record(path.read_bytes().splitlines(keepends=True))
            verdict = verify_record(record)
            assert isinstance(verdict, Verified), (path.name, verdict)
            found.append(record)
        return found


@contextlib.asynccontextmanager
async def house(folder: Path, *, tcp: bool = False) -> AsyncIterator[House]:
    """A folder with a nursery."""
    async with nursery() as cradle:
        yield House(cradle, folder, free_address() if tcp else f"unix:{folder}/r.sock")


@contextlib.asynccontextmanager
async def house_bots(place: House) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """A process of a house bot for each name."""
    python = f"{Path.cwd()}:{Path.cwd() / 'sample_bots' / 'python'}"
    running = []
    for name in NAMES:
        own = {"TICHU_SERVER": place.address, "TICHU_TOKEN": place.tokens[name]}
        running.append(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tichu_bot.random"),
                env={**os.environ, **own, "PYTHONPATH": python},
                stderr=asyncio.subprocess.PIPE,
            )
        )
    try:
        yield running
    finally:
        for process in running:
            if process.returncode is None:
                process.kill()
                await process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("tcp", [False, True], ids=["unix socket", "port"])
async def test_house_bots_come_back_to_a_server_that_is_killed_and_play_on(
    tmp_path: Path, *, tcp: bool
) -> None:
    seed = secrets.token_hex(4)
    rng = random.Random(seed)
    async with house(tmp_path, tcp=tcp) as place:
        child = await place.start("--matches", str(MATCHES))
        async with house_bots(place) as bots:
            for away_s in (0.0, 1.0, 0.3, 3.0):  # a socket that is gone for 2 s is not given up
                await asyncio.wait({child.ended}, timeout=rng.uniform(0.6, 1.6))
                await child.killed()
                await asyncio.sleep(away_s)
                child = await place.start("--matches", str(MATCHES))
            assert await asyncio.wait_for(child.ended, END_S) == 0, (seed, place.log())
            ends = await asyncio.gather(*(bot.communicate() for bot in bots))
            told = [end[1].decode() for end in ends]
            assert [bot.returncode for bot in bots] == [0] * 4, (seed, told)
    records = place.records()
    assert len(records) == MATCHES, seed
    facts = [fact for record in records for fact in record.facts]
    assert not [fact for fact in facts if isinstance(fact, Strike | Faulted | TimedOut)], seed
    assert all("link lost" in text for text in told)
    assert {f.ending for f in facts if isinstance(f, MatchEnded)} == {Ending.COMPLETED}, seed
    assert any(isinstance(fact, Resumed) for fact in facts), seed


@contextlib.asynccontextmanager
async def table_of(place: House) -> AsyncIterator[list[Bot]]:
    """A bot for each name, each with its first ask."""
    async with contextlib.AsyncExitStack() as stack:
        bots = []
        for name in NAMES:
            bot = Bot(place.address, place.tokens.get(name))
            bots.append(await (await stack.enter_async_context(bot)).hello())
        for bot in bots:
            await bot.ask()
        yield bots


async def come_back(
    stack: contextlib.AsyncExitStack, place: House, old: Sequence[Bot]
) -> list[Bot]:
    """New streams for bots that had one, with their session tokens."""
    bots = []
    for name, bot in zip(NAMES, old, strict=False):
        again = await stack.enter_async_context(Bot(place.address, place.tokens.get(name)))
        await again.send(
            referee_pb2.PlayRequest(
                hello=referee_pb2.Hello(protocol_version=1, session_token=bot.session_token)
            )
        )
        frame = await again.read()
        assert frame is not None
        assert frame.welcome.resumed
        assert not frame.updates  # not all are back: nothing of the match is told
        bots.append(again)
    return bots


@pytest.mark.parametrize("missing", [1, 2])
async def test_who_stays_away_after_our_restart_is_gone_and_nobody_knows_why(
    tmp_path: Path, missing: int
) -> None:
    async with house(tmp_path) as place, contextlib.AsyncExitStack() as stack:
        child = await place.start("--fault", "resume_grace_ms=300")
        async with table_of(place) as bots:
            await child.killed()
        child = await place.start("--once", "--fault", "resume_grace_ms=300")
        present = await come_back(stack, place, bots[: 4 - missing])
        ends = await asyncio.gather(*(bot.play() for bot in present))
        assert await asyncio.wait_for(child.ended, LIMIT_S) == 0
    (record,) = place.records()
    end = record.facts[-1]
    assert isinstance(end, MatchEnded)
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.UNKNOWN)
    assert (end.seat, end.winner, end.awarded) == (4 - missing, None, ())
    assert {tuple(one.failed_seats) for one in ends} == {end.failed}
    assert {one.blame for one in ends} == {match_pb2.BLAME_UNKNOWN}


async def test_nothing_of_a_match_moves_before_all_are_back_and_then_all_clocks_are_full(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as place, contextlib.AsyncExitStack() as stack:
        child = await place.start("--clock", "5s+10s")
        async with table_of(place) as bots:
            await child.killed()
        child = await place.start("--once", "--clock", "5s+10s")
        present = await come_back(stack, place, bots[:3])
        last = await stack.enter_async_context(Bot(place.address, place.tokens["west"]))
        await last.hello()  # a new process that has nothing but its token
        for bot in (*present, last):
            _, ask = await bot.ask()
            assert (ask.ask_id, ask.time_left_ms, ask.bank_left_ms) == (1, 15_000, 10_000)
        await child.killed()
    assert place.records() == []


async def test_bots_without_a_token_come_back_with_their_session_tokens(tmp_path: Path) -> None:
    async with house(tmp_path) as place, contextlib.AsyncExitStack() as stack:
        place.names = ()
        child = await place.start()
        async with table_of(place) as bots:
            stranger = await stack.enter_async_context(Bot(place.address))
            await stranger.hello()
            await child.killed()
        child = await place.start("--once")
        present = await come_back(stack, place, bots[:3])
        other = await stack.enter_async_context(Bot(place.address))
        await other.hello()  # without the token it is nobody that was here
        last = await stack.enter_async_context(Bot(place.address))
        await last.hello(session_token=bots[3].session_token)
        ends = await asyncio.gather(*(bot.play() for bot in (*present, last)))
        assert await asyncio.wait_for(child.ended, LIMIT_S) == 0
    (record,) = place.records()
    assert {one.ending for one in ends} == {match_pb2.ENDING_COMPLETED}
    assert any(isinstance(fact, Resumed) for fact in record.facts)

"""A referee with its services over real gRPC in this process, and clients of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any  # noqa: TID251 - generated stubs know the synchronous kind of call alone

import grpc

from referee._gen.tichu.referee.v1 import (
    ladder_pb2_grpc,
    match_pb2,
    matches_pb2,
    matches_pb2_grpc,
    registry_pb2,
    registry_pb2_grpc,
)
from referee.bootstrap import Referee, RefereeSetup, TablePlan
from referee.bootstrap.offering import Offering
from referee.cli.serve_services import DatabaseTokens, PublishedLadders
from referee.match.values import MS, Pace, Settings
from referee.rules.options import RuleOptions
from tests.integration.serving import LIMIT_S, Bot

ROUNDS = Settings(rules=RuleOptions(rounds=2), pace=Pace.FAST, window_ns=50 * MS)
FOUR = ["ann", "bob", "ann", "bob"]


class World:
    """A referee, its address, and stubs of its services; whoever calls is on a unix socket."""

    def __init__(self, referee: Referee, channel: grpc.aio.Channel) -> None:
        self.referee = referee
        self.address = referee.addresses[0]
        # the generated stubs know the synchronous kind of channel alone
        plain: Any = channel
        self.ladders: Any = ladder_pb2_grpc.LadderServiceStub(plain)
        self.matches: Any = matches_pb2_grpc.MatchServiceStub(plain)
        self.registry: Any = registry_pb2_grpc.RegistryServiceStub(plain)
        self._stack = contextlib.AsyncExitStack()
        self.bots: list[asyncio.Task[object]] = []

    async def register(self, name: str, processes: int) -> list[str]:
        """Register a bot and return its tokens."""
        made = await self.registry.RegisterBot(
            registry_pb2.RegisterBotRequest(name=name, processes=processes)
        )
        return [one.token for one in made.tokens]

    async def come(self, token: str) -> Bot:
        """A process that has said Hello, and waits."""
        return await (await self.enter(Bot(self.address, token))).hello()

    async def enter(self, bot: Bot) -> Bot:
        """A stream that is closed with the world."""
        return await self._stack.enter_async_context(bot)

    async def play(self, tokens: Sequence[str], *, matches: int = 1) -> None:
        """Processes that have said Hello, and play along by themselves, so many matches each."""
        for token in tokens:
            bot = await self.come(token)
            self.bots.append(asyncio.create_task(_played(bot, matches)))

    async def create(self, bots: Sequence[str], *, board: bool = False, request: str = "r") -> Any:
        """The ids of what a request began."""
        made = await self.matches.CreateMatch(
            matches_pb2.CreateMatchRequest(request_id=request, bots=bots, board=board)
        )
        return list(made.match_ids)

    def watch(self, match_id: str, **fields: int) -> Any:
        """A call that watches a match."""
        request = matches_pb2.WatchMatchRequest(match_id=match_id, **fields)
        return self.matches.WatchMatch(request, timeout=LIMIT_S * 3)

    async def seen(self, match_id: str, **fields: int) -> list[matches_pb2.WatchMatchResponse]:
        """All that a watcher is sent, to the end."""
        return [one async for one in self.watch(match_id, **fields)]

    async def record(self, match_id: str) -> bytes:
        """The record of a match, as it is fetched."""
        call = self.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id))
        return b"".join([f"{line}\n".encode() async for part in call for line in part.lines])

    async def close(self) -> None:
        for bot in self.bots:
            bot.cancel()
        await asyncio.gather(*self.bots, return_exceptions=True)
        await self._stack.aclose()


@contextlib.asynccontextmanager
async def offering(
    folder: Path,
    *,
    ladders: Sequence[Path] = (),
    database: str | None = None,
    delay_tricks: int = 1,
    settings: Settings = ROUNDS,
    **changes: object,
) -> AsyncIterator[World]:
    """A referee as `serve` has it, where matches begin by CreateMatch alone."""
    fields: dict[str, object] = {
        "listen": (f"unix:{folder}/s.sock",),
        "event_secret": bytes(32),
        "record_dir": folder / "records",
        **changes,
    }
    offer = Offering(
        settings=settings,
        ladders=PublishedLadders(ladders),
        keeper=None if database is None else DatabaseTokens(database),
        records=folder / "records",
        may_share=False,
        delay_tricks=delay_tricks,
        audience=None,
    )
    referee = await Referee.start(RefereeSetup(**fields), offer=offer)  # type: ignore[arg-type]
    referee.open_lobby(TablePlan(settings=settings, lobby=False))
    try:
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(referee.addresses[0], options=options) as channel:
            world = World(referee, channel)
            try:
                yield world
            finally:
                await world.close()
    finally:
        await referee.stop(0.2)


async def seated(world: World, processes: int = 2) -> None:
    """Two bots that play along."""
    for name in ("ann", "bob"):
        await world.play(await world.register(name, processes))


async def _played(bot: Bot, matches: int) -> None:
    for _ in range(matches):
        if await bot.play_along() is None:
            return


def events(seen: Sequence[matches_pb2.WatchMatchResponse]) -> list[match_pb2.Event]:
    """The events in what a watcher was sent."""
    return [event for one in seen for event in one.events]


async def refused(call: Any) -> grpc.aio.AioRpcError:
    """How a call failed; an unanswered stream is read to its end."""
    try:
        if hasattr(call, "__aiter__"):
            async for _ in call:
                pass
        else:
            await call
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("the call was served")

"""A referee over real gRPC in this process, and bots that say exactly what a test wants."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Self

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined]

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.bootstrap import Referee, RefereeSetup, RunningMatch
from referee.match.facts import MatchEnded
from referee.match.values import MS, MatchConfig, Pace, Player, Settings
from referee.rules.options import RuleOptions

METHOD = "/tichu.referee.v1.RefereeService/Play"
LIMIT_S = 20.0  # for what takes milliseconds: a shared machine may stall


@contextlib.asynccontextmanager
async def serving(folder: Path, **changes: object) -> AsyncIterator[Referee]:
    """A referee on a unix socket in a folder."""
    fields: dict[str, object] = {
        "listen": (f"unix:{folder}/r.sock",),
        "event_secret": bytes(32),
        "record_dir": folder / "records",
        **changes,
    }
    referee = await Referee.start(RefereeSetup(**fields))  # type: ignore[arg-type]
    try:
        yield referee
    finally:
        await referee.stop(0.2)


class Bot:
    """One stream, byte by byte."""

    def __init__(
        self,
        address: str,
        token: str | None = None,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        options: Sequence[tuple[str, int]] = (),
    ) -> None:
        own = [("grpc.use_local_subchannel_pool", 1), *options]
        self._channel = (
            grpc.aio.insecure_channel(address, options=own)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options=own)
        )
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(METHOD)
        metadata = (("authorization", f"Bearer {token}"),) if token is not None else None
        self.call = play(metadata=metadata)
        self.session_token = ""
        self.refusals: list[match_pb2.Refused] = []
        self.ended: match_pb2.MatchEnded | None = None
        self._early: list[referee_pb2.PlayResponse] = []
        self._writing = asyncio.Lock()  # gRPC breaks a call off that two tasks write to at once

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.call.cancel()
        await self._channel.close()

    async def send(self, frame: referee_pb2.PlayRequest) -> None:
        await self.send_bytes(frame.SerializeToString())

    async def send_bytes(self, data: bytes) -> None:
        """Write one frame. On a stream that is over it goes nowhere; reading tells so.

        Not by `call.write`: where that meets the end of the stream it puts "Internal error from
        Core" in place of the status that the server has sent.
        """
        over = (grpc.aio.AioRpcError, asyncio.InvalidStateError, cygrpc.InternalError)
        with contextlib.suppress(*over):
            async with self._writing:
                await self.call.wait_for_connection()
                await self.call._cython_call.send_serialized_message(data)  # type: ignore[attr-defined]

    async def read(self) -> referee_pb2.PlayResponse | None:
        """The next frame; None at the end of the stream, however it ends."""
        if self._early:
            return self._early.pop(0)
        try:
            data = await asyncio.wait_for(self.call.read(), LIMIT_S)
        except grpc.aio.AioRpcError:
            return None
        return referee_pb2.PlayResponse.FromString(data) if isinstance(data, bytes) else None

    async def hello(self, **fields: object) -> Self:
        """Say Hello, and read the Welcome."""
        fields.setdefault("protocol_version", 1)
        await self.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(**fields)))  # type: ignore[arg-type]
        frame = await self.read()
        assert frame is not None, await self.status()
        assert frame.HasField("welcome")
        self.session_token = frame.welcome.session_token
        if frame.updates:
            self._early.append(frame)
        return self

    async def until(
        self, found: Callable[[referee_pb2.PlayResponse], bool]
    ) -> referee_pb2.PlayResponse:
        """Read on to a frame of this kind."""
        while (frame := await self.read()) is not None:
            if found(frame):
                return frame
        raise AssertionError(f"the stream ended: {await self.status()}")

    async def ask(self) -> tuple[int, match_pb2.Ask]:
        """Read on to the next ask; return it with the match's number."""
        frame = await self.until(lambda frame: any(u.asks for u in frame.updates))
        return next((u.match, ask) for u in frame.updates for ask in u.asks)

    async def refused(self) -> match_pb2.Refused:
        """Read on to a refusal, of whatever part."""
        frame = await self.until(lambda f: bool(_refusals(f)))
        return _refusals(frame)[0]

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended."""
        code = await asyncio.wait_for(self.call.code(), LIMIT_S)
        return code, await self.call.details() or ""

    async def play(self, frame: referee_pb2.PlayResponse | None = None) -> match_pb2.MatchEnded:
        """Answer every ask by default to the end of a match."""
        ended = await self.play_along(frame)
        assert ended is not None, f"the stream ended: {await self.status()}"
        return ended

    async def play_along(
        self, frame: referee_pb2.PlayResponse | None = None
    ) -> match_pb2.MatchEnded | None:
        """Answer every ask by default to the end of a match or of the stream.

        None where the stream ended first. A referee that stops closes the stream while a frame may
        be on its way to it; gRPC then drops what came before the close and was not read yet, the
        match's end included.
        """
        while True:
            if frame is None:
                frame = await self.read()
            if frame is None:
                return None
            answers, ended = referee_pb2.PlayRequest(), None
            for update in frame.updates:
                for ask in update.asks:  # of the next match too, which may stand in the same frame
                    answer = answers.answers.add(match=update.match, ask_id=ask.ask_id)
                    answer.default_action.SetInParent()
                for event in update.events:
                    if event.HasField("match_ended"):
                        ended = event.match_ended
            if frame.HasField("ping"):
                answers.pong.number = frame.ping.number
            if answers.ByteSize():
                await self.send(answers)
            if ended is not None:
                return ended
            frame = None


def _refusals(frame: referee_pb2.PlayResponse) -> list[match_pb2.Refused]:
    return [*frame.refused, *(r for update in frame.updates for r in update.refused)]


def config(match_id: str = "m") -> MatchConfig:
    settings = Settings(rules=RuleOptions(rounds=1), pace=Pace.FAST, window_ns=50 * MS)
    players = tuple(Player(name=f"p{seat}") for seat in range(4))
    return MatchConfig(match_id=match_id, settings=settings, players=players)


class Table:
    """Four bots with tokens in a running match; seat 0 is the test's, the others play along."""

    def __init__(self, referee: Referee, tokens: Sequence[str], match: RunningMatch) -> None:
        self.referee = referee
        self.token = tokens[0]
        self.match = match

    async def end(self) -> MatchEnded:
        return await asyncio.wait_for(self.match.done, LIMIT_S)


@contextlib.asynccontextmanager
async def table(folder: Path, **changes: object) -> AsyncIterator[tuple[Table, Bot]]:
    """A running match; yields it with the bot of seat 0, which has its first frame to read."""
    async with serving(folder, **changes) as referee, contextlib.AsyncExitStack() as stack:
        issued = [referee.issue_instance(f"b{seat}") for seat in range(4)]
        bots = []
        for one in issued:
            bot = await stack.enter_async_context(Bot(referee.addresses[0], one.token))
            bots.append(await bot.hello())
        match = referee.start_match(config(), [one.instance_id for one in issued])
        others = [asyncio.create_task(bot.play_along()) for bot in bots[1:]]
        yield Table(referee, [one.token for one in issued], match), bots[0]
        if match.done.done():
            await asyncio.wait_for(asyncio.gather(*others), LIMIT_S)
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

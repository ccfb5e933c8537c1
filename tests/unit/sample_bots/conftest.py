"""A referee of a few lines: the test reads what the bot sent, and sends what it likes."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from pathlib import Path
from typing import TypeAlias

import grpc
import grpc.aio
import pytest

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot._gen.tichu.referee.v1.referee_pb2_grpc import (
    RefereeServiceServicer,
    add_RefereeServiceServicer_to_server,
)

PACKAGE = Path(__file__).parents[3] / "sample_bots" / "python"
PATIENCE_S = 20.0  # a test that waits longer has failed


class Stream:
    """One Play call, seen from the referee."""

    def __init__(self, context: grpc.aio.ServicerContext[pb.PlayRequest, pb.PlayResponse]) -> None:
        self.context = context
        self.metadata = dict(context.invocation_metadata() or grpc.aio.Metadata())
        self.over = asyncio.Event()
        self.status = (grpc.StatusCode.OK, "")

    async def read(self) -> pb.PlayRequest | None:
        """The next frame; None when the bot has half-closed or is gone."""
        frame: object = await self.context.read()  # or EOF, which the stub leaves out
        return frame if isinstance(frame, pb.PlayRequest) else None

    async def frame(self) -> pb.PlayRequest:
        """The next frame, which must come."""
        frame = await self.read()
        assert frame is not None
        return frame

    async def send(self, response: pb.PlayResponse) -> None:
        await self.context.write(response)

    async def update(self, *updates: match_pb.Update) -> None:
        await self.send(pb.PlayResponse(updates=updates))

    async def welcome(self, *, token: str = "session-1", resumed: bool = False) -> pb.Hello:
        """Read Hello and accept it."""
        hello = (await self.frame()).hello
        welcome = pb.Welcome(session_token=token, protocol_version=1, resumed=resumed)
        await self.send(pb.PlayResponse(welcome=welcome))
        return hello

    def end(self, status: grpc.StatusCode = grpc.StatusCode.OK, text: str = "") -> None:
        self.status = (status, text)
        self.over.set()


class ScriptedReferee(RefereeServiceServicer):
    """Hands each stream to the test and keeps it open until the test ends it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._open: list[Stream] = []
        self._server = grpc.aio.server()
        add_RefereeServiceServicer_to_server(self, self._server)
        self._server.add_insecure_port(address)

    async def start(self) -> None:
        await self._server.start()

    def end_streams(self) -> None:
        for stream in self._open:
            stream.over.set()

    async def stop(self) -> None:
        self.end_streams()
        await self._server.stop(0)

    async def stream(self) -> Stream:
        """The next stream that a bot opens."""
        return await asyncio.wait_for(self._streams.get(), PATIENCE_S)

    async def Play(  # type: ignore[override]  # the stub names one base for both stacks
        self,
        requests: object,
        context: grpc.aio.ServicerContext[pb.PlayRequest, pb.PlayResponse],
    ) -> None:
        stream = Stream(context)
        self._open.append(stream)
        self._streams.put_nowait(stream)
        try:
            await stream.over.wait()
            code, text = stream.status
            if code is not grpc.StatusCode.OK:
                context.set_code(code)
                context.set_details(text)
        except asyncio.CancelledError:  # the bot is gone
            return


@pytest.fixture
async def referees(tmp_path: Path) -> AsyncIterator[Iterable[ScriptedReferee]]:
    """Two referees on sockets of their own."""
    both = [ScriptedReferee(f"unix:{tmp_path}/{name}") for name in ("one", "two")]
    for referee in both:
        await referee.start()
    yield both
    for referee in both:
        await referee.stop()


@pytest.fixture
def referee(referees: list[ScriptedReferee]) -> ScriptedReferee:
    """The first of the two."""
    return referees[0]


Spawn: TypeAlias = Callable[..., Coroutine[None, None, Process]]


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Start Python with arguments; what still runs at the end is killed."""
    started: list[Process] = []

    async def start(*arguments: str, stdout: int | None = None, **environment: str) -> Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE), **environment},
            stdout=stdout,
            stderr=PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(process: Process) -> tuple[int, str]:
    """Exit status and what was said on stderr."""
    _, told = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode is not None
    return process.returncode, told.decode()

"""Signals to `referee serve`, whatever it is doing: bots are told, and it ends in time."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.formats.records import read_record
from referee.match.facts import MatchEnded
from referee.match.values import Ending
from tests.integration.link_proxy import link_proxy
from tests.integration.playing import REFEREE, ROOT
from tests.integration.scripted import PatientBot, ScriptedBot, by_hand
from tests.integration.serving import LIMIT_S

EXIT_S = 5.0  # the promise to an operator
SIGNALS = (signal.SIGTERM, signal.SIGINT)
REFUSED = 3_000  # calls, within what a bot may send at once; their refusals fill what holds them
THINKING = ("--clock", "60s+0s", "--rounds", "1")
both_signals = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
int_is_slow = pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
    ids=lambda number: number.name,
)


class Served:
    """`referee serve` as a process, on a unix socket of the folder."""

    def __init__(self, folder: Path, process: asyncio.subprocess.Process) -> None:
        self.address = f"unix:{folder}/r.sock"
        self.process = process
        self._folder = folder

    async def exit_code(self, limit_s: float = EXIT_S) -> int:
        """Wait for its end; what it printed goes into the message when that takes too long."""
        self.printed, self.logged = await asyncio.wait_for(self.process.communicate(), limit_s)
        assert self.process.returncode is not None
        return self.process.returncode

    def ends(self) -> list[MatchEnded]:
        """The last facts of its records, all of which are whole."""
        found = []
        for path in sorted((self._folder / "records").glob("*.jsonl")):
            record = read_record(path.read_bytes().splitlines(keepends=True))
            assert record.complete, path
            last = record.facts[-1]
            assert isinstance(last, MatchEnded)
            found.append(last)
        return found


@contextlib.asynccontextmanager
async def serve(folder: Path, *flags: str, python: Sequence[str] = ()) -> AsyncIterator[Served]:
    """Start it; killed at the end if a test left it running."""
    process = await asyncio.create_subprocess_exec(
        *(REFEREE[0], *python, *REFEREE[1:], "serve", "--listen", f"unix:{folder}/r.sock", *flags),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Served(folder, process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def listening(served: Served) -> None:
    """Return when it takes bots."""
    assert served.process.stdout is not None
    line = await asyncio.wait_for(served.process.stdout.readline(), LIMIT_S)
    assert line.decode() == f"listening {served.address}\n"


@contextlib.asynccontextmanager
async def bots(*addresses: str) -> AsyncIterator[list[ScriptedBot]]:
    """Bots without a token that said Hello and answer nothing."""
    async with contextlib.AsyncExitStack() as stack:
        found = []
        for address in addresses:
            bot = await stack.enter_async_context(PatientBot(address))
            found.append(ScriptedBot(await bot.hello(), by_hand))
            stack.push_async_callback(found[-1].stop)
        yield found


def assert_told(bot: ScriptedBot) -> None:
    assert bot.closing is not None
    assert bot.closing.code == referee_pb2.CLOSING_CODE_DRAINING
    assert bot.closing.retry


@both_signals
async def test_bots_that_think_are_told_and_the_referee_is_gone_in_time(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with serve(tmp_path, *THINKING, "--grace", "0") as served:
        await listening(served)
        async with bots(*[served.address] * 4) as table:
            for bot in table:
                ask = await bot.ask("call")
                assert ask.time_left_ms > 50_000
            served.process.send_signal(number)
            for bot in table:
                await bot.gone()
                assert_told(bot)
                (ended,) = bot.events_of("match_ended")
                assert ended.match_ended.ending == match_pb2.ENDING_CANCELLED
                assert (await bot.bot.status())[0] is grpc.StatusCode.UNAVAILABLE
            assert await served.exit_code() == 0
    assert [end.ending for end in served.ends()] == [Ending.CANCELLED]


@both_signals
async def test_a_signal_while_a_match_begins_ends_it_whole(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with serve(tmp_path, *THINKING) as served:
        await listening(served)
        async with bots(*[served.address] * 3) as table, PatientBot(served.address) as fourth:
            hello = referee_pb2.Hello(protocol_version=1)
            await fourth.send(referee_pb2.PlayRequest(hello=hello))
            served.process.send_signal(number)
            frames = [frame async for frame in rest(fourth)]
            for bot in table:
                await bot.gone()
                assert_told(bot)
            status = (await fourth.status())[0]
            if frames:
                assert frames[-1].closing.code == referee_pb2.CLOSING_CODE_DRAINING
                assert status is grpc.StatusCode.UNAVAILABLE
            else:  # its stream came when the door was shut, or in the doorway
                assert status in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
            assert await served.exit_code() == 0
    seats = sum(update.HasField("seating") for frame in frames for update in frame.updates)
    # whichever came first, the Hello or the signal: a match that began has a whole record
    assert [end.ending for end in served.ends()] == [Ending.CANCELLED] * seats


async def rest(bot: PatientBot) -> AsyncIterator[referee_pb2.PlayResponse]:
    while (frame := await bot.next_frame()) is not None:
        yield frame


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGTERM, signal.SIGTERM),
        (signal.SIGINT, signal.SIGINT),
        pytest.param(signal.SIGTERM, signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, signal.SIGTERM, marks=pytest.mark.slow),
    ],
    ids=lambda number: number.name,
)
async def test_a_second_signal_ends_it_at_once(
    tmp_path: Path, first: signal.Signals, second: signal.Signals
) -> None:
    """A health watch that stays open keeps the first one's good order busy for a second."""
    async with serve(tmp_path, *THINKING) as served:
        await listening(served)
        async with grpc.aio.insecure_channel(served.address) as channel:
            watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
            served.process.send_signal(first)
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert await asyncio.wait_for(sent_until_it_ends(served, second), 0.7) == 128 + second
            watch.cancel()


async def sent_until_it_ends(served: Served, number: signal.Signals) -> int:
    """Send a signal again and again: one right after the first is no second order."""
    ended = asyncio.ensure_future(served.process.wait())
    while not ended.done():
        served.process.send_signal(number)
        await asyncio.wait({ended}, timeout=0.02)
    return ended.result()


async def test_two_signals_at_once_are_one_order_and_end_it_in_good_order(tmp_path: Path) -> None:
    async with serve(tmp_path, *THINKING) as served:
        await listening(served)
        async with bots(*[served.address] * 4) as table:
            for bot in table:
                await bot.ask("call")
            # stopped meanwhile, for a machine that is busy may put any time between two signals
            stopped = (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT)
            for number in stopped:
                served.process.send_signal(number)
            for bot in table:
                await bot.gone()
                assert_told(bot)
            assert await served.exit_code() == 0
    assert [end.ending for end in served.ends()] == [Ending.CANCELLED]
    assert b" cancelled blame none 0:0\n" in served.printed
    log = served.logged.decode()
    assert log.count("stopping") == 1
    assert "stopping at once" not in log
    assert re.search(r"signal=.*SIG(INT|TERM)", log)


@int_is_slow
async def test_who_does_not_read_or_never_said_hello_delays_no_end(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with serve(tmp_path, *THINKING) as served:
        await listening(served)
        async with (
            link_proxy(tmp_path / "p.sock", served.address) as proxy,
            bots(proxy.address, *[served.address] * 3) as table,
            PatientBot(served.address) as silent,
        ):
            await silent.call.wait_for_connection()
            for bot in table:
                await bot.ask("call")
            proxy.links[0].freeze_downward()
            for _ in range(REFUSED // len(refused_calls().calls)):
                await table[0].bot.send(refused_calls())
            served.process.send_signal(number)
            for bot in table[1:]:
                await bot.gone()
                assert_told(bot)
            assert await served.exit_code() == 0
    assert [end.ending for end in served.ends()] == [Ending.CANCELLED]


def refused_calls() -> referee_pb2.PlayRequest:
    """A frame that makes the referee say much: the frozen bot's writer is stuck."""
    frame = referee_pb2.PlayRequest()
    for number in range(20):
        frame.calls.add(match=1, call=match_pb2.CALL_KIND_GREAT_GRAND, request_id=number)
    return frame


# Modules in the order in which `serve` loads them: each stands for a moment of its start.
@both_signals
@pytest.mark.parametrize(
    "module",
    [
        pytest.param("asyncio", marks=pytest.mark.slow),
        pytest.param("grpc", marks=pytest.mark.slow),
        "referee.bootstrap",
        pytest.param("referee.config", marks=pytest.mark.slow),
    ],
)
async def test_a_signal_during_the_start_ends_it_without_a_trace(
    tmp_path: Path, number: signal.Signals, module: str
) -> None:
    async with serve(tmp_path, python=("-X", "importtime")) as served:
        await loaded(served, module)
        served.process.send_signal(number)
        assert await served.exit_code() in (-number, 128 + number)
    said = [line for line in served.logged.splitlines() if not line.startswith(b"import time")]
    assert [line for line in said if line.strip() and b"stopping" not in line] == []
    async with serve(tmp_path) as again:
        await listening(again)


async def loaded(served: Served, module: str) -> None:
    """Return when the process says that it has loaded a module."""
    assert served.process.stderr is not None
    async for line in served.process.stderr:
        if line.startswith(b"import time") and line.split(b"|")[-1].strip() == module.encode():
            return
    raise AssertionError(f"{module} was never loaded")


@pytest.mark.parametrize("way", ["unix", "tcp"])
async def test_a_second_referee_on_the_address_refuses_and_the_first_serves_on(
    tmp_path: Path, way: str
) -> None:
    flags = ("--once", "--rounds", "1", "--pace", "fast")
    listen = ("--listen", "127.0.0.1:0") if way == "tcp" else ()
    async with serve(tmp_path, *listen, *flags) as first:
        await listening(first)
        address = await address_of(first) if way == "tcp" else first.address
        done = await asyncio.create_subprocess_exec(
            *(*REFEREE, "serve", "--listen", address, "--store", "second.db"),
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        printed, said = await asyncio.wait_for(done.communicate(), LIMIT_S)
        assert (done.returncode, printed) == (2, b"")
        (line,) = said.decode().splitlines()
        assert line.startswith(f"error: listen {address}: ")
        assert "another process" in line

        async with contextlib.AsyncExitStack() as stack:
            table = [await stack.enter_async_context(PatientBot(address)) for _ in range(4)]
            for bot in table:
                await bot.hello()
            await asyncio.wait_for(asyncio.gather(*(bot.play() for bot in table)), LIMIT_S)
        assert await first.exit_code() == 0
    assert [end.ending for end in first.ends()] == [Ending.COMPLETED]


async def address_of(served: Served) -> str:
    assert served.process.stdout is not None
    line = await asyncio.wait_for(served.process.stdout.readline(), LIMIT_S)
    return line.decode().removeprefix("listening ").strip()

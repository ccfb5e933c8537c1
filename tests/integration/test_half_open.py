"""Links that are dead without a word are found within 20 s, and leave nothing behind (PROTOCOL 3).

Keepalive asks after 10 s of silence, and takes no answer within 8 s for the end.
"""

import asyncio
import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.bootstrap import IssuedInstance, Referee
from referee.match.values import MS, Blame, Clock, Ending, Pace, Settings
from referee.rules.options import RuleOptions
from tests.integration.http2_peer import SilentPeers
from tests.integration.link_proxy import link_proxy
from tests.integration.scripted import by_default, by_hand, seated
from tests.integration.serving import LIMIT_S, Bot, serving

pytestmark = pytest.mark.slow

FOUND_S = 20.0
HALF_OPEN = 500
DESCRIPTORS = 4_096
KEPT_MB = 12  # by which memory may wander; 500 streams have 40 MB
THREADS = 4  # by which gRPC's own pool may have grown
FEW = 8  # descriptors of one bot and its channel, and of what gRPC is just closing
PATIENT = Settings(
    rules=RuleOptions(rounds=1),
    pace=Pace.FAST,
    window_ns=50 * MS,
    clock=Clock(base_ns=90_000 * MS),
    lag_limit_ns=60_000 * MS,  # a machine that stalls asks nobody anew
)


def readers() -> set[asyncio.Task[object]]:
    """The tasks that read the streams of a referee in this loop."""
    return {t for t in asyncio.all_tasks() if getattr(t.get_coro(), "__qualname__", "") == "_read"}


async def all_gone() -> None:
    """Wait until no stream is left."""
    if streams := readers():
        await asyncio.wait(streams, timeout=LIMIT_S)
    for _ in range(10):  # turns of the loop, for what its tasks leave to be called
        await asyncio.sleep(0)


async def found(streams: set[asyncio.Task[object]], since: float) -> None:
    """Wait until these streams are over, and see that it did not take too long."""
    assert streams
    await asyncio.wait(streams, timeout=FOUND_S + LIMIT_S)
    took = asyncio.get_running_loop().time() - since
    assert all(stream.done() for stream in streams)
    assert took < FOUND_S, f"{took:.1f} s"


@contextlib.contextmanager
def many_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, min(DESCRIPTORS, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Held:
    """What this process holds."""

    def __init__(self, referee: Referee) -> None:
        gc.collect()
        process, reception = psutil.Process(), referee._service.reception
        self.streams = len(reception.streams())
        self.sessions = len(reception.register)
        self.tasks = len(asyncio.all_tasks())
        self.threads = process.num_threads()
        self.descriptors = process.num_fds()
        self.memory_mb = process.memory_info().rss / 1e6


async def test_500_half_open_streams_are_found_within_20_s_and_leave_nothing(
    tmp_path: Path,
) -> None:
    with many_descriptors():
        async with serving(tmp_path, open_identity=True, grace_ms=0) as referee:
            await half_open_wave(referee)  # what 500 streams load and reserve once, they keep
            before = Held(referee)
            await half_open_wave(referee)
            await tasks_down_to(before.tasks)
            after = Held(referee)
    assert (after.streams, after.sessions) == (before.streams, before.sessions) == (0, 0)
    assert after.descriptors <= before.descriptors + FEW
    assert after.threads <= before.threads + THREADS
    assert after.memory_mb <= before.memory_mb + KEPT_MB


async def tasks_down_to(count: int) -> None:
    """Wait until no more tasks are left: one ends a moment after what it did."""
    async with asyncio.timeout(LIMIT_S):
        while len(tasks := asyncio.all_tasks()) > count:
            others = tasks - {asyncio.current_task()}
            await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)


async def half_open_wave(referee: Referee) -> None:
    """500 peers fall silent; all are found, and a bot gets in again."""
    now = asyncio.get_running_loop().time
    (address,) = referee.addresses
    peers = SilentPeers(address.removeprefix("unix:"))
    before = psutil.Process().num_fds()
    try:
        await peers.come(HALF_OPEN)
        silent_since = now()
        assert len(referee._service.reception.streams()) == HALF_OPEN
        streams = readers()
        assert len(streams) == HALF_OPEN
        await found(streams, silent_since)
        assert peers.still_open() == HALF_OPEN  # it was not they who closed
        async with Bot(address) as honest:
            await honest.hello()
        assert psutil.Process().num_fds() <= before + HALF_OPEN + FEW  # our own ends
    finally:
        peers.close()
    await all_gone()


async def test_a_link_that_carries_nothing_any_more_is_found_and_the_bot_comes_back(
    tmp_path: Path,
) -> None:
    now = asyncio.get_running_loop().time
    async with (
        serving(tmp_path, grace_ms=60_000) as referee,
        link_proxy(tmp_path / "p.sock", referee.addresses[0]) as proxy,
    ):
        addresses = [proxy.address, *[referee.addresses[0]] * 3]
        deciding = (by_hand, by_default, by_default, by_default)
        async with seated(referee, PATIENT, deciding=deciding, addresses=addresses) as table:
            lost = table.bots[0]
            ask = await lost.ask("call")
            streams = readers()
            frozen_at = now()
            proxy.links[0].freeze()
            done, _ = await asyncio.wait(
                streams, timeout=FOUND_S + LIMIT_S, return_when=asyncio.FIRST_COMPLETED
            )
            assert len(done) == 1  # the three others live
            gone_ms = (now() - frozen_at) * 1000
            assert gone_ms < FOUND_S * 1000
            assert not table.match.done.done()
            assert not lost.lost  # its own end knows nothing of it
            async with Bot(referee.addresses[0], lost.bot.token) as again:
                await again.hello(session_token=lost.bot.session_token)
                number, same = await again.ask()
                assert same.ask_id == ask.ask_id
                assert same.time_left_ms <= ask.time_left_ms - gone_ms + 1  # its clock ran on
                answer = referee_pb2.PlayRequest()
                answer.answers.add(match=number, ask_id=same.ask_id).default_action.SetInParent()
                await again.send(answer)
                await again.play()
                end = await table.end()
    assert (end.ending, end.blame) == (Ending.COMPLETED, Blame.NONE)


async def test_a_stopped_process_is_found_and_plays_on_when_it_runs_again(tmp_path: Path) -> None:
    now = asyncio.get_running_loop().time
    started: list[asyncio.subprocess.Process] = []

    async def launch(issued: IssuedInstance) -> None:
        python = f"{Path.cwd()}:{Path.cwd() / 'sample_bots' / 'python'}"
        own = {"TICHU_SERVER": referee.addresses[0], "TICHU_TOKEN": issued.token}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tichu_bot.random"),
            env={**os.environ, **own, "PYTHONPATH": python},
            stderr=asyncio.subprocess.PIPE,
        )
        started.append(process)

    async with serving(tmp_path, grace_ms=60_000) as referee:
        deciding = (by_hand, by_hand, by_default, by_default)
        try:
            async with seated(referee, PATIENT, deciding=deciding, outside={0: launch}) as table:
                held = table.bots[0]  # seat 1: nothing moves without it
                await held.ask("call")
                streams = readers()
                assert len(streams) == 4
                stopped_at = now()
                started[0].send_signal(signal.SIGSTOP)
                done, _ = await asyncio.wait(
                    streams, timeout=FOUND_S + LIMIT_S, return_when=asyncio.FIRST_COMPLETED
                )
                assert len(done) == 1
                assert now() - stopped_at < FOUND_S
                started[0].send_signal(signal.SIGCONT)
                await held.leave_to(by_default)
                end = await table.end()
        finally:
            for process in started:
                process.kill()
                await process.communicate()
    assert (end.ending, end.blame) == (Ending.COMPLETED, Blame.NONE)

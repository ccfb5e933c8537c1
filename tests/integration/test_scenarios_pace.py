"""What one bot does to the referee costs the matches of others nothing that counts.

A second match is played by turns alone and beside the misbehaving bot, on the same referee, in the
same loop, with the same cards. What is compared are ratios within one run, since this machine is
as fast as its other users let it.
"""

import asyncio
import contextlib
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import KIB, Limits
from referee.bootstrap import IssuedInstance, Referee
from referee.clock import new_loop
from referee.launch.environment import Access, bot_environment
from referee.match.facts import MatchEnded
from referee.match.values import MS, Blame, Clock, Ending, Settings
from referee.rules.options import RuleOptions
from tests.integration.link_proxy import link_proxy
from tests.integration.playing import Player as Marked
from tests.integration.scripted import by_default, by_hand, seated
from tests.integration.serving import serving

SETTINGS = Settings(rules=RuleOptions(rounds=1), clock=Clock(base_ns=30_000 * MS))
Disturbance = Callable[[], AbstractAsyncContextManager["asyncio.Future[MatchEnded]"]]


class Pace(NamedTuple):
    """How the second match went, over all its playings."""

    waits: list[float]  # seconds from an ask to the acknowledgement of its answer, as a bot sees it
    took_s: float

    def percentile(self, part: float) -> float:
        """The wait that this part of all are not over, seconds."""
        return sorted(self.waits)[int(part * (len(self.waits) - 1))]

    @property
    def decisions_s(self) -> float:
        """Decisions a second."""
        return len(self.waits) / self.took_s

    def __str__(self) -> str:
        p50, p99 = 1e3 * self.percentile(0.5), 1e3 * self.percentile(0.99)
        return f"{len(self.waits)} at {self.decisions_s:.0f}/s, p50 {p50:.2f} ms, p99 {p99:.2f} ms"


async def second_match(referee: Referee, into: list[float]) -> None:
    """Play it once, with the same cards each time."""
    async with seated(referee, SETTINGS, match_id="second") as table:
        assert (await table.end()).ending is Ending.COMPLETED
        for bot in table.bots:
            into += [bot.acked[ask] - came for ask, came in bot.came.items() if ask in bot.acked]


async def paces(referee: Referee, disturbance: Disturbance, times: int) -> tuple[Pace, Pace]:
    """Play by turns alone and beside a disturbance, as long as that lasts; return both paces."""
    now = asyncio.get_running_loop().time
    alone, beside = list[float](), list[float]()
    alone_s = beside_s = 0.0
    await second_match(referee, [])  # fills caches
    for _ in range(times):
        async with disturbance() as ended:
            began, played = now(), 0
            while not ended.done():
                await second_match(referee, beside)
                played += 1
            beside_s += now() - began
        began = now()
        for _ in range(played):
            await second_match(referee, alone)
        alone_s += now() - began
    return Pace(alone, alone_s), Pace(beside, beside_s)


def in_loop(main: Callable[[], Coroutine[object, object, None]]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())


def assert_unmoved(alone: Pace, beside: Pace) -> None:
    """What is looked for is waiting: for a peer's buffers, or behind a queue of frames.

    A referee that waited for the one bot would let others wait for seconds, hundreds of times the
    few milliseconds of a 99th percentile, and play next to nothing meanwhile. Two processes more
    on two busy cores were seen to double the percentile and to halve the pace.
    """
    told = f"alone {alone}; beside it {beside}"
    assert beside.percentile(0.99) < 8 * alone.percentile(0.99), told
    assert beside.decisions_s > alone.decisions_s / 6, told


# --- a bot that never reads


@contextlib.asynccontextmanager
async def frozen(referee: Referee, folder: Path) -> "AsyncIterator[asyncio.Future[MatchEnded]]":
    """A match with a bot that asks for replies and takes none in; it ends when it is thrown out."""
    async with (
        link_proxy(folder / "p.sock", referee.addresses[0]) as proxy,
        seated(
            referee,
            SETTINGS,
            deciding=(by_hand, by_default, by_default, by_default),
            addresses=(proxy.address, *referee.addresses * 3),
            match_id="frozen",
        ) as table,
    ):
        await table.bots[0].ask("call")
        proxy.links[0].freeze_downward()
        asking = asyncio.create_task(ask_for_replies(table.bots[0].bot.send, table.match.done))
        yield table.match.done
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        end = table.match.done.result()
        assert (end.ending, end.seat, end.blame) == (Ending.SLOW_READER, 0, Blame.BOT)


async def ask_for_replies(
    send: Callable[[referee_pb2.PlayRequest], Awaitable[None]], ended: "asyncio.Future[MatchEnded]"
) -> None:
    """Send calls that are refused, each with a line of text, at a rate within the limits."""
    frame = referee_pb2.PlayRequest()
    for number in range(20):
        frame.calls.add(match=1, call=match_pb2.CALL_KIND_GREAT_GRAND, request_id=number)
    while not ended.done():
        await send(frame)
        await asyncio.sleep(0.004)


@pytest.mark.slow
def test_a_bot_that_never_reads_is_a_slow_reader_and_others_decide_as_fast_as_ever(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        # The least that may wait, so that it ends soon; and a bot that may ask for all of it.
        limits = Limits(unsent_bytes=64 * KIB, frames_burst=100_000)
        async with serving(tmp_path, limits=limits) as referee:
            alone, beside = await paces(referee, lambda: frozen(referee, tmp_path), times=2)
        assert_unmoved(alone, beside)

    in_loop(main)


# --- a bot that floods


@contextlib.asynccontextmanager
async def flooded(referee: Referee, folder: Path) -> "AsyncIterator[asyncio.Future[MatchEnded]]":
    """A match with a process that sends 10,000 frames a second; it ends when it is thrown out."""
    processes: list[asyncio.subprocess.Process] = []

    async def launch(issued: IssuedInstance) -> None:
        access = Access(
            server=referee.addresses[0], token=issued.token, name="flood", log_dir=folder
        )
        processes.append(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.integration.flooding"),
                env=bot_environment(Marked(folder).environment, access),
            )
        )

    try:
        async with seated(referee, SETTINGS, match_id="flooded", outside={0: launch}) as table:
            yield table.match.done
            end = table.match.done.result()
            assert (end.ending, end.seat, end.blame) == (Ending.FLOODED, 0, Blame.BOT)
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


@pytest.mark.slow
def test_a_flood_is_throttled_then_ended_and_another_match_keeps_its_pace(tmp_path: Path) -> None:
    async def main() -> None:
        limits = Limits(frames_burst=500)  # of the default 4,000 it takes longer to its end
        async with serving(tmp_path, limits=limits, metrics_port=0) as referee:
            alone, beside = await paces(referee, lambda: flooded(referee, tmp_path), times=1)
            held = await asyncio.to_thread(metric, referee, "referee_throttled_seconds_total")
        # all but what its last frame would have been held back for
        assert held > 0.95 * limits.flood_ns / 1e9
        assert_unmoved(alone, beside)

    in_loop(main)


def metric(referee: Referee, name: str) -> float:
    """A number that the referee counts, as Prometheus would read it."""
    with urllib.request.urlopen(f"http://{referee.metrics_address}/metrics") as page:
        lines = page.read().decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))

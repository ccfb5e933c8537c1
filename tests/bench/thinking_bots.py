"""Four bots in one process that answer each ask after a time, and measure how soon the next comes.

python -m tests.bench.thinking_bots ADDRESS MS TOKEN TOKEN TOKEN TOKEN

One process, so that the last answer of a match and its next ask are seen by one clock, whoever
gives the one and gets the other.
"""

import asyncio
import sys
from array import array
from time import perf_counter_ns

import msgspec

from tests.bench.child import orders, report
from tests.bench.figures import percentile
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.minimal import MinimalPlayer
from tichu_bot.outbox import Outbox
from tichu_bot.run import PROTOCOL_VERSION, play
from tichu_bot.settings import from_environment


class Measure(msgspec.Struct, frozen=True):
    """Order: measure for so many seconds after a warm-up."""

    warm_up_s: float
    seconds: float


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """Report: from the last answer of a match to its next ask, both as a bot sees them."""

    p50_us: float
    p99_us: float
    waits: int


class Clockwork:
    """What the four bots know together. Matches have the same number in every session."""

    def __init__(self) -> None:
        self.waits_ns = array("q")
        self._open: dict[int, int] = {}  # asks that are not answered, by match
        self._answered: dict[int, int] = {}  # when the last one was

    def asked(self, match: int, now: int) -> None:
        """An ask came in."""
        if not self._open.get(match) and (answered := self._answered.get(match)) is not None:
            self.waits_ns.append(now - answered)
        self._open[match] = self._open.get(match, 0) + 1

    def answers(self, match: int, now: int) -> None:
        """Its answer goes out."""
        self._open[match] -= 1
        self._answered[match] = now

    def cancelled(self, match: int) -> None:
        """An ask is over unanswered: whoever answers it is too late, and no ask waits for that."""
        self._answered.pop(match, None)


class ThinkingPlayer(MinimalPlayer):
    """Decides at once, and says so after a time."""

    def __init__(self, clockwork: Clockwork, outbox: Outbox, think_s: float) -> None:
        super().__init__()
        self._clockwork = clockwork
        self._outbox = outbox
        self._think_s = think_s

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Decide, and answer later."""
        now = perf_counter_ns()
        for update in frame.updates:
            for _ in update.cancelled:
                self._clockwork.cancelled(update.match)
            for _ in update.asks:
                self._clockwork.asked(update.match, now)
        later = pb.PlayRequest()
        super().frame(frame, later)
        if later.answers:
            asyncio.get_running_loop().call_later(self._think_s, self._say, later)

    def _say(self, answers: pb.PlayRequest) -> None:
        now = perf_counter_ns()
        for answer in answers.answers:
            self._clockwork.answers(answer.match, now)
        self._outbox.merge(answers)


async def _play(address: str, token: str, clockwork: Clockwork, think_s: float) -> None:
    hello = pb.Hello(
        protocol_version=PROTOCOL_VERSION,
        bot_name="thinking",
        max_matches=512,
        without_snapshots=True,
        event_delivery=pb.EVENT_DELIVERY_WITH_ASKS,
    )
    settings = from_environment({"TICHU_SERVER": address, "TICHU_TOKEN": token}, plaintext=False)
    await play(settings, hello, lambda outbox: ThinkingPlayer(clockwork, outbox, think_s))


async def _run(address: str, think_s: float, tokens: list[str]) -> None:
    clockwork = Clockwork()
    playing = [asyncio.create_task(_play(address, token, clockwork, think_s)) for token in tokens]
    async for order in orders(Measure):
        await asyncio.sleep(order.warm_up_s)
        del clockwork.waits_ns[:]
        await asyncio.sleep(order.seconds)
        waits = sorted(clockwork.waits_ns)
        report(
            Waits(
                p50_us=percentile(waits, 0.5) / 1e3,
                p99_us=percentile(waits, 0.99) / 1e3,
                waits=len(waits),
            )
        )
    for task in playing:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], float(sys.argv[2]) / 1e3, sys.argv[3:]))

"""Real time: the clock of the loop, and how long each turn of the loop took.

A frame is stamped when it is read. Where the loop was busy for long, frames that came in meanwhile
would be stamped late through no fault of their bots, so they get the time at which the busy turn
began (PROTOCOL 3). Only a loop made by `new_loop` knows its turns; another one stamps with `now`.
"""

import asyncio
import gc
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import TypeVar

_T = TypeVar("_T")

BLOCKED_NS = 5_000_000  # a turn longer than this blocked the loop (PROTOCOL 3)
_IDLE_NS = 200_000  # a poll that waited longer found nothing waiting
_COLLECT_AFTER = (50_000, 20, 20)  # allocations, and generations of them
_LAST_TURNS_S = 2.0  # far more than gRPC needs to end calls that were cut
_CALL = "_schedule_rpc_coro"  # what gRPC names the task of a call that it serves


class TurnSelector(selectors.DefaultSelector):
    """Selects as the default does, and knows when the last turns of its loop began and ended."""

    def __init__(self) -> None:
        super().__init__()
        self.on_turn: Callable[[int], None] = lambda duration_ns: None
        self._returned = time.monotonic_ns()
        # Begin of the last turn, and of the one before, where they took too long. A poll finds what
        # came in the turn before it, and that is read in the turn after the next poll.
        self._blocked: int | None = None
        self._blocked_before: int | None = None
        self.idle = 0  # time spent waiting, in all

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll; note how long the turn since the last poll took."""
        began = time.monotonic_ns()
        turn = began - self._returned
        self._blocked_before, self._blocked = self._blocked, None
        if turn > BLOCKED_NS:
            self._blocked = self._returned
            timeout = 0  # the loop chose it before the callback, which may have work for it
        self.on_turn(turn)
        events = super().select(timeout)
        self._returned = time.monotonic_ns()
        waited = self._returned - began
        self.idle += waited
        if waited > _IDLE_NS:
            self._blocked = self._blocked_before = None
        return events

    def stamp(self) -> int:
        """Return the time for frames read now: the begin of a blocked turn, else now.

        What is read in a turn was found by an earlier poll, so where this turn itself has taken
        too long by now, its own begin.
        """
        if self._blocked_before is not None:
            return self._blocked_before
        if self._blocked is not None:
            return self._blocked
        now = time.monotonic_ns()
        return self._returned if now - self._returned > BLOCKED_NS else now


class RefereeLoop(asyncio.SelectorEventLoop):
    """The standard loop over a `TurnSelector`."""

    def __init__(self) -> None:
        self.turns = TurnSelector()
        super().__init__(self.turns)


def new_loop() -> RefereeLoop:
    """Return a loop that knows its turns; a factory for `asyncio.Runner`."""
    return RefereeLoop()


def run(main: Coroutine[object, object, _T]) -> _T:
    """Run to the end in a loop that knows its turns, as `asyncio.run` does.

    Values of matches are many, short-lived and free of cycles: looking for cycles after every 700
    of them, as is the default, took a tenth of the processor time of a busy referee.
    """
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(_to_its_end(main))


async def _to_its_end(main: Coroutine[object, object, _T]) -> _T:
    """Run, then let calls end that a stopped server has cut.

    `grpc.aio.Server.stop` returns before their tasks do (grpc/grpc issue 37239). The end of the
    loop would cancel them, and gRPC logs that as an error, with a traceback.
    """
    try:
        return await main
    finally:
        calls = {task for task in asyncio.all_tasks() if _name_of(task) == _CALL}
        if calls:
            await asyncio.wait(calls, timeout=_LAST_TURNS_S)


def _name_of(task: "asyncio.Task[object]") -> str | None:
    return getattr(task.get_coro(), "__name__", None)


class LoopClock:
    """The `Clock` of a running loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        turns = loop.turns if isinstance(loop, RefereeLoop) else None
        self._turns = turns
        self.stamp = turns.stamp if turns is not None else time.monotonic_ns

    def on_turn(self, callback: Callable[[int], None]) -> None:
        """Call back with the length of each turn of the loop in nanoseconds, if it is known.

        In the call `stamp` is already that of the frames that waited for the turn's end.
        """
        if self._turns is not None:
            self._turns.on_turn = callback

    def now(self) -> int:
        """Return the time in nanoseconds, on the scale of the loop's own timers."""
        return time.monotonic_ns()

    def idle(self) -> int:
        """Return how long the loop has waited; in a loop that does not know it, the time."""
        return self._turns.idle if self._turns is not None else time.monotonic_ns()

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back once at a time."""
        return self._loop.call_at(when_ns / 1e9, callback)

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back in the next turn."""
        self._loop.call_soon(callback)

    async def sleep(self, duration_ns: int) -> None:
        """Return after a time."""
        await asyncio.sleep(duration_ns / 1e9)

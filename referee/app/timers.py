"""One heap of timers for the process, over one timer of the clock.

An `Alarm` is set and moved often and rings seldom. Moving it later costs nothing: its old entry
stays in the heap and is put back when it comes up. So a match has one or two entries at a time,
where a timer an ask had cost a third of the throughput.
"""

import heapq
from collections.abc import Callable

import structlog

from referee.ports import Clock, Timer

_log = structlog.get_logger("referee.timers")
_FEW = 64  # entries of alarms that are gone which may stay in the heap
_HOPS = 3  # turns of the loop until everything that one poll found is read


class Alarm:
    """A callback with a time that may change. Times are of the clock, in nanoseconds."""

    __slots__ = ("_callback", "_queued", "_timers", "when")

    def __init__(self, timers: "Timers", callback: Callable[[], None]) -> None:
        self._timers = timers
        self._callback = callback
        self._queued: int | None = None  # the earliest entry in the heap
        self.when: int | None = None

    def set(self, when: int | None) -> None:
        """Ring at a time instead of any earlier order; None: do not ring."""
        self.when = when
        if when is not None and (self._queued is None or when < self._queued):
            self._queued = when
            self._timers.push(when, self)

    def drop(self) -> None:
        """Never ring again, and let go of what would have rung: its owner is gone."""
        self.when = None
        self._callback = _nothing
        if self._queued is not None:
            self._queued = None
            self._timers.dropped()

    def wants(self, entry: int) -> bool:
        """True if this entry of the heap is the one that it waits for."""
        return entry == self._queued

    def came_up(self, entry: int, now: int) -> None:
        """An entry of this alarm reached the top of the heap."""
        if not self.wants(entry):
            return  # an earlier entry took its place
        self._queued = None
        if self.when is None:
            return
        if self.when > now:
            self.set(self.when)
            return
        self.when = None
        self._callback()


def _nothing() -> None:
    """What an alarm does whose owner is gone."""


class Timers:
    """All alarms of a process. While the heap holds anything, a wake-up is on its way."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, Alarm]] = []
        self._count = 0  # equal times ring in the order of their setting
        self._timer: Timer | None = None
        self._timer_at = 0
        self._dropped = 0
        self._stopped = False
        self._reading = False  # the wake-up is here, and waits for frames that were there before

    def alarm(self, callback: Callable[[], None]) -> Alarm:
        """Return an alarm that is not set."""
        return Alarm(self, callback)

    def push(self, when: int, alarm: Alarm) -> None:
        """Take an entry; for `Alarm` only."""
        if self._stopped:
            return
        self._count += 1
        heapq.heappush(self._heap, (when, self._count, alarm))
        self._arm()

    def dropped(self) -> None:
        """Note an entry whose alarm will not ring; for `Alarm` only. Too many are cleared away."""
        self._dropped += 1
        if self._dropped > _FEW and 2 * self._dropped > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].wants(entry[0])]
            heapq.heapify(self._heap)
            self._dropped = 0

    def stop(self) -> None:
        """Ring nothing any more, and let go of everything: the process goes on without us."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._heap.clear()
        self._stopped = True

    def after_reading(self, callback: Callable[[], None]) -> None:
        """Call back once everything is read that has arrived by now."""
        self._hop(_HOPS, callback)

    @property
    def awake(self) -> bool:
        """True if every alarm that is set will ring."""
        if not self._heap or self._reading:
            return True
        return self._timer is not None and self._timer_at <= self._heap[0][0]

    def _hop(self, hops: int, callback: Callable[[], None]) -> None:
        if hops == 0:
            callback()
        else:
            self._clock.call_soon(lambda: self._hop(hops - 1, callback))

    def _arm(self) -> None:
        if not self._heap or self._reading:
            return
        first = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at <= first:
                return
            self._timer.cancel()
        self._timer_at = first
        self._timer = self._clock.call_at(first, self._wake)

    def _wake(self) -> None:
        """Ring what is due; after a blocked turn only once the frames that waited are read."""
        self._timer = None
        now = self._clock.now()
        if self._clock.stamp() < now:
            self._reading = True
            self.after_reading(self._read)
        else:
            self._ring(now)

    def _read(self) -> None:
        self._reading = False
        self._ring(self._clock.now())

    def _ring(self, now: int) -> None:
        """Ring what is due by now, all in one pass."""
        while self._heap and self._heap[0][0] <= now:
            entry, _, alarm = heapq.heappop(self._heap)
            try:
                alarm.came_up(entry, now)
            except Exception as error:  # our bug: the others ring all the same
                _log.error("an alarm failed", error=type(error).__name__)
        self._arm()

"""One heap of timers for the process, over one timer of the clock.

An `Alarm` is set and moved often and rings seldom. Moving it later costs nothing: its old entry
stays in the heap and is put back when it comes up. So a match has one or two entries at a time,
where a timer an ask had cost a third of the throughput.
"""

import heapq
from collections.abc import Callable

from referee.ports import Clock, Timer

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

    def came_up(self, entry: int, now: int) -> None:
        """An entry of this alarm reached the top of the heap."""
        if entry != self._queued:
            return  # an earlier entry took its place
        self._queued = None
        if self.when is None:
            return
        if self.when > now:
            self.set(self.when)
            return
        self.when = None
        self._callback()


class Timers:
    """All alarms of a process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, Alarm]] = []
        self._count = 0  # equal times ring in the order of their setting
        self._timer: Timer | None = None
        self._timer_at = 0
        self._waited = False  # for frames that were there before what is due

    def alarm(self, callback: Callable[[], None]) -> Alarm:
        """Return an alarm that is not set."""
        return Alarm(self, callback)

    def push(self, when: int, alarm: Alarm) -> None:
        """Take an entry; for `Alarm` only."""
        self._count += 1
        heapq.heappush(self._heap, (when, self._count, alarm))
        self._arm()

    def after_reading(self, callback: Callable[[], None]) -> None:
        """Call back once everything is read that has arrived by now."""
        self._hop(_HOPS, callback)

    def _hop(self, hops: int, callback: Callable[[], None]) -> None:
        if hops == 0:
            callback()
        else:
            self._clock.call_soon(lambda: self._hop(hops - 1, callback))

    def _arm(self) -> None:
        if not self._heap:
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
        now = self._clock.now()
        if not self._waited and self._clock.stamp() < now:
            self._waited = True
            self.after_reading(self._wake)
            return
        self._waited = False
        self._timer = None
        while self._heap and self._heap[0][0] <= now:
            entry, _, alarm = heapq.heappop(self._heap)
            alarm.came_up(entry, now)
        self._arm()

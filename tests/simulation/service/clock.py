"""The service's clock in a simulation: it can tell when it would ring next."""

import heapq

from tests.unit.app.world import VirtualClock

NEVER = 1 << 62  # later than anything that is simulated
BLOCKED_NS = 5_000_000  # a longer turn of the loop blocked it (PROTOCOL 3)
IDLE_NS = 200_000  # a poll that waited longer found nothing waiting
READ_AFTER = 2  # what a poll finds is read in the second turn after it


class SimClock(VirtualClock):
    """A `VirtualClock` for a loop whose turns take time."""

    def next_timer(self) -> int:
        """Return when the first timer rings that was not cancelled, or `NEVER`."""
        heap = self._heap
        while heap and heap[0][2].callback is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else NEVER

    def __init__(self) -> None:
        super().__init__()
        self.turn_began = self.time

    def stamp(self) -> int:
        """Return the begin of a turn that was blocked, also of this one, else the time."""
        if self.blocked_since is None and self.time - self.turn_began > BLOCKED_NS:
            return self.turn_began
        return super().stamp()

    @property
    def ready(self) -> bool:
        """True if something is to run as soon as the loop is free."""
        return bool(self._ready)

    def run_ready(self) -> None:
        """Run the timers that are due and what is ready now, and nothing that comes of it."""
        heap, ready = self._heap, self._ready
        while heap and heap[0][0] <= self.time:
            callback = heapq.heappop(heap)[2].callback
            if callback is not None:
                ready.append(callback)
        for _ in range(len(ready)):
            ready.popleft()()

    def work(self, duration_ns: int) -> None:
        """Let time pass in which the loop is busy."""
        self.time += duration_ns
        self.busy += duration_ns

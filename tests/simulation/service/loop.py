"""The loop of the referee's process in a simulation: turns that take time, and polls between them.

A turn reads what has arrived, runs the timers that are due, and may be held up by somebody else's
work; what arrives meanwhile is read in the next turn, stamped with the begin of the turn that was
held up, as the clock of the real loop does it (PROTOCOL 3).
"""

from collections.abc import Callable

from tests.simulation.service.clock import BLOCKED_NS, IDLE_NS, READ_AFTER, SimClock


class SimLoop:
    """One loop, as long as its process lives. `on_turn` hears how long each turn took."""

    def __init__(self, now: int) -> None:
        self.clock = SimClock()
        self.clock.time = self.clock.turn_began = now
        self.free_at = now
        self.on_turn: Callable[[int], None] = lambda duration: None
        self._inbox: list[Callable[[], None]] = []
        self._hogs: list[int] = []  # lengths of work that waits for the loop
        self._worked = 0  # how long the last turn took
        # begins of blocked turns, and how many polls the frames that waited still take to be read
        self._blocks: list[tuple[int, int]] = []

    def arrive(self, callback: Callable[[], None]) -> None:
        """Have it find something in its next turn."""
        self._inbox.append(callback)

    def hog(self, length: int) -> None:
        """Have somebody else's work keep it busy, after a turn."""
        self._hogs.append(length)

    def next_turn(self, now: int) -> int:
        """Return when it takes its next turn, as far as it is known."""
        free = self.free_at
        if self._worked or self.clock.ready:
            return free  # the next poll comes at once
        if self._inbox or self._hogs:
            return free if free > now else now
        timer = self.clock.next_timer()
        return timer if timer > free else free

    def take_turn(self, at: int) -> int:
        """Poll, and run what that found and what was ready before; return how long it blocked."""
        clock = self.clock
        clock.time = clock.turn_began = at
        self._poll(at)
        clock.run_ready()
        if self._hogs:
            clock.work(self._hogs.pop(0))
        self.free_at = clock.time
        self._worked = clock.time - at
        return self._worked if self._worked > BLOCKED_NS else 0

    def _poll(self, at: int) -> None:
        """As the selector of the real loop: look back at the last turn, then see what arrived."""
        clock, worked, self._worked = self.clock, self._worked, 0
        self._blocks = [(since, polls - 1) for since, polls in self._blocks if polls > 1]
        if worked > BLOCKED_NS:
            self._blocks.append((self.free_at - worked, READ_AFTER))
        elif at - self.free_at > IDLE_NS:
            self._blocks.clear()
        clock.blocked_since = self._blocks[0][0] if self._blocks else None
        if worked:
            self.on_turn(worked)
        inbox, self._inbox = self._inbox, []
        if inbox:
            clock.call_soon(lambda: self._found(inbox))

    def _found(self, inbox: list[Callable[[], None]]) -> None:
        for callback in inbox:
            self.clock.call_soon(callback)

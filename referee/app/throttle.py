"""How fast a bot is read (PROTOCOL 5): a rate, a burst, and what it earned by being asked.

A bot over its rate is not thrown out: its frames wait where they are, so its own answers come
late and nobody else feels it. One that was held back for long has lost its matches.
"""

from collections import deque

from referee.app.limits import SECOND, Limits

_SECONDS = 10  # that the limit is counted over


class Throttle:
    """The budget of one instance, over all its streams. Times are of the clock, nanoseconds."""

    __slots__ = ("_at", "_budget", "_held", "_limits", "_told_until", "_until")

    def __init__(self, limits: Limits, now: int) -> None:
        self._limits = limits
        self._budget = float(limits.frames_burst)
        self._at = now
        self._until = now  # when it may send again
        self._told_until = now  # when it may come back again
        self._held: deque[tuple[int, int]] = deque()  # (second, time held back in it)

    def earn(self, asks: int) -> None:
        """Take note of asks that went out."""
        self._budget += asks * self._limits.frames_per_ask

    def take(self, items: int, now: int) -> int:
        """Take a frame; return how long the next one is not to be read, 0 as a rule.

        A frame costs one, and one with several answers and requests as many.
        """
        until = self._pay(max(1, items), now)
        if until is None:
            return 0
        self._hold_back(until - max(self._until, now), now)
        self._until = max(self._until, until)
        return until - now

    def tell(self, matches: int, now: int) -> None:
        """Pay for matches of which a new stream is told all. To have to come back is no flood."""
        until = self._pay(matches, now)
        if until is not None:
            self._until = max(self._until, until)
            self._told_until = until

    def told_lately(self, now: int) -> bool:
        """True while what was told is not paid for."""
        return now < self._told_until

    def _pay(self, items: int, now: int) -> int | None:
        """Take from the budget; where it is overdrawn return when it no longer will be."""
        limits, gone = self._limits, now - self._at
        if gone > 0:
            gained = self._budget + gone * limits.frames_per_s / SECOND
            self._budget = min(gained, float(limits.frames_burst))
            self._at = now
        self._budget -= items
        if self._budget >= 0:
            return None
        return self._at + int(-self._budget * SECOND / limits.frames_per_s)

    def _hold_back(self, length: int, now: int) -> None:
        second, held = now // SECOND, self._held
        if held and held[-1][0] == second:
            held[-1] = (second, held[-1][1] + length)
        elif length > 0:
            held.append((second, length))
        self._forget(now)

    def _forget(self, now: int) -> None:
        while self._held and self._held[0][0] <= now // SECOND - _SECONDS:
            self._held.popleft()

    @property
    def held_back(self) -> int:
        """Time for which it was held back lately, within ten seconds."""
        return sum([length for _, length in self._held])

    def flooding(self, now: int) -> bool:
        """True once it was held back for longer than the limits allow, until that is long ago."""
        self._forget(now)
        return self.held_back > self._limits.flood_ns

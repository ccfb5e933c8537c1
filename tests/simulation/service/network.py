"""The simulated network: a link for each bot, in order in each direction, late and breakable."""

import enum
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, assert_never

from referee.match.values import MS
from referee.ports import StreamEnd
from tests.simulation.service.clock import NEVER


class Reading(enum.StrEnum):
    """How a peer reads what it is sent."""

    AT_ONCE = "at once"
    SLOWLY = "slowly"  # at a rate
    NEVER = "never"  # from a moment on, though the link stands


# As the transport has it: a quiet link is asked for a sign of life, which comes in time or never.
KEEPALIVE_NS = 10_000 * MS
KEEPALIVE_TIMEOUT_NS = 8_000 * MS


class LinkEnd(enum.StrEnum):
    """How a link ends before its time; `SimLink.fail` gives each its mechanism."""

    CUT = "cut"  # both ends hear of it; what is under way is lost
    HALF_OPEN = "half open"  # nothing passes, and no end hears of it before its keepalive does
    KILLED = "killed"  # the referee is gone: its bot hears of it, perhaps after what was under way


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPlan:
    """What a link is like. Delays and jitter in ns, each direction by itself."""

    up_ns: int = 0  # from the bot to the referee
    up_jitter_ns: int = 0
    down_ns: int = 0
    down_jitter_ns: int = 0
    reading: Reading = Reading.AT_ONCE
    reads_until_ns: int = 0  # when SLOWLY or NEVER begins, after the start of the simulation
    bytes_per_s: int = 20_000  # SLOWLY


class Ends(Protocol):
    """What a link needs of the simulation."""

    now: int

    def at(self, when: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee."""

    def arrive(self, callback: Callable[[], None]) -> None:
        """Have the referee's loop find something in its next turn."""

    def written(self, link: "SimLink", frame: bytes) -> int:
        """A frame was handed to a link; return the time."""


class Direction:
    """One direction of a link: frames arrive in the order in which they were sent."""

    def __init__(self, rng: random.Random, delay_ns: int, jitter_ns: int, grid_ns: int) -> None:
        self._rng = rng
        self._delay, self._jitter, self._grid = delay_ns, jitter_ns, grid_ns
        self._last = 0

    def arrival(self, sent: int) -> int:
        """Return when a frame arrives that is sent now."""
        when = sent + self._delay
        if self._jitter:
            when += int(self._rng.random() * self._jitter)
        when += -when % self._grid
        self._last = max(when, self._last)
        return self._last


class SimLink:
    """A `SeatLink` and the bot's end of it. `number` counts the links of a bot, from 1."""

    def __init__(
        self,
        ends: Ends,
        rng: random.Random,
        plan: LinkPlan,
        *,
        bot: int,
        number: int,
        grid_ns: int,
    ) -> None:
        self.plan = plan
        self.bot = bot
        self.number = number
        self.broken = False
        self.dead = False  # nothing passes, though both ends may not know yet
        self.killed = False  # there is nobody at the referee's end any more
        self.end_with: StreamEnd | None = None
        self.on_frame: Callable[[bytes], None] = lambda data: None  # at the bot
        self.on_end: Callable[[], None] = lambda: None
        self.on_read: Callable[[bytes], None] = lambda data: None  # at the referee
        self.on_lost: Callable[[], None] = lambda: None
        self._ends = ends
        self._rng = rng
        self._up = Direction(rng, plan.up_ns, plan.up_jitter_ns, grid_ns)
        self._down = Direction(rng, plan.down_ns, plan.down_jitter_ns, 1)
        self._unsent = 0
        self._drained = 0  # when a slow reader has read all that it was sent
        self._heard = ends.now  # when the peer last sent anything

    # --- the referee's end (`SeatLink`)

    def send(self, frame: bytes) -> None:
        """Hand a frame to the writer."""
        assert self.end_with is None, "a frame after the end"
        at = self._ends.written(self, frame)
        if self.dead:
            return
        left = self._leaves(at, len(frame))
        if left > at:
            self._unsent += len(frame)
        if left < NEVER:
            self._ends.at(self._down.arrival(left), lambda: self._read_by_bot(frame, left > at))

    @property
    def unsent(self) -> int:
        """Bytes that were handed over and have not left."""
        return self._unsent

    def end(self, end: StreamEnd) -> None:
        """End the stream after what was handed over."""
        if self.end_with is None:
            self.end_with = end
            if not self.dead:
                self._ends.at(self._down.arrival(self._ends.now), self._told_end)

    def _leaves(self, at: int, size: int) -> int:
        """Return when the peer takes a frame off the wire."""
        plan = self.plan
        if plan.reading is Reading.AT_ONCE or at < plan.reads_until_ns:
            return at
        if plan.reading is Reading.NEVER:
            return NEVER
        self._drained = max(self._drained, at) + size * 1_000 * MS // plan.bytes_per_s
        return self._drained

    def _read_by_bot(self, frame: bytes, waited: bool) -> None:
        if waited:
            self._unsent -= len(frame)
        if not self.dead:
            self.on_frame(frame)

    def _told_end(self) -> None:
        if not self.dead:
            self.broken = self.dead = True
            self.on_end()

    # --- the bot's end

    def transmit(self, frame: bytes) -> None:
        """Send a frame to the referee."""
        if not self.dead:
            arrival = self._up.arrival(self._ends.now)  # nobody is there to read it, if killed
            self._ends.at(arrival, lambda: self._arrived(frame))

    def close(self) -> None:
        """End the stream after what was sent, as a process that goes does."""
        if not self.dead:
            self._ends.at(self._up.arrival(self._ends.now), lambda: self.fail(LinkEnd.CUT))

    def fail(self, how: LinkEnd) -> None:
        """Break the link now, for good."""
        match how:
            case LinkEnd.CUT:
                self._noticed()
            case LinkEnd.HALF_OPEN:
                if not self.dead:
                    self.dead = True
                    self._ends.at(self._found_dead(), self._noticed)
            case LinkEnd.KILLED:
                self._killed()
            case _:
                assert_never(how)

    def _killed(self) -> None:
        self.killed = True
        if self.dead:
            return  # cut, or half open: the bot will hear of it by its own keepalive
        if self._rng.random() < 0.5:  # what was handed over had left the process
            self._ends.at(self._down.arrival(self._ends.now), self._told_end)
        else:
            self._told_end()

    def _found_dead(self) -> int:
        """Return when the keepalive has waited in vain: it counts from the last sign of life."""
        sign, every = self._heard, KEEPALIVE_NS + self.plan.up_ns + self.plan.down_ns
        sign += (self._ends.now - sign) // every * every  # as long as a quiet link still gave one
        return sign + KEEPALIVE_NS + KEEPALIVE_TIMEOUT_NS

    def _noticed(self) -> None:
        """Both ends hear that the link is gone."""
        if not self.broken:
            self.broken = self.dead = True
            if not self.killed:
                self._ends.arrive(self.on_lost)
            self.on_end()

    def _arrived(self, frame: bytes) -> None:
        if not self.dead and not self.killed:
            self._heard = self._ends.now
            self._ends.arrive(lambda: self.on_read(frame))

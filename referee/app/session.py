"""A session: one bot process, its seats, and the pacing of what it is sent (PROTOCOL 2).

A session outlives its stream: without one it is handed nothing, its clocks run, and a new stream
gets everything anew. With one, all that waits goes out as one frame, and the next frame waits for
the peer's reply, at most `hold_ns`, as long as the peer owes an answer: writing at once settles in
small frames at a third of the throughput. The wait counts while the loop is idle, up to eight times
as long: in a busy loop a frame sent early is not answered earlier, and frames would be small again.
A frame with an ask in pace `fair` waits for nobody: its window opens with the last seat's frame.
"""

from collections.abc import Callable
from typing import Protocol

from referee.app.blame import Loss
from referee.app.holding import Holding
from referee.app.instances import Instance
from referee.app.limits import Limits
from referee.app.probe import Probe
from referee.app.running import RunningMatch
from referee.app.throttle import Throttle
from referee.app.timers import Timers
from referee.match.step import Refused
from referee.match.values import WireRefusal
from referee.ports import NO_SEAT, Clock, Codec, EventDelivery, Hello, Meter, SeatLink
from referee.rules.seat import Seat

_UNTOLD = 16  # answers and requests for each match: asks, a window, calls and some resends
_BUSY_HOLDS = 8  # holds that pass in a loop that is never idle


class Desk(Protocol):
    """What a session needs of the dispatcher."""

    clock: Clock
    codec: Codec
    limits: Limits
    meter: Meter
    timers: Timers

    def will_flush(self, session: "Session") -> None:
        """Flush this session at the end of the pass."""

    def handed(self, match: RunningMatch, seat: Seat) -> None:
        """The asks of this seat have gone out, or would have: their clocks start."""

    def failed(self, match: RunningMatch, error: Exception) -> None:
        """We failed this match."""

    def overflowed(self, session: "Session") -> None:
        """More waits for this session than it may leave unread."""


class Session:
    """One bot process, from its Hello until it is gone for good."""

    def __init__(self, instance: Instance, hello: Hello, secret: bytes, desk: Desk) -> None:
        self.instance = instance
        self.hello = hello
        self.eager = hello.events is EventDelivery.EVERY_STEP  # wants all that happens at once
        self.secret = secret  # hash of the session token
        self.link: SeatLink | None = None
        self.holdings: dict[int, Holding] = {}
        self.next_number = 1
        self.open_asks = 0  # that wait for an answer, over all matches
        self.running = 0  # matches that are not over
        self.probe = Probe()
        if instance.throttle is None:  # who ends a session and begins another gets no new budget
            instance.throttle = Throttle(desk.limits, desk.clock.now())
        self.throttle = instance.throttle
        self.loss: Loss | None = None  # of the link, until it is back
        self._untold = 0  # answers and requests that came in the outage of that number
        self._untold_in = 0
        self._desk = desk
        self._ready: dict[Holding, None] = {}  # in the order in which something came to wait
        self._loose: list[bytes] = []  # parts of a frame that belong to no holding
        self._awaiting = False  # a frame went out that the peer has not replied to
        self._sent_at = 0
        self._sent_idle = 0  # how long the loop had been idle by then
        self.came = False  # it had a stream once
        self._hold = desk.timers.alarm(self._held_long_enough)
        self._ping = desk.timers.alarm(self._ping_due)
        self._ping_first = False  # one goes with the first frame of the stream, whatever is asked
        self.grace = desk.timers.alarm(lambda: None)

    def on_grace_over(self, callback: Callable[[], None]) -> None:
        """Call back when the session was without a stream for too long."""
        self.grace = self._desk.timers.alarm(callback)

    @property
    def name(self) -> str:
        """The name for display."""
        return self.hello.bot_name or self.instance.name

    @property
    def identity(self) -> str:
        """Whose it is for logs: the name of its token, without one what it calls itself."""
        return self.name if self.instance.open_identity else self.instance.name

    @property
    def lag(self) -> int:
        """The lag of its link as the pings of this stream show it, nanoseconds."""
        return self.probe.lag

    @property
    def free(self) -> int:
        """Matches that the process would still take; a leg takes its room until it is unsealed."""
        return self.hello.max_matches - self.running - len(self.instance.sealed)

    @property
    def matches(self) -> int:
        """Matches that it plays; one in which it holds several seats counts once.

        A leg counts until it is unsealed: who is seated anew must not tell that it is over.
        """
        running = {h.match.id for h in self.holdings.values() if h.match.ended is None}
        return len(running.union(self.instance.sealed))

    # --- the stream

    def attach(self, link: SeatLink, hello: Hello, now: int) -> None:
        """Begin with a stream, or go on with a new one."""
        self.link, self.hello = link, hello
        self.eager = hello.events is EventDelivery.EVERY_STEP
        self.grace.set(None)
        self.came = True
        self.loss = None
        self._awaiting = False
        self.probe.begin()
        self._ping.set(now + self._desk.limits.ping_ns)
        self._ping_first = self.open_asks == 0  # the first ask may come in this very pass
        for holding in self.holdings.values():
            self.show(holding)
        self._desk.will_flush(self)

    def detach(self) -> None:
        """Go on without a stream."""
        self.link = None
        self._ping.set(None)
        self._hold.set(None)
        self._loose.clear()
        for holding in self.holdings.values():
            holding.lose_stream()

    def part(self) -> None:
        """It is gone for good: nothing of it is to ring any more."""
        self.detach()
        self._ready.clear()
        for alarm in (self._ping, self._hold, self.grace):
            alarm.drop()

    # --- seats

    def take_seat(self, match: RunningMatch, seat: Seat) -> Holding:
        """Hold a seat of a match under the next number."""
        holding = self.hold(match, seat, self.next_number)
        self.running += 1
        self.show(holding)
        return holding

    def hold(self, match: RunningMatch, seat: Seat, number: int) -> Holding:
        """Hold a seat under a number, and tell the bot nothing yet."""
        holding = self.holdings[number] = Holding(self, match, seat, number)
        self.next_number = max(self.next_number, number + 1)
        return holding

    def show(self, holding: Holding) -> None:
        """Tell the bot what waits in a holding, unless its match waits for others to come back."""
        if not holding.match.waiting:
            self._ready[holding] = None
            self._desk.will_flush(self)

    def notify(self, holding: Holding) -> None:
        """Something waits in a holding; it may be for the bot's next ask."""
        if holding.waiting and (holding.pressing or self.eager):
            self.show(holding)

    def count_untold(self, items: int, outage: int) -> None:
        """Count what came while the store was away, in the outage of that number.

        It all waits in memory, so who says more than it has to is not read until that is over.
        """
        if self._untold_in != outage:
            self._untold_in, self._untold = outage, 0
        self._untold += max(1, items)

    def said_enough(self, outage: int) -> bool:
        """True if that is more than a bot has to say."""
        return self._untold_in == outage and self._untold > _UNTOLD * (1 + len(self.holdings))

    # --- what the peer does

    def replied(self, items: int, now: int) -> int:
        """A frame came; return how long the next one is not to be read, 0 as a rule."""
        self._awaiting = False
        if self._ready or self._loose or self.probe.due:
            self._desk.will_flush(self)
        return self.throttle.take(items, now)

    def pong(self, number: int, now: int) -> None:
        """The reply to a ping."""
        lag = self.probe.pong(number, now)
        if lag is not None:
            self._desk.meter.link_lag(lag)

    def refuse(self, code: WireRefusal, text: str, **subject: int) -> None:
        """Refuse a part of a frame that names no match of this session."""
        refused = Refused(seat=NO_SEAT, code=code, clause="", text=text, **subject)
        self._desk.meter.refused(code)
        self.send_loose(self._desk.codec.refused(refused))

    def send_loose(self, part: bytes) -> None:
        """Send a part of a frame that belongs to no holding."""
        if self.link is not None:
            self._loose.append(part)
            self._desk.will_flush(self)

    def move(self, address: str) -> None:
        """Ask the bot to come back at another address with its session."""
        self.send_loose(self._desk.codec.moved(address))

    # --- what goes out

    def flush(self, now: int) -> None:
        """Send what waits if the pacing lets it go, else later."""
        if self.link is None:
            self._hand_unsent()
            return
        if not self._ready and not self._loose and not self._may_ping:
            return
        left = self._hold_left(now) if self._awaiting and not self._opens_window else 0
        if left > 0:
            self._hold.set(now + left)
            return
        self._send(self.link, now)
        while self._ready and self._opens_window:  # the rest of a frame that was cut
            self._send(self.link, now)

    @property
    def _opens_window(self) -> bool:
        """True if an ask in pace `fair` waits. Held back it would hold up the clocks of all seats,
        and they could time whether this peer has replied (PROTOCOL 4).
        """
        return any(holding.paces_all for holding in self._ready)

    def _hold_left(self, now: int) -> int:
        """Return how much longer a reply is waited for, if the loop is idle meanwhile."""
        hold = self._desk.limits.hold_ns
        idle = self._desk.clock.idle() - self._sent_idle
        return min(hold - idle, _BUSY_HOLDS * hold - (now - self._sent_at))

    def _held_long_enough(self) -> None:
        """No reply came in time. One that lies unread is read first."""
        self._desk.timers.after_reading(lambda: self._desk.will_flush(self))

    def flush_all(self, now: int) -> None:
        """Send all that waits, whatever the pacing says: the stream is about to end.

        Not during a pass, whose facts are not stored yet.
        """
        while self.link is not None and (self._ready or self._loose):
            self._send(self.link, now)

    def _hand_unsent(self) -> None:
        for holding in self._ready:
            if holding.hand_unsent():
                self._desk.handed(holding.match, holding.seat)
        self._ready.clear()

    def _send(self, link: SeatLink, now: int) -> None:
        self._add_ping(now)
        limits, parts, size, updates = self._desk.limits, self._loose, 0, 0
        self._loose = []
        while self._ready and size < limits.frame_bytes:
            holding = next(iter(self._ready))
            del self._ready[holding]
            if not holding.waiting:
                continue  # an ask that was cancelled before it went out
            parts.append(self._take(holding, now))
            size += len(parts[-1])
            updates += 1
        if not parts:
            return
        frame = b"".join(parts)
        link.send(frame)
        self._desk.meter.frame_written(updates, len(frame))
        self._sent_at, self._sent_idle = now, self._desk.clock.idle()
        self._awaiting = self.open_asks > 0
        self._hold.set(None)
        if self._ready:
            self._awaiting = True  # the rest is paced too
            self._hold.set(now + limits.hold_ns)
        if link.unsent > limits.unsent_bytes:
            self._desk.overflowed(self)

    def _take(self, holding: Holding, now: int) -> bytes:
        try:
            update, starts = holding.take_update(self._desk.codec, self.hello, now)
        except Exception as error:  # our bug ends one match and leaves the others running
            self._desk.failed(holding.match, error)
            if holding.match.ended is not None:
                holding.match.told_end(holding)  # as far as it can be
            return b""
        if starts:
            self.throttle.earn(starts)  # not what is only said again: that a bot can bring about
            self._desk.handed(holding.match, holding.seat)
        if holding.match.ended is not None:
            holding.match.told_end(holding)
        return update

    def _ping_due(self) -> None:
        self._ping.set(self._desk.clock.now() + self._desk.limits.ping_ns)
        self.probe.due = True
        self._desk.will_flush(self)

    @property
    def _may_ping(self) -> bool:
        """True if a ping is due and the bot owes nothing yet (PROTOCOL 3)."""
        return self.probe.due and (self.open_asks == 0 or self._ping_first)

    def _add_ping(self, now: int) -> None:
        if self._may_ping:
            self._ping_first = False
            number = self.probe.ping(now)
            if number is not None:
                self._loose.append(self._desk.codec.ping(number))

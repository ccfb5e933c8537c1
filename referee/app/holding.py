"""A holding: one seat of one match in the hands of one session, and what waits to be told it."""

from typing import TYPE_CHECKING

from referee.app.running import RunningMatch
from referee.match.step import Ack, Ask, Cancelled, Refused
from referee.match.values import BOMB, FAIR, MS, AckStatus
from referee.ports import Codec, Hello, SeatingIn
from referee.rules.seat import Seat

if TYPE_CHECKING:
    from referee.app.session import Session

# Acknowledgements of the ordinary course; a bot that wants events with its asks waits for them too.
_QUIET = frozenset((AckStatus.RECEIVED, AckStatus.APPLIED, AckStatus.DUPLICATE))


class Holding:
    """What one seat is to be told next. The session decides when."""

    __slots__ = (
        "_asks",
        "_parts",
        "_resync",
        "_seating",
        "asked",
        "match",
        "number",
        "open",
        "pressing",
        "seat",
        "session",
        "told",
    )

    def __init__(self, session: "Session", match: RunningMatch, seat: Seat, number: int) -> None:
        self.session = session
        self.match = match
        self.seat = seat
        self.number = number  # of the match in the session
        self.open: dict[int, Ask] = {}  # asks that wait for an answer
        self.asked = 0  # the highest number of an ask that the bot was sent
        self.pressing = True  # something waits that every bot wants at once
        self.told = match.log.next  # number of the first event that the bot was not told
        self._asks: list[Ask] = []
        self._parts: list[bytes] = []
        self._seating = True  # the stream does not know the match
        self._resync = session.link is None  # nor what has happened in it

    def was_put(self, ask_id: int) -> bool:
        """True if the machine put this ask to the seat, sent or not."""
        return self.match.machine.was_asked(self.seat, ask_id)

    # --- what a step brought

    def add_ask(self, ask: Ask) -> None:
        """Take a new ask."""
        self.open[ask.id] = ask
        self._asks.append(ask)
        self.pressing = True

    def reopen(self, asks: list[Ask]) -> int:
        """Take the asks that wait for an answer after a restart; return how many there are.

        They go out with the snapshot of the new stream.
        """
        self.open = {ask.id: ask for ask in asks}
        return len(asks)

    def close_window(self) -> int:
        """Bomb asks are over, answered or not; nobody is told. Return how many were open."""
        gone = [ask.id for ask in self.open.values() if ask.kind is BOMB]
        for ask_id in gone:
            del self.open[ask_id]
        if gone and self._asks:
            self._asks = [ask for ask in self._asks if ask.kind is not BOMB]
        return len(gone)

    def add_cancelled(self, cancelled: Cancelled, codec: Codec) -> bool:
        """Take the end of an ask; one that never went out is not mentioned. True if it was open."""
        was_open = self.open.pop(cancelled.ask_id, None) is not None
        unsent = [ask for ask in self._asks if ask.id != cancelled.ask_id]
        if len(unsent) < len(self._asks):
            self._asks = unsent
        else:
            self._parts.append(codec.cancelled_part(cancelled))
            self.pressing = True
        return was_open

    def add_ack(self, ack: Ack, codec: Codec) -> Ask | None:
        """Take an acknowledgement; return the ask that it settles."""
        self._parts.append(codec.ack_part(ack))
        if ack.status not in _QUIET or ack.request_id is not None:
            self.pressing = True
        if ack.ask_id is None or ack.status is AckStatus.REFUSED:
            return None
        return self.open.pop(ack.ask_id, None)

    def add_refused(self, refused: Refused, codec: Codec) -> None:
        """Take a refusal."""
        self._parts.append(codec.refused_part(refused))
        self.pressing = True

    # --- what goes out

    @property
    def waiting(self) -> bool:
        """True if there is anything to tell."""
        new_events = self.told < self.match.log.next
        return bool(new_events or self._asks or self._parts or self._seating)

    @property
    def paces_all(self) -> bool:
        """True if an ask waits whose hand-over starts a window that all seats can time."""
        return bool(self._asks) and self.match.config.settings.pace is FAIR

    def lose_stream(self) -> None:
        """The stream is gone: its successor gets a snapshot instead of what waited."""
        self._seating = self._resync = self.pressing = True
        self._asks = []

    def hand_unsent(self) -> bool:
        """Drop asks that nobody can be sent now; True if their clocks are to start."""
        had, self._asks = bool(self._asks), []
        self.told = self.match.log.next  # a snapshot will tell it
        return had

    def take_update(self, codec: Codec, hello: Hello, clock_ns: int) -> tuple[bytes, int]:
        """Return the update for the frame, and how many asks start their clocks with it."""
        match, parts = self.match, self._parts
        over = match.machine.over or match.ended is not None
        if self._resync and not over:
            self._asks = match.machine.open_asks(self.seat)
        events = self._untold_events(over=over)
        if events:
            parts.append(codec.event_part(events))
        if self._seating:
            seating = SeatingIn(config=match.config, seat=self.seat)
            parts.append(codec.seating_part(seating))
        starts = 0
        if self._asks:
            starts = self._take_asks(codec, hello, match.match_time(clock_ns))
        if not over and (self._resync or (self._asks and hello.snapshots)):
            snapshot = match.machine.snapshot(self.seat)
            parts.append(codec.snapshot_part(snapshot, match.log.of_round(self.seat)))
        self._asks, self._parts = [], []
        self._seating = self._resync = self.pressing = False
        return codec.update(self.number, parts), starts

    def _untold_events(self, *, over: bool) -> list[bytes]:
        """Return what the bot was not told; after a lost stream the snapshot has it instead."""
        log, told = self.match.log, self.told
        self.told = log.next
        if self._resync:
            return log.of_round(self.seat) if over else []
        return log.since(told, self.seat) if told < log.next else []

    def _take_asks(self, codec: Codec, hello: Hello, now: int) -> int:
        starts = 0
        self.asked = max(self.asked, self._asks[-1].id)  # they are in order
        for ask in self._asks:
            starts += ask.sent < 0
            left = time_left_ms(ask, now)
            part = codec.ask_part(ask, time_left_ms=left, legal_plays=hello.legal_plays)
            self._parts.append(part)
        return starts


def time_left_ms(ask: Ask, now: int) -> int | None:
    """Return the time until the substitute action or the window's close; None: no limit."""
    if ask.kind is BOMB:
        total = ask.window_ns
    else:
        total = None if ask.base_ns is None else ask.base_ns + (ask.bank_ns or 0)
    if total is None:
        return None
    used = now - ask.sent if ask.sent >= 0 else 0
    return max(0, total - used) // MS

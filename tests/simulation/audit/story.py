"""A transcript decoded once: what each seat was told and sent about this match, in order."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.transcript import In, Out, Transcript, World, WorldEvent

Said = referee_pb2.Answer | referee_pb2.Call | referee_pb2.StandDown | referee_pb2.Resign


@dataclass(slots=True)
class Told:
    """One update of this match for one seat. `known` is the last event that it then knew."""

    order: int
    at: int
    seat: int
    update: match_pb2.Update
    known: int
    stream: int  # which of the seat's streams carried it, from 1
    since: int  # when that stream began


@dataclass(slots=True)
class Sent:
    """One request of a bot that concerns this match. `at` is its stamp, `moved` the last instant
    at which anything was told in the match before: match time does not run back behind it."""

    order: int
    at: int
    moved: int
    seat: int
    what: Said
    stream: int


@dataclass(slots=True)
class Link:
    """What is known of the link of one seat, instant by instant."""

    up: bool = False
    since: int = 0
    streams: int = 0
    downs: list[tuple[int, int | None]] = field(default_factory=lambda: [(0, None)])
    """When it had no link, [from, to); the first is that before its first Hello."""
    ups: list[int] = field(default_factory=list)
    lags: list[tuple[int, int]] = field(default_factory=list)
    probes: dict[int, int] = field(default_factory=dict)
    estimates: list[tuple[int, int, int]] = field(default_factory=list)  # from which entry on
    hello: referee_pb2.Hello | None = None
    goodbye: int | None = None
    closings: list[tuple[int, int]] = field(default_factory=list)  # (at, ClosingCode)
    broken_frames: list[int] = field(default_factory=list)

    @property
    def lazy(self) -> bool:
        """Whether the bot wants its events, and so its acknowledgements, with its asks."""
        wanted = referee_pb2.EVENT_DELIVERY_WITH_ASKS
        return self.hello is not None and self.hello.event_delivery == wanted

    def go_up(self, at: int, order: int) -> None:
        self.up, self.streams, self.lags, self.probes = True, self.streams + 1, [], {}
        self.ups.append(at)
        self.estimates.append((order, 0, 0))
        if self.downs and self.downs[-1][1] is None:
            self.downs[-1] = (self.downs[-1][0], at)

    def go_down(self, at: int) -> None:
        if self.up:
            self.up = False
            self.downs.append((at, None))

    def was_away(self, began: int) -> bool:
        """Whether it was ever without a stream from `began` on."""
        return any(high is None or high > began for _, high in self.downs)

    @property
    def losses(self) -> list[tuple[int, int | None]]:
        """When it was without a stream after it had had one."""
        return self.downs[1:]

    def was_up(self, at: int, *, margin: int = 0) -> bool:
        """Whether the seat had a stream from `at` to `margin` later."""
        return not any(
            low <= at + margin and (high is None or at - margin < high) for low, high in self.downs
        )

    def estimate(self, order: int) -> tuple[int, int]:
        """The smallest of the last eight round trips that were measured before an entry, or 0.

        Both bounds: how long a pong took that waited behind a block is known no better.
        """
        found = (0, 0)
        for since, low, high in self.estimates:
            if since > order:
                break
            found = (low, high)
        return found

    def pong(self, number: int, at: int, order: int, waited: int) -> None:
        if (sent := self.probes.pop(number, None)) is not None:
            lag = max(0, at - sent)
            self.lags = [*self.lags, (lag, lag + waited)][-8:]
            low, high = (min(lag[i] for lag in self.lags) for i in (0, 1))
            self.estimates.append((order, low, high))


class Story:
    """All of a transcript, decoded."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.items: list[Told | Sent] = []
        self.world: list[World] = []
        self.closing_texts: list[tuple[int, int, str]] = []
        self.loose: list[tuple[int, int, match_pb2.Refused]] = []  # at, seat, refusal of a frame
        self.links = [Link() for _ in range(transcript.seats)]
        self.seatings: list[match_pb2.Seating | None] = [None] * transcript.seats
        self.events: list[dict[int, tuple[match_pb2.Event, int, int]]] = [
            {} for _ in range(transcript.seats)
        ]  # by seat and number: event, at, stream; those in snapshots have stream -1
        self.gaps: list[tuple[int, int, int, int]] = []  # at, seat, number, expected
        self.end = transcript.began
        self._known = [0] * transcript.seats
        self._fed = [0] * transcript.seats  # the stream of the last update
        self._moved = transcript.began
        self._blocks = [
            entry
            for entry in transcript.entries
            if isinstance(entry, World) and entry.what is WorldEvent.STALL
        ]
        self._ours: list[bool | None] = [None] * transcript.seats  # None: no Seating yet
        self._cache: dict[bytes, referee_pb2.PlayResponse] = {}
        for order, entry in enumerate(transcript.entries):
            self._entry(order, entry)

    @property
    def seats(self) -> range:
        return range(self.transcript.seats)

    def told(self) -> Iterator[Told]:
        return (item for item in self.items if isinstance(item, Told))

    def _entry(self, order: int, entry: Out | In | World) -> None:
        self.end = max(self.end, entry.at)
        if isinstance(entry, Out):
            self._out(order, entry)
        elif isinstance(entry, In):
            self._in(order, entry)
        else:
            self._world(entry)

    def _world(self, entry: World) -> None:
        self.world.append(entry)
        if entry.seat is not None and entry.what in (WorldEvent.LOST, WorldEvent.EXITED):
            self.links[entry.seat].go_down(entry.at)

    def _out(self, order: int, entry: Out) -> None:
        frame = self._cache.get(entry.frame)
        if frame is None:
            frame = referee_pb2.PlayResponse.FromString(entry.frame)
            self._cache[entry.frame] = frame
        link, number = self.links[entry.seat], self.transcript.numbers[entry.seat]
        if frame.HasField("welcome"):
            link.go_up(entry.at, order)
        if frame.HasField("ping"):
            link.probes[frame.ping.number] = entry.at
        for refused in frame.refused:
            self.loose.append((entry.at, entry.seat, refused))
        for update in frame.updates:
            if update.match == number:
                if update.HasField("seating"):  # an older session may have had the number too
                    ours = update.seating.match_id == self.transcript.match_id
                    self._ours[entry.seat] = ours
                if self._ours[entry.seat]:
                    self._update(order, entry, update, link)
        if frame.HasField("closing"):
            link.closings.append((entry.at, frame.closing.code))
            self.closing_texts.append((entry.at, entry.seat, frame.closing.text))
            link.go_down(entry.at)

    def _update(self, order: int, entry: Out, update: match_pb2.Update, link: Link) -> None:
        seat, known = entry.seat, self._known[entry.seat]
        if update.HasField("seating") and self.seatings[seat] is None:
            self.seatings[seat] = update.seating
        log = self.events[seat]
        for event in update.events:
            if event.number != known + 1:
                self.gaps.append((entry.at, seat, event.number, known + 1))
            known = event.number
            log.setdefault(known, (event, entry.at, link.streams))
        if update.HasField("snapshot"):
            for event in update.snapshot.events:
                if event.number not in log:
                    log[event.number] = (event, entry.at, -1)
            last = update.snapshot.last_event
            if known < last and self._fed[seat] == link.streams:  # only a new stream may skip some
                self.gaps.append((entry.at, seat, last + 1, known + 1))
            known = max(known, last)
        self._fed[seat] = link.streams
        self._known[seat] = known
        self._moved = entry.at
        since = link.ups[-1] if link.ups else 0
        self.items.append(Told(order, entry.at, seat, update, known, link.streams, since))

    def _waited(self, stamp: int) -> int:
        """How long a frame may have waited for the loop since its stamp: blocks in a row count."""
        read = stamp
        for block in self._blocks:
            if block.at <= read < block.at + block.length:
                read = block.at + block.length
        return read - stamp

    def _in(self, order: int, entry: In) -> None:
        link, number = self.links[entry.seat], self.transcript.numbers[entry.seat]
        try:
            frame = referee_pb2.PlayRequest.FromString(entry.frame)
        except DecodeError:
            link.broken_frames.append(entry.at)
            return
        if frame.HasField("hello") and link.hello is None:
            link.hello = frame.hello
        said: list[Said] = [*frame.answers, *frame.calls, *frame.stand_downs, *frame.resigns]
        ours = self._ours[entry.seat]
        if ours is None:  # not told yet: it may guess the number of a match that has begun
            ours = entry.at >= self.transcript.began
        for what in said:
            if what.match == number and ours:
                moved = max(entry.at, self._moved)
                self.items.append(Sent(order, entry.at, moved, entry.seat, what, link.streams))
        if frame.HasField("pong"):
            link.pong(frame.pong.number, entry.at, order, self._waited(entry.at))
        if frame.HasField("goodbye"):
            link.goodbye = entry.at
            link.go_down(entry.at)

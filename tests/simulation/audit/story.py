"""A transcript decoded once: what each seat was told and sent about this match, in order."""

from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.findings import FindingCode
from tests.simulation.audit.link import Link
from tests.simulation.audit.lives import Lives
from tests.simulation.audit.transcript import In, Out, Transcript, World, WorldEvent

TURNS = 10_000_000  # ns: what waited through a block is read two turns after it, of 5 ms at most
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
    first: bool  # on that stream
    process: int  # how often the referee had been killed before
    life: int  # how often the match had gone on after that


@dataclass(slots=True)
class Sent:
    """One request of a bot that concerns this match. `at` is its stamp, `moved` the last instant
    at which anything was told in the match before: match time does not run back behind it. `until`
    is when what comes of it can be told at the latest, where it was held up."""

    order: int
    at: int
    moved: int
    seat: int
    what: Said
    stream: int
    until: int
    process: int


class Story:
    """All of a transcript, decoded."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.lives = Lives(transcript)
        self.faults: list[tuple[FindingCode, int, str]] = []  # seen while reading
        self.items: list[Told | Sent] = []
        self.world: list[World] = []
        self.absent: dict[int, list[int]] = {}  # seats that were not there when a match went on
        self.kills: list[tuple[int, World]] = []  # by place
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
        self._greetings: dict[int, tuple[In, referee_pb2.PlayRequest]] = {}  # by seat
        self._ours: list[bool | None] = [None] * transcript.seats  # None: no Seating yet
        self._cache: dict[bytes, referee_pb2.PlayResponse] = {}
        self._seated = self._last_seated()
        for order, entry in enumerate(transcript.entries):
            self._entry(order, entry)

    def _last_seated(self) -> list[int]:
        """By seat: the last of its streams that was told of the match. What it says on a later one
        concerns none that it has."""
        streams, last = [0] * self.transcript.seats, [0] * self.transcript.seats
        for entry in self.transcript.entries:
            if isinstance(entry, Out):
                frame = self._frame(entry)
                streams[entry.seat] += frame.HasField("welcome")
                if any(u.seating.match_id == self.transcript.match_id for u in frame.updates):
                    last[entry.seat] = streams[entry.seat]
        return last

    def _frame(self, entry: Out) -> referee_pb2.PlayResponse:
        frame = self._cache.get(entry.frame)
        if frame is None:
            frame = referee_pb2.PlayResponse.FromString(entry.frame)
            self._cache[entry.frame] = frame
        return frame

    @property
    def over(self) -> int:
        """When the match ended, whoever was told; the end of all if it did not."""
        ends = [w.at for w in self.world if w.what is WorldEvent.ENDED]
        return min([*ends, self.end])

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats with a link; in Trichu these are not all hands."""
        return self.transcript.players

    @property
    def hands(self) -> range:
        """All hands by number."""
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
            self._world(order, entry)

    def _world(self, order: int, entry: World) -> None:
        self.world.append(entry)
        if entry.what is WorldEvent.KILLED:
            self.kills.append((order, entry))
            for link in self.links:
                link.go_down(entry.at)
        elif entry.what is WorldEvent.RESUMED:
            self.absent[order] = [seat for seat in self.seats if not self.links[seat].up]
        elif entry.seat is not None and entry.what in (WorldEvent.LOST, WorldEvent.EXITED):
            link = self.links[entry.seat]
            if link.is_current(entry.stream):
                link.go_down(entry.at)

    # -- what the referee said ------------------------------------------------------------------

    def _out(self, order: int, entry: Out) -> None:
        frame, link = self._frame(entry), self.links[entry.seat]
        if frame.HasField("welcome"):
            self._welcome(order, entry, frame.welcome, link)
        current = link.is_current(entry.stream)
        if frame.HasField("ping"):
            link.probes[frame.ping.number] = entry.at
        for refused in frame.refused:
            self.loose.append((entry.at, entry.seat, refused))
        for update in frame.updates:
            if self._is_ours(entry, update):
                if not current or not link.up:
                    self._stray(entry, "is fed, which is over")
                self._update(order, entry, update, link)
        if frame.HasField("closing"):
            self.closing_texts.append((entry.at, entry.seat, frame.closing.text))
            if current:
                link.closings.append((entry.at, frame.closing.code))
                link.go_down(entry.at)

    def _stray(self, entry: Out | In, what: str) -> None:
        text = f"stream {entry.stream} of seat {entry.seat} {what}"
        self.faults.append((FindingCode.STREAM, entry.at, text))

    def _welcome(self, order: int, entry: Out, welcome: referee_pb2.Welcome, link: Link) -> None:
        if link.up:
            self._stray(entry, "is let in beside an older one")
        link.go_up(entry.at, order, entry.stream)
        if max(1, self._seated[entry.seat]) < link.streams:
            self._ours[entry.seat] = False
        elif not self._ours[entry.seat]:  # in this session the number may be that of the match
            self._ours[entry.seat] = None
        read, greeting = self._greetings.pop(entry.seat, (None, None))
        if read is not None and greeting is not None and read.stream == entry.stream:
            link.welcomed(entry.at, welcome, greeting.hello)
            if read.stream:
                self._said(order, read, greeting)

    def _is_ours(self, entry: Out, update: match_pb2.Update) -> bool:
        """Whether an update is of this match: an older session may have had its number too."""
        seat, named = entry.seat, update.HasField("seating")
        ours = named and update.seating.match_id == self.transcript.match_id
        if update.match != self.transcript.numbers[seat]:
            if ours:
                text = f"seat {seat} has the match under number {update.match}"
                self.faults.append((FindingCode.SEATING, entry.at, text))
            return False
        if named:
            self._ours[seat] = ours
        return bool(self._ours[seat])

    def _update(self, order: int, entry: Out, update: match_pb2.Update, link: Link) -> None:
        seat, known = entry.seat, self._known[entry.seat]
        first = self._fed[seat] != link.streams
        if update.HasField("seating"):
            self._seat(entry, update.seating)
        anew = first and update.HasField("seating")
        known = max(known, self._events(entry, update, known, link, anew=anew))
        if update.HasField("snapshot"):
            log = self.events[seat]
            for event in update.snapshot.events:
                if event.number not in log:
                    log[event.number] = (event, entry.at, -1)
            last = update.snapshot.last_event
            if known < last and not first:  # only a new stream may skip some
                self.gaps.append((entry.at, seat, last + 1, known + 1))
            known = max(known, last)
        self._fed[seat] = link.streams
        self._known[seat] = known
        self._moved = entry.at
        since = link.ups[-1] if link.ups else 0
        process, life = self.lives.process_at(order), self.lives.life_at(order)
        self.items.append(
            Told(order, entry.at, seat, update, known, link.streams, since, first, process, life)
        )

    def _seat(self, entry: Out, seating: match_pb2.Seating) -> None:
        told = self.seatings[entry.seat]
        if told is None:
            self.seatings[entry.seat] = seating
        elif told != seating:
            text = f"seat {entry.seat} is seated otherwise than before"
            self.faults.append((FindingCode.SEATING, entry.at, text))

    def _events(
        self, entry: Out, update: match_pb2.Update, known: int, link: Link, *, anew: bool
    ) -> int:
        """Take the events of an update; returns the last. `anew`: they may be those of the round,
        told again."""
        log, expected = self.events[entry.seat], known + 1
        for event in update.events:
            number = event.number
            if anew and (number <= expected or event.HasField("round_started")):
                expected = number
            if number != expected:
                self.gaps.append((entry.at, entry.seat, number, expected))
            if log.setdefault(number, (event, entry.at, link.streams))[0] != event:
                text = f"event {number} of seat {entry.seat} is another when told again"
                self.faults.append((FindingCode.EVENT_DIFFERS, entry.at, text))
            expected, anew = number + 1, False
        return expected - 1

    # -- what bots said -------------------------------------------------------------------------

    def _waited(self, stamp: int) -> int:
        """How long a frame may have waited for the loop since its stamp: blocks in a row count."""
        read = stamp
        for block in self.lives.stalls:
            if block.at <= read < block.end:
                read = block.end
        return read - stamp

    def _in(self, order: int, entry: In) -> None:
        link = self.links[entry.seat]
        try:
            frame = referee_pb2.PlayRequest.FromString(entry.frame)
        except DecodeError:
            link.broken_frames.append(entry.at)
            return
        if frame.HasField("hello") and (link.hello is None or entry.stream):
            link.hello = link.hello or frame.hello
            self._greetings[entry.seat] = (entry, frame)
            link.asked.append(frame.hello.session_token)
        if not entry.stream or entry.stream == link.dialled:
            if not link.up and entry.stream:
                self._stray(entry, "is read, which is over")
            self._said(order, entry, frame)
        elif entry.stream in link.past:
            self._stray(entry, "is read, which a newer one has replaced")
            self._said(order, entry, frame)

    def _said(self, order: int, entry: In, frame: referee_pb2.PlayRequest) -> None:
        link, number = self.links[entry.seat], self.transcript.numbers[entry.seat]
        ours = self._ours[entry.seat]
        if self.lives.waits_at(order):
            ours = False  # it is refused, and the match does not hear of it
        if ours is None:  # not told yet: it may guess the number of a match that has begun
            ours = entry.at >= self.transcript.began
        pause = self.lives.paused_at(order)
        at = entry.at if pause is None else min(entry.at, pause.at)
        until = entry.at + self._waited(entry.at) if pause is None else max(entry.at, pause.end)
        said: list[Said] = [*frame.answers, *frame.calls, *frame.stand_downs, *frame.resigns]
        process = self.lives.process_at(order)
        for what in said:
            if what.match == number and ours:
                moved = max(at, self._moved)
                self.items.append(
                    Sent(order, at, moved, entry.seat, what, link.streams, until, process)
                )
        if frame.HasField("pong"):
            waited = self._waited(entry.at)
            link.pong(frame.pong.number, entry.at, order, waited + TURNS if waited else 0)
        if frame.HasField("goodbye"):
            link.goodbye = entry.at
            link.go_down(entry.at)

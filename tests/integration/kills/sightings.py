"""What one bot saw of each of its seats, over all its streams, and where it contradicts itself."""

from collections import defaultdict
from typing import NamedTuple

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.inputs import Decision
from referee.ports import FieldFault
from referee.wire.decode import decode_frame
from tests.integration.kills.witness import Entry, What, Witness

_ITEMS = 4_096  # of a frame, at most
# How a stream may end. The third is what gRPC makes of a frame that meets a stream which is over.
_FINE = ("UNAVAILABLE:", "CANCELLED: Locally", "INTERNAL: Internal error from Core")
_PLAYED = "UNAVAILABLE: all is played"


class Finding(NamedTuple):
    """Something that must not be."""

    code: str
    text: str


class AskSeen(NamedTuple):
    """One sending of an ask."""

    generation: int
    stream: int
    body: bytes  # without what passes
    time_left_ms: int


class SeatSeen:
    """One seat of one match in one bot's log."""

    def __init__(self, match_id: str, bot: str, number: int, seating: match_pb2.Seating) -> None:
        self.match_id = match_id
        self.bot = bot
        self.number = number
        self.seat = seating.seat
        self.full_ms = seating.base_ms + seating.bank_ms
        self.window_ms = seating.window_ms
        self.first_seen = 0.0
        self.last_seen = 0.0
        self.events: dict[int, bytes] = {}
        self.snapshots: dict[int, bytes] = {}  # by the last event in it
        self.asks: defaultdict[int, list[AskSeen]] = defaultdict(list)
        self.acks: list[match_pb2.Acknowledgement] = []
        self.said: defaultdict[int, list[Decision]] = defaultdict(list)  # by ask

    @property
    def where(self) -> str:
        """The seat in words."""
        return f"match {self.match_id} seat {self.seat} ({self.bot})"

    @property
    def told_end(self) -> bool:
        """True if the bot was told the end of the match."""
        return any(_event(data).HasField("match_ended") for data in self.events.values())


def _event(data: bytes) -> match_pb2.Event:
    return match_pb2.Event.FromString(data)


class Sightings:
    """A whole log, read once."""

    def __init__(self, witness: Witness) -> None:
        self.name = witness.name
        self.seats: dict[int, SeatSeen] = {}  # by number in the session
        self.findings: list[Finding] = []
        self.returns = dict.fromkeys((What.WITH_SESSION, What.WITH_BEARER), 0)  # with a Welcome
        self.first_stream: dict[int, int] = {}  # by generation: the first that was welcomed
        self.parted = False  # its last stream was ended by a referee that was done
        self._came, self._used = What.CLOSED, ""  # how the stream began, and the token
        for entry in witness.log:
            self._take(entry)

    def _find(self, code: str, text: str) -> None:
        self.findings.append(Finding(code, text))

    def _take(self, entry: Entry) -> None:
        match entry.what:
            case What.WITH_SESSION | What.WITH_BEARER:
                self._came, self._used = entry.what, entry.data.decode()
            case What.CLOSED:
                self._closed(entry.data.decode())
            case What.SAID:
                self._said(entry.data)
            case What.TOLD:
                self._told(entry, referee_pb2.PlayResponse.FromString(entry.data))

    def _closed(self, status: str) -> None:
        self.parted = status == _PLAYED
        if not status.startswith(_FINE):
            self._find("refused at the door", f"{self.name}: {status}")

    def _said(self, data: bytes) -> None:
        frame = decode_frame(data, _ITEMS)
        assert not isinstance(frame, FieldFault)
        for answer in frame.answers:
            seat = self.seats.get(answer.match)
            if seat is not None:
                seat.said[answer.ask_id].append(answer.decision)

    def _told(self, entry: Entry, frame: referee_pb2.PlayResponse) -> None:
        if frame.HasField("welcome"):
            self._welcomed(entry, frame.welcome)
        for refused in frame.refused:
            self._find("refused", f"{self.name}: {refused.text}")
        for update in frame.updates:
            self._update(entry, update)

    def _welcomed(self, entry: Entry, welcome: referee_pb2.Welcome) -> None:
        self.returns[self._came] += 1
        self.first_stream.setdefault(entry.generation, entry.stream)
        by_session = self._came is What.WITH_SESSION
        if by_session and not welcome.resumed:
            self._find("session forgotten", f"{self.name}: stream {entry.stream} was not resumed")
        if by_session and welcome.resumed and welcome.session_token != self._used:
            self._find("session changed", f"{self.name}: stream {entry.stream} has another token")
        if not by_session and welcome.resumed:
            self._find("session of nobody", f"{self.name}: stream {entry.stream} was resumed")

    def _update(self, entry: Entry, update: match_pb2.Update) -> None:
        if update.HasField("seating"):
            self._seated(update.match, update.seating)
        seat = self.seats.get(update.match)
        if seat is None:
            if {one.status for one in update.acks} != {match_pb2.ACK_STATUS_STALE}:
                self._find("no seating", f"{self.name}: match number {update.match} was not seated")
            return
        seat.first_seen = seat.first_seen or entry.at
        seat.last_seen = entry.at
        for event in (*update.events, *update.snapshot.events):
            self._event(seat, event)
        if update.HasField("snapshot"):
            self._snapshot(seat, update.snapshot)
        for ask in update.asks:
            self._ask(entry, seat, ask)
        for refused in update.refused:
            self._find("refused", f"{seat.where}: ask {refused.ask_id}: {refused.text}")
        seat.acks += update.acks

    def _seated(self, number: int, seating: match_pb2.Seating) -> None:
        seat = self.seats.get(number)
        if seat is None:
            self.seats[number] = SeatSeen(seating.match_id, self.name, number, seating)
        elif (seat.match_id, seat.seat) != (seating.match_id, seating.seat):
            text = f"number {number} was {seat.where}, is {seating.match_id} seat {seating.seat}"
            self._find("seat moved", f"{self.name}: {text}")

    def _event(self, seat: SeatSeen, event: match_pb2.Event) -> None:
        data = event.SerializeToString(deterministic=True)
        if seat.events.setdefault(event.number, data) != data:
            self._find("event changed", f"{seat.where}: event {event.number} was told otherwise")

    def _snapshot(self, seat: SeatSeen, snapshot: match_pb2.Snapshot) -> None:
        """With the same events it is the same, but for who stood down, which is no event."""
        snapshot.ClearField("stood_down")
        data = snapshot.SerializeToString(deterministic=True)
        if seat.snapshots.setdefault(snapshot.last_event, data) != data:
            text = f"the snapshot at event {snapshot.last_event} was another"
            self._find("snapshot changed", f"{seat.where}: {text}")

    def _ask(self, entry: Entry, seat: SeatSeen, ask: match_pb2.Ask) -> None:
        left = ask.time_left_ms
        ask.ClearField("time_left_ms")
        body = ask.SerializeToString(deterministic=True)
        seen = seat.asks[ask.ask_id]
        if seen and seen[0].body != body:
            self._find("ask changed", f"{seat.where}: ask {ask.ask_id} was another")
        if seen and seen[-1].generation < entry.generation:
            self._asked_again(entry, seat, ask, left)
        seen.append(AskSeen(entry.generation, entry.stream, body, left))

    def _asked_again(self, entry: Entry, seat: SeatSeen, ask: match_pb2.Ask, left: int) -> None:
        """An ask of an earlier process has the time that it had when it was sent first."""
        if self.first_stream.get(entry.generation) != entry.stream:
            return  # it was handed over in a stream that this bot lost since
        full = seat.window_ms if ask.HasField("bomb") else seat.full_ms
        if left != full:
            text = f"ask {ask.ask_id} has {left} ms of {full} after the restart"
            self._find("time gone", f"{seat.where}: {text}")

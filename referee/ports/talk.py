"""What bots and the referee say to each other, and the links and bytes that carry it."""

import enum
from collections.abc import Sequence
from typing import Protocol

import msgspec

from referee.match.inputs import Decision
from referee.match.snapshot import SeatSnapshot
from referee.match.step import Ack, Ask, Cancelled, Event, Refused
from referee.match.values import MatchConfig
from referee.rules.cards import Seat
from referee.rules.round import CallKind

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 64 * 1024  # what a bot may send; an answer has under 100 bytes
NO_SEAT = Seat(-1)  # a refusal that concerns no seat of a match


class EventDelivery(enum.Enum):
    """When a seat gets events that ask nothing of it."""

    EVERY_STEP = enum.auto()
    WITH_ASKS = enum.auto()


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """A checked Hello. `max_matches` is 1 or more; empty texts were not given."""

    protocol_version: int
    bot_name: str = ""
    bot_version: str = ""
    sdk: str = ""
    max_matches: int = 1
    session_token: str | None = None
    snapshots: bool = True
    legal_plays: bool = True
    events: EventDelivery = EventDelivery.EVERY_STEP


class FieldFault(msgspec.Struct, frozen=True):
    """A field that cannot be accepted, and why, in one line."""

    field: str
    text: str


class AnswerIn(msgspec.Struct, frozen=True):
    """An answer. A decision that made no sense is a `MalformedDecision`."""

    match: int
    ask_id: int
    decision: Decision


class CallIn(msgspec.Struct, frozen=True):
    """A call that stands alone, or the fault in it."""

    match: int
    request_id: int
    for_seat: int | None
    call: CallKind | FieldFault


class StandDownIn(msgspec.Struct, frozen=True):
    """A hand gives up bombs out of turn."""

    match: int
    request_id: int
    for_seat: int | None


class ResignIn(msgspec.Struct, frozen=True):
    """A match is given up."""

    match: int
    request_id: int


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One frame of a bot, checked field by field. Lists are handled in the order given here."""

    hello: Hello | FieldFault | None = None
    answers: Sequence[AnswerIn] = ()
    calls: Sequence[CallIn] = ()
    stand_downs: Sequence[StandDownIn] = ()
    resigns: Sequence[ResignIn] = ()
    pong: int | None = None
    goodbye: str | None = None
    items: int = 0  # answers and requests; where they are too many none of them is read


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an accepted Hello."""

    session_token: str
    server: str
    grace_ms: int
    resumed: bool
    max_frame_bytes: int = MAX_FRAME_BYTES


class ClosingCode(enum.StrEnum):
    """Why the referee ends a stream; the bot is told before."""

    SUPERSEDED = "superseded"
    DRAINING = "draining"
    SLOW_READER = "slow_reader"
    FLOODING = "flooding"
    PROTOCOL = "protocol"


class Status(enum.Enum):
    """How a stream ends. The transport has a code of its own for each but `LOST`."""

    OK = enum.auto()
    LOST = enum.auto()  # the peer or the network ended it: nobody is there to be told
    INVALID_ARGUMENT = enum.auto()  # the first frame, or a field of Hello, is wrong
    UNAUTHENTICATED = enum.auto()  # no token, or one that nobody issued
    FAILED_PRECONDITION = enum.auto()  # a protocol version that is not spoken here
    RESOURCE_EXHAUSTED = enum.auto()  # too many sessions, flooding, not reading
    ABORTED = enum.auto()  # a newer stream with the same identity took over
    UNAVAILABLE = enum.auto()  # draining: come back later
    INTERNAL = enum.auto()  # the referee failed; the text is an error id and nothing more


class StreamEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a stream: a status, one line for people, and the field at fault if any."""

    status: Status
    text: str = ""
    field: str = ""


class SeatLink(Protocol):
    """One stream to a bot process, as the session sees it. No method waits or raises."""

    def send(self, frame: bytes) -> None:
        """Hand a frame to the writer; it goes out in order."""

    @property
    def unsent(self) -> int:
        """Bytes that were handed over and have not left."""

    def end(self, end: StreamEnd) -> None:
        """End the stream after what was handed over before. Later calls do nothing."""


# An event as its seats may see it: the same bytes for all, or one entry a seat.
EventBytes = bytes | tuple[bytes, ...]


class SeatingIn(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat is told once about its match."""

    config: MatchConfig
    seat: Seat


class Codec(Protocol):
    """Bytes of the wire. Pure; a public event is encoded once for all seats.

    The parts that `update` joins come from the other methods and are opaque to the caller.
    """

    def decode(self, data: bytes, most_items: int) -> Frame | FieldFault:
        """Return what a bot sent; a fault when it is no frame at all.

        Of a frame with more than `most_items` answers and requests only their number is read.
        """

    def events(self, first: int, events: Sequence[Event], seats: int) -> list[EventBytes]:
        """Return each event with its number; `first` is the number of the first."""

    def event_part(self, events: Sequence[bytes]) -> bytes:
        """Return the part of an update that holds these events, at least one."""

    def ask_part(self, ask: Ask, *, time_left_ms: int | None, legal_plays: bool) -> bytes:
        """Return an ask with the time that is left when the frame goes."""

    def cancelled_part(self, cancelled: Cancelled) -> bytes:
        """Return the end of an ask."""

    def ack_part(self, ack: Ack) -> bytes:
        """Return an acknowledgement."""

    def refused_part(self, refused: Refused) -> bytes:
        """Return a refusal beside an acknowledgement."""

    def seating_part(self, seating: SeatingIn) -> bytes:
        """Return the seating."""

    def snapshot_part(self, snapshot: SeatSnapshot, events: Sequence[bytes]) -> bytes:
        """Return a snapshot with the events of its round as the seat got them."""

    def update(self, number: int, parts: Sequence[bytes]) -> bytes:
        """Return a part of a frame: what is new in the match with this number."""

    def welcome(self, welcome: Welcome) -> bytes:
        """Return a part of a frame, as the following do. Parts joined make a frame."""

    def redirect(self, address: str) -> bytes:
        """Return the answer to Hello that sends a bot elsewhere."""

    def moved(self, address: str) -> bytes:
        """Return the request to reconnect elsewhere."""

    def closing(self, code: ClosingCode, text: str, *, retry: bool) -> bytes:
        """Return the reason of a stream's end."""

    def ping(self, number: int) -> bytes:
        """Return a probe."""

    def refused(self, refused: Refused) -> bytes:
        """Return a refusal of a part that names no match of the stream."""

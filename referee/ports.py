"""The doors between the core and the world: what the orchestration asks for and never does itself.

Time, storage, randomness, encoding, links, metrics and spectators come in through these Protocols,
so that a test or a simulation brings its own. Times of a `Clock` are nanoseconds of its own
monotonic scale; times in facts are match time.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from referee.match.facts import MatchEnded, PublicFact, Strike
from referee.match.inputs import Decision
from referee.match.snapshot import SeatSnapshot
from referee.match.step import Ack, Ask, Cancelled, Event, Refused
from referee.match.values import AckStatus, AskKind, Ending, MatchConfig
from referee.rules.cards import Seat
from referee.rules.round import CallKind

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 64 * 1024  # what a bot may send; an answer has under 100 bytes
NO_SEAT = Seat(-1)  # a refusal that concerns no seat of a match


# --- time -------------------------------------------------------------------------------------


class Timer(Protocol):
    """A callback that waits for its time."""

    def cancel(self) -> None:
        """Forget the callback; harmless when it has run."""


class Clock(Protocol):
    """Monotonic time, and the turns of the loop that everything runs in."""

    def now(self) -> int:
        """Return the time in nanoseconds."""

    def stamp(self) -> int:
        """Return the time to stamp frames with that are read now.

        Earlier than `now` after the loop was blocked: they may have waited since then.
        """

    def idle(self) -> int:
        """Return how long the loop has waited for something to happen, in all, nanoseconds."""

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        """Call back once at a time, or as soon as possible after it."""

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back after everything that is ready now."""

    async def sleep(self, duration_ns: int) -> None:
        """Return after a time."""


# --- facts and randomness ---------------------------------------------------------------------


class StoreError(Exception):
    """The store of facts cannot keep what it was given. The text is for the log."""


class MatchHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says about a match beside its config."""

    practice: bool
    isolation: str = ""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one match that one pass produced, encoded, in order."""

    match_id: str
    first_seq: int  # number of the first line in its match, from 0; none is left out
    lines: Sequence[bytes]


class FactStore(Protocol):
    """Keeps facts. Every method raises `StoreError` when it cannot."""

    def open_match(self, config: MatchConfig, header: MatchHeader) -> str | None:
        """Begin a match; return where its record will be, if it gets a place of its own."""

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep all facts of a pass. Durable when it returns: only then is anybody told."""

    def close_match(self, match_id: str) -> None:
        """Finish the record of a match after its last fact."""


class SeedSource(Protocol):
    """Where the cards of a match and the bots' own random numbers come from."""

    def deal_seed(self, match_id: str, round_number: int) -> bytes:
        """Return the 32 bytes that decide the cards of a round."""

    def bot_seed(self, match_id: str, seat: Seat) -> bytes:
        """Return 32 bytes for a bot; they say nothing about the cards."""


# --- what a bot sends -------------------------------------------------------------------------


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


# --- what a bot gets --------------------------------------------------------------------------


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


# --- those who watch --------------------------------------------------------------------------


class Audience(Protocol):
    """Somebody who watches a match: live progress, spectators. Called once facts are durable."""

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Take what everybody may know, in order of happening. The last is a `MatchEnded`."""


class Meter(Protocol):
    """Counts and measures, in the words of the domain. Called in the hot path: never waits."""

    def match_started(self) -> None:
        """Count a match."""

    def match_ended(self, ended: MatchEnded) -> None:
        """Count an ending."""

    def asked(self, kind: AskKind) -> None:
        """Count an ask."""

    def answered(self, kind: AskKind, status: AckStatus, duration_ns: int) -> None:
        """Count an answer by what became of it; the duration runs from the ask to its stamp."""

    def refused(self, code: str) -> None:
        """Count a refusal."""

    def fault(self, ending: Ending) -> None:
        """Count a fault that a session reports to its matches."""

    def stream_opened(self) -> None:
        """Count an open stream."""

    def stream_closed(self, status: Status) -> None:
        """Count a stream that ended."""

    def frame_read(self, items: int) -> None:
        """Count a frame of a bot with so many answers and requests."""

    def frame_written(self, updates: int, size: int) -> None:
        """Count a frame to a bot."""

    def appended(self, facts: int, duration_ns: int) -> None:
        """Measure one commit of the store."""

    def loop_blocked(self, duration_ns: int) -> None:
        """Measure how long one pass kept the loop."""

    def link_lag(self, duration_ns: int) -> None:
        """Measure the time from a ping to its pong."""

    def lag_credited(self, duration_ns: int) -> None:
        """Count time of an answer that was put down to its link."""

    def struck(self, why: str) -> None:
        """Count a strike by its reason."""

    def stalled(self, blocked_ns: int) -> None:
        """Count a block of the loop after which a match had to ask anew."""

    def throttled(self, duration_ns: int) -> None:
        """Count time for which a bot over its frame rate is not read."""

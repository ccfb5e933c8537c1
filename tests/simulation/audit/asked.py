"""One ask, one request, and what became of it."""

from collections import deque
from dataclasses import dataclass, field

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.position import Position
from tests.simulation.audit.story import Sent

MS = 1_000_000
LOST = -1
HOLD = 10 * MS  # the longest that a frame is held back for pacing, with room


@dataclass(slots=True)
class Asked:
    """One ask and what became of it. `sent` is when its clock began."""

    ask: match_pb2.Ask
    kind: str
    seat: int  # who was asked
    hand: int  # which of its hands decides
    sent: int
    told: int  # when the seat got it
    exact: bool  # whether `sent` is known to the nanosecond
    place: int  # the last event that moved the game before it
    at: Position
    lag: int = 0
    no_sooner: int | None = None  # the earliest and the latest instant of its limit
    no_later: int | None = None
    pending: deque[Sent] = field(default_factory=deque)
    accepted: Sent | None = None
    presumed: bool = False  # what became of an answer may have been lost with the referee
    acked: bool = False  # its answer was acknowledged
    life: int = 0  # of the match, in which its clock began
    followed: bool = False
    refused: int = 0
    refused_at: int = 0  # the stamp of the last answer that was refused
    cancelled: int | None = None  # CancelReason
    cancelled_at: int = 0
    charged: int = 0

    @property
    def name(self) -> str:
        return f"{self.kind} ask {self.ask.ask_id} of seat {self.seat}"


@dataclass(slots=True)
class Request:
    """A call, stand-down or resignation and its acknowledgement."""

    sent: Sent
    hand: int  # that it is about
    status: int | None = None  # LOST: what became of it was lost with the referee
    followed: bool = False


def subject_of(of: match_pb2.Acknowledgement | match_pb2.Refused) -> tuple[str, int]:
    """What an acknowledgement or refusal is about: an ask or a request, and its number."""
    name = of.WhichOneof("subject") or ""
    return name, getattr(of, name) if name else 0


def status_of(ack: match_pb2.Acknowledgement) -> str:
    """The name of a status."""
    return match_pb2.AckStatus.Name(ack.status)


def hand_of(sent: Sent) -> int:
    """Which hand a request is about."""
    what = sent.what
    if isinstance(what, referee_pb2.Call | referee_pb2.StandDown) and what.HasField("for_seat"):
        return what.for_seat
    return sent.seat

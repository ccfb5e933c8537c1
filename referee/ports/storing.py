"""Where facts are kept, and what of an earlier process is found there."""

import enum
from collections.abc import Sequence
from typing import Protocol

import msgspec

from referee.ladder.values import LegPlace
from referee.match.values import MatchConfig
from referee.ports.talk import Hello


class StoreError(Exception):
    """The store cannot keep what it was given; it may later. The text is for the log."""


class StoreFenced(StoreError):
    """Another process took the store over: nothing of this one is kept any more."""


class Durability(enum.StrEnum):
    """What facts survive once they are kept. Values are written in configuration files."""

    PROCESS = "process"  # the end of this process by any signal
    POWER = "power"  # a loss of power too


class MatchHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says about a match beside its config."""

    practice: bool
    isolation: str = ""
    place: LegPlace | None = None  # in a ladder


class SeatRow(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a seat: an instance, and the number that the match has in its session."""

    instance_id: str
    number: int


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one match that one pass produced, encoded, in order."""

    match_id: str
    first_seq: int  # number of the first line in its match, from 0; none is left out
    lines: Sequence[bytes]
    last: bool = False  # the match is over with them


class StoredInstance(msgspec.Struct, frozen=True, kw_only=True):
    """An instance as it is kept. `token_hash` is None where it came without a token."""

    instance_id: str
    name: str
    owner: str
    token_hash: bytes | None = None


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it is kept: the hash of its token, and what its bot said in Hello."""

    instance_id: str
    secret: bytes
    hello: Hello
    next_number: int  # for its next match; matches that were opened are counted by the store


class StoredMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match as it is kept: running, or over and not let go."""

    config: MatchConfig
    header: MatchHeader
    seats: tuple[SeatRow, ...]
    lines: tuple[bytes, ...]  # its facts from the first on
    record_path: str | None = None
    over: bool = False


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What an earlier process left in the store. Without `event_secret` it left nothing."""

    event_secret: bytes | None = None
    practice: bool = False  # the secret was chosen by a person
    started: int = 0  # matches of the event that were begun, and that are over
    over: int = 0
    instances: tuple[StoredInstance, ...] = ()
    sessions: tuple[StoredSession, ...] = ()
    matches: tuple[StoredMatch, ...] = ()  # in the order in which they began


class FactStore(Protocol):
    """Keeps facts, and who holds the seats, for this process and the one after it.

    An event is what one secret deals the cards for. What a method keeps is durable when it returns;
    what it keeps "with the next append" may be lost with the process. Methods that keep anything
    raise `StoreError` when they cannot; the same call may be tried again.
    """

    @property
    def epoch(self) -> int:
        """Return the number of this process among all that owned the store, from 1."""

    def left(self) -> Left:
        """Return what was found at the opening. Asked once, before anything is kept."""

    def begin_event(self, secret: bytes, *, practice: bool = False) -> None:
        """Begin an event: counts at 0, and no instance, session or match of another one."""

    def keep_instance(self, instance: StoredInstance) -> None:
        """Keep an instance; one of the same id is replaced."""

    def keep_session(self, session: StoredSession) -> None:
        """Keep the session of an instance in place of its older one."""

    def drop_session(self, instance_id: str) -> None:
        """Forget a session that is over, and an instance without a token, with the next append."""

    def open_match(
        self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
    ) -> str | None:
        """Begin a match; return where its record will be, if it gets one.

        It is kept with the append of its first facts, in one piece: there is no match without any.
        """

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep all facts of a pass, all or none. Only then is anybody told.

        A batch that does not follow what is kept of its match is our bug.
        """

    def facts(self, match_id: str) -> Sequence[bytes]:
        """Return what is kept of a match that was opened and not let go, from its first fact on.

        Empty before its first append. Raises `StoreError` when it cannot be read now.
        """

    def close_match(self, match_id: str) -> str | None:
        """Write the record of a match whose last fact is kept; return where it is.

        Done before, nothing happens. None where the match gets no record.
        """

    def let_go(self, match_id: str) -> None:
        """Forget a closed match, some seconds later: all its seats were sent its end."""

    def finish_event(self) -> None:
        """End the event: nothing of it is there to come back to."""

    def close(self) -> None:
        """Let go of the store itself. Once is enough; nothing is kept afterwards."""

"""What one match looked like from outside: all that its auditor is given.

Whoever runs a match writes this down at the referee's end of each link. Every time is a nanosecond
of the simulated clock, never of the wall.
"""

import enum
from dataclasses import dataclass, field

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Out:
    """A `PlayResponse` that the service handed to the link of a seat at `at`.

    A session that holds several seats of the match has each of its frames once for each of them.
    `stream` says which of the streams that its bot dialled carries it, from 1 in the order of
    dialling and through all lives of the referee; 0 where a bot never has but one.
    """

    at: int
    seat: int
    frame: bytes
    stream: int = 0


@dataclass(frozen=True, slots=True)
class In:
    """A `PlayRequest` that was given to the service for a seat, with its stamp.

    `at` is when its stream was read, or the begin of the block if the frame waited behind one.
    Entries stand in the order in which the service got them, so that `at` may step back once
    after a block. `stream` as in `Out`.
    """

    at: int
    seat: int
    frame: bytes
    stream: int = 0


class WorldEvent(enum.StrEnum):
    """What happened around the match and stands in no frame."""

    LOST = "lost"  # the link of a seat broke, in whatever way but a Goodbye
    EXITED = "exited"  # a process that the referee started ended; the seat's link with it
    NEVER_STARTED = "never_started"  # no Hello within the start budget; the seat had no link
    STORE_FAILED = "store_failed"  # the store refused facts from here on
    STORED = "stored"  # an append returned that held facts of the match
    STORE_AWAY = "store_away"  # an append was refused: the service pauses; once for each pause
    STORE_BACK = "store_back"  # an append worked again and what had waited is told from here on
    KILLED = "killed"  # the referee is gone, and all links and what was on them
    RESTARTED = "restarted"  # another process opened the store and takes streams from here on
    RESUMED = "resumed"  # the match goes on after a restart: all are back, or the grace is over
    STALL = "stall"  # the loop was blocked for `length` ns from `at`
    CANCELLED = "cancelled"  # the organiser stopped the match
    ENDED = "ended"  # the runner saw the match's end (the service told its Matches port)


@dataclass(frozen=True, slots=True)
class World:
    """An event beside the frames. `length` is that of a stall, ns.

    A link that is lost by a bot without a seat in the match has its `owner` instead. `stream`, of a
    loss, is as in `Out`. `epoch` is that of the process that RESTARTED. `lines` says how many facts
    of the match the store held then, of STORED, KILLED, RESTARTED, STORE_AWAY and STORE_BACK.
    `began` is the instant at which match time is 0 from here on, of RESUMED and STORE_BACK: the
    time in which it stood still moves it.
    """

    at: int
    what: WorldEvent
    seat: int | None = None
    length: int = 0
    owner: str = ""
    stream: int = 0
    epoch: int = 0
    lines: int = 0
    began: int = 0


Entry = Out | In | World


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLimits:
    """What the seats are not told of the settings of their match. Times are ns.

    `lag_quota` 0 means that no network time is taken off. `grace` is that of a seat without a
    stream, `loop_limit` how long the referee's loop may be blocked without being blamed,
    `store_away` how long a store may refuse facts, and `resume_grace` how long seats are waited for
    after a restart.
    """

    max_resends: int = 2
    max_strikes: int = 10
    max_actions: int = 1000
    max_rounds: int = 60
    wall_per_round: int = 600 * SECOND
    grace: int = 10 * SECOND
    store_away: int = 60 * SECOND
    resume_grace: int = 30 * SECOND
    loop_limit: int = SECOND // 2
    lag_cap: int = SECOND // 2
    lag_quota: int = 10 * SECOND
    base_by_kind: dict[str, int] = field(default_factory=dict)
    """Longer base times, by the name of an ask's kind as in the message `Ask`; others have the
    base time of `Seating`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One match, by seat where a tuple. What belongs to other matches of a session is skipped.

    `numbers` are the match's numbers in the sessions of its seats, `owners` say whose bot sits
    where (sessions of two owners that are lost together are the network's fault). `began` is the
    instant at which match time is 0. `entries` start with the Hello and the Welcome of the stream
    that each seat had when the match began, if it had one, and go on after the end of the match
    for as long as the world ran. `record` has the lines of the record without newlines, or is None
    where none was kept. `players` are the seats with a process; a seat that is none of them has
    number 0 and owner "".
    """

    match_id: str
    numbers: tuple[int, ...]
    owners: tuple[str, ...]
    began: int
    entries: tuple[Entry, ...]
    limits: MatchLimits = field(default_factory=MatchLimits)
    record: tuple[bytes, ...] | None = None
    seats: int = 4
    players: tuple[int, ...] = (0, 1, 2, 3)

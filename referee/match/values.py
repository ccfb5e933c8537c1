"""Units, closed sets and settings of a match."""

import enum
from typing import NewType

import msgspec

from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions

MatchNs = NewType("MatchNs", int)  # nanoseconds since the match began; never wall time
DurationNs = NewType("DurationNs", int)  # a length of time in nanoseconds
AskId = NewType("AskId", int)  # 1.. for each seat and match

MS = 1_000_000  # nanoseconds in a millisecond
MIN_WINDOW_NS = 20 * MS  # PROTOCOL 4: shorter windows drown in scheduling noise
MAX_TIME_NS = 24 * 3_600_000 * MS  # longest base, bank or window: the wire counts ms in 32 bits


class Pace(enum.StrEnum):
    """How bomb windows are timed (PROTOCOL 4)."""

    FAIR = "fair"  # windows always last the same; time tells nobody anything
    FAST = "fast"  # windows close as soon as nobody can bomb; time may tell who holds one


# Members that every action asks for: on CPython 3.11 reading one off its class costs 90 ns, a name
# of the module 7.
FAIR, FAST = Pace.FAIR, Pace.FAST


class Objective(enum.StrEnum):
    """What a match is played for."""

    MATCH = "match"
    POINTS = "points"


class AskKind(enum.StrEnum):
    """A kind of decision that a seat can owe. Values travel in records: add, never rename."""

    CALL = "call"
    EXCHANGE = "exchange"
    ACT = "act"
    BOMB = "bomb"
    CHOOSE_SEAT = "choose_seat"


ACT, BOMB, CHOOSE_SEAT = AskKind.ACT, AskKind.BOMB, AskKind.CHOOSE_SEAT


class ChooseReason(enum.StrEnum):
    """What a choice of a seat is about."""

    DRAGON = "dragon"  # C5: the trick won with the Dragon
    DOG = "dog"  # H5: the lead handed on by the Dog


class AckStatus(enum.StrEnum):
    """What became of an answer or request (PROTOCOL 2)."""

    RECEIVED = "received"
    APPLIED = "applied"
    REFUSED = "refused"
    VOID_BOMBED = "void_bombed"
    STALE = "stale"
    TOO_LATE = "too_late"
    DUPLICATE = "duplicate"


RECEIVED, APPLIED = AckStatus.RECEIVED, AckStatus.APPLIED


class CancelReason(enum.StrEnum):
    """Why an ask is no longer open although it was not answered."""

    BOMBED = "bombed"
    TIMED_OUT = "timed_out"
    SUBSTITUTED = "substituted"
    MATCH_ENDED = "match_ended"
    REFEREE = "referee"


class WireRefusal(enum.StrEnum):
    """Refusals that the match adds to those of the rules. Values travel on the wire."""

    MALFORMED = "MALFORMED"
    NOT_YOUR_ASK = "NOT_YOUR_ASK"
    WINDOW_CLOSED = "WINDOW_CLOSED"


class Ending(enum.StrEnum):
    """How a match ended (PROTOCOL 5)."""

    COMPLETED = "completed"
    FORFEIT_ILLEGAL = "forfeit_illegal"
    FORFEIT_TIME = "forfeit_time"
    CRASHED = "crashed"
    DISCONNECTED = "disconnected"
    FLOODED = "flooded"
    SLOW_READER = "slow_reader"
    RESIGNED = "resigned"
    NEVER_STARTED = "never_started"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    REFEREE_FAILED = "referee_failed"
    STORE_FAILED = "store_failed"


class Blame(enum.StrEnum):
    """Who is responsible for an ending by fault (PROTOCOL 5)."""

    NONE = "none"
    BOT = "bot"
    REFEREE = "referee"
    NETWORK = "network"
    UNKNOWN = "unknown"


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """Thinking time. The bank is touched only when the base time of an ask is spent.

    `base_ns` > 0 for each ask, `bank_ns` >= 0 for each seat and match; each at most 24 hours.
    """

    base_ns: int = 2_000 * MS
    bank_ns: int = 60_000 * MS

    def __post_init__(self) -> None:
        if self.base_ns <= 0 or self.bank_ns < 0:
            raise ConfigError(f"a clock needs a base over 0 and a bank of 0 or more: {self}")
        for name, length in (("base time", self.base_ns), ("bank", self.bank_ns)):
            if length > MAX_TIME_NS:
                raise ConfigError(
                    f"clock: a {name} of {length // MS} ms is over 24 hours; "
                    "shorten it, or write none for no limit"
                )


MOST_ROUNDS = 60  # PROTOCOL 5: of a match to 1,000 points, which has some 10 to 20


def rounds_cap(rules: RuleOptions) -> int:
    """The rounds after which a match is abandoned: more where the rules ask for a longer match.

    >>> rounds_cap(RuleOptions()), rounds_cap(RuleOptions(rounds=100))
    (60, 100)
    """
    return max(MOST_ROUNDS, rules.rounds or rules.target * MOST_ROUNDS // 1000)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a match but the cards and the seats' names.

    `clock` None means no limit (debugging). `window_ns` is the length of a bomb window: always in
    pace `fair`, at most in pace `fast` (there without a clock only answers close it).

    >>> Settings(rules=RuleOptions()).pace
    <Pace.FAST: 'fast'>
    """

    rules: RuleOptions
    pace: Pace = Pace.FAST
    window_ns: int = 1_000 * MS
    clock: Clock | None = Clock()
    objective: Objective = Objective.MATCH
    max_resends: int = 2  # corrections of an illegal answer within the same clock
    max_strikes: int = 10  # a seat over it forfeits
    max_actions: int = 1_000  # in a round; a legal round of four has under 300
    max_rounds: int = MOST_ROUNDS  # see `rounds_cap`

    def __post_init__(self) -> None:
        if self.window_ns < MIN_WINDOW_NS:
            least = MIN_WINDOW_NS // MS
            raise ConfigError(
                f"window: {self.window_ns / MS:g} ms is too short; use {least} or more"
            )
        if self.window_ns > MAX_TIME_NS:
            raise ConfigError(
                f"window: {self.window_ns // MS} ms is over 24 hours; "
                f"use {MAX_TIME_NS // MS} or less"
            )
        if self.clock is not None and self.window_ns >= self.clock.base_ns:
            raise ConfigError(
                f"window: {self.window_ns / MS:g} ms is not below the base time of "
                f"{self.clock.base_ns / MS:g} ms; shorten the window or lengthen the base time"
            )


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at a seat. `bot_seed` is 64 hex digits for the bot's own random numbers."""

    name: str
    bot_seed: str = ""


class MatchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a match is made of before its first card: the head of its record."""

    match_id: str
    settings: Settings
    players: tuple[Player, ...]

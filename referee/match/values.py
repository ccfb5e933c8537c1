"""Units, closed sets and settings of a match."""

import enum
from typing import NewType, assert_never

import msgspec

from referee.rules.errors import ConfigError
from referee.rules.option_values import GsGoal
from referee.rules.options import RuleOptions, match_rounds, seats

MatchNs = NewType("MatchNs", int)  # nanoseconds since the match began; never wall time
DurationNs = NewType("DurationNs", int)  # a length of time in nanoseconds
AskId = NewType("AskId", int)  # 1.. for each seat and match

MS = 1_000_000  # nanoseconds in a millisecond
MIN_WINDOW_NS = 20 * MS  # PROTOCOL 4: shorter windows drown in scheduling noise
MIN_LAG_LIMIT_NS = 50 * MS  # a full collection of a large heap takes 20 to 30 ms
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
    CALLED = "called"  # a call was made that opponents may refuse: they decide first


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
    `call_ns`, `exchange_ns`, `act_ns` and `choose_seat_ns` are longer base times for that kind of
    ask; None is `base_ns`. A seat is credited the lag of its link: at most `lag_cap_ns` an ask and
    `lag_quota_ns` a match, since it can be faked (PROTOCOL 3); a quota of 0 is no credit.
    """

    base_ns: int = 2_000 * MS
    bank_ns: int = 60_000 * MS
    call_ns: int | None = None
    exchange_ns: int | None = None
    act_ns: int | None = None
    choose_seat_ns: int | None = None
    lag_cap_ns: int = 500 * MS
    lag_quota_ns: int = 10_000 * MS

    def __post_init__(self) -> None:
        if self.base_ns <= 0 or self.bank_ns < 0:
            raise ConfigError(f"a clock needs a base over 0 and a bank of 0 or more: {self}")
        for name, length in self._lengths():
            if length > MAX_TIME_NS:
                raise ConfigError(
                    f"clock: a {name} of {length // MS} ms is over 24 hours; "
                    "shorten it, or write none for no limit"
                )
            if length < 0:
                raise ConfigError(f"clock: a {name} of {length / MS:g} ms; use 0 or more")
        for kind in _TIMED:
            if self.base_of(kind) < self.base_ns:
                raise ConfigError(
                    f"clock: a base time for {kind} of {self.base_of(kind) / MS:g} ms is below "
                    f"that of all asks, {self.base_ns / MS:g} ms; lengthen it or leave it out"
                )

    def base_of(self, kind: AskKind) -> int:
        """The base time of a kind of ask, nanoseconds.

        >>> Clock(act_ns=9_000 * MS).base_of(AskKind.ACT) // MS
        9000
        """
        own = self._own(kind)
        return self.base_ns if own is None else own

    def _own(self, kind: AskKind) -> int | None:
        match kind:
            case AskKind.CALL:
                return self.call_ns
            case AskKind.EXCHANGE:
                return self.exchange_ns
            case AskKind.ACT:
                return self.act_ns
            case AskKind.CHOOSE_SEAT:
                return self.choose_seat_ns
            case AskKind.BOMB:
                return None  # a window has its own length
            case _:
                assert_never(kind)

    def _lengths(self) -> list[tuple[str, int]]:
        own = [(f"base time for {kind}", self._own(kind) or 0) for kind in _TIMED]
        return [
            ("base time", self.base_ns),
            ("bank", self.bank_ns),
            *own,
            ("lag cap", self.lag_cap_ns),
            ("lag quota", self.lag_quota_ns),
        ]


_TIMED = (AskKind.CALL, AskKind.EXCHANGE, AskKind.ACT, AskKind.CHOOSE_SEAT)
_IN_TURN = (AskKind.ACT, AskKind.CHOOSE_SEAT)  # what a bomb window may stand beside

MOST_ROUNDS = 60  # PROTOCOL 5: of a match to 1,000 points, which has some 10 to 20


def rounds_cap(rules: RuleOptions) -> int:
    """The rounds after which a match is abandoned: more where the rules ask for a longer match.

    >>> rounds_cap(RuleOptions()), rounds_cap(RuleOptions(rounds=100))
    (60, 100)
    """
    if rules.gs_goal is GsGoal.FIRST_AGAIN:  # of bots that are equal one in so many rounds ends it
        return MOST_ROUNDS * seats(rules)
    return max(MOST_ROUNDS, match_rounds(rules) or rules.target * MOST_ROUNDS // 1000)


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
    max_actions: int = 1_000  # in a round, for each pack; a legal round of four has under 300
    max_rounds: int = MOST_ROUNDS  # see `rounds_cap`
    wall_per_round_ns: int = 600_000 * MS  # see `wall_ns`
    lag_limit_ns: int = 500 * MS  # a block of our loop over it is our fault: asked anew

    def __post_init__(self) -> None:
        self._check_window()
        for name, value, least in (
            ("max_resends", self.max_resends, 0),
            ("max_strikes", self.max_strikes, 0),
            ("max_actions", self.max_actions, 1),
            ("max_rounds", self.max_rounds, 1),
            ("wall_per_round", self.wall_per_round_ns, 1),
        ):
            if value < least:
                raise ConfigError(f"{name}: {value} is too small; use {least} or more")
        if self.lag_limit_ns < MIN_LAG_LIMIT_NS:
            raise ConfigError(
                f"lag_limit: {self.lag_limit_ns / MS:g} ms is too short, every garbage collection "
                f"would be a fault of the referee; use {MIN_LAG_LIMIT_NS // MS} or more"
            )
        for name, length in (
            ("wall_per_round", self.wall_per_round_ns),
            ("lag_limit", self.lag_limit_ns),
        ):
            if length > MAX_TIME_NS:
                raise ConfigError(
                    f"{name}: {length // MS} ms is over 24 hours; use {MAX_TIME_NS // MS} or less"
                )

    def _check_window(self) -> None:
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
        if self.clock is None:
            return
        shortest = min(self.clock.base_of(kind) for kind in _IN_TURN)
        if self.window_ns >= shortest:
            raise ConfigError(
                f"window: {self.window_ns / MS:g} ms is not below the base time of "
                f"{shortest / MS:g} ms; shorten the window or lengthen the base time"
            )

    def wall_ns(self, *, seats: int, round_number: int) -> int | None:
        """Match time at which a match in its round `round_number` is abandoned; None: never.

        Four times the sum of the banks and `wall_per_round_ns` for each round (PROTOCOL 5). Without
        a clock a match may stand still for ever: that is what it is for.

        >>> Settings(rules=RuleOptions()).wall_ns(seats=4, round_number=2) // (60_000 * MS)
        36
        """
        if self.clock is None:
            return None
        return 4 * seats * self.clock.bank_ns + round_number * self.wall_per_round_ns


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at a seat. `bot_seed` is 64 hex digits for the bot's own random numbers.

    At the Tisch of Trichu sits nobody (G1): its name is for people to read.
    """

    name: str
    bot_seed: str = ""


class MatchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a match is made of before its first card: the head of its record."""

    match_id: str
    settings: Settings
    players: tuple[Player, ...]

"""Every fault that a simulation knows, by name, with what a bot gets for it."""

import enum
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

from tests.simulation.service import hostile, lies
from tests.simulation.service.bots import Bot, Conduct
from tests.simulation.service.policy import Hand


class Misdeed(enum.StrEnum):
    """What a bot does wrong. The values are for the summary."""

    LATE = "late"
    SILENT = "silent"
    DRAGS = "drags"
    JUST_IN_TIME = "just in time"
    AT_THE_CLOSE = "answers at the close of windows"
    FAKES_LAG = "fakes lag"
    SPAMS = "spams"
    ILLEGAL = "illegal cards"
    MALFORMED = "malformed"
    ELSEWHERE = "numbers of others"
    REPEATS = "repeats answers"
    WRONG_ORDER = "answers out of order"
    BUNDLES = "bundles answers"
    CALLS = "calls at odd moments"
    STANDS_DOWN = "stands down"
    CRASHES = "crashes"
    UNPLUGS = "cuts its link"
    SORE_LOSER = "cuts its link when behind"
    RESIGNS = "resigns"
    GOODBYE = "says goodbye"
    NO_HELLO = "never says Hello"
    EXITS_EARLY = "exits before its Hello"
    WRONG_VERSION = "wrong version"
    SLOW_READER = "reads slowly or never"
    SLOW_LINK = "slow link"
    BLIND = "plays without the lists"


class WorldFault(enum.StrEnum):
    """What goes wrong beside the bots."""

    CUT_ONE = "a link breaks"
    CUT_TWO_OWNERS = "all links of two owners break"
    HALF_OPEN = "a link is half open"
    RECONNECT = "a link breaks and its bot comes back"
    FLAPPING = "links break again and again"
    SUPERSEDE = "a second stream beside the first"
    STORE_AWAY = "the store is away"
    STORE_FULL = "the store is full"
    KILLED = "the referee is killed"
    STALL_SHORT = "short stalls"
    STALL_LONG = "long stalls"
    CANCELLED = "cancelled by order"


def _leaves(way: Callable[[Bot, Hand], None]) -> Callable[[random.Random], Conduct]:
    return lambda rng: hostile.Leaves(rng, way)


# Misdeeds without a conduct are in a bot's plan: its Hello, its link.
CONDUCTS: Mapping[Misdeed, Callable[[random.Random], Conduct]] = MappingProxyType(
    {
        Misdeed.LATE: hostile.Late,
        Misdeed.SILENT: hostile.Silent,
        Misdeed.DRAGS: hostile.Drags,
        Misdeed.JUST_IN_TIME: hostile.JustInTime,
        Misdeed.AT_THE_CLOSE: hostile.AtTheClose,
        Misdeed.FAKES_LAG: hostile.FakesLag,
        Misdeed.SPAMS: hostile.Spams,
        Misdeed.ILLEGAL: lies.Illegal,
        Misdeed.MALFORMED: lies.Malformed,
        Misdeed.ELSEWHERE: lies.Elsewhere,
        Misdeed.REPEATS: lies.Repeats,
        Misdeed.WRONG_ORDER: lies.WrongOrder,
        Misdeed.BUNDLES: lies.Bundles,
        Misdeed.CALLS: hostile.Calls,
        Misdeed.STANDS_DOWN: hostile.StandsDown,
        Misdeed.CRASHES: _leaves(hostile.crash),
        Misdeed.UNPLUGS: _leaves(hostile.unplug),
        Misdeed.SORE_LOSER: hostile.SoreLoser,
        Misdeed.RESIGNS: _leaves(hostile.resign),
        Misdeed.GOODBYE: _leaves(hostile.say_goodbye),
        Misdeed.SLOW_READER: hostile.Chatters,
    }
)

# How often each is drawn. What ends a match at once is rarer, so that most are long.
WEIGHTS: Mapping[Misdeed, int] = MappingProxyType(
    {
        Misdeed.LATE: 10,
        Misdeed.SILENT: 5,
        Misdeed.DRAGS: 3,
        Misdeed.JUST_IN_TIME: 6,
        Misdeed.AT_THE_CLOSE: 8,
        Misdeed.FAKES_LAG: 6,
        Misdeed.SPAMS: 6,
        Misdeed.ILLEGAL: 10,
        Misdeed.MALFORMED: 6,
        Misdeed.ELSEWHERE: 8,
        Misdeed.REPEATS: 10,
        Misdeed.WRONG_ORDER: 8,
        Misdeed.BUNDLES: 6,
        Misdeed.CALLS: 8,
        Misdeed.STANDS_DOWN: 8,
        Misdeed.CRASHES: 3,
        Misdeed.UNPLUGS: 3,
        Misdeed.SORE_LOSER: 1,
        Misdeed.RESIGNS: 2,
        Misdeed.GOODBYE: 2,
        Misdeed.NO_HELLO: 1,
        Misdeed.EXITS_EARLY: 1,
        Misdeed.WRONG_VERSION: 1,
        Misdeed.SLOW_READER: 3,
        Misdeed.SLOW_LINK: 12,
        Misdeed.BLIND: 4,
    }
)

# Without a clock these keep a match waiting for ever, which is what no clock means.
NEED_A_CLOCK = frozenset(
    (
        Misdeed.LATE,
        Misdeed.SILENT,
        Misdeed.MALFORMED,
        Misdeed.WRONG_ORDER,
        Misdeed.SLOW_READER,
    )
)

"""What happens in a simulation, as values: who plays, over which links, what goes wrong when."""

import enum
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.app.limits import Limits
from referee.match.values import MatchConfig
from tests.simulation.service.network import LinkEnd, LinkPlan
from tests.simulation.service.policy import Temperament

if TYPE_CHECKING:
    from tests.simulation.service.bots import Conduct

MakeConduct = Callable[[random.Random], "Conduct"]


class Return(enum.StrEnum):
    """As what a bot comes back after it had a stream. The values are for the summary."""

    SESSION = "comes back with its session token"
    BEARER = "comes back with its bearer token alone"
    FRESH = "comes back as a new process"  # that knows nothing of what was


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Something happens to the link of a bot. `how` None: it lives on beside the next one.

    `back_ns` later the bot dials again; None: it stays away.
    """

    at: int
    bot: int
    how: LinkEnd | None = LinkEnd.CUT
    back_ns: int | None = None
    returns: Return = Return.SESSION


class KillPoint(enum.StrEnum):
    """Where in its work the referee is killed. The values are for the summary."""

    INSTANT = "killed at an instant"
    BEFORE_APPEND = "killed before an append"
    AFTER_APPEND = "killed between append and tell"
    BEFORE_FRAMES = "killed between tell and the first frame"
    BETWEEN_FRAMES = "killed between two frames"
    BEFORE_SESSION = "killed before a session is kept"
    AFTER_SESSION = "killed between a session and its Welcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """The referee is killed, and started again after an outage.

    It is killed the first time that it is at the point from `at` on, after `skips` times. Of each
    bot that had a stream then `backs` says when it dials again, after the kill, and as what; who is
    refused tries again, and None never comes.
    """

    at: int
    point: KillPoint = KillPoint.INSTANT
    skips: int = 0
    outage_ns: int
    backs: tuple[tuple[int, Return] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """The store refuses what it is given, for a time; `full`: only what has to be written."""

    at: int
    length: int
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPlan:
    """One bot process. Times are ns after the start.

    `hello_ns` None: it never says Hello. `exits_ns`: its process ends then, whatever it does.
    Sent away by a referee that wants it back, it comes after `retry_ns`; None: it gives up.
    """

    name: str
    owner: str
    seed: str
    hello: bytes
    hello_ns: int | None = 0
    exits_ns: int | None = None
    link: LinkPlan
    temperament: Temperament
    think_ns: tuple[int, int] = (0, 1)  # drawn anew for each ask
    pong_ns: int = 0
    retry_ns: int | None = None
    retries: Return = Return.SESSION  # never as a new process
    conducts: tuple[MakeConduct, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """One match: the bots of its seats by their place in the plan, and when it starts."""

    config: MatchConfig
    bots: tuple[int, ...]
    start_ns: int
    cancelled_ns: int | None = None  # by the organiser, after its start


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything about one simulation. Times are ns after its start."""

    name: str  # seed and number: all that is random in the world is drawn from it
    bots: tuple[BotPlan, ...]
    matches: tuple[MatchPlan, ...]
    limits: Limits
    start_ns: int  # the budget for a Hello
    horizon_ns: int  # a match that is not over by then hangs
    deal_tries: int = 1  # deals that are looked at for one with many bombs
    grid_ns: int = 1  # frames arrive at multiples of it, so that many are read in one turn
    store_latency_ns: int = 1  # an append takes less
    outages: tuple[Outage, ...] = ()
    kills: tuple[Kill, ...] = ()
    resume_grace_ns: int = 30_000_000_000  # for bots to come back to a restarted referee
    stalls: tuple[tuple[int, int], ...] = ()  # when the loop is busy, and how long
    breaks: tuple[Break, ...] = ()
    faults: dict[str, int] = field(default_factory=dict)  # what was drawn, for the summary

"""What happens in a simulation, as values: who plays, over which links, what goes wrong when."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.app.limits import Limits
from referee.match.values import MatchConfig
from tests.simulation.service.network import LinkPlan
from tests.simulation.service.policy import Temperament

if TYPE_CHECKING:
    from tests.simulation.service.bots import Conduct

MakeConduct = Callable[[random.Random], "Conduct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPlan:
    """One bot process. Times are ns after the start.

    `hello_ns` None: it never says Hello. `exits_ns`: its process ends then, whatever it does.
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
    store_fails_ns: int | None = None
    stalls: tuple[tuple[int, int], ...] = ()  # when the loop is busy, and how long
    cuts: tuple[tuple[int, tuple[int, ...]], ...] = ()  # when links break, and whose
    faults: dict[str, int] = field(default_factory=dict)  # what was drawn, for the summary

"""What a gate is to be, and the world as it sees it."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from referee.app.season_news import Notice, Progress
from referee.formats.summary import MatchSummary
from referee.ladder.gate import GateTerms
from referee.ladder.gate_outcome import GateBot
from referee.ports import Clock
from referee.ports.arena import Arena


class Machine(Protocol):
    """The machine that all of it runs on."""

    def stolen(self) -> float:
        """Return the share of processor time that was taken away from it so far, 0 to 1.

        By whoever hosts it, since the gate began; 0 where nobody can know.
        """


class GatePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a gate is to be. `budget_ns` > 0 from its first board on.

    `parallel` boards are played at once. A bot is faulty at its `faults`-th leg that it ended.
    `seed` is what the cards come from; `practice`: somebody chose it.
    """

    terms: GateTerms
    candidate: GateBot
    baseline: GateBot
    budget_ns: int
    parallel: int
    faults: int
    seed: str
    practice: bool
    notes: tuple[str, ...] = ()


class GatePorts(msgspec.Struct, frozen=True, kw_only=True):
    """The world, as a gate sees it.

    `alike` says whether the same cards were played in all legs of a board, seat by seat, and
    `forget` lets go of their records; `unwritten` tells how many could not be written and are tried
    again. `said` are the last words of processes that failed.
    """

    arena: Arena
    clock: Clock
    machine: Machine
    tell: Callable[[Progress | Notice], None]
    alike: "AsyncBoards"
    forget: Callable[[Sequence[MatchSummary]], None]
    unwritten: Callable[[], int]
    said: Callable[[], tuple[str, ...]]


class AsyncBoards(Protocol):
    """Asks something about the legs of a board."""

    async def __call__(self, legs: Sequence[MatchSummary]) -> bool:
        """Return whether it is so."""

"""A store of facts in memory that takes time, refuses for a while, and outlives its referee."""

from collections.abc import Sequence
from typing import Protocol

from referee.match.values import MatchConfig
from referee.ports import (
    Batch,
    MatchHeader,
    SeatRow,
    StoredInstance,
    StoredSession,
    StoreError,
)
from referee.store.memory import MemoryStore
from tests.simulation.service.plans import KillPoint, Outage


class Keeper(Protocol):
    """What a store needs of the simulation."""

    def since_start(self) -> int:
        """Return the time, as outages count it."""

    def appending(self) -> None:
        """Let the time of an append pass."""

    def reached(self, point: KillPoint) -> None:
        """The referee is at a point at which it may be killed."""

    def refused(self) -> None:
        """The facts of a pass were refused."""

    def kept(self, batches: Sequence[Batch]) -> None:
        """The facts of a pass are durable."""


class SimStore(MemoryStore):
    """Keeps everything of all matches, but while an outage lasts.

    A store that is full refuses what has to be written, one that is away refuses all.
    """

    def __init__(self, keeper: Keeper, outages: Sequence[Outage]) -> None:
        super().__init__()
        self._keeper = keeper
        self._outages = outages

    def _check(self, *, writes: bool = True) -> None:
        now = self._keeper.since_start()
        for outage in self._outages:
            if outage.at <= now < outage.at + outage.length and (writes or not outage.full):
                raise StoreError("no space left on the simulated device")

    def keep_instance(self, instance: StoredInstance) -> None:
        """Keep an instance, or raise `StoreError`, as all that follow."""
        self._check()
        super().keep_instance(instance)

    def keep_session(self, session: StoredSession) -> None:
        """Keep a session."""
        self._keeper.reached(KillPoint.BEFORE_SESSION)
        self._check()
        super().keep_session(session)
        self._keeper.reached(KillPoint.AFTER_SESSION)

    def open_match(
        self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
    ) -> str | None:
        """Begin a match."""
        self._check(writes=False)
        return super().open_match(config, header, seats)

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep the facts of a pass."""
        self._keeper.reached(KillPoint.BEFORE_APPEND)
        self._keeper.appending()
        try:
            self._check()
        except StoreError:
            self._keeper.refused()
            raise
        super().append(batches)
        self._keeper.kept(batches)
        self._keeper.reached(KillPoint.AFTER_APPEND)

    def close_match(self, match_id: str) -> None:
        """Finish a record."""
        self._check(writes=False)
        super().close_match(match_id)

    def let_go(self, match_id: str) -> None:
        """Forget a match."""
        self._check(writes=False)
        super().let_go(match_id)

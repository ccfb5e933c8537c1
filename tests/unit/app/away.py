"""A store that can be away, and a world with a match over it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.limits import SECOND, Limits
from referee.app.running import RunningMatch
from referee.match.facts import Fact, decode_fact
from referee.match.replay import Difference, replay
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
from tests.unit.app.world import (
    Peer,
    World,
    config_of,
    default_answers,
)

BUDGET = 62 * SECOND


class Away(MemoryStore):
    """Keeps nothing while `why` is set; notes when it was tried."""

    def __init__(self) -> None:
        super().__init__()
        self.why: StoreError | None = None
        self.tries: list[int] = []
        self.only: Callable[[Sequence[Batch]], bool] = lambda batches: True  # which appends fail
        self.now: Callable[[], int] = lambda: 0

    def _check(self) -> None:
        if self.why is not None:
            raise self.why

    def append(self, batches: Sequence[Batch]) -> None:
        self.tries.append(self.now())
        if self.only(batches):
            self._check()
        super().append(batches)

    def keep_instance(self, instance: StoredInstance) -> None:
        self._check()
        super().keep_instance(instance)

    def keep_session(self, session: StoredSession) -> None:
        self._check()
        super().keep_session(session)

    def open_match(
        self, config: MatchConfig, header: MatchHeader, seats: Sequence[SeatRow]
    ) -> str | None:
        self._check()
        return super().open_match(config, header, seats)

    def close_match(self, match_id: str) -> str | None:
        self._check()
        return super().close_match(match_id)

    def let_go(self, match_id: str) -> None:
        self._check()
        super().let_go(match_id)

    def facts(self, match_id: str) -> Sequence[bytes]:
        self._check()
        return super().facts(match_id)

    def finish_event(self) -> None:
        self._check()
        super().finish_event()


class Case:
    """A world with a store that can be away, and one match."""

    def __init__(self, *, limits: Limits | None = None, **settings: object) -> None:
        self.store = Away()
        self.world = World(store=self.store, limits=limits)
        self.store.now = self.world.clock.now
        self.ready: list[bool] = []
        self.world.service.on_ready = self.ready.append
        self.peers = self.world.table()
        self.match: RunningMatch = self.world.play(self.peers, config_of("m", **settings))

    def away(self) -> None:
        self.store.why = StoreError("disk full")

    def back(self) -> None:
        self.store.why = None

    def all_answer(self) -> None:
        for peer in self.peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        self.world.clock.settle()

    def pause(self) -> list[tuple[int, match_pb2.Ask]]:
        """One seat answers, and that cannot be kept; return what it was asked."""
        asks = self.peers[0].asks()
        self.away()
        self.peers[0].send(default_answers(asks))
        return asks

    def last_event(self, peer: Peer) -> match_pb2.Event:
        return [event for update in peer.updates() for event in update.events][-1]


_Kind = TypeVar("_Kind", bound=Fact)


def of_type(world: World, kind: type[_Kind], match_id: str = "m") -> list[_Kind]:
    return [fact for fact in world.facts(match_id) if isinstance(fact, kind)]


def verified(world: World, match_id: str = "m") -> None:
    stored = world.memory.matches[match_id]
    facts = [decode_fact(line) for line in stored.lines]
    assert not [one for one in replay(stored.config, facts) if isinstance(one, Difference)]
    assert stored.closed

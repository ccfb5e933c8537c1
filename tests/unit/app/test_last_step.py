"""What a match counts for that the referee or its store failed: the rounds that were told."""

from collections.abc import Sequence

import pytest

from referee.app.limits import SECOND, Limits
from referee.app.running import RunningMatch
from referee.match.facts import MatchEnded, RoundEnded
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import Ending
from referee.ports import Batch, StoreError
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions
from referee.store.memory import MemoryStore
from tests.unit.app.world import Peer, World, config_of, default_answers

Score = tuple[tuple[int, ...], int]  # totals, and of how many rounds


class FailsAtRoundEnd(MemoryStore):
    """Refuses the facts that end a round, from the one with this number on."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._left = number

    def append(self, batches: Sequence[Batch]) -> None:
        self._left -= any(b'"round_ended"' in line for one in batches for line in one.lines)
        if self._left <= 0:
            raise StoreError("disk full")
        super().append(batches)


class FailsAtRoundEndToo(Machine):
    """Hits a bug when the second round is scored already."""

    __slots__ = ()

    def step(self, what: object, now: int) -> Step:
        step = super().step(what, now)  # type: ignore[arg-type]
        if any(isinstance(fact, RoundEnded) and fact.round == 2 for fact in step.facts):
            raise RefereeBug("the round cannot be told")
        return step


def scored(world: World) -> Score:
    """What the record says that the match counts for."""
    ends = [fact for fact in world.facts() if isinstance(fact, RoundEnded)]
    return (ends[-1].totals, len(ends)) if ends else ((0, 0), 0)


def told(
    peers: Sequence[Peer], world: World, match: RunningMatch
) -> tuple[MatchEnded, list[Score]]:
    """Play to the end; return it and what each seat heard of it."""
    heard: list[Score] = []
    for _ in range(5_000):
        for peer in peers:
            updates = peer.updates()
            asks = [(update.match, ask) for update in updates for ask in update.asks]
            if asks:
                peer.send(default_answers(asks), settle=False)
            for event in (event for update in updates for event in update.events):
                if event.HasField("match_ended"):
                    ended = event.match_ended
                    heard.append((tuple(ended.totals), ended.rounds))
        if match.ended is not None and len(heard) == len(peers):
            return match.ended, heard
        world.clock.pass_time(1_000_000)
    raise AssertionError("the match does not end")


@pytest.mark.parametrize(("fails_at", "rounds"), [(1, 1), (1, 2), (2, 2), (2, 3)])
def test_a_round_whose_end_was_not_stored_does_not_count(fails_at: int, rounds: int) -> None:
    store = FailsAtRoundEnd(fails_at)
    world = World(store=store, limits=Limits(store_away_ns=SECOND))
    peers = world.table()
    match = world.play(peers, config_of(rules=RuleOptions(rounds=rounds)))
    ended, heard = told(peers, world, match)
    assert ended.ending is Ending.STORE_FAILED
    assert (ended.totals, ended.rounds) == scored(world)
    assert heard == [scored(world)] * 4
    assert scored(world)[1] == fails_at - 1


def test_a_round_that_was_scored_by_a_step_that_failed_does_not_count() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers, config_of(rules=RuleOptions(rounds=3)))
    match.machine.__class__ = FailsAtRoundEndToo
    ended, heard = told(peers, world, match)
    assert ended.ending is Ending.REFEREE_FAILED
    assert heard == [scored(world)] * 4
    assert scored(world)[1] == 1
    recorded = world.facts()[-1]
    assert isinstance(recorded, MatchEnded)
    assert (recorded.totals, recorded.rounds) == scored(world)

"""The store goes away between the end of a match and the first facts of the next one."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.lobby import Lobby
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.ports import Batch, StoreError
from referee.store.memory import MemoryStore
from tests.unit.app.world import HEADER, World, config_of, play_to_end


class RefusesTheSecond(MemoryStore):
    """Keeps nothing of the match `m2`."""

    def append(self, batches: Sequence[Batch]) -> None:
        if any(batch.match_id == "m2" for batch in batches):
            raise StoreError("disk full")
        super().append(batches)


def test_a_table_seated_by_an_end_hears_nothing_before_its_first_facts_are_kept() -> None:
    world = World(store=RefusesTheSecond())
    matches: list[RunningMatch] = []

    def start(table: Sequence[Session]) -> None:
        config = config_of(f"m{len(matches) + 1}")
        matches.append(world.service.start_match(config, table, header=HEADER))

    world.reception.open_lobby(Lobby(seats=4, may_share=False, start=start, matches=2))
    peers = world.table()
    play_to_end(world, peers, matches[0])
    world.clock.settle()
    frames = [referee_pb2.PlayResponse.FromString(raw) for peer in peers for raw in peer.link.raw]
    assert len(matches) == 2
    assert {update.match for frame in frames for update in frame.updates} == {1}

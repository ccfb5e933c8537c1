"""The store in memory: what it shows to tests, and what it lets go of."""

from referee.store.memory import MemoryStore
from tests.unit.store.facts import HEADER, SEATS, SECRET, batch, config


def played(store: MemoryStore) -> MemoryStore:
    store.begin_event(SECRET)
    store.open_match(config("m"), HEADER, SEATS)
    store.append([batch("m", 0, 2, last=True)])
    store.close_match("m")
    store.let_go("m")
    return store


def test_matches_that_were_let_go_can_be_looked_at_but_are_not_left() -> None:
    store = played(MemoryStore())
    assert [len(match.lines) for match in store.matches.values()] == [2]
    assert store.matches["m"].closed
    assert store.left().matches == ()


def test_a_store_that_keeps_nothing_lets_go_of_memory_too() -> None:
    assert played(MemoryStore(keep=False)).matches == {}


def test_a_finished_event_can_be_looked_at_unless_nothing_is_kept() -> None:
    for keep, count in ((True, 1), (False, 0)):
        store = MemoryStore(keep=keep)
        store.begin_event(SECRET)
        store.open_match(config("m"), HEADER, SEATS)
        store.append([batch("m", 0, 1)])
        store.finish_event()
        assert len(store.matches) == count
        assert store.left().matches == ()

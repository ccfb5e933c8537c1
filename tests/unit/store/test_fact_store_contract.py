"""What every `FactStore` keeps, one suite over all of them; a restart is part of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec
import pytest

from referee.formats.records import read_record
from referee.ports import Durability, EventDelivery, FactStore, Left, SeatRow, StoreError
from referee.rules.errors import RefereeBug
from referee.store.memory import MemoryStore
from referee.store.records import RecordFolder
from referee.store.sqlite import SqliteStore
from tests.unit.formats.placed import place_of
from tests.unit.store.facts import (
    HEADER,
    SEATS,
    SECRET,
    batch,
    config,
    fact,
    instance,
    session,
)


class House(Protocol):
    """A place for one store, in which processes follow each other."""

    folder: Path  # of the records

    def open(self, *, records: bool = True) -> FactStore:
        """Return the store as a new process finds it. The one before it was killed."""


class MemoryHouse:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store: MemoryStore | None = None

    def open(self, *, records: bool = True) -> FactStore:
        if self._store is None:
            self._store = MemoryStore(RecordFolder(self.folder) if records else None, keep=False)
        else:
            self._store.reopen()
        return self._store


class SqliteHouse:
    def __init__(self, folder: Path, durability: Durability) -> None:
        self.folder = folder
        self._durability = durability
        self._path = folder.parent / "store" / "referee.db"
        self._opened: list[SqliteStore] = []

    def open(self, *, records: bool = True) -> FactStore:
        # the kernel lets go of the lock of a process that was killed, and the rest is as it was
        self._path.with_name("referee.db.lock").unlink(missing_ok=True)
        folder = RecordFolder(self.folder) if records else None
        store = SqliteStore(self._path, durability=self._durability, records=folder)
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()


@pytest.fixture(params=["memory", "process", "power"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    folder = tmp_path / "records"
    if request.param == "memory":
        yield MemoryHouse(folder)
    else:
        sqlite = SqliteHouse(folder, Durability(request.param))
        yield sqlite
        sqlite.close()


def begun(house: House, *names: str, records: bool = True) -> FactStore:
    """Open a store, begin an event, and begin matches of one fact each."""
    store = house.open(records=records)
    assert store.left() == Left()
    store.begin_event(SECRET)
    for name in names:
        store.open_match(config(name), HEADER, SEATS)
    if names:
        store.append([batch(name, 0, 1) for name in names])
    return store


def facts_left(left: Left) -> dict[str, int]:
    return {match.config.match_id: len(match.lines) for match in left.matches}


# --- facts


def test_a_new_store_has_nothing_left(house: House) -> None:
    assert house.open().left() == Left()


def test_what_was_appended_is_left_in_order(house: House) -> None:
    store = begun(house)
    store.open_match(config("a"), HEADER, SEATS)
    store.open_match(config("b"), HEADER, SEATS)
    store.append([batch("b", 0, 2), batch("a", 0, 1)])
    store.append([batch("a", 1, 3)])
    store.append([batch("a", 4, 1), batch("b", 2, 1)])
    left = house.open().left()
    assert [match.config for match in left.matches] == [config("a"), config("b")]
    assert [match.lines for match in left.matches] == [
        tuple(fact(number) for number in range(5)),
        tuple(fact(number) for number in range(3)),
    ]
    for match in left.matches:
        assert (match.header, match.seats, match.over) == (HEADER, SEATS, False)


@pytest.mark.parametrize("first", [0, 1, 3, 4])
def test_a_fact_that_does_not_follow_is_our_bug_and_keeps_nothing(house: House, first: int) -> None:
    store = begun(house, "a", "m")
    store.append([batch("m", 1, 1)])
    with pytest.raises(RefereeBug):
        store.append([batch("a", 1, 1), batch("m", first, 1)])
    store.append([batch("a", 1, 1), batch("m", 2, 1)])
    assert facts_left(house.open().left()) == {"a": 2, "m": 3}


def test_two_batches_of_one_match_follow_each_other_in_one_append(house: House) -> None:
    store = begun(house, "m")
    store.append([batch("m", 1, 2), batch("m", 3, 1, last=True)])
    with pytest.raises(RefereeBug):
        store.append([batch("m", 4, 1)])
    (match,) = house.open().left().matches
    assert (len(match.lines), match.over) == (4, True)


def test_facts_after_the_last_are_our_bug(house: House) -> None:
    store = begun(house, "m")
    with pytest.raises(RefereeBug):
        store.append([batch("m", 1, 1, last=True), batch("m", 2, 1)])
    store.append([batch("m", 1, 1)])
    assert facts_left(house.open().left()) == {"m": 2}


def test_a_batch_without_facts_is_our_bug(house: House) -> None:
    store = begun(house, "m")
    with pytest.raises(RefereeBug):
        store.append([batch("m", 1, 0)])


def test_facts_of_a_match_that_nobody_opened_are_our_bug(house: House) -> None:
    store = begun(house, "m")
    with pytest.raises(RefereeBug):
        store.append([batch("m", 1, 1), batch("unknown", 0, 1)])
    assert facts_left(house.open().left()) == {"m": 1}


def test_a_match_without_facts_is_not_there(house: House) -> None:
    store = begun(house, "m")
    store.open_match(config("later"), HEADER, SEATS)
    store.append([batch("m", 1, 1)])
    left = house.open().left()
    assert facts_left(left) == {"m": 2}
    assert left.started == 1


def test_a_match_is_opened_once(house: House) -> None:
    store = begun(house, "m")
    with pytest.raises(RefereeBug):
        store.open_match(config("m"), HEADER, SEATS)


def test_an_append_of_nothing_is_nothing(house: House) -> None:
    store = begun(house, "m")
    store.append([])
    assert facts_left(house.open().left()) == {"m": 1}


def test_the_facts_that_are_kept_can_be_asked_for(house: House) -> None:
    store = begun(house, "m", "n")
    store.open_match(config("new"), HEADER, SEATS)
    assert list(store.facts("new")) == []
    store.append([batch("m", 1, 2)])
    assert list(store.facts("m")) == [fact(number) for number in range(3)]
    store = house.open()
    store.left()
    store.append([batch("m", 3, 1)])
    assert list(store.facts("m")) == [fact(number) for number in range(4)]
    with pytest.raises(RefereeBug):
        store.facts("unknown")


# --- processes


def test_each_process_has_a_higher_epoch(house: House) -> None:
    assert [house.open().epoch for _ in range(3)] == [1, 2, 3]


def test_the_next_process_goes_on_where_facts_end(house: House) -> None:
    begun(house, "m")
    store = house.open()
    store.left()
    store.append([batch("m", 1, 2)])
    with pytest.raises(RefereeBug):
        store.append([batch("m", 1, 1)])
    store.open_match(config("n"), HEADER, SEATS)
    store.append([batch("n", 0, 1), batch("m", 3, 1, last=True)])
    last = house.open()
    left = last.left()
    assert facts_left(left) == {"m": 4, "n": 1}
    assert (left.started, left.over) == (2, 1)
    last.close_match("m")
    path = left.matches[0].record_path
    assert path is not None
    assert len(read_record(Path(path).read_bytes().splitlines()).facts) == 4


# --- the event


def test_matches_are_counted_as_they_begin_and_end(house: House) -> None:
    store = begun(house, "a", "b", "c")
    store.append([batch("a", 1, 1, last=True), batch("c", 1, 1, last=True)])
    store.close_match("a")
    store.let_go("a")
    left = house.open().left()
    assert (left.event_secret, left.started, left.over) == (SECRET, 3, 2)


def test_a_new_event_has_nothing_of_the_one_before(house: House) -> None:
    store = begun(house, "m")
    store.keep_instance(instance("i0"))
    store.keep_session(session("i0"))
    store.begin_event(b"x" * 32)
    left = house.open().left()
    assert left == Left(event_secret=b"x" * 32)


@pytest.mark.parametrize("practice", [False, True])
def test_a_secret_that_a_person_chose_stays_one(house: House, practice: bool) -> None:
    house.open().begin_event(SECRET, practice=practice)
    assert house.open().left().practice is practice


def test_a_finished_event_leaves_nothing(house: House) -> None:
    store = begun(house, "m")
    store.keep_instance(instance("i0"))
    store.keep_session(session("i0"))
    store.finish_event()
    store = house.open()
    assert store.left() == Left()
    store.begin_event(SECRET)
    store.open_match(config("m"), HEADER, SEATS)  # the same names again
    store.append([batch("m", 0, 1)])
    assert facts_left(house.open().left()) == {"m": 1}


def test_finishing_an_event_writes_the_records_that_are_missing(house: House) -> None:
    store = begun(house, "m")
    store.append([batch("m", 1, 1, last=True)])
    store.finish_event()
    record = read_record((house.folder / "m.jsonl").read_bytes().splitlines())
    assert (record.complete, len(record.facts)) == (True, 2)


# --- instances and sessions


def test_instances_and_sessions_are_left(house: House) -> None:
    store = begun(house)
    for name in ("i0", "i1"):
        store.keep_instance(instance(name, token=name == "i0"))
        store.keep_session(session(name, next_number=4, max_matches=64))
    left = house.open().left()
    assert left.instances == (instance("i0"), instance("i1", token=False))
    assert left.sessions == tuple(
        session(name, next_number=4, max_matches=64) for name in ("i0", "i1")
    )


def test_a_session_takes_the_place_of_the_older_one(house: House) -> None:
    store = begun(house)
    store.keep_instance(instance("i0"))
    store.keep_instance(msgspec.structs.replace(instance("i0"), name="other"))
    store.keep_session(session("i0", next_number=9))
    newer = msgspec.structs.replace(session("i0"), secret=b"newer")
    store.keep_session(newer)
    left = house.open().left()
    assert [one.name for one in left.instances] == ["other"]
    assert left.sessions == (newer,)


def test_all_of_hello_but_its_token_is_kept(house: House) -> None:
    store = begun(house)
    hello = msgspec.structs.replace(
        session("i0").hello,
        bot_version="2",
        sdk="py",
        session_token="secret-token",
        snapshots=False,
        legal_plays=False,
        events=EventDelivery.WITH_ASKS,
    )
    store.keep_session(msgspec.structs.replace(session("i0"), hello=hello))
    (kept,) = house.open().left().sessions
    assert kept.hello == msgspec.structs.replace(hello, session_token=None)


def test_the_number_of_the_next_match_is_counted(house: House) -> None:
    store = begun(house)
    for name in ("i0", "i1", "i2", "i3"):
        store.keep_session(session(name, next_number=2))
    seats = [SeatRow(instance_id=f"i{seat}", number=seat + 1) for seat in range(4)]
    store.open_match(config("m"), HEADER, seats)
    store.append([batch("m", 0, 1, last=True)])
    store.close_match("m")
    store.let_go("m")
    left = house.open().left()
    assert [one.next_number for one in left.sessions] == [2, 3, 4, 5]


def test_a_dropped_session_goes_with_the_next_append(house: House) -> None:
    store = begun(house, "m")
    for name in ("i0", "i1"):
        store.keep_instance(instance(name, token=name == "i0"))
        store.keep_session(session(name))
    store.drop_session("i0")
    store.drop_session("i1")
    store.drop_session("unknown")
    store.append([batch("m", 1, 1)])
    left = house.open().left()
    assert left.sessions == ()
    assert left.instances == (instance("i0"),)  # its token is good for another session


def test_a_drop_that_nothing_was_appended_after_is_lost_with_the_process(house: House) -> None:
    store = begun(house, "m")
    store.keep_session(session("i0"))
    store.drop_session("i0")
    store = house.open()
    assert store.left().sessions == (session("i0"),)
    store.append([batch("m", 1, 1)])
    assert house.open().left().sessions == (session("i0"),)


def test_a_session_that_is_kept_after_the_drop_stays(house: House) -> None:
    store = begun(house, "m")
    store.keep_instance(instance("i0", token=False))
    store.keep_session(session("i0", next_number=5))
    store.drop_session("i0")
    store.keep_instance(instance("i0", token=False))
    store.keep_session(session("i0"))
    store.append([batch("m", 1, 1)])
    left = house.open().left()
    assert left.instances == (instance("i0", token=False),)
    assert left.sessions == (session("i0"),)


# --- ends


def test_a_record_is_written_at_the_end_and_not_before(house: House) -> None:
    store = begun(house)
    path = store.open_match(config("m"), HEADER, SEATS)
    assert path == str(house.folder / "m.jsonl")
    store.append([batch("m", 0, 2)])
    store.append([batch("m", 2, 1, last=True)])
    assert list(house.folder.iterdir()) == []
    store.close_match("m")
    store.close_match("m")
    assert [file.name for file in house.folder.iterdir()] == ["m.jsonl"]
    record = read_record(Path(path).read_bytes().splitlines(keepends=True))
    assert record.complete
    assert (record.config, len(record.facts)) == (config("m"), 3)
    assert (record.header.practice, record.header.isolation) == (True, "declared")


def test_the_place_in_a_ladder_is_kept_and_on_record(house: House) -> None:
    place = place_of(board=4, leg=2)
    store = begun(house)
    store.open_match(config("m"), msgspec.structs.replace(HEADER, place=place), SEATS)
    store.append([batch("m", 0, 1)])
    store = house.open()
    (left,) = store.left().matches
    assert left.header == msgspec.structs.replace(HEADER, place=place)
    store.append([batch("m", 1, 1, last=True)])
    path = store.close_match("m")
    assert path is not None
    assert read_record(Path(path).read_bytes().splitlines()).header.place == place


def test_closing_tells_where_the_record_is_again_and_again(house: House) -> None:
    store = begun(house, "m", "n")
    store.append([batch("m", 1, 1, last=True), batch("n", 1, 1, last=True)])
    (house.folder / "m.jsonl").write_text("of somebody else")
    for _ in range(2):
        assert store.close_match("m") == str(house.folder / "m-2.jsonl")
        assert store.close_match("n") == str(house.folder / "n.jsonl")


def test_a_folder_that_is_made_is_for_its_owner_alone(house: House) -> None:
    begun(house)
    assert house.folder.stat().st_mode & 0o777 == 0o700


def test_a_match_that_is_not_over_has_no_record(house: House) -> None:
    store = begun(house, "m")
    with pytest.raises(RefereeBug):
        store.close_match("m")
    assert list(house.folder.iterdir()) == []


def test_a_store_without_a_folder_writes_no_record(house: House, tmp_path: Path) -> None:
    store = begun(house, records=False)
    assert store.open_match(config("m"), HEADER, SEATS) is None
    store.append([batch("m", 0, 1, last=True)])
    assert store.close_match("m") is None
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_match_that_is_over_is_left_until_it_is_let_go(house: House) -> None:
    store = begun(house, "m", "n")
    store.append([batch("m", 1, 1, last=True)])
    store.close_match("m")
    store = house.open()
    left = store.left()
    assert [(match.config.match_id, match.over) for match in left.matches] == [
        ("m", True),
        ("n", False),
    ]
    record = (house.folder / "m.jsonl").read_bytes()
    store.close_match("m")
    assert (house.folder / "m.jsonl").read_bytes() == record
    assert len(list(house.folder.iterdir())) == 1
    store.let_go("m")
    store.let_go("m")
    store.append([batch("n", 1, 1)])
    store.close()
    assert facts_left(house.open().left()) == {"n": 2}


def test_letting_go_of_a_match_that_is_not_there_is_nothing(house: House) -> None:
    begun(house, "m").let_go("unknown")


def test_a_match_that_never_had_facts_is_let_go_at_once_with_its_name(house: House) -> None:
    store = begun(house, "n")
    path = store.open_match(config("m"), HEADER, SEATS)
    store.let_go("m")
    assert store.open_match(config("m"), HEADER, SEATS) == path
    store.append([batch("m", 0, 2)])
    assert facts_left(house.open().left()) == {"n": 1, "m": 2}


def test_a_record_whose_process_was_killed_before_it_noted_it_is_not_written_twice(
    house: House,
) -> None:
    store = begun(house, "m")
    store.append([batch("m", 1, 1, last=True)])
    store.close_match("m")  # that it was written is noted with the next append
    for _ in range(2):
        store = house.open()
        (match,) = store.left().matches
        assert match.record_path == str(house.folder / "m.jsonl")
        store.close_match("m")
    assert [file.name for file in house.folder.iterdir()] == ["m.jsonl"]


def test_another_record_of_that_name_stays_and_ours_gets_the_next(house: House) -> None:
    store = begun(house, "m")
    store.append([batch("m", 1, 1, last=True)])
    (house.folder / "m.jsonl").write_text("of somebody else")
    store.close_match("m")
    assert (house.folder / "m.jsonl").read_text() == "of somebody else"
    assert read_record((house.folder / "m-2.jsonl").read_bytes().splitlines()).complete


def test_a_name_that_is_promised_is_promised_to_no_other(house: House) -> None:
    (house.folder / "m.jsonl").mkdir(parents=True)
    store = begun(house)
    path = store.open_match(config("m"), HEADER, SEATS)
    assert path == str(house.folder / "m-2.jsonl")
    store.append([batch("m", 0, 1)])
    store = house.open()
    assert store.left().matches[0].record_path == path
    assert store.open_match(config("m-2"), HEADER, SEATS) == str(house.folder / "m-2-2.jsonl")


def test_a_record_that_cannot_be_written_can_be_tried_again(house: House) -> None:
    store = begun(house, "m", "n")
    store.append([batch("m", 1, 1, last=True)])
    house.folder.rmdir()
    with pytest.raises(StoreError):
        store.close_match("m")
    with pytest.raises(StoreError):
        store.finish_event()
    store.let_go("m")
    store.append([batch("n", 1, 1)])
    store.close()
    store = house.open()  # makes the folder again
    house.folder.mkdir(exist_ok=True)
    assert facts_left(store.left()) == {"m": 2, "n": 2}
    store.close_match("m")
    assert read_record((house.folder / "m.jsonl").read_bytes().splitlines()).complete


@pytest.mark.parametrize("name", ["../m", "", "a/b", ".hidden", "x" * 101])
def test_a_match_cannot_name_a_file_elsewhere(house: House, name: str) -> None:
    store = begun(house)
    with pytest.raises(StoreError, match="cannot be the name of a file"):
        store.open_match(config(name), HEADER, SEATS)


def test_closing_twice_is_closing_once(house: House) -> None:
    store = begun(house, "m")
    store.close()
    store.close()

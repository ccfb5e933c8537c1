"""The store in a file: its owner, what the disk and others do to it, and how it forgets."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.ports import Durability, StoreError, StoreFenced
from referee.rules.errors import ConfigError
from referee.store.records import RecordFolder
from referee.store.sqlite import SqliteStore
from tests.unit.store.facts import HEADER, SEATS, SECRET, batch, config, instance, session

Open = Callable[[], SqliteStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    stores: list[SqliteStore] = []

    def reopened() -> SqliteStore:
        stores.append(SqliteStore(path, durability=Durability.PROCESS))
        return stores[-1]

    yield reopened
    for store in stores:
        store.close()


def begun(store: SqliteStore, *names: str) -> SqliteStore:
    store.begin_event(SECRET)
    for name in names:
        store.open_match(config(name), HEADER, SEATS)
    store.append([batch(name, 0, 1) for name in names])
    return store


def facts_left(store: SqliteStore) -> dict[str, int]:
    return {match.config.match_id: len(match.lines) for match in store.left().matches}


# --- owners


def test_a_second_process_is_refused_with_the_name_of_the_owner(opened: Open, path: Path) -> None:
    opened()
    with pytest.raises(ConfigError) as refused:
        SqliteStore(path, durability=Durability.PROCESS)
    said = str(refused.value)
    assert said.startswith(f"store {path}: in use by pid {os.getpid()} on ")
    assert said.endswith("Z; stop it, or choose another --store")


def test_a_store_by_another_name_has_the_same_owner(opened: Open, path: Path) -> None:
    opened()
    other = path.with_name("other.db")
    other.symlink_to(path)
    with pytest.raises(ConfigError, match="in use by pid"):
        SqliteStore(other, durability=Durability.PROCESS)


def test_a_store_that_was_closed_has_no_owner(opened: Open) -> None:
    opened().close()
    assert opened().epoch == 2


def test_whoever_is_refused_takes_nothing_over(opened: Open, path: Path) -> None:
    store = begun(opened(), "m")
    with pytest.raises(ConfigError):
        SqliteStore(path, durability=Durability.PROCESS)
    store.append([batch("m", 1, 1)])
    assert store.epoch == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.append([batch("m", 1, 1)]),
        lambda store: store.keep_session(session("i0")),
        lambda store: store.keep_instance(instance("i0")),
        lambda store: store.begin_event(SECRET),
        lambda store: store.finish_event(),
        lambda store: store.facts("m"),
        lambda store: store.close_match("over"),
    ],
)
def test_the_higher_epoch_wins_where_a_second_process_got_past_the_lock(
    call: Callable[[SqliteStore], object], tmp_path: Path
) -> None:
    path, records = tmp_path / "referee.db", RecordFolder(tmp_path / "records")
    older = begun(SqliteStore(path, durability=Durability.PROCESS, records=records), "m", "over")
    older.append([batch("over", 1, 1, last=True)])
    path.with_name("referee.db.lock").unlink()
    newer = SqliteStore(path, durability=Durability.PROCESS)
    with pytest.raises(StoreFenced, match=rf"taken over by pid {os.getpid()} on .* \(epoch 2\)"):
        call(older)
    older.close()
    assert facts_left(newer) == {"m": 1, "over": 2}
    assert list((tmp_path / "records").iterdir()) == []
    newer.append([batch("m", 1, 1)])
    newer.close()


# --- files


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277])
def test_all_files_are_for_their_owner_alone(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        store = begun(SqliteStore(path, durability=Durability.PROCESS), "m")
    finally:
        os.umask(before)
    names = sorted(file.name for file in path.parent.iterdir())
    assert names == ["referee.db", "referee.db-shm", "referee.db-wal", "referee.db.lock"]
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    store.close()


def test_a_store_that_others_could_read_is_closed_to_them(opened: Open, path: Path) -> None:
    begun(opened(), "m").close()
    path.chmod(0o644)
    opened()
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_the_folder_is_made(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "a" / "b" / "x.db", durability=Durability.POWER).close()
    assert (tmp_path / "a" / "b" / "x.db").exists()


def test_no_token_and_no_word_of_it_is_in_the_files(opened: Open, path: Path) -> None:
    store = begun(opened(), "m")
    hello = session("i0").hello
    assert hello.session_token is None
    store.keep_session(session("i0"))
    store.close()
    assert b'session_token":"' not in path.read_bytes()


# --- what cannot be opened


def refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as refused:
        SqliteStore(path, durability=Durability.PROCESS)
    said = str(refused.value)
    assert "\n" not in said
    return said


def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(path: Path) -> None:
    path.write_text("minutes of the meeting, " * 100)
    path.chmod(0o640)
    assert refusal(path) == (
        f"store {path}: this is no store but another file; choose another --store"
    )
    assert path.read_text() == "minutes of the meeting, " * 100
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_database_of_another_program_is_refused_and_stays_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE invoices (id)")
        other.commit()
    before = path.read_bytes()
    assert refusal(path) == (
        f"store {path}: this is a database of another program; choose another --store"
    )
    assert path.read_bytes() == before


def test_an_empty_file_is_a_new_store(opened: Open, path: Path) -> None:
    path.touch()
    assert opened().epoch == 1


@pytest.mark.parametrize(("version", "age"), [(0, "an older"), (2, "a newer")])
def test_a_store_of_another_release_is_refused(
    opened: Open, path: Path, version: int, age: str
) -> None:
    opened().close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {version}")
    assert refusal(path) == (
        f"store {path}: written by {age} release (schema {version}, here 1); end its matches with "
        "that release, or choose another --store"
    )


def test_a_damaged_file_is_refused(opened: Open, path: Path) -> None:
    store = begun(opened(), "m")
    for number in range(1, 200):
        store.append([batch("m", number, 1)])
    store.close()
    data = bytearray(path.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
    path.write_bytes(data)
    assert "the file is damaged; put a copy in its place" in refusal(path)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("DELETE FROM facts WHERE first_seq = 1", "match m has 1 facts before number 2"),
        ("DELETE FROM facts", "match m has no facts"),
        ("UPDATE matches SET header = replace(header, 'version\":1', 'version\":9')", "version 9"),
        ("UPDATE matches SET seats = '[{}]'", "instance_id"),
        ("UPDATE sessions SET hello = '[]'", "Expected `object`"),
    ],
)
def test_what_makes_no_sense_is_refused(opened: Open, path: Path, damage: str, says: str) -> None:
    store = begun(opened(), "m")
    store.keep_session(session("i0"))
    for number in range(1, 4):
        store.append([batch("m", number, 1)])
    store.close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(damage)
        other.commit()
    with pytest.raises(ConfigError, match="choose another --store") as refused:
        opened().left()
    assert says in str(refused.value)


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert refusal(tmp_path / "x") == f"store {tmp_path / 'x'}: this is a folder; name a file in it"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "its folder cannot be made" in refusal(tmp_path / "file" / "x.db")


def test_a_disk_that_is_full_at_the_start_is_no_foreign_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    assert "No space left on device; make space, or choose" in refusal(path)


# --- what happens while it is in use


@contextmanager
def another_writer(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_what_waits_survives_a_transaction_that_failed(opened: Open, path: Path) -> None:
    store = begun(opened(), "m")
    store.keep_instance(instance("i0", token=False))
    store.keep_session(session("i0"))
    store.append([batch("m", 1, 1, last=True)])
    store.close_match("m")
    store.drop_session("i0")
    store.open_match(config("n"), HEADER, SEATS)
    with another_writer(path), pytest.raises(StoreError, match="another program is writing to it"):
        store.append([batch("n", 0, 2)])
    store.append([batch("n", 0, 2)])
    store.close()
    left = opened().left()
    assert [(match.config.match_id, len(match.lines)) for match in left.matches] == [
        ("m", 2),
        ("n", 2),
    ]
    assert (left.started, left.over) == (2, 1)
    assert (left.instances, left.sessions) == ((), ())


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.keep_session(session("i0")),
        lambda store: store.keep_instance(instance("i0")),
        lambda store: store.begin_event(SECRET),
        lambda store: store.finish_event(),
    ],
)
def test_every_call_that_keeps_something_can_be_made_again(
    opened: Open, path: Path, call: Callable[[SqliteStore], object]
) -> None:
    store = begun(opened(), "m")
    with another_writer(path), pytest.raises(StoreError):
        call(store)
    store.append([batch("m", 1, 1)])
    call(store)


def test_a_full_database_keeps_all_or_nothing_and_goes_on_when_there_is_space(
    opened: Open,
) -> None:
    store = begun(opened(), "m", "n")
    db = store._transactions._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 2}")
    facts = 1
    for _ in range(5):
        store.append([batch("m", facts, 2), batch("n", facts, 2)])
        facts += 2
    with pytest.raises(StoreError, match="no space is left on its disk; make space"):
        store.append([batch("m", facts, 400), batch("n", facts, 400)])
    with pytest.raises(StoreError):
        store.append([batch("m", facts, 400), batch("n", facts, 400)])
    assert len(store.facts("m")) == len(store.facts("n")) == facts
    db.execute("PRAGMA max_page_count = 100000")
    store.append([batch("m", facts, 400), batch("n", facts, 400)])
    store.close()
    assert facts_left(opened()) == {"m": facts + 400, "n": facts + 400}


@pytest.mark.parametrize("name", ["referee.db", "referee.db-wal"])
def test_a_file_that_was_removed_or_replaced_takes_nothing(
    opened: Open, path: Path, name: str
) -> None:
    store, file = begun(opened(), "m"), path.with_name(name)
    aside = file.rename(file.with_name("aside"))
    for _ in range(2):
        with pytest.raises(StoreError, match=f"{name}: the file was removed or replaced"):
            store.append([batch("m", 1, 1)])
        file.write_bytes(b"another")
    aside.replace(file)
    store.append([batch("m", 1, 1)])
    store.close()
    assert facts_left(opened()) == {"m": 2}


def test_a_store_that_took_the_place_of_ours_is_left_alone(opened: Open, path: Path) -> None:
    store = begun(opened(), "m")
    moved = path.parent / "moved"
    moved.mkdir()
    for file in list(path.parent.glob("referee.db*")):
        file.rename(moved / file.name)
    newer = begun(opened(), "other")
    with pytest.raises(StoreError):
        store.append([batch("m", 1, 1)])
    store.close()
    newer.append([batch("other", 1, 1)])
    path.with_name("referee.db.lock").unlink()  # as if it were killed
    assert facts_left(opened()) == {"other": 2}


def test_a_store_that_is_closed_keeps_nothing(opened: Open) -> None:
    store = begun(opened(), "m")
    store.close()
    with pytest.raises(StoreError, match="it was closed"):
        store.append([batch("m", 1, 1)])


def test_facts_that_somebody_removed_make_no_record(tmp_path: Path, path: Path) -> None:
    records = RecordFolder(tmp_path / "records")
    store = begun(SqliteStore(path, durability=Durability.PROCESS, records=records), "m")
    store.append([batch("m", 1, 1)])
    store.append([batch("m", 2, 1, last=True)])
    with closing(sqlite3.connect(path)) as other:
        other.execute("DELETE FROM facts WHERE first_seq = 1")
        other.commit()
    with pytest.raises(StoreError, match="2 facts of match m are left of 3"):
        store.close_match("m")
    assert list((tmp_path / "records").iterdir()) == []
    store.close()


# --- forgetting


class Seconds:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def rows(path: Path) -> dict[str, int]:
    """Return how many rows the tables of matches and facts have, as another reader sees them."""
    with closing(sqlite3.connect(path)) as other:
        return {
            table: other.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("matches", "facts")
        }


def test_a_match_that_was_let_go_is_there_for_five_seconds(path: Path) -> None:
    clock = Seconds()
    store = begun(SqliteStore(path, durability=Durability.PROCESS, now_s=clock), "m", "n")
    store.append([batch("m", 1, 1, last=True)])
    store.close_match("m")
    store.let_go("m")
    clock.now += 4.9
    store.append([batch("n", 1, 1)])
    assert rows(path)["matches"] == 2
    clock.now += 0.1
    with another_writer(path), pytest.raises(StoreError):
        store.append([batch("n", 2, 1)])
    assert rows(path)["matches"] == 2
    store.append([batch("n", 2, 1)])
    assert rows(path)["matches"] == 1
    store.close()


def test_a_name_can_be_given_again_once_its_match_was_let_go(path: Path) -> None:
    store = begun(SqliteStore(path, durability=Durability.PROCESS), "m", "n")
    store.append([batch("m", 1, 1, last=True)])
    store.close_match("m")
    store.let_go("m")
    store.open_match(config("m"), HEADER, SEATS)
    store.append([batch("m", 0, 1)])
    store.append([batch("m", 1, 1)])
    assert len(store.facts("m")) == 2
    assert rows(path)["matches"] == 2
    store.close()


def test_a_record_that_could_not_be_written_is_written_before_its_match_is_forgotten(
    tmp_path: Path, path: Path
) -> None:
    clock, folder = Seconds(), tmp_path / "records"
    store = SqliteStore(
        path, durability=Durability.PROCESS, records=RecordFolder(folder), now_s=clock
    )
    begun(store, "m", "n")
    store.append([batch("m", 1, 1, last=True)])
    folder.rmdir()
    with pytest.raises(StoreError):
        store.close_match("m")
    store.let_go("m")
    clock.now += 5
    store.append([batch("n", 1, 1)])
    assert rows(path)["matches"] == 2
    folder.mkdir()
    clock.now += 5
    store.append([batch("n", 2, 1)])
    assert rows(path)["matches"] == 1
    assert [file.name for file in folder.iterdir()] == ["m.jsonl"]
    store.close()


def test_facts_of_forgotten_matches_go_a_few_at_a_time_and_all_of_them(path: Path) -> None:
    clock = Seconds()
    store = begun(SqliteStore(path, durability=Durability.PROCESS, now_s=clock), "long")
    most, long = 0, 1
    for number in range(300):
        name = f"m{number}"
        store.open_match(config(name), HEADER, SEATS)
        for first in range(60):
            store.append([batch(name, first, 1, last=first == 59), batch("long", long, 1)])
            long += 1
            clock.now += 0.1
        store.close_match(name)
        store.let_go(name)
        most = max(most, rows(path)["facts"] - long)
    assert most < 2 * 4_096 + long  # live ones may be as many again before a sweep
    assert len(store.facts("long")) == long
    store.close()
    with closing(SqliteStore(path, durability=Durability.PROCESS)) as again:
        assert facts_left(again) == {"long": long}
        assert rows(path)["facts"] == long  # what is dead does not outlive the next opening


def test_the_log_of_the_database_does_not_grow_for_ever(
    opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.store.checkpoints._EVERY_BYTES", 100_000)
    monkeypatch.setattr("referee.store.checkpoints._LONG_LOG", 100)
    store = begun(opened(), "m")
    log, facts, seen = path.with_name("referee.db-wal"), 1, 0
    for _ in range(20_000):
        store.append([batch("m", facts, 100)])
        facts += 100
        if log.stat().st_size == seen:  # it was begun anew, and is written from its start
            break
        seen = log.stat().st_size
    else:
        pytest.fail(f"after {facts} facts the log has {seen} bytes and was never begun anew")
    store.close()
    assert facts_left(opened()) == {"m": facts}

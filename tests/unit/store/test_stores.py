"""Stores keep every fact once and in order; records appear complete or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.formats.records import read_record
from referee.match.facts import Faulted, MatchEnded, encode_fact
from referee.match.values import Ending, MatchConfig, Player, Settings
from referee.ports import Batch, FactStore, MatchHeader, StoreError
from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.options import RuleOptions
from referee.store.memory import ForgetfulStore, MemoryStore
from referee.store.records import RecordStore

HEADER = MatchHeader(practice=False, isolation="isolated")
FAULT = encode_fact(Faulted(at=1, ending=Ending.CANCELLED))
END = encode_fact(MatchEnded(at=1, ending=Ending.CANCELLED, totals=(0, 0), rounds=0))


def config(match_id: str = "m") -> MatchConfig:
    players = tuple(Player(name="p", bot_seed="00" * 32) for _ in range(4))
    return MatchConfig(match_id=match_id, settings=Settings(rules=RuleOptions()), players=players)


@pytest.mark.parametrize("make", [MemoryStore, lambda: None])
def test_a_fact_that_is_out_of_order_is_our_bug(
    make: Callable[[], FactStore | None], tmp_path: Path
) -> None:
    store = make() or RecordStore(tmp_path)
    store.open_match(config(), HEADER)
    store.append([Batch(match_id="m", first_seq=0, lines=[FAULT])])
    for wrong in (0, 2):
        with pytest.raises(RefereeBug):
            store.append([Batch(match_id="m", first_seq=wrong, lines=[END])])


def test_a_record_is_a_part_until_its_match_is_over(tmp_path: Path) -> None:
    store = RecordStore(tmp_path / "new")
    path = Path(store.open_match(config(), HEADER))
    part = path.with_name("m.jsonl.part")
    store.append([Batch(match_id="m", first_seq=0, lines=[FAULT])])
    assert not path.exists()
    assert part.read_bytes().endswith(FAULT + b"\n")
    store.append([Batch(match_id="m", first_seq=1, lines=[END])])
    store.close_match("m")
    assert not part.exists()
    record = read_record(path.read_bytes().splitlines(keepends=True))
    assert record.complete
    assert len(record.facts) == 2
    assert record.config == config()
    assert (record.header.practice, record.header.isolation) == (False, "isolated")


def test_a_record_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    path = store.open_match(config(), HEADER)
    assert os.stat(f"{path}.part").st_mode & 0o777 == 0o600
    store.close()


def test_an_older_record_of_the_same_name_stays(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("older")
    (tmp_path / "m-2.jsonl.part").write_text("cut off")
    store = RecordStore(tmp_path)
    assert store.open_match(config(), HEADER) == str(tmp_path / "m-3.jsonl")
    assert (tmp_path / "m.jsonl").read_text() == "older"
    store.close()


@pytest.mark.parametrize("name", ["../m", "", "a/b", ".hidden", "x" * 101])
def test_a_match_cannot_name_a_file_elsewhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be the name of a file"):
        RecordStore(tmp_path).open_match(config(name), HEADER)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="record folder"):
        RecordStore(tmp_path / "file")


def test_a_write_that_fails_is_a_store_error(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.open_match(config(), HEADER)
    store._open["m"].file = os.open(tmp_path, os.O_RDONLY)  # cannot be written
    with pytest.raises(StoreError):
        store.append([Batch(match_id="m", first_seq=0, lines=[FAULT])])
    store.close()


def test_a_store_that_forgets_leaves_nothing(tmp_path: Path) -> None:
    store: FactStore = ForgetfulStore()
    assert store.open_match(config(), HEADER) is None
    store.append([Batch(match_id="m", first_seq=0, lines=[FAULT])])
    store.close_match("m")
    assert not list(tmp_path.iterdir())

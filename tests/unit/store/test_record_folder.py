"""Records on disk are complete or not there, and a name that is taken stays taken."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from referee.formats.records import header_line, read_record
from referee.ports import Durability, StoreError
from referee.rules.errors import ConfigError
from referee.store.records import RecordFolder, record_bytes
from tests.unit.store.facts import config, end, fact

HEADER_LINE = header_line(config(), practice=False)
RECORD = record_bytes(HEADER_LINE, [fact(0), end(1)])


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_record_reads_as_what_it_was_made_of() -> None:
    record = read_record(RECORD.splitlines(keepends=True))
    assert (record.complete, record.config, len(record.facts)) == (True, config(), 2)


@pytest.mark.parametrize("durability", Durability)
def test_a_record_is_for_its_owner_alone_whatever_the_mask(
    tmp_path: Path, durability: Durability
) -> None:
    folder = RecordFolder(tmp_path, durability=durability)
    before = os.umask(0o277)
    try:
        path = folder.write(str(folder.place("m")), RECORD)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["m.jsonl"]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="record folder"):
        RecordFolder(tmp_path / "file")


def test_the_same_record_is_written_once(tmp_path: Path) -> None:
    for _ in range(2):  # the second is another process
        assert RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD).name == "m.jsonl"
    assert names(tmp_path) == ["m.jsonl"]


def test_the_same_record_under_its_number_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("another")
    for _ in range(2):
        assert RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD).name == "m-2.jsonl"
    assert names(tmp_path) == ["m-2.jsonl", "m.jsonl"]
    assert (tmp_path / "m.jsonl").read_text() == "another"


def test_another_record_of_the_same_length_is_another(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_bytes(b"x" * len(RECORD))
    assert RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD).name == "m-2.jsonl"


def test_a_promised_name_is_free_again_after_its_record_went_elsewhere(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path)
    first, second = folder.place("m"), folder.place("m")
    assert [first.name, second.name] == ["m.jsonl", "m-2.jsonl"]
    first.write_text("of somebody else")
    assert folder.write(str(first), RECORD).name == "m-3.jsonl"  # m-2 is promised
    first.unlink()
    assert folder.place("m") == first


def test_a_draft_that_a_killed_process_left_is_used_up(tmp_path: Path) -> None:
    (tmp_path / ".m.jsonl.draft").write_bytes(b"half of it, and longer " * 1_000)
    RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD)
    assert names(tmp_path) == ["m.jsonl"]
    assert (tmp_path / "m.jsonl").read_bytes() == RECORD


def test_a_draft_that_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    draft = tmp_path / ".m.jsonl.draft"
    draft.write_bytes(b"half")
    with draft.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD)
    assert draft.read_bytes() == b"half"
    assert (tmp_path / "m.jsonl").read_bytes() == RECORD


def test_a_folder_that_went_is_a_store_error_and_leaves_nothing(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path / "records")
    path = folder.place("m")
    path.parent.rmdir()
    with pytest.raises(StoreError, match="No such file or directory"):
        folder.write(str(path), RECORD)
    path.parent.mkdir()
    assert folder.write(str(path), RECORD) == path


@pytest.mark.parametrize("durability", Durability)
def test_a_file_system_without_links_gets_its_records_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability
) -> None:
    def no_links(source: object, target: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    folder = RecordFolder(tmp_path, durability=durability)
    assert folder.write(str(folder.place("m")), RECORD).read_bytes() == RECORD
    assert names(tmp_path) == ["m.jsonl"]


def test_a_record_that_appears_while_ours_is_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def late(source: Path, target: Path) -> None:
        monkeypatch.undo()
        target.write_text("of somebody who was faster")
        link(source, target)

    monkeypatch.setattr("os.link", late)
    folder = RecordFolder(tmp_path)
    assert folder.write(str(folder.place("m")), RECORD).name == "m-2.jsonl"
    assert (tmp_path / "m.jsonl").read_text() == "of somebody who was faster"


def test_names_without_end_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.store.records._MOST_NAMESAKES", 4)
    folder = RecordFolder(tmp_path)
    for _ in range(3):
        folder.place("m")
    with pytest.raises(StoreError, match="too many records named m"):
        folder.place("m")


def killed_before_the_draft_was_unlinked(folder: Path) -> Path:
    record = RecordFolder(folder).write(str(folder / "m.jsonl"), RECORD)
    os.link(record, folder / ".m.jsonl.draft")
    return record


def test_the_second_name_of_a_finished_record_goes(tmp_path: Path) -> None:
    killed_before_the_draft_was_unlinked(tmp_path)
    assert RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), RECORD).name == "m.jsonl"
    assert names(tmp_path) == ["m.jsonl"]


def test_a_record_that_was_moved_away_is_not_written_into(tmp_path: Path) -> None:
    archived = killed_before_the_draft_was_unlinked(tmp_path).rename(tmp_path / "archived")
    another = record_bytes(HEADER_LINE, [fact(0), fact(1), end(2)])
    RecordFolder(tmp_path).write(str(tmp_path / "m.jsonl"), another)
    assert archived.read_bytes() == RECORD
    assert (tmp_path / "m.jsonl").read_bytes() == another
    assert names(tmp_path) == ["archived", "m.jsonl"]

"""Rulings as a file: numbered, chained, and refused once a byte of it was changed."""

import hashlib
import json
import stat
from pathlib import Path

import pytest

from referee.ladder.values import RulingKind
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal


def journal(folder: Path) -> RulingJournal:
    return RulingJournal(folder / "rulings.jsonl", "cup")


def test_where_no_file_is_there_are_no_rulings(tmp_path: Path) -> None:
    assert journal(tmp_path).rulings() == ()
    assert not (tmp_path / "rulings.jsonl").exists()


def test_rulings_are_numbered_and_another_process_reads_them(tmp_path: Path) -> None:
    writer, reader = journal(tmp_path), journal(tmp_path)
    first = writer.append(RulingKind.WITHDRAW, "ann", "went home")
    assert reader.rulings() == (first,)
    second = reader.append(RulingKind.REPLACE, "bob", "a fix", version="sha256:1")
    assert (first.number, second.number) == (1, 2)
    assert writer.rulings() == (first, second)
    assert stat.S_IMODE((tmp_path / "rulings.jsonl").stat().st_mode) == 0o600


def test_each_line_is_chained_to_the_one_before(tmp_path: Path) -> None:
    one = journal(tmp_path)
    one.append(RulingKind.FREEZE, "", "over")
    one.append(RulingKind.ANNUL, "a~b/3", "a fault of ours")
    chain = b""
    for line in (tmp_path / "rulings.jsonl").read_bytes().splitlines():
        fields = json.loads(line)
        said = fields.pop("chain")
        bare = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
        chain = hashlib.sha256(chain + bare).digest()
        assert said == chain.hex()


def test_every_changed_byte_is_refused_with_its_file_and_line(tmp_path: Path) -> None:
    one = journal(tmp_path)
    one.append(RulingKind.DISQUALIFY, "ann", "two bots of one owner")
    one.append(RulingKind.FREEZE, "", "over")
    path = tmp_path / "rulings.jsonl"
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ConfigError, match=r"rulings\.jsonl:[12]: ") as refused:
            journal(tmp_path).rulings()
        assert "\n" not in str(refused.value), at


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_file_cut_short_is_refused_and_nothing_is_added(tmp_path: Path, cut: int) -> None:
    journal(tmp_path).append(RulingKind.FREEZE, "", "over")
    path = tmp_path / "rulings.jsonl"
    short = path.read_bytes()[:-cut]
    path.write_bytes(short)
    with pytest.raises(ConfigError, match="cut short"):
        journal(tmp_path).append(RulingKind.FREEZE, "", "again")
    assert path.read_bytes() == short


def test_a_missing_line_is_refused(tmp_path: Path) -> None:
    one = journal(tmp_path)
    for reason in ("a", "b", "c"):
        one.append(RulingKind.ANNUL, "a~b/1", reason)
    path = tmp_path / "rulings.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(ConfigError, match="jsonl:2: "):
        journal(tmp_path).rulings()


def test_a_journal_of_another_ladder_is_refused(tmp_path: Path) -> None:
    journal(tmp_path).append(RulingKind.FREEZE, "", "over")
    with pytest.raises(ConfigError, match="'cup', not 1 of 'league'"):
        RulingJournal(tmp_path / "rulings.jsonl", "league").rulings()

"""Records that earlier releases wrote: this one must read, verify and show them."""

from pathlib import Path

import pytest

from referee.formats.playthrough import full_view, playthrough
from referee.formats.records import read_record
from referee.match.facts import MatchEnded
from tests.compat.keep import EXPECTED, FOLDER, MATCHES, verified

RELEASES = sorted(path for path in FOLDER.iterdir() if (path / EXPECTED).is_file())
RECORDS = sorted(FOLDER.glob("*/*.jsonl"))


def test_records_were_kept() -> None:
    """An empty list would make the tests below say nothing."""
    assert {record.stem for record in RECORDS} >= MATCHES.keys()


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_the_records_of_a_release_verify_as_they_did_then(release: Path) -> None:
    then = (release / EXPECTED).read_text(encoding="utf-8")
    assert verified(release) == then
    assert then.count(": ok ") == len(then.splitlines()) == len(list(release.glob("*.jsonl")))


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_record_of_a_release_can_be_shown(record: Path) -> None:
    read = read_record(record.read_bytes().splitlines())
    assert isinstance(read.facts[-1], MatchEnded)
    told = list(playthrough(read, full_view(read.config)))
    assert told[-1].startswith(f"match {read.facts[-1].ending}: ")

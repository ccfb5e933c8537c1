"""The record of a match that went on in a new process of the referee (DESIGN 3)."""

import random
from collections.abc import Sequence

import pytest

from referee.formats.playthrough import PUBLIC, full_view, playthrough, seat_view
from referee.formats.records import Record, RecordError, read_record
from referee.formats.verification import Doubt, Verified, verify_record
from referee.match.facts import Fact, Resumed
from referee.rules.seat import Seat
from tests.simulation.rebuilt import resumed
from tests.simulation.table import Table, random_policy, settings
from tests.unit.formats.recorded import record_lines

RESUMES = (1, 20, 20, 60)  # facts that were stored when the referee was killed


def killed(seed: str = "killed") -> Table:
    """A match of random bots whose referee was killed after so many facts, or some more."""
    rng = random.Random(seed)
    policy = random_policy(rng)
    table = Table(settings(), seed=seed).start()
    for epoch, facts in enumerate(RESUMES, start=2):
        while len(table.facts) < facts:
            table.now += rng.randrange(40_000_000)
            seat = rng.choice(table.asked())
            table.answer(seat, policy(table, table.ask(seat)))
        table = resumed(table, epoch=epoch)
    table.play(policy, rng)
    return table


TABLE = killed()


def record_of(facts: Sequence[Fact]) -> Record:
    return read_record(record_lines(TABLE.config, facts))


def test_a_record_with_resumes_is_verified_like_any_other() -> None:
    verified = verify_record(record_of(TABLE.facts))
    assert isinstance(verified, Verified), verified
    assert verified.totals == TABLE.ended.totals
    assert [f.epoch for f in TABLE.facts if isinstance(f, Resumed)] == [2, 3, 4, 5]


def test_a_resume_behind_the_end_of_the_match_is_found() -> None:
    doubt = verify_record(record_of([*TABLE.facts, Resumed(at=TABLE.facts[-1].at, epoch=9)]))
    assert isinstance(doubt, Doubt)
    assert "after the end" in doubt.why


@pytest.mark.parametrize("epoch", [0, -1])
def test_a_resume_by_no_process_is_no_line_of_a_record(epoch: int) -> None:
    with pytest.raises(RecordError, match="epoch"):
        record_of([TABLE.facts[0], Resumed(at=TABLE.facts[0].at, epoch=epoch)])


def test_whoever_sees_all_is_told_of_each_resume_and_nobody_else() -> None:
    record = record_of(TABLE.facts)
    words = "the referee was started again"
    told = [line for line in playthrough(record, full_view(TABLE.config)) if words in line]
    at = [fact.at for fact in TABLE.facts if isinstance(fact, Resumed)]
    assert told == [
        f"{ns / 1e9:9.3f}  [{words} (process {epoch} of its store), clocks anew]"
        for epoch, ns in enumerate(at, start=2)
    ]
    for view in (PUBLIC, seat_view(Seat(0))):
        assert not [line for line in playthrough(record, view) if words in line]

"""Rulings that are those of another name."""

from pathlib import Path

import msgspec
import pytest

from referee.bootstrap.ladder_journal import refuse_other_name, written_rulings
from referee.bootstrap.ladder_plan import LadderPlan
from referee.ladder.values import RulingKind
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from tests.unit.bootstrap.ladders import HERE, ladder


def plan_of(folder: Path) -> LadderPlan:
    file = folder / "cup.toml"
    file.write_text('# a ladder\nname = "cup"\n', encoding="utf-8")
    return msgspec.structs.replace(ladder((HERE, HERE)), folder=folder / "cup.ladder", file=file)


def test_rulings_of_another_name_are_refused_with_the_line_and_what_to_write(
    tmp_path: Path,
) -> None:
    plan = plan_of(tmp_path)
    assert written_rulings(plan) == ()
    RulingJournal(plan.folder / "rulings.jsonl", "league").append(RulingKind.FREEZE, "", "over")
    with pytest.raises(
        ConfigError, match=r'cup\.toml:2: name: .* write name = "league", or name an'
    ):
        written_rulings(plan)
    renamed = msgspec.structs.replace(plan, event="league")
    assert len(written_rulings(renamed)) == 1


@pytest.mark.parametrize("text", ["", "no ruling\n", "[1]\n", "{}\n", "\xff\n"])
def test_what_is_no_ruling_is_not_of_another_name(tmp_path: Path, text: str) -> None:
    plan = plan_of(tmp_path)
    plan.folder.mkdir()
    (plan.folder / "rulings.jsonl").write_text(text, encoding="latin-1")
    refuse_other_name(plan)

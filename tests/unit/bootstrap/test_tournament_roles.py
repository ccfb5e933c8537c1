"""Which process takes which seat in a tournament: one of a single entry, two of a pair."""

from pathlib import Path

import pytest

from referee.bootstrap.arena_roles import Role, role_of, roles_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.tournament_setup import plan_tournament

ENTRY = '[[entry]]\nname = "{name}"\nowner = "o"\nbot = "greedy"\n'


@pytest.fixture(params=["single", "pair"])
def plan(request: pytest.FixtureRequest, tmp_path: Path) -> LadderPlan:
    entries = "".join(ENTRY.format(name=name) for name in ("ann", "bob", "cid", "dot"))
    file = tmp_path / "cup.toml"
    file.write_text(f'name = "cup"\nentrants = "{request.param}"\n{entries}', encoding="utf-8")
    return plan_tournament(file)[0]


@pytest.mark.parametrize("plan", ["single"], indirect=True)
def test_a_single_entry_has_one_process_whoever_its_partner_is(plan: LadderPlan) -> None:
    ann = Role("ann", "greedy", 0, 1)
    assert roles_of(plan, "ann") == (ann,)
    for table in (1, 2):
        assert role_of(plan, "ann+bob", 0, table) == ann
        assert role_of(plan, "cid+ann", 1, table) == ann
        assert role_of(plan, "ann+bob", 1, table) == Role("bob", "greedy", 0, 1)


@pytest.mark.parametrize("plan", ["pair"], indirect=True)
def test_a_pair_has_a_process_for_each_of_its_seats(plan: LadderPlan) -> None:
    first, second = Role("ann", "greedy", 0, 1), Role("ann", "greedy", 1, 1)
    assert roles_of(plan, "ann") == (first, second)
    assert [role_of(plan, "ann", place, 2) for place in (0, 1)] == [first, second]


def test_a_table_has_as_many_rounds_as_the_file_says_deals(plan: LadderPlan) -> None:
    assert plan.settings.rules.rounds == 4
    assert plan.folder.name == "cup.tournament"

"""Every code has a clause and a cure of one line."""

import re

import pytest

from referee.rules.refusals import CLAUSE, Refusal, explain


@pytest.mark.parametrize("refusal", Refusal)
def test_every_code_names_its_clause_and_a_cure(refusal: Refusal) -> None:
    assert re.fullmatch(r"[A-F][1-9]", CLAUSE[refusal])
    cure = explain(refusal)
    assert cure
    assert "\n" not in cure


def test_codes_are_their_names() -> None:
    assert all(refusal.value == refusal.name for refusal in Refusal)
    assert len(Refusal) == 18

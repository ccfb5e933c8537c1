"""What a gate still takes, and what its budget can decide."""

import pytest

from referee.ladder.gate import LEAST_BOARDS, GateTerms, Walk
from referee.ladder.gate_forecast import (
    LEAST_UNEQUAL,
    GateForecast,
    decidable_points,
    expected_boards,
    gate_forecast,
)

TERMS = GateTerms()


def forecast(unequal: int = 9, **changes: float) -> GateForecast:
    fields = {"mean": 0.0, "sigma": 54.0, "rate": 600.0, "left_s": 600.0, **changes}
    return gate_forecast(TERMS, boards=20, unequal=unequal, **fields)


def test_expected_boards_are_those_of_the_simulation() -> None:
    """54 points a round of spread took 798 boards on average at 0 and 819 at 5 in 2,000 gates."""
    for mean in (TERMS.points0, TERMS.points1):
        assert expected_boards(TERMS, sigma=54.0, mean=mean) == pytest.approx(810, rel=0.1)


def test_boards_that_were_all_equal_take_those_that_the_test_takes() -> None:
    """With what is imagined alone: as many as the boundary takes to be reached without noise."""
    walk = Walk(TERMS)
    while walk.decision() is None:
        walk.add(0, alike=False)
    found = expected_boards(TERMS, sigma=0.0, mean=TERMS.points0)
    assert found == pytest.approx(walk.boards, rel=0.1)


def test_between_the_two_it_takes_longest_and_far_off_it_is_soon_over() -> None:
    at = {m: expected_boards(TERMS, sigma=54.0, mean=m) for m in (-200.0, 0.0, 2.5, 5.0, 200.0)}
    assert at[2.5] > at[0.0] == at[5.0] > at[200.0] == at[-200.0] == LEAST_BOARDS


def test_the_middle_is_no_step_of_the_formula() -> None:
    near = [expected_boards(TERMS, sigma=54.0, mean=2.5 + off) for off in (-1e-3, 0.0, 1e-3)]
    assert max(near) - min(near) <= 1


def test_four_times_the_boards_decide_half_the_points() -> None:
    few, many = (decidable_points(TERMS, sigma=54.0, boards=n) for n in (50_000, 200_000))
    assert few is not None
    assert many == pytest.approx(few / 2, rel=0.01)  # what is imagined no longer counts


def test_what_is_decidable_with_the_expected_boards_is_what_is_asked_for() -> None:
    boards = expected_boards(TERMS, sigma=54.0, mean=TERMS.points1)
    assert decidable_points(TERMS, sigma=54.0, boards=boards) == pytest.approx(5.0, rel=0.01)


def test_a_budget_for_fewer_boards_than_a_verdict_needs_decides_nothing() -> None:
    found = forecast(left_s=17.0)  # 170 boards more
    assert found.affordable == 190
    assert found.decidable is None


def test_a_budget_that_is_spent_affords_what_was_played() -> None:
    assert forecast(left_s=-3.0).affordable == 20


def test_few_boards_that_differ_say_nothing_of_the_spread() -> None:
    assert forecast(unequal=LEAST_UNEQUAL - 1).decidable is None
    assert forecast(unequal=LEAST_UNEQUAL).decidable is not None


def test_no_budget_affords_more_than_all_boards() -> None:
    assert forecast(left_s=1e9).affordable == TERMS.max_boards


def test_boards_that_were_all_equal_have_a_forecast() -> None:
    found = forecast(sigma=0.0)
    assert found.sigma == 0
    assert found.if_points1 >= LEAST_BOARDS

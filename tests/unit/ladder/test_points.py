from collections.abc import Sequence

import numpy as np
import pytest

from referee.ladder.boards import FieldLeg, RatedBoard
from referee.ladder.estimates import Estimates
from referee.ladder.points import fit_points
from referee.ladder.quantiles import t_critical
from tests.unit.ladder.oracle import Row, deal_dummies, least_squares
from tests.unit.ladder.rated import boards_of, everyone, field_leg, field_of, rated_board

STRENGTHS = {"a": 20.0, "b": 10.0, "c": 0.0, "d": -5.0, "e": -25.0}
UNEVEN = {("a", "b"): 9, ("a", "c"): 4, ("b", "c"): 1, ("c", "d"): 12, ("d", "e"): 3, ("a", "e"): 2}
SEED = 20


def rows_of(boards: Sequence[RatedBoard]) -> list[Row]:
    return [(one.first, one.second, one.difference, (one.pairing, one.board)) for one in boards]


def rows_of_field(legs: Sequence[FieldLeg]) -> list[Row]:
    return [(one.first, one.second, one.difference, one.board) for one in legs]


def the_only(found: tuple[Estimates, ...]) -> Estimates:
    assert len(found) == 1, found
    return found[0]


def test_two_boards_by_hand() -> None:
    """Differences 10 and 30: mean 20, variance of the mean 100; t with 1 degree of freedom."""
    boards = [rated_board("a", "b", 1, margins=(0, 20)), rated_board("a", "b", 2, margins=(30, 30))]
    found = the_only(fit_points(boards))
    assert found.entries == ("a", "b")
    assert found.values == pytest.approx([10, -10])
    assert found.half_width(0) == pytest.approx(12.7062 * 10 / 2, abs=1e-3)


def test_a_board_counts_points_a_round_over_both_legs() -> None:
    """100 points in 3 rounds and 20 in 1: 30 a round, whatever each leg says alone."""
    board = rated_board("a", "b", 1, margins=(100, 20), rounds=(3, 1))
    assert the_only(fit_points([board])).values == pytest.approx([15, -15])


@pytest.mark.parametrize("numbers", [everyone("abcde", 7), UNEVEN])
def test_boards_as_the_least_squares_of_statsmodels(numbers: dict[tuple[str, str], int]) -> None:
    boards = boards_of(STRENGTHS, numbers, np.random.default_rng(SEED))
    found, oracle = the_only(fit_points(boards)), least_squares(rows_of(boards))
    assert found.entries == oracle.entries
    assert found.values == pytest.approx(oracle.values, abs=1e-4)
    assert found.covariance == pytest.approx(oracle.covariance, abs=1e-4)
    assert found.clusters == len(boards)


def test_the_interval_of_a_pair_is_that_of_statsmodels() -> None:
    """One pairing: every deal counts alike, so there is nothing to make up for."""
    boards = boards_of(STRENGTHS, {("a", "b"): 25}, np.random.default_rng(SEED))
    oracle = least_squares(rows_of(boards))
    half = t_critical(0.05, 24) * oracle.covariance[0, 0] ** 0.5
    assert the_only(fit_points(boards)).half_width(0) == pytest.approx(half, abs=1e-4)


def test_a_field_as_statsmodels_within_deals() -> None:
    legs = field_of(STRENGTHS | {"f": 3.0}, 40, np.random.default_rng(SEED))
    found = the_only(fit_points([], legs))
    oracle = least_squares(rows_of_field(legs), within=True)
    assert found.values == pytest.approx(oracle.values, abs=1e-4)
    assert found.covariance == pytest.approx(oracle.covariance, abs=1e-4)
    assert found.clusters == 40


def test_a_field_as_with_a_parameter_for_each_deal() -> None:
    legs = field_of(STRENGTHS | {"f": 3.0}, 40, np.random.default_rng(SEED))
    oracle = deal_dummies(rows_of_field(legs))
    assert the_only(fit_points([], legs)).values == pytest.approx(oracle.values, abs=1e-4)


def test_what_a_deal_is_worth_to_the_first_does_not_count() -> None:
    """Every table of deal 2 brings the first 500 more: nothing changes."""

    def legs(more: int) -> list[FieldLeg]:
        return [
            field_leg("a", "b", 1, 1, 30), field_leg("c", "d", 1, 2, 10),
            field_leg("a", "c", 2, 1, 50 + more), field_leg("d", "b", 2, 2, 20 + more),
            field_leg("a", "d", 3, 1, 40), field_leg("b", "c", 3, 2, -10),
        ]  # fmt: skip

    plain, lucky = the_only(fit_points([], legs(0))), the_only(fit_points([], legs(500)))
    assert plain.values == pytest.approx(lucky.values)


def test_a_deal_with_one_table_says_nothing() -> None:
    legs = field_of(STRENGTHS | {"f": 3.0}, 10, np.random.default_rng(SEED))
    alone = field_leg("a", "b", 11, 1, 900)
    assert the_only(fit_points([], [*legs, alone])).values.tolist() == (
        the_only(fit_points([], legs)).values.tolist()
    )
    assert fit_points([], [alone]) == ()


def test_what_a_field_cannot_tell_is_not_compared() -> None:
    """One deal: a against b, and c against d, tell which margin was larger, and no difference."""
    assert fit_points([], [field_leg("a", "b", 1, 1, 30), field_leg("c", "d", 1, 2, 10)]) == ()


def test_entries_that_did_not_meet_are_apart() -> None:
    boards = [
        rated_board(first, second, number, margins=(number, 5))
        for first, second in (("a", "b"), ("b", "c"), ("d", "e"))
        for number in (1, 2, 3)
    ]
    assert [found.entries for found in fit_points(boards)] == [("a", "b", "c"), ("d", "e")]
    for found in fit_points(boards):
        assert sum(found.values) == pytest.approx(0)


def test_one_board_has_no_interval() -> None:
    found = the_only(fit_points([rated_board("a", "b", 1, margins=(5, 5))]))
    assert found.covariance is None
    assert found.half_width(0) is None


def test_who_played_one_board_has_no_interval_among_those_who_played_many() -> None:
    """And neither have the others: what they are compared with includes it."""
    numbers = everyone("abc", 30) | {("a", "d"): 1}
    found = the_only(fit_points(boards_of(STRENGTHS, numbers, np.random.default_rng(SEED))))
    assert found.half_width(3) is None
    assert found.between[0, 3] == pytest.approx(1, abs=0.1)
    assert found.between[0, 1] > 30


def test_boards_that_are_all_alike_have_no_interval() -> None:
    """Two copies of a bot that draws no random numbers: there is no spread to go by."""
    found = the_only(
        fit_points([rated_board("a", "b", n, margins=(60, -60)) for n in range(1, 40)])
    )
    assert found.values == pytest.approx([0, 0])
    assert found.half_width(0) is None


def test_as_many_deals_count_as_carry_a_value() -> None:
    found = the_only(
        fit_points(boards_of(STRENGTHS, everyone("abcde", 8), np.random.default_rng(1)))
    )
    assert found.behind == pytest.approx([32] * 5)  # the deals of its own
    boards = boards_of(STRENGTHS, {("a", "b"): 200, ("b", "c"): 4}, np.random.default_rng(1))
    assert the_only(fit_points(boards)).behind[2] == pytest.approx(4, abs=0.2)


def test_few_deals_among_many_have_the_spread_of_their_own() -> None:
    """c met b three times, who is well known: t of 2 degrees, and the variance of three boards.

    Against the mean of a, b and c it is two thirds of that against b.
    """
    boards = boards_of(STRENGTHS, {("a", "b"): 4000, ("b", "c"): 3}, np.random.default_rng(SEED))
    three = [board.difference for board in boards if board.second == "c"]
    half = the_only(fit_points(boards)).half_width(2)
    assert half == pytest.approx(
        2 / 3 * t_critical(0.05, 2) * np.std(three, ddof=1) / 3**0.5, rel=0.01
    )


def test_no_boards_no_fit() -> None:
    assert fit_points([]) == ()

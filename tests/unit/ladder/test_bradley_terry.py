import math
from collections.abc import Sequence

import numpy as np
import pytest

from referee.ladder.boards import FieldLeg, RatedBoard
from referee.ladder.bradley_terry import ELO, anchored, fit_elo
from referee.ladder.estimates import Estimates
from referee.ladder.values import LegResult
from tests.unit.ladder.oracle import Row, bradley_terry
from tests.unit.ladder.rated import boards_of, everyone, field_of, rated_board

STRENGTHS = {"a": 60.0, "b": 30.0, "c": 0.0, "d": -20.0, "e": -70.0}
UNEVEN = {("a", "b"): 9, ("a", "c"): 4, ("b", "c"): 1, ("c", "d"): 12, ("d", "e"): 3, ("a", "e"): 2}
SEED = 21


def row_of(leg: LegResult) -> Row:
    first, second = (side.entry for side in leg.place.sides)
    own, other = leg.points
    won = 0.5 if own == other else float(own > other)
    return (first, second, won, (leg.place.pairing, leg.place.board))


def with_drawn(rows: Sequence[Row]) -> list[Row]:
    """And a drawn leg for each two that met, a cluster of its own."""
    met = sorted({(min(row[:2]), max(row[:2])) for row in rows})
    return [*rows, *((one, other, 0.5, (one, other)) for one, other in met)]


def rows_of(boards: Sequence[RatedBoard], legs: Sequence[FieldLeg] = ()) -> list[Row]:
    played = [row_of(leg) for board in boards for leg in board.legs]
    return with_drawn([*played, *(row_of(leg.leg) for leg in legs)])


def the_only(found: tuple[Estimates, ...]) -> Estimates:
    assert len(found) == 1, found
    return found[0]


def test_three_legs_of_four_by_hand() -> None:
    """One board won twice, one split, and a drawn leg: 3.5 of 5, which are 147 Elo."""
    boards = [rated_board("a", "b", 1, margins=(5, 5)), rated_board("a", "b", 2, margins=(5, -5))]
    values = the_only(fit_elo(boards)).values
    assert values[0] - values[1] == pytest.approx(400 * math.log10(3.5 / 1.5))


def test_a_tie_is_half_a_win() -> None:
    values = the_only(fit_elo([rated_board("a", "b", 1, margins=(0, 0))])).values
    assert values == pytest.approx([0, 0])


@pytest.mark.parametrize("numbers", [everyone("abcde", 7), UNEVEN])
def test_as_the_binomial_model_of_statsmodels(numbers: dict[tuple[str, str], int]) -> None:
    boards = boards_of(STRENGTHS, numbers, np.random.default_rng(SEED))
    found, oracle = the_only(fit_elo(boards)), bradley_terry(rows_of(boards))
    assert found.entries == oracle.entries
    assert found.values == pytest.approx(ELO * oracle.values, abs=1e-4)
    assert found.covariance is not None
    assert found.covariance / ELO**2 == pytest.approx(oracle.covariance, abs=1e-4)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(
        ELO * np.sqrt(np.diag(oracle.covariance)), abs=1e-4
    )


def test_a_field_as_the_binomial_model_of_statsmodels() -> None:
    """Tables of one deal are one cluster."""
    legs = field_of(STRENGTHS | {"f": 3.0}, 40, np.random.default_rng(SEED))
    found, oracle = the_only(fit_elo([], legs)), bradley_terry(rows_of([], legs))
    assert found.values == pytest.approx(ELO * oracle.values, abs=1e-4)
    assert found.covariance is not None
    assert found.covariance / ELO**2 == pytest.approx(oracle.covariance, abs=1e-4)


def test_who_won_every_leg_stays_finite() -> None:
    boards = [rated_board("a", "b", number, margins=(5, 5)) for number in range(1, 501)]
    found = the_only(fit_elo(boards))
    assert found.values[0] - found.values[1] == pytest.approx(400 * math.log10(1000.5 / 0.5))
    half = found.half_width(0)
    assert half is not None
    assert half > 100  # nothing is known of how much better it is


def test_added_legs_are_no_deals_of_which_an_interval_could_be_told() -> None:
    found = the_only(fit_elo([rated_board("a", "b", 1, margins=(5, 5))]))
    assert found.clusters == 1
    assert found.half_width(0) is None


def test_at_anchors_the_mean_of_theirs_is_met() -> None:
    found = the_only(fit_elo(boards_of(STRENGTHS, everyone("abcde", 9), np.random.default_rng(1))))
    one = anchored(found, {"e": 0, "z": 900})
    assert one is not None
    assert one.values[4] == pytest.approx(0)
    assert one.half_width(4) is None  # it is where it was put
    two = anchored(found, {"e": 0, "c": 300})
    assert two is not None
    assert two.values[[2, 4]].mean() == pytest.approx(150)
    assert np.diff(two.values) == pytest.approx(np.diff(found.values))
    assert anchored(found, {"z": 900}) is None


def test_an_anchored_interval_is_that_of_the_difference() -> None:
    boards = boards_of(STRENGTHS, everyone("ab", 40), np.random.default_rng(1))
    found = the_only(fit_elo(boards))
    moved = anchored(found, {"b": 0})
    half = found.half_width(0)
    assert moved is not None
    assert half is not None
    assert moved.half_width(0) == pytest.approx(2 * half)


def test_entries_that_did_not_meet_are_apart() -> None:
    boards = [rated_board(*pair, 1, margins=(5, 0)) for pair in (("a", "b"), ("c", "d"))]
    assert [found.entries for found in fit_elo(boards)] == [("a", "b"), ("c", "d")]

import numpy as np
import pytest

from referee.ladder.estimates import Estimates
from referee.ladder.points import fit_points
from referee.ladder.ranks import Certainty, certainties
from tests.unit.ladder.rated import boards_of, everyone, rated_board

SEED = 23


def some(values: dict[str, float], variance: float, *, behind: float = 1000) -> Estimates:
    """Estimates whose errors are independent."""
    size = len(values)
    return Estimates(
        entries=tuple(values),
        values=np.array(list(values.values())),
        covariance=variance * np.eye(size),
        clusters=1000,
        behind=np.full(size, behind),
        between=np.full((size, size), behind),
    )


def test_far_apart_is_sure_and_close_is_not() -> None:
    found = certainties(some({"a": 20, "b": 19, "c": 0}, 1.0))
    assert found == {
        "a": Certainty(better=0, worse=1),
        "b": Certainty(better=0, worse=1),
        "c": Certainty(better=2, worse=0),
    }


def test_two_entries_need_no_more_than_a_single_test() -> None:
    """1.96 times the root of 2: 2.77."""
    assert certainties(some({"a": 2.80, "b": 0}, 1.0))["a"].worse == 1
    assert certainties(some({"a": 2.75, "b": 0}, 1.0))["a"].worse == 0


def test_among_many_a_single_test_is_not_enough() -> None:
    """Of ten entries the difference of two has to exceed 3.16 standard errors: 4.47 here."""
    rest = dict.fromkeys("bcdefghi", 0.0)
    assert certainties(some({"a": 4.2, **rest, "j": 0}, 1.0))["j"].better == 0
    assert certainties(some({"a": 4.8, **rest, "j": 0}, 1.0))["j"].better == 1


def test_few_deals_take_more() -> None:
    """t with 2 degrees of freedom, and half as much variance again: 4.3 x 1.41 x 1.22."""
    assert certainties(some({"a": 7.0, "b": 0}, 1.0, behind=3))["a"].worse == 0
    assert certainties(some({"a": 7.6, "b": 0}, 1.0, behind=3))["a"].worse == 1


def test_one_deal_makes_nothing_sure() -> None:
    assert certainties(some({"a": 1e6, "b": 0}, 1.0, behind=1))["a"].worse == 0
    (found,) = fit_points([rated_board("a", "b", 1, margins=(999, 999))])
    assert certainties(found)["a"].worse == 0


def test_without_spread_nothing_is_sure() -> None:
    boards = [rated_board("a", "b", number, margins=(9, 9)) for number in range(1, 9)]
    (found,) = fit_points(boards)
    assert certainties(found) == dict.fromkeys("ab", Certainty(better=0, worse=0))


@pytest.mark.parametrize("count", [2, 30])
def test_who_is_surely_worse_knows_that_the_other_is_better(count: int) -> None:
    strengths = {name: 15.0 * at for at, name in enumerate("abcdef")}
    boards = boards_of(strengths, everyone("abcdef", count), np.random.default_rng(SEED))
    (found,) = fit_points(boards)
    sure = certainties(found)
    assert sum(one.better for one in sure.values()) == sum(one.worse for one in sure.values())
    assert any(one.worse for one in sure.values()) == (count == 30)

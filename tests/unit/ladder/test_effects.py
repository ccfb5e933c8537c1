import numpy as np
import pytest
import statsmodels.api as sm

from referee.ladder.effects import pair_effects
from referee.ladder.quantiles import t_critical
from tests.unit.ladder.rated import boards_of, everyone, rated_board

SEED = 24


def test_three_that_beat_each_other_in_a_circle() -> None:
    """Each is 30 better than the next: all points are 0, and every effect is 30."""
    boards = [
        rated_board(*pair, number, margins=(size + 3 * number, size - 3))
        for pair, size in ((("a", "b"), 30), (("a", "c"), -30), (("b", "c"), 30))
        for number in (1, 2, 3)
    ]
    found = {(one.first, one.second): one for one in pair_effects(boards)}
    assert found["a", "b"].difference == pytest.approx(31.5)
    assert found["a", "b"].effect == pytest.approx(30.5)
    assert found["a", "c"].effect == pytest.approx(-30.5)
    assert all(one.half is not None and one.half < 15 for one in found.values())


def test_two_entries_have_no_effect_beside_their_points() -> None:
    (one,) = pair_effects(boards_of({"a": 5, "b": 0}, {("a", "b"): 9}, np.random.default_rng(SEED)))
    assert one.effect == pytest.approx(0)
    assert one.half is None


def test_a_pairing_of_one_board_has_no_interval() -> None:
    numbers = everyone("abcde", 20) | {("a", "b"): 1}
    strengths = dict.fromkeys("abcde", 0.0)
    found = pair_effects(boards_of(strengths, numbers, np.random.default_rng(SEED)))
    assert [(one.first, one.second) for one in found if one.half is None] == [("a", "b")]


def test_intervals_as_the_saturated_model_of_statsmodels() -> None:
    """A mean for each pairing, covariance HC2; the effect is what lies outside the points."""
    names = "abcd"
    numbers = dict(zip(everyone(names, 1), (5, 9, 4, 12, 7, 6), strict=True))
    boards = boards_of(dict.fromkeys(names, 0.0), numbers, np.random.default_rng(SEED))
    pairs = list(numbers)
    cells = np.array([[float((b.first, b.second) == pair) for pair in pairs] for b in boards])
    model = sm.OLS([board.difference for board in boards], cells).fit(cov_type="HC2")
    x = np.array([[(name == one) - (name == other) for name in names] for one, other in pairs])
    weights = np.diag(list(numbers.values()))
    contrast = np.eye(len(pairs)) - x @ np.linalg.pinv(x.T @ weights @ x) @ x.T @ weights
    effects = contrast @ model.params
    errors = np.sqrt(np.diag(contrast @ model.cov_params() @ contrast.T))
    found = pair_effects(boards)
    assert [one.effect for one in found] == pytest.approx(effects, abs=1e-4)
    carried = contrast**2 / np.diag(weights)
    behind = carried.sum(axis=1) ** 2 / (carried**2 / np.diag(weights)).sum(axis=1)
    halves = [e * t_critical(0.05, n - 1) for e, n in zip(errors, behind, strict=True)]
    assert [one.half for one in found] == pytest.approx(halves, abs=1e-4)

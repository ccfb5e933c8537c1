"""The arithmetic of the study of boards, on numbers worked out by hand or drawn from known laws."""

import math
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest

from tests.ladder_study.boards import Legs
from tests.ladder_study.page import verdict
from tests.ladder_study.spread import (
    Estimate,
    jackknife,
    rounds_needed,
    share_found,
    spread_of,
)


def legs_of(rho: float, boards: int, seed: int, difference: float = 0.0) -> list[Legs]:
    """Legs of sigma 100 around a difference, a share of whose variance is the deal's."""
    dice = np.random.Generator(np.random.PCG64(seed))
    deal, one, other = dice.normal(size=(3, boards)) * 100
    own, shared = math.sqrt(1 - rho), math.sqrt(rho)
    pairs = zip(shared * deal + own * one, -shared * deal + own * other, strict=True)
    return [(round(first + difference), round(second + difference)) for first, second in pairs]


def test_four_boards_by_hand() -> None:
    """Variance 8 / 3 in either leg; the sum of products of the deviations is 4."""
    found = spread_of([(4, 4), (2, 2), (6, 4), (4, 6)])
    assert found.boards == 4
    assert found.difference.value == 4
    assert found.sigma_leg.value == pytest.approx(math.sqrt(8 / 3))
    assert found.rho.value == pytest.approx(-1 / 2)  # seen from the seats the second leg is turned
    assert found.ratio.value == pytest.approx(3 / 2)
    assert found.sigma_board.value == pytest.approx(stdev([4, 2, 5, 5]))
    assert found.equal == 0


def test_a_board_played_twice_in_the_same_way_is_all_deal() -> None:
    found = spread_of([(35, -35), (-110, 110), (0, 0), (200, -200), (7, -7)])
    for estimate, value in (
        (found.difference, 0),
        (found.sigma_board, 0),
        (found.rho, 1),
        (found.ratio, 0),
        (found.elo, 0),
    ):
        assert estimate == (value, value, value)
    assert found.equal == 1


def test_ten_of_eleven_legs_with_the_added_one_are_400_elo() -> None:
    assert spread_of([(1, 5), (2, 6), (3, 5), (4, 8), (9, 0)]).elo.value == pytest.approx(400)


def test_the_jackknife_of_a_mean_is_its_textbook_interval() -> None:
    values = [3.0, 8.0, -1.0, 4.0, 4.5]
    found = jackknife(np.array([values]), lambda sums, n: sums[0] / n)
    half = NormalDist().inv_cdf(0.975) * stdev(values) / math.sqrt(len(values))
    assert found == pytest.approx((fmean(values), fmean(values) - half, fmean(values) + half))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8])
def test_the_share_of_the_deal_is_found_again(rho: float) -> None:
    found = spread_of(legs_of(rho, 40_000, seed=1, difference=5))
    assert found.rho.value == pytest.approx(rho, abs=0.02)
    assert found.sigma_leg.value == pytest.approx(100, rel=0.02)
    assert found.sigma_board.value == pytest.approx(100 * math.sqrt((1 - rho) / 2), rel=0.02)
    assert found.difference.value == pytest.approx(5, abs=1.5)


def test_intervals_hold_the_truth_in_95_of_100() -> None:
    """Of 400 right intervals fewer than 368 or more than 392 hold it once in 100 such tests."""
    found = [spread_of(legs_of(0.5, 300, seed, difference=20)) for seed in range(400)]
    for estimates, truth in (
        ([one.rho for one in found], 0.5),
        ([one.ratio for one in found], 0.5),
        ([one.sigma_board for one in found], 50),
        ([one.difference for one in found], 20),
    ):
        held = sum(one.low <= truth <= one.high for one in estimates)
        assert 368 <= held <= 392, (truth, held)


def test_rounds_needed_by_hand() -> None:
    """(1.95996 + 0.84162)^2 = 7.8489 where sigma is the difference itself."""
    assert rounds_needed(8, 8) == pytest.approx(7.8489, abs=1e-4)
    assert rounds_needed(60, 5) == pytest.approx(7.8489 * 144, rel=1e-4)


@pytest.mark.parametrize("points", [10.0, -10.0])
def test_the_rounds_needed_show_the_difference_in_four_of_five_tries(points: float) -> None:
    values = np.random.Generator(np.random.PCG64(3)).normal(size=5_000) * 50
    count = math.ceil(rounds_needed(float(values.std()), points))
    assert share_found(values, points, count, seed=1) == pytest.approx(0.8, abs=0.03)
    assert share_found(values, points, count // 4, seed=1) < 0.4


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.3, 0.5, "reached"), (0.3, 0.501, "not sure"), (0.51, 0.6, "missed")],
)
def test_the_aim_is_reached_for_sure_or_not(low: float, high: float, said: str) -> None:
    assert verdict(Estimate((low + high) / 2, low, high)) == said

"""What a ladder is said to cost and tell, before it is played."""

import math

import numpy as np
import pytest

from referee.ladder.estimates import Estimates
from referee.ladder.forecast import forecast
from referee.ladder.points import fit_points
from referee.ladder.rulings import Decided, decide
from referee.ladder.schedule import Schedule, ScheduleKind
from referee.ladder.values import Deals, RulingKind
from referee.rules.errors import RefereeBug
from tests.unit.ladder.legs import owners_of, ruling
from tests.unit.ladder.rated import boards_of, everyone

ABCD = owners_of("abcd")


def test_two_entries_by_hand() -> None:
    """100 boards of spread 80: an error of 8 between the two, of 4 for each; t with 99 degrees."""
    found = forecast(
        Schedule(boards=100), owners=owners_of("ab"), decided=Decided(), sigma=80, boards_a_minute=5
    )
    assert (found.entries, found.pairings, found.boards, found.legs) == (2, 1, 100, 200)
    assert found.hours == pytest.approx(1 / 3)
    assert found.between == pytest.approx(1.98422 * 8, abs=1e-3)
    assert found.half_width == pytest.approx(1.98422 * 4, abs=1e-3)


@pytest.mark.parametrize(
    ("schedule", "boards", "legs", "pairings"),
    [
        (Schedule(boards=3), 18, 36, 6),
        (Schedule(kind=ScheduleKind.GAUNTLET, boards=3, hero="b"), 9, 18, 3),
        (Schedule(kind=ScheduleKind.UNCERTAIN, boards=3), 18, 36, 6),
        (Schedule(kind=ScheduleKind.SWISS, boards=3, rounds=2), 12, 24, 6),
        (Schedule(deals=Deals.FIELD, boards=3), 9, 18, 6),
    ],
)
def test_boards_and_legs_of_four_entries(
    schedule: Schedule, boards: int, legs: int, pairings: int
) -> None:
    found = forecast(schedule, owners=ABCD, decided=Decided())
    assert (found.boards, found.legs, found.pairings) == (boards, legs, pairings)
    assert found.hours is None
    assert found.half_width is not None
    assert found.between is not None
    assert 0 < found.half_width < found.between


def test_a_gauntlet_tells_least_about_two_who_did_not_meet() -> None:
    """Each of them met the hero only: twice the variance of a pair that met."""
    found = forecast(
        Schedule(kind=ScheduleKind.GAUNTLET, boards=50, hero="b"),
        owners=ABCD,
        decided=Decided(),
        sigma=80,
    )
    assert found.between == pytest.approx(2.0096 * 80 * math.sqrt(2 / 50), abs=0.05)


def test_without_an_end_or_anybody_to_play_there_is_little_to_say() -> None:
    endless = forecast(Schedule(), owners=ABCD, decided=Decided(), boards_a_minute=5)
    assert (endless.entries, endless.pairings, endless.boards) == (4, 6, None)
    frozen = decide([ruling(RulingKind.FREEZE)])
    assert forecast(Schedule(boards=3), owners=ABCD, decided=frozen).boards == 0


def test_entries_that_cannot_be_compared_have_no_interval() -> None:
    alone = forecast(Schedule(boards=1), owners={"a": "x", "b": "x"}, decided=Decided())
    assert (alone.boards, alone.half_width) == (0, None)
    field = forecast(Schedule(deals=Deals.FIELD, boards=1), owners=ABCD, decided=Decided())
    assert (field.boards, field.half_width, field.between) == (3, None, None)


@pytest.mark.parametrize(("sigma", "rate"), [(0.0, None), (80.0, 0.0)])
def test_no_spread_and_no_rate_are_mistakes_of_ours(sigma: float, rate: float | None) -> None:
    with pytest.raises(RefereeBug):
        forecast(
            Schedule(boards=1), owners=ABCD, decided=Decided(), sigma=sigma, boards_a_minute=rate
        )


def test_the_expected_interval_is_the_one_that_comes() -> None:
    """Four entries, 60 boards a pairing, spread 100 of a leg: the mean of 20 ladders (seeds 0-19)
    is within 5 %.
    """
    sigma = 100 / math.sqrt(2)
    said = forecast(Schedule(boards=60), owners=ABCD, decided=Decided(), sigma=sigma)
    widths = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        (fit,) = fit_points(boards_of(dict.fromkeys("abcd", 0.0), everyone("abcd", 60), rng))
        widths.append(_mean_width(fit))
    assert said.half_width == pytest.approx(float(np.mean(widths)), rel=0.05)


def _mean_width(fit: Estimates) -> float:
    widths = [fit.half_width(at) for at in range(4)]
    return float(np.mean([width for width in widths if width is not None]))

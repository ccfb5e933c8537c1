"""Pace fair over real gRPC: what a seat can time does not tell who holds a bomb.

A measurement is some seconds of a machine that others use too, so a test fails only where the same
comparison is over the limit twice in a row.
"""

import pytest

from referee.match.values import Pace
from tests.integration.timing.measure import measure
from tests.integration.timing.plan import Manner, Plan, Plant
from tests.integration.timing.timed import (
    Compared,
    Timed,
    compare,
    comparison,
    over_twice,
)

WINDOWS = 5_000  # a side
MEASURE_S = 100.0

pytestmark = pytest.mark.slow


def found(plan: Plan) -> list[Compared]:
    return compare(plan, measure(plan, limit_s=MEASURE_S))


def told(compared: list[Compared]) -> str:
    return "\n".join(map(str, compared))


@pytest.mark.timeout(400)  # two measurements, if the first is over the limit
@pytest.mark.parametrize(
    "manners",
    [(Manner.INSTANT, Manner.SLOW), (Manner.SILENT, Manner.STOOD_DOWN)],
    ids=["who-declines-at-once-or-late", "who-is-silent-or-stood-down"],
)
def test_a_holder_takes_no_other_time_than_a_non_holder(manners: tuple[Manner, ...]) -> None:
    plan = Plan(windows=WINDOWS, manners=manners)
    seen = measure(plan, limit_s=MEASURE_S)
    once = compare(plan, seen)
    arms = plan.arms()
    least = comparison(plan, seen, Timed.NEXT, arms[0], arms[-1]).smallest_shift() / 1e3
    print(f"the smallest shift of the time to the next event that is seen: {least:.0f} us")
    if any(one.finding.over for one in once):
        twice = over_twice(once, found(plan.again()))
        assert not twice, f"over the limit twice:\n{told(twice)}"


@pytest.mark.parametrize(
    ("plant", "windows"),
    [(Plant.LATE_10, 700), (Plant.LATE_1, 1_500), (Plant.ASK_LATER, 1_500)],
    ids=["close-10-ms-late", "close-1-ms-late", "ask-1-ms-late"],
)
@pytest.mark.timeout(400)
def test_a_fault_by_which_time_tells_of_a_holder_is_found(plant: Plant, windows: int) -> None:
    plan = Plan(windows=windows, plant=plant)
    once, again = found(plan), found(plan.again())
    assert any(one.timed is Timed.NEXT for one in over_twice(once, again)), told([*once, *again])


def test_pace_fast_tells_at_once_and_the_test_sees_it() -> None:
    plan = Plan(windows=700, manners=(Manner.SLOW,), pace=Pace.FAST)
    next_event = next(one for one in found(plan) if one.timed is Timed.NEXT)
    assert next_event.finding.over
    assert next_event.finding.distance > 0.5, str(next_event)

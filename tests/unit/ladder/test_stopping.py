"""When a ladder may stop, and how often it is wrong to say that its top is told apart."""

import numpy as np
import pytest

from referee.ladder.boards import RatedBoard
from referee.ladder.rulings import Decided, decide
from referee.ladder.stopping import StopReason, StopRule, are_separated, mixture_bound, stop_reason
from referee.ladder.values import RulingKind
from tests.unit.ladder.legs import owners_of, ruling
from tests.unit.ladder.rated import boards_of, everyone, field_of, resolved

STRENGTHS = {"a": 60.0, "b": 0.0, "c": 0.0}
ABC = frozenset(STRENGTHS)


def boards(
    count: int, *, seed: int = 1, strengths: dict[str, float] = STRENGTHS
) -> list[RatedBoard]:
    return boards_of(strengths, everyone(strengths, count), np.random.default_rng(seed))


def reason(
    rule: StopRule, *, count: int = 0, hours: float = 0, decided: Decided | None = None
) -> StopReason | None:
    return stop_reason(
        rule,
        owners=owners_of(ABC),
        decided=decided or Decided(),
        resolved=resolved(boards(count)),
        played_s=hours * 3600,
    )


def test_no_rule_stops_nothing() -> None:
    assert reason(StopRule(), count=500, hours=1000) is None


@pytest.mark.parametrize(("hours", "why"), [(1.49, None), (1.5, StopReason.HOURS)])
def test_the_hours_are_over_at_their_last_second(hours: float, why: StopReason | None) -> None:
    assert reason(StopRule(hours=1.5), hours=hours) is why


def test_the_first_place_is_apart_when_it_is_surely_better_than_all_others() -> None:
    rule = StopRule(separated=1)
    assert reason(rule, count=3) is None
    assert reason(rule, count=200) is StopReason.SEPARATED


def test_equal_entries_are_not_apart() -> None:
    """b and c are equal, so that the first two places are not told from the third."""
    assert reason(StopRule(separated=2), count=200) is None


def test_only_entries_that_play_on_are_told_apart() -> None:
    gone = decide([ruling(RulingKind.WITHDRAW, "c")])
    assert reason(StopRule(separated=2), count=1, decided=gone) is StopReason.SEPARATED
    top_two = decide([ruling(RulingKind.WITHDRAW, "a")])
    assert reason(StopRule(separated=1), count=200, decided=top_two) is None


def test_entries_that_cannot_be_compared_are_not_apart() -> None:
    counts = {("a", "b"): 200, ("c", "d"): 200}
    found = boards_of({"a": 90.0, "b": 0.0, "c": 0.0, "d": 0.0}, counts, np.random.default_rng(1))
    assert not are_separated(resolved(found), frozenset("abcd"), top=1)
    assert not are_separated(resolved(boards(200)), ABC | {"newcomer"}, top=1)
    assert not are_separated(resolved(), ABC, top=1)


def test_a_field_is_told_apart_too() -> None:
    strengths = {"a": 60.0, "b": 0.0, "c": 0.0, "d": 0.0}
    found = field_of(strengths, 400, np.random.default_rng(1))
    assert are_separated(resolved(field_legs=found), frozenset("abcd"), top=1)
    assert not are_separated(resolved(field_legs=found[:8]), frozenset("abcd"), top=1)


def test_the_bound_by_hand() -> None:
    """Error 20 is as much as is expected: sqrt(2 (ln 2 + 2 ln 20)). It is least after some boards,
    and grows without end, but slowly.
    """
    assert mixture_bound(400.0) == pytest.approx((2 * (0.693147 + 5.991465)) ** 0.5, abs=1e-6)
    bounds = [mixture_bound(6400 / count) for count in (1, 10, 100, 1_000, 10_000, 10**8)]
    assert [round(bound, 2) for bound in bounds] == [10.14, 4.1, 3.04, 3.21, 3.53, 4.65]


# Ladders of the simulation. A right build is wrong in at most 5 % of them, 10 of 200; 20 or more of
# 200 would then come by chance in 3 of 1,000 sets of seeds. These are looked at after every board
# at first and then after every fifth, up to 120 boards a pairing.
LADDERS, MOST_BOARDS = 200, 120
LOOKS = (*range(2, 20), *range(20, MOST_BOARDS + 1, 5))


@pytest.mark.slow
@pytest.mark.timeout(600)  # 8,000 fits; under a minute where nothing else runs
@pytest.mark.parametrize(
    ("strengths", "top"),
    [
        (dict.fromkeys("ab", 0.0), 1),  # whoever is said to be better is not
        (dict.fromkeys("abc", 0.0), 1),
        (dict.fromkeys("abcd", 0.0), 2),
        ({"a": 80.0, "b": 0.0, "c": 0.0, "d": -80.0}, 2),  # equal at the border
    ],
)
def test_looking_all_the_time_is_wrong_in_at_most_5_percent_of_ladders(
    strengths: dict[str, float], top: int
) -> None:
    wrong = sum(_ever_separated(strengths, top, seed) for seed in range(LADDERS))
    assert wrong < 20, f"{wrong} of {LADDERS} ladders, seeds 0 to {LADDERS - 1}"


@pytest.mark.slow
def test_a_rule_of_95_percent_at_each_look_would_be_wrong_far_more_often() -> None:
    """So the test before can fail: what it measures is there without the bound."""
    naive = 0
    for seed in range(LADDERS):
        found = boards(MOST_BOARDS, seed=seed, strengths=dict.fromkeys("ab", 0.0))
        values = np.array([board.difference for board in found])
        counts = np.arange(1, len(values) + 1)
        means = np.cumsum(values) / counts
        errors = np.sqrt(np.maximum(np.cumsum(values**2) / counts - means**2, 1e-9) / counts)
        naive += bool(np.any(np.abs(means)[9:] > 1.96 * errors[9:]))
    assert naive > 40, f"{naive} of {LADDERS} ladders, seeds 0 to {LADDERS - 1}"


def _ever_separated(strengths: dict[str, float], top: int, seed: int) -> bool:
    found = sorted(boards(MOST_BOARDS, seed=seed, strengths=strengths), key=lambda one: one.board)
    pairs = len(found) // MOST_BOARDS
    return any(
        are_separated(resolved(found[: pairs * count]), frozenset(strengths), top=top)
        for count in LOOKS
    )

"""Boards of three entries, as in Trichu: intervals that hold, and the forecast of them."""

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from referee.ladder.forecast import forecast
from referee.ladder.outcomes import RatedBoard
from referee.ladder.points import fit_points
from referee.ladder.rulings import Decided
from referee.ladder.schedule import Schedule
from tests.unit.ladder.legs import owners_of

SPREAD = 20.0  # of one entry on a board, in points a round
ROUNDS = 9


def boards_of(names: str, boards: int, rng: Random) -> Iterator[RatedBoard]:
    """A ladder of equals: on each board everybody has luck of its own."""
    for trio in combinations(names, 3):
        for number in range(1, boards + 1):
            brought = {name: rng.gauss(0, SPREAD) for name in trio}
            for first, second in combinations(trio, 2):
                yield RatedBoard(
                    pairing="~".join(trio),
                    board=number,
                    attempt=1,
                    first=first,
                    second=second,
                    margin=round((brought[first] - brought[second]) * ROUNDS),
                    rounds=ROUNDS,
                    legs=(),
                )


@pytest.mark.parametrize(("names", "boards"), [("abc", 10), ("abcd", 4)])
def test_of_a_hundred_intervals_ninety_five_hold_the_truth_and_are_as_wide_as_was_said(
    names: str, boards: int
) -> None:
    """Over 200 ladders of equals (seed 7): the share is within 3 standard errors of 0.95."""
    rng = Random(7)
    held, widths = [], []
    for _ in range(200):
        (fit,) = fit_points(list(boards_of(names, boards, rng)))
        for at in range(len(names)):
            half = fit.half_width(at)
            assert half is not None
            widths.append(half)
            held.append(abs(float(fit.values[at])) <= half)
    share, bound = sum(held) / len(held), 3 * (0.95 * 0.05 / len(held)) ** 0.5
    assert abs(share - 0.95) < bound, f"{share} of {len(held)} with seed 7"
    said = forecast(
        Schedule(boards=boards, sides=3),
        owners=owners_of(names),
        decided=Decided(),
        sigma=SPREAD * 2**0.5,
    )
    assert said.half_width == pytest.approx(sum(widths) / len(widths), rel=0.05)

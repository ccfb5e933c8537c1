"""How much of a leg the luck of its dealt cards explains (`referee.ladder.luck`)."""

from collections.abc import Sequence

import numpy as np

from referee.ladder.luck import luck_of
from tests.ladder_study.boards import Legs, name_of
from tests.ladder_study.luck import dealt_hands
from tests.ladder_study.spread import Estimate, Numbers, jackknife
from tests.simulation.boards import SECRET, BoardSeeds


def explained(seed: str, legs: Sequence[Legs]) -> Estimate:
    """Return R2 of the fixed coefficients, about 0, in both legs of boards of equal entries."""
    seeds = BoardSeeds(SECRET)
    names = [name_of(seed, number) for number in range(len(legs))]
    luck = np.array([luck_of(dealt_hands(seeds.deal_seed(f"{name}.1", 1))) for name in names])
    seats = np.array(legs, dtype=np.float64).T * [[1], [-1]]  # from the team of seat 0
    columns = np.array([((seats - luck) ** 2).sum(axis=0), (seats**2).sum(axis=0)])
    return jackknife(columns, _share)


def _share(sums: Numbers, n: int) -> Numbers:
    share: Numbers = 1 - sums[0] / sums[1]
    return share

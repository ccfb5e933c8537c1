"""What a ladder will cost and tell, before it is played: boards, hours, expected intervals."""

import math
from collections.abc import Mapping
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from referee.ladder.boards import Resolved
from referee.ladder.estimates import TAIL
from referee.ladder.plans import Pair, Scene
from referee.ladder.quantiles import t_critical
from referee.ladder.rulings import Decided
from referee.ladder.schedule import Schedule, boards_left, next_boards, pairs_of
from referee.ladder.values import Deals
from referee.rules.errors import RefereeBug

# Spread (standard deviation) of the difference of a board of one round, in points a round. Close
# bots have 44 to 80, the more they draw by themselves the more: docs/evidence/ladder.md.
BOARD_SIGMA = 80.0
# The same in Tientsin: 96 and 89 in 60 boards each of greedy against random, in Tichu 79.
TIENTSIN_SIGMA = 95.0
# And of two of the three in Trichu, whose board has nine rounds: 20 to 31 between random and greedy
# in 40 boards for each two of four entries.
TRICHU_SIGMA = 30.0

_Numbers = NDArray[np.float64]
_ZERO = 1e-9
_HOUR_MINUTES = 60


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What to expect. `boards` (in a field: deals) and `legs` are None where nothing but a stop
    rule ends the ladder; `hours` also where no rate was given.

    `half_width` is half of the 95 % interval of an entry's points a round, at the entry that is
    known worst; `between` that of the difference of two entries, at the two that are known worst.
    None where they will not be comparable.
    """

    entries: int
    pairings: int
    boards: int | None = None
    legs: int | None = None
    hours: float | None = None
    half_width: float | None = None
    between: float | None = None


def forecast(
    schedule: Schedule,
    *,
    owners: Mapping[str, str],
    decided: Decided,
    sigma: float = BOARD_SIGMA,
    boards_a_minute: float | None = None,
) -> Forecast:
    """Return what to expect of a ladder from its beginning to its end.

    `sigma` > 0 is the spread of a board's difference, in points a round (in a field: of a leg's,
    the luck of its deal taken out); `boards_a_minute` > 0 as they are played side by side.
    """
    if sigma <= 0 or (boards_a_minute is not None and boards_a_minute <= 0):
        raise RefereeBug(f"no forecast with {sigma=} and {boards_a_minute=}")
    nothing = Resolved()
    scene = Scene(
        owners=owners, decided=decided, resolved=nothing, running=(), sides=schedule.sides
    )
    boards = boards_left(schedule, owners=owners, decided=decided, resolved=nothing, running=())
    pairs = pairs_of(schedule, scene)
    if boards is None or not pairs:
        return Forecast(entries=len(scene.playing), pairings=len(pairs), boards=boards)
    if schedule.deals is Deals.FIELD:
        legs, information = _of_field(schedule, scene, decided, boards)
    else:
        legs, information = (
            schedule.sides * boards,
            _of_boards(scene, dict.fromkeys(pairs, boards / len(pairs))),
        )
    half_width, between = _widths(information, sigma)
    return Forecast(
        entries=len(scene.playing),
        pairings=len(pairs),
        boards=boards,
        legs=legs,
        hours=None if boards_a_minute is None else boards / boards_a_minute / _HOUR_MINUTES,
        half_width=half_width,
        between=between,
    )


def _of_boards(scene: Scene, meetings: Mapping[Pair, float]) -> _Numbers:
    """Return the information of boards about entries; which Swiss pairs meet is taken as even.

    Of three that meet the three differences add up to nothing: they tell as much as two thirds.
    """
    place = {entry: at for at, entry in enumerate(scene.playing)}
    found = np.zeros((len(place), len(place)))
    for met, boards in meetings.items():
        for one, other in combinations(met, 2):
            row = np.zeros(len(place))
            row[place[one]], row[place[other]] = 1, -1
            found += boards * 2 / len(met) * np.outer(row, row)
    return found


def _of_field(
    schedule: Schedule, scene: Scene, decided: Decided, deals: int
) -> tuple[int, _Numbers]:
    """Return the legs of a field's deals and their information, the effect of each deal out."""
    plans = next_boards(
        schedule,
        owners=scene.owners,
        decided=decided,
        resolved=scene.resolved,
        running=(),
        wanted=deals,
        at_once=deals,
    )
    place = {entry: at for at, entry in enumerate(scene.playing)}
    found = np.zeros((len(place), len(place)))
    for plan in plans:
        rows = np.zeros((len(plan.tables), len(place)))
        for at, (first, second) in enumerate(plan.tables):
            rows[at, place[first]], rows[at, place[second]] = 1, -1
        rows -= rows.mean(axis=0)
        found += rows.T @ rows
    return sum(len(plan.tables) for plan in plans), found


def _widths(information: _Numbers, sigma: float) -> tuple[float | None, float | None]:
    """Return half of the widest interval of an entry, and of a difference of two."""
    size = len(information)
    if size < 2 or np.linalg.matrix_rank(information, hermitian=True) < size - 1:
        return None, None
    covariance = sigma**2 * np.linalg.pinv(information, hermitian=True)
    variances = np.diag(covariance)
    of_pairs = variances[:, None] + variances[None, :] - 2 * covariance
    boards = float(np.min(np.diag(information)))  # of the entry that has fewest
    if boards < 2 - _ZERO:
        return None, None
    sure = t_critical(TAIL, boards - 1)
    return sure * math.sqrt(variances.max()), sure * math.sqrt(of_pairs.max())

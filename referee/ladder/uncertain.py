"""The most uncertain pair next: a board for the two entries whose order is least sure.

How sure an order is: the difference of two entries by least squares, over its standard error under
one common spread of boards. That error depends on who played how often, and on nothing that a
board brought but the spread; so boards that run count as if they were in.
"""

import math

import numpy as np
from numpy.typing import NDArray

from referee.ladder.plans import BoardPlan, Pair, Picks, Scene, Schedule, fresh_board
from referee.ladder.values import PAIR_MARK, pairing_of

FIRST_BOARDS = 2  # of every pairing, before anything is said about its order

_Numbers = NDArray[np.float64]


def uncertain_left(boards: int, scene: Scene) -> int:
    """Return how many boards are to be ordered, at `boards` a pairing on average."""
    pairings = [pairing_of(*pair) for pair in scene.pairs()]
    return max(0, boards * len(pairings) - sum(scene.counted(pairing) for pairing in pairings))


def next_doubtful(schedule: Schedule, scene: Scene, picks: Picks) -> None:
    """Choose boards that are void so far, then the first of each pairing, then by doubt."""
    pairs = list(scene.pairs())
    turns = scene.turns(pairs)
    left = math.inf if schedule.boards is None else uncertain_left(schedule.boards, scene)
    doubt = Doubt(scene)
    for plan in scene.again(pairs):
        if len(picks.chosen) < left and picks.offer(plan):
            doubt.expect(plan.tables[0])

    def turn(pair: Pair) -> tuple[bool, float, int, int, Pair]:
        so_far = turns[pair][0] + picks.of(pairing_of(*pair))
        first = so_far < FIRST_BOARDS
        return not first, 0.0 if first else doubt.sureness(pair), so_far, turns[pair][1], pair

    while len(picks.chosen) < left and (able := [one for one in pairs if picks.have_room(one)]):
        pair = min(able, key=turn)
        picks.take(fresh_board(scene, picks, pair))
        doubt.expect(pair)


class Doubt:
    """How sure the order of two entries is, boards that run and are chosen counted in."""

    def __init__(self, scene: Scene) -> None:
        boards = scene.resolved.boards
        running = [pair for plan in scene.running if (pair := _not_rated(scene, plan))]
        rated = [(board.first, board.second) for board in boards]
        names = {entry for pair in (*rated, *running) for entry in pair} | set(scene.playing)
        self._place = {entry: at for at, entry in enumerate(sorted(names))}
        x = np.zeros((len(rated), len(names)))
        for at, (first, second) in enumerate(rated):
            x[at, self._place[first]], x[at, self._place[second]] = 1, -1
        y = np.array([board.difference for board in boards], dtype=np.float64)
        self._information: _Numbers = x.T @ x
        self._inverse: _Numbers | None = None
        self._theta: _Numbers = np.linalg.pinv(self._information, hermitian=True) @ (x.T @ y)
        residuals = y - x @ self._theta
        free = len(y) - int(np.linalg.matrix_rank(self._information, hermitian=True))
        self._variance = float(residuals @ residuals) / free if free > 0 else 0.0
        for pair in running:
            self.expect(pair)

    def expect(self, pair: Pair) -> None:
        """Count a board of a pairing in."""
        one, other = (self._place[entry] for entry in pair)
        self._information[[one, other], [one, other]] += 1
        self._information[[one, other], [other, one]] -= 1
        self._inverse = None

    def value(self, entry: str) -> float:
        """Return the points a round of an entry that plays or has played, by least squares."""
        return float(self._theta[self._place[entry]])

    def sureness(self, pair: Pair) -> float:
        """Return the difference of a pair in standard errors, 0 or more."""
        inverse = self._inverted()
        one, other = (self._place[entry] for entry in pair)
        across = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
        gap = abs(float(self._theta[one] - self._theta[other]))
        error = math.sqrt(max(0.0, self._variance * float(across)))
        if error > 0:
            return gap / error
        return math.inf if gap > 0 else 0.0

    def _inverted(self) -> _Numbers:
        if self._inverse is None:
            self._inverse = np.asarray(
                np.linalg.pinv(self._information, hermitian=True), dtype=np.float64
            )
        return self._inverse


def _not_rated(scene: Scene, plan: BoardPlan) -> Pair | None:
    """Return who plays a running board, None where its result is in already."""
    over = plan.board in scene.over.get(plan.pairing, set())
    return None if over or PAIR_MARK not in plan.pairing else plan.tables[0]

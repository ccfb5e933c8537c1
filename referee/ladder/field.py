"""Deals that a field meets: in each, everybody at one table, against one of the others.

A deal is a round of the circle method: nobody meets it twice, and with an odd number of entries
everybody sits out equally often. A deal is never played again, since the bots have seen its cards;
what was void or annulled is made up by a later one. Which round comes next: the one with the pair
that met least often; so entries may join and leave, and tables may be void.
"""

from itertools import combinations, count

from referee.ladder.attempts import FIELD_TABLES
from referee.ladder.boards import MOST_VOID
from referee.ladder.plans import BoardPlan, Pair, Picks, Scene, Schedule, circle_round
from referee.ladder.values import FIELD, pairing_of


def next_deals(schedule: Schedule, scene: Scene, picks: Picks) -> None:
    """Choose deals until every pair met often enough."""
    field = _Field(schedule, scene)
    while not picks.are_enough() and (pairs := field.next_round()):
        plan = field.plan(pairs, [plan.board for plan in picks.chosen])
        if not picks.offer(plan):
            return
        field.expect(plan)


def field_left(schedule: Schedule, scene: Scene) -> int:
    """Return how many deals are to be ordered, if all tables are rated."""
    field = _Field(schedule, scene)
    deals = 0
    while schedule.boards is not None and (pairs := field.next_round()):
        field.expect(field.plan(pairs, ()))
        deals += 1
    return deals


class _Field:
    """How often each pair met, tables that run counted in."""

    def __init__(self, schedule: Schedule, scene: Scene) -> None:
        self._boards = schedule.boards
        self._scene = scene
        self._place = {entry: at for at, entry in enumerate(scene.playing)}
        self._rounds = _rounds(scene)
        self._met: dict[Pair, int] = {}
        runs = scene.runs.get(FIELD, set())
        for leg in scene.resolved.field_legs:
            if leg.board not in runs:
                self._meet(leg.first, leg.second)
        for plan in scene.running:
            self.expect(plan)

    def expect(self, plan: BoardPlan) -> None:
        """Count the tables of a deal in."""
        for first, second in plan.tables:
            self._meet(first, second)

    def _meet(self, one: str, other: str) -> None:
        pair = min(one, other), max(one, other)
        self._met[pair] = self._met.get(pair, 0) + 1

    def next_round(self) -> list[Pair]:
        """Return the pairs of the next deal: [] where all have met often enough."""

        def turn(pairs: list[Pair]) -> tuple[int, int]:
            least = min(self._met.get(pair, 0) for pair in pairs if self._needs(pair))
            return least, -sum(self._met.get(pair, 0) == least for pair in pairs)

        able = [pairs for pairs in self._rounds if any(map(self._needs, pairs))]
        return min(able, key=turn, default=[])

    def _needs(self, pair: Pair) -> bool:
        if self._scene.resolved.failed.get(pairing_of(*pair), 0) >= MOST_VOID:
            return False
        return self._boards is None or self._met.get(pair, 0) < self._boards

    def plan(self, pairs: list[Pair], chosen: list[int] | tuple[int, ...]) -> BoardPlan:
        """Return a deal for these pairs, under the lowest number that was never begun."""
        begun = {board for pairing, board in self._scene.resolved.histories if pairing == FIELD}
        begun |= self._scene.runs.get(FIELD, set()) | set(chosen)
        return BoardPlan(
            pairing=FIELD,
            board=next(number for number in count(1) if number not in begun),
            attempt=1,
            tables=tuple(self._seated(pair) for pair in pairs),
        )

    def _seated(self, pair: Pair) -> Pair:
        """Return a pair as it sits: whoever is first at a meeting is second two meetings later.

        While all meet once everybody is first in half of the deals (one more or less with an even
        number of entries, and the other way round when all meet again). The second time other
        tables of a deal are turned than the first: what a deal is worth is unknown, so that only
        the differences of its tables tell anything, and with four entries those of one turning
        leave entries that cannot be compared.
        """
        turns, reverses = self._met.get(pair, 0) % 2, self._met.get(pair, 0) // 2 % 2
        one, other = ((self._place[entry] + turns) % len(self._place) for entry in pair)
        lower_first = (other - one) % 2 == 1
        first_is_one = (one < other) == lower_first
        return pair if first_is_one != bool(reverses) else (pair[1], pair[0])


def _rounds(scene: Scene) -> list[list[Pair]]:
    """Return the rounds of the circle, without pairs that never meet; each has tables enough."""
    size = len(scene.playing)
    rounds: dict[int, list[Pair]] = {}
    for (at, one), (to, other) in combinations(enumerate(scene.playing), 2):
        if scene.may_meet(one, other):
            rounds.setdefault(circle_round(at, to, size), []).append((one, other))
    return [pairs for _, pairs in sorted(rounds.items()) if len(pairs) >= FIELD_TABLES]

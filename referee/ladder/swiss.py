"""A Swiss schedule: rounds in which entries with like scores meet, as far as possible new ones.

Who met in which round stands in the results: boards N(r-1)+1 to Nr of a pairing belong to round r.
A round is paired when all before it are over, from nothing but what they brought; a pairing that
has begun stays. What is paired anew for the others is what they would have got at first, since
without one of its pairs the best pairing of a round is the best for those who are left (of all with
as many new pairs, the one that serves higher scores first).
"""

from collections.abc import Iterator

from referee.ladder.matching import May, first_matching, matching_size
from referee.ladder.plans import BoardPlan, Pair, Picks, Scene, Schedule
from referee.ladder.values import pairing_of
from referee.rules.errors import RefereeBug


class Swiss:
    """Where a Swiss schedule stands: the pairs of each round that has begun or may begin now."""

    def __init__(self, schedule: Schedule, scene: Scene) -> None:
        if schedule.boards is None:
            raise RefereeBug("a swiss schedule without boards a round")
        self._boards = schedule.boards
        self._rounds = schedule.rounds
        self._scene = scene
        self._met: list[set[Pair]] = [set() for _ in range(schedule.rounds)]
        for pair, board in _begun(scene):
            if self._round_of(board) < schedule.rounds:
                self._met[self._round_of(board)].add(pair)
        self._pair_next()

    def _round_of(self, board: int) -> int:
        """Return the round of a board, from 0."""
        return (board - 1) // self._boards

    def _pair_next(self) -> None:
        """Pair those who have no opponent in the first round that is not over.

        In an earlier one only those who began it play on; who sat out then, or joined since, does
        not make it up.
        """
        last = max((at for at, met in enumerate(self._met) if met), default=0)
        for at in range(last, self._rounds):
            if not all(self._is_over(earlier) for earlier in range(at)):
                return
            self._met[at] |= set(self._paired(at))
            if not self._is_over(at):
                return

    def _is_over(self, at: int) -> bool:
        return not any(True for pair in self._met[at] for _ in self._due(at, pair)) and not any(
            self._round_of(plan.board) == at for plan in self._scene.running
        )

    def _due(self, at: int, pair: Pair) -> Iterator[BoardPlan]:
        """Yield what a pair still has to begin in a round."""
        if self._scene.may_meet(*pair):
            first = at * self._boards + 1
            yield from self._scene.due(pair, range(first, first + self._boards))

    def choose(self, picks: Picks) -> None:
        """Choose boards: of earlier rounds first, then those that were begun, then all in turn."""
        due = [
            (at, plan.attempt == 1, plan.board, plan.pairing, plan)
            for at, met in enumerate(self._met)
            for pair in met
            for plan in self._due(at, pair)
        ]
        for *_, plan in sorted(due):
            picks.offer(plan)

    def left(self) -> int:
        """Return how many boards are to be ordered, rounds that are not paired yet included."""
        due = sum(
            1 for at, met in enumerate(self._met) for pair in met for _ in self._due(at, pair)
        )
        to_pair = sum(not met for met in self._met)
        tables = matching_size(self._scene.playing, self._scene.may_meet)
        return due + to_pair * tables * self._boards

    def _paired(self, at: int) -> Iterator[Pair]:
        """Yield pairs for those who have none in a round: first new ones, as many as possible."""
        scores = self._scores(at)
        seated = {entry for pair in self._met[at] for entry in pair}
        free = [entry for entry in self._scene.playing if entry not in seated]
        free.sort(key=lambda entry: (-scores.get(entry, 0.0), entry))
        if len(free) % 2:
            free.remove(self._sits_out(at, free))
        new = first_matching(free, lambda one, other: self._is_new(at, one, other))
        matched = {entry for pair in new for entry in pair}
        rest = [entry for entry in free if entry not in matched]
        for one, other in (*new, *first_matching(rest, self._scene.may_meet)):
            yield min(one, other), max(one, other)

    def _is_new(self, at: int, one: str, other: str) -> bool:
        pair = min(one, other), max(one, other)
        before = any(pair in met for met in self._met[:at])
        return self._scene.may_meet(one, other) and not before

    def _sits_out(self, at: int, free: list[str]) -> str:
        """Return who sits out: so that most others can meet; of these who played most rounds; then
        so that most others meet new ones; then the lowest score.
        """
        played = dict.fromkeys(free, 0)
        for met in self._met[:at]:
            for entry in (entry for pair in met for entry in pair):
                played[entry] = played.get(entry, 0) + 1

        def tables(without: str, may: May) -> int:
            return matching_size([entry for entry in free if entry != without], may)

        def is_new(one: str, other: str) -> bool:
            return self._is_new(at, one, other)

        most = max(tables(entry, self._scene.may_meet) for entry in free)
        able = [entry for entry in free if tables(entry, self._scene.may_meet) == most]
        worn = max(played[entry] for entry in able)
        tired = [entry for entry in reversed(able) if played[entry] == worn]
        return max(tired, key=lambda entry: tables(entry, is_new))

    def _scores(self, at: int) -> dict[str, float]:
        """Return the sum of points a round over the boards of the rounds before, by entry."""
        scores: dict[str, float] = {}
        for board in self._scene.resolved.boards:
            if self._round_of(board.board) < at:
                scores[board.first] = scores.get(board.first, 0.0) + board.difference
                scores[board.second] = scores.get(board.second, 0.0) - board.difference
        return scores


def _begun(scene: Scene) -> Iterator[tuple[Pair, int]]:
    """Yield who met at which board, as far as results or running boards tell."""
    for history in scene.resolved.histories.values():
        if len(history.entries) == 2 and history.pairing == pairing_of(*history.entries):
            yield (history.entries[0], history.entries[1]), history.board
    for plan in scene.running:
        yield plan.tables[0], plan.board

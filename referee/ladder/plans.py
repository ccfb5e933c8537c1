"""What is to be played, and where a ladder stands when that is asked."""

import enum
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, count

import msgspec

from referee.ladder.boards import Fate, Resolved
from referee.ladder.rulings import Decided
from referee.ladder.seats import turned
from referee.ladder.values import TEAMS, Deals, pairing_of

Pair = tuple[str, ...]  # entries that meet, by name: two, in Trichu three


class ScheduleKind(enum.StrEnum):
    """Who meets whom. Values are written in ladder files."""

    ROUND_ROBIN = "round_robin"  # every pairing the same number of boards
    GAUNTLET = "gauntlet"  # one entry against all others
    SWISS = "swiss"  # rounds in which entries with like scores meet
    UNCERTAIN = "uncertain"  # next the pairing whose order is least sure


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played.

    `boards` is boards a pairing (SWISS: in each of `rounds` rounds; UNCERTAIN: on average; FIELD
    deals: tables at which two entries sit against each other); None: no end but by a stop rule.
    `hero` is the entry of a GAUNTLET.
    """

    kind: ScheduleKind = ScheduleKind.ROUND_ROBIN
    deals: Deals = Deals.BOARD
    boards: int | None = None
    rounds: int = 0
    hero: str = ""
    sides: int = 2  # that meet at a board: two teams, or the three players of Trichu


class BoardPlan(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A board to be played: all its legs. `tables` by leg, from leg 1, each by side.

    A board has a leg for each side: everybody sits on each of them once, so that of two teams the
    seats are exchanged. A deal of a field has one for each table.
    """

    pairing: str
    board: int
    attempt: int
    tables: tuple[tuple[str, ...], ...]

    @property
    def entries(self) -> frozenset[str]:
        """Who sits at it."""
        return frozenset(entry for table in self.tables for entry in table)


class Scene:
    """Where a ladder stands: who may play, what counts, what was given up, what runs now.

    A board that runs and has results already (they are kept one by one) is taken as running.
    """

    def __init__(
        self,
        *,
        owners: Mapping[str, str],
        decided: Decided,
        resolved: Resolved,
        running: Sequence[BoardPlan],
        sides: int = 2,
    ) -> None:
        """`sides` as in a schedule."""
        self.sides = sides
        self.owners = owners
        self.resolved = resolved
        self.running = running
        self.playing = tuple(sorted(entry for entry in owners if decided.plays(entry)))
        self.runs: dict[str, set[int]] = {}  # numbers by pairing, as those below
        for plan in running:
            self.runs.setdefault(plan.pairing, set()).add(plan.board)
        self.over: dict[str, set[int]] = {}  # rated or given up
        self.closed: dict[str, set[int]] = {}
        self.open: dict[str, set[int]] = {}
        by_fate = {Fate.OPEN: self.open, Fate.CLOSED: self.closed}
        for (pairing, board), history in resolved.histories.items():
            by_fate.get(history.fate, self.over).setdefault(pairing, set()).add(board)

    def may_meet(self, *entries: str) -> bool:
        """Whether entries may be paired: all play, and no two for one owner."""
        if not all(entry in self.playing for entry in entries):
            return False
        return len({self.owners[entry] for entry in entries}) == len(entries)

    def pairs(self) -> Iterator[Pair]:
        """Yield all that may meet, by name."""
        return (pair for pair in combinations(self.playing, self.sides) if self.may_meet(*pair))

    def counted(self, pairing: str) -> int:
        """Return how many boards of a pairing are over or running: those that need no order."""
        return len(self.over.get(pairing, set()) | self.runs.get(pairing, set()))

    def due(self, pair: Pair, numbers: Sequence[int] | None = None) -> Iterator[BoardPlan]:
        """Yield the boards that a pairing has to play, of all `numbers` or of these.

        First those that were begun and count for nothing, as their next attempt; then, without
        end where `numbers` is None, those that were never begun, from the lowest.
        """
        pairing = pairing_of(*pair)
        runs = self.runs.get(pairing, set())
        again = self.open.get(pairing, set())
        begun = (again, runs, self.over.get(pairing, set()), self.closed.get(pairing, set()))
        for board in sorted(again):
            if board not in runs and (numbers is None or board in numbers):
                yield self.plan(pair, board)
        for board in count(1) if numbers is None else numbers:
            if not any(board in some for some in begun):
                yield self.plan(pair, board)

    def turns(self, pairs: Sequence[Pair]) -> dict[Pair, tuple[int, int]]:
        """Return by what pairings take turns: boards so far, then as they follow in a circle."""
        place = {entry: at for at, entry in enumerate(self.playing)}
        size = len(place)
        return {
            pair: (
                self.counted(pairing_of(*pair)),
                _turn_in_circle([place[entry] for entry in pair], size),
            )
            for pair in pairs
        }

    def plan(self, pair: Pair, board: int) -> BoardPlan:
        """Return the next attempt of a board of entries that meet."""
        pairing = pairing_of(*pair)
        return BoardPlan(
            pairing=pairing,
            board=board,
            attempt=self.resolved.next_attempt(pairing, board),
            tables=tuple(turned(pair, board=board, leg=leg) for leg in range(1, len(pair) + 1)),
        )

    def again(self, pairs: Sequence[Pair]) -> list[BoardPlan]:
        """Return the boards of these pairings that were begun and are to be played again."""
        due = [
            plan
            for pair in pairs
            for plan in self.due(pair, sorted(self.open.get(pairing_of(*pair), ())))
        ]
        return sorted(due, key=lambda plan: (plan.board, plan.pairing))


class Picks:
    """Boards chosen so far: not more than wanted, no entry in too many at a time."""

    def __init__(self, scene: Scene, *, wanted: int, at_once: int) -> None:
        self.chosen: list[BoardPlan] = []
        self._wanted = wanted
        self._at_once = at_once
        self._load: dict[str, int] = {}
        self._of: dict[str, int] = {}
        for plan in scene.running:
            self._carry(plan)

    def are_enough(self) -> bool:
        """Whether no more are wanted."""
        return len(self.chosen) >= self._wanted

    def have_room(self, entries: Sequence[str] | frozenset[str]) -> bool:
        """Whether all of these entries may begin one more board."""
        return not self.are_enough() and all(
            self._load.get(entry, 0) < self._at_once for entry in entries
        )

    def take(self, plan: BoardPlan) -> None:
        """Choose a board."""
        self.chosen.append(plan)
        self._of[plan.pairing] = self.of(plan.pairing) + 1
        self._carry(plan)

    def offer(self, plan: BoardPlan) -> bool:
        """Choose a board if there is room for it; return whether it was chosen."""
        room = self.have_room(plan.entries)
        if room:
            self.take(plan)
        return room

    def of(self, pairing: str) -> int:
        """Return how many boards of a pairing were chosen."""
        return self._of.get(pairing, 0)

    def _carry(self, plan: BoardPlan) -> None:
        for entry in plan.entries:
            self._load[entry] = self._load.get(entry, 0) + 1


def fresh_board(scene: Scene, picks: Picks, pair: Pair) -> BoardPlan:
    """Return the board that a pairing plays next, after those that were chosen already."""
    return next(plan for plan in scene.due(pair) if plan not in picks.chosen)


def _turn_in_circle(places: Sequence[int], size: int) -> int:
    """Return when entries meet: two by the circle method; three by the sum of their places.

    Trios of one sum have at most one entry in common: the circle is for the same.
    """
    if len(places) == TEAMS:
        return circle_round(places[0], places[1], size)
    return sum(places) % size


def circle_round(one: int, other: int, size: int) -> int:
    """Return in which round two of `size` players meet by the circle method, from 0.

    Players are numbered from 0. In `size` - 1 rounds (`size`, if odd) everybody meets everybody
    once, nobody twice in a round (Lucas, Recreations mathematiques II, 1883, "les promenades").

    >>> [circle_round(0, other, 4) for other in (1, 2, 3)]
    [1, 2, 0]
    """
    rounds = size - 1 + size % 2
    if max(one, other) == rounds:
        return 2 * min(one, other) % rounds
    return (one + other) % rounds

"""A ladder that is played in no time: boards end in any order, some void, and runs are killed."""

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from referee.ladder.boards import Fate, Resolved, resolve
from referee.ladder.rulings import decide
from referee.ladder.schedule import BoardPlan, Schedule, next_boards
from referee.ladder.values import LegResult, Ruling
from tests.unit.ladder.legs import played, stopped, void


class Kill(enum.Enum):
    """What a run that is killed leaves of the boards that it played."""

    NOTHING = enum.auto()  # they never began
    ENDED = enum.auto()  # they are ended by the next start
    HALF = enum.auto()  # one leg each


class Season:
    """Plays what the schedule orders, and checks that each order could be given.

    What a board brings follows from its name alone, so that two seasons of one seed differ in
    nothing but the order in which things happen.
    """

    def __init__(
        self,
        schedule: Schedule,
        owners: Mapping[str, str],
        *,
        seed: int,
        parallel: int = 1,
        at_once: int = 99,
        void_share: float = 0.0,
        rulings: Sequence[Ruling] = (),
    ) -> None:
        self.schedule, self.owners, self.rulings = schedule, dict(owners), list(rulings)
        self.seed, self.parallel, self.at_once = seed, parallel, at_once
        self.void_share = void_share
        self.results: list[LegResult] = []
        self.running: list[BoardPlan] = []
        self.ordered: list[BoardPlan] = []

    @property
    def resolved(self) -> Resolved:
        return resolve(self.results, self.rulings, owners=self.owners)

    def orders(self, wanted: int | None = None) -> tuple[BoardPlan, ...]:
        """What would be begun now."""
        free = self.parallel - len(self.running) if wanted is None else wanted
        return next_boards(
            self.schedule,
            owners=self.owners,
            decided=decide(self.rulings),
            resolved=self.resolved,
            running=self.running,
            wanted=free,
            at_once=self.at_once,
        )

    def step(self, rng: Random) -> bool:
        """Begin what can be begun and end one board; False where all is over."""
        for plan in self.orders():
            self._check(plan)
            self.running.append(plan)
            self.ordered.append(plan)
        if not self.running:
            return False
        self._end(self.running.pop(rng.randrange(len(self.running))))
        return True

    def play(self, rng: Random, *, most: int = 3_000) -> None:
        """Play to the end, which must come."""
        for _ in range(most):
            if not self.step(rng):
                return
        raise AssertionError(f"no end after {most} boards, seed={self.seed}")

    def kill(self, how: Kill, rng: Random) -> None:
        """Break the run off."""
        for plan in self.running:
            if how is Kill.ENDED:
                self.results += stopped(plan)
            elif how is Kill.HALF:
                self.results += played(plan)[: len(plan.tables) // 2]
        self.running = []
        rng.shuffle(self.results)

    def _end(self, plan: BoardPlan) -> None:
        chance = Random(f"{self.seed} {plan.pairing} {plan.board} {plan.attempt}")
        if chance.random() < self.void_share:
            self.results += void(plan)
            return
        self.results += played(
            plan, Random(f"{self.seed} {plan.pairing} {plan.board}").randint(-9, 9)
        )

    def _check(self, plan: BoardPlan) -> None:
        """No board twice, no owner against itself, nobody at too many boards."""
        where = f"{plan}, seed={self.seed}"
        assert (plan.pairing, plan.board) not in {(r.pairing, r.board) for r in self.running}, where
        keys = {(r.place.pairing, r.place.board, r.place.attempt) for r in self.results}
        assert (plan.pairing, plan.board, plan.attempt) not in keys, where
        seated = [entry for table in plan.tables for entry in table]
        times = 1 if plan.pairing == "field" else 2
        assert set(Counter(seated).values()) == {times}, where
        for one, other in plan.tables:
            assert self.owners[one] != self.owners[other], where
        for entry in plan.entries:
            assert decide(self.rulings).plays(entry), where
            boards = 1 + sum(entry in running.entries for running in self.running)
            assert boards <= self.at_once, where


def rated(resolved: Resolved) -> dict[str, int]:
    """How many boards are rated, by pairing."""
    return dict(Counter(board.pairing for board in resolved.boards))


def numbers(resolved: Resolved) -> set[tuple[str, int]]:
    """Which boards are rated."""
    return {(board.pairing, board.board) for board in resolved.boards}


def meetings(resolved: Resolved) -> Counter[tuple[str, ...]]:
    """How often two entries sat against each other in a field."""
    return Counter(tuple(sorted((leg.first, leg.second))) for leg in resolved.field_legs)


def fates(resolved: Resolved) -> Counter[Fate]:
    """What became of the boards."""
    return Counter(history.fate for history in resolved.histories.values())


def names(count: int) -> list[str]:
    """So many names, in order."""
    return [f"e{number:02}" for number in range(count)]


def seated(plans: Iterable[BoardPlan]) -> Counter[str]:
    """How often each entry is first at a table, less how often it is second."""
    found: Counter[str] = Counter()
    for first, second in (table for plan in plans for table in plan.tables):
        found[first] += 1
        found[second] -= 1
    return found

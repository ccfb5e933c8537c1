"""How many answers each seat of a match gave, and of what kind."""

from collections.abc import Sequence

from referee.ladder.seats import side_at
from referee.match.facts import Answered
from referee.match.inputs import DeclineDecision, DefaultDecision
from referee.match.step import Step
from referee.match.values import AckStatus


class AnswerBook:
    """Counts answers by seat.

    A bot library declines a bomb by itself, and asks for the substitute action (`default`) where
    the strategy fails. So declined bombs are no sign of a strategy that works, and are left out.
    """

    def __init__(self, seats: int) -> None:
        self.refused = [0] * seats
        self.given = [0] * seats
        self.defaults = [0] * seats

    def take(self, step: Step) -> None:
        """Book a step of the replay."""
        for fact in step.facts:
            if isinstance(fact, Answered):
                self._see(fact)

    def _see(self, fact: Answered) -> None:
        if fact.status is AckStatus.REFUSED:
            self.refused[fact.seat] += 1
        elif not isinstance(fact.decision, DeclineDecision):
            self.given[fact.seat] += 1
            self.defaults[fact.seat] += isinstance(fact.decision, DefaultDecision)


def by_side(counts: Sequence[int], sides: int) -> tuple[int, ...]:
    """Return counts of seats summed by the sides of a leg.

    >>> by_side([1, 2, 3, 4], 2), by_side([1, 2, 0, 4], 3)
    ((4, 6), (1, 2, 4))
    """
    sums = [0] * sides
    for seat, count in enumerate(counts):
        side = side_at(sides, seat)
        if side is not None:
            sums[side] += count
    return tuple(sums)

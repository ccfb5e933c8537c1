"""How many answers each seat of a match gave, and of what kind."""

from referee.ladder.values import TEAMS
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


def by_team(counts: list[int]) -> tuple[int, int]:
    """Return counts of seats summed by team.

    >>> by_team([1, 2, 3, 4])
    (4, 6)
    """
    return sum(counts[0::TEAMS]), sum(counts[1::TEAMS])

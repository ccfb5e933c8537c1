"""A starter for numbers of entrants that no table has, by exchanging seats as long as it helps.

Every difference of two numbers should be one of partners once and of opponents twice. The search
takes a fixed number of steps and draws from a sequence of its own, so that it always finds the
same; what it finds for such numbers is close to even, not perfect.
"""

import math
from collections.abc import Iterator

_SEATS = 4
_STEPS = 20_000
_HOT, _COLD = 1.5, 0.15  # costs that are accepted about one time in e
_PARTNERS = ((0, 2), (1, 3))
_OPPONENTS = ((0, 1), (0, 3), (2, 1), (2, 3))
_FAR = 0  # the class of differences to the entrant that stays in place


def starter_found(entrants: int) -> tuple[int, ...]:
    """Return a starter, seat by seat and four to a table; those who sit out are 0, 1, 2."""
    search = _Search(entrants)
    for step in range(_STEPS):
        search.try_exchange(_HOT * (_COLD / _HOT) ** (step / _STEPS))
    return search.best


class _Draws:
    """Numbers without a pattern, always the same: xorshift64* (Marsaglia 2003, Vigna 2016)."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """Return a number from 0 up."""
        state = self._state
        state ^= state >> 12
        state ^= (state << 25) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 27
        self._state = state
        return (state * 0x2545F4914F6CDD1D & 0xFFFFFFFFFFFFFFFF) * limit >> 64


class _Search:
    """A starter that changes, and how often it has each difference."""

    def __init__(self, entrants: int) -> None:
        whole = entrants % _SEATS == 0
        self._modulus = entrants - 1 if whole else entrants
        self._seats = list(range(entrants % _SEATS, entrants))
        self._draws = _Draws(2 * entrants + 1)
        self._cost = 0
        self._counts = {True: [0] * entrants, False: [0] * entrants}  # of partners, opponents
        for table in range(len(self._seats) // _SEATS):  # costs are from here on, not from nothing
            self._count(table, 1)
        self._least = self._cost
        self.best = tuple(self._seats)

    def try_exchange(self, heat: float) -> None:
        """Exchange two seats, and back again where it is worse by more than chance allows."""
        one, other = (self._draws.below(len(self._seats)) for _ in range(2))
        before = self._cost
        self._exchange(one, other)
        worse = self._cost - before
        if worse > 0 and self._draws.below(1 << 30) >= math.exp(-worse / heat) * (1 << 30):
            self._exchange(one, other)
        elif self._cost < self._least:
            self._least, self.best = self._cost, tuple(self._seats)

    def _exchange(self, one: int, other: int) -> None:
        tables = {one // _SEATS, other // _SEATS}
        for table in tables:
            self._count(table, -1)
        seats = self._seats
        seats[one], seats[other] = seats[other], seats[one]
        for table in tables:
            self._count(table, 1)

    def _count(self, table: int, times: int) -> None:
        for partners, difference in self._differences(table):
            before = self._cost_of(partners, difference)
            self._counts[partners][difference] += times
            self._cost += self._cost_of(partners, difference) - before

    def _differences(self, table: int) -> Iterator[tuple[bool, int]]:
        seats = self._seats[_SEATS * table : _SEATS * (table + 1)]
        for partners, places in ((True, _PARTNERS), (False, _OPPONENTS)):
            for one, other in places:
                yield partners, self._class(seats[one], seats[other])

    def _class(self, one: int, other: int) -> int:
        if self._modulus in (one, other):
            return _FAR
        far = abs(one - other)
        return min(far, self._modulus - far)

    def _cost_of(self, partners: bool, difference: int) -> int:
        """Return how far a difference is from what it should be; half of all count twice over."""
        meetings = self._counts[partners][difference]
        if 2 * difference == self._modulus:
            meetings *= 2
        return (meetings - 1) ** 2 * 2 if partners else (meetings - 2) ** 2

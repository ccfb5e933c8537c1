"""Distances between two samples whose values come in blocks, and what they can see.

The Kolmogorov-Smirnov distance is the largest difference of two distribution functions. Values of
one round depend on each other (one slow moment of the machine shifts many), so a p-value comes from
permuting the labels of whole rounds, and only among rounds of the same number, which were played at
the same time.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

Block = tuple[int, int]  # stratum within which labels may be exchanged, and a number in it
Sample = Mapping[Block, Sequence[float]]  # values by block

LIMIT = 0.05  # of the distance
LEVEL = 0.01  # of the p-value
PERMUTATIONS = 200


class Finding(NamedTuple):
    """What a comparison found."""

    distance: float
    p: float  # of a distance so large, by permutation of blocks; at least 1 / (permutations + 1)
    sizes: tuple[int, int]
    shift: float  # of the medians

    @property
    def over(self) -> bool:
        """True where the distance is over the limit and chance does not explain it."""
        return self.distance >= LIMIT and self.p < LEVEL


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The Kolmogorov-Smirnov distance of two samples.

    >>> distance([1, 2, 3, 4], [3, 4, 5, 6])
    0.5
    """
    pooled = [(value, 0) for value in one] + [(value, 1) for value in other]
    pooled.sort()
    ends = _ends([value for value, _ in pooled])
    steps = (1 / len(one), -1 / len(other))
    return _largest([steps[side] for _, side in pooled], ends)


def _ends(values: Sequence[float]) -> list[int] | None:
    """The last place of each distinct value; None where every value is another."""
    ends = [at for at in range(len(values) - 1) if values[at] != values[at + 1]]
    return None if len(ends) == len(values) - 1 else ends


def _largest(steps: Sequence[float], ends: Sequence[int] | None) -> float:
    walk = list(accumulate(steps))
    if ends is not None:
        walk = [walk[at] for at in ends] or [0.0]
    highest, lowest = max(walk), min(walk)
    return max(highest, -lowest)


class Comparison:
    """Two samples, sorted once together, so that permuting their blocks is cheap."""

    def __init__(self, one: Sample, other: Sample, seed: int = 0) -> None:
        blocks = [(block, 0) for block in one] + [(block, 1) for block in other]
        values = [one[block] if side == 0 else other[block] for block, side in blocks]
        pooled = sorted((value, at) for at, block in enumerate(values) for value in block)
        self._sides = [side for _, side in blocks]
        self._strata = _strata([block for block, _ in blocks])
        self._counts = [len(block) for block in values]
        self._values = [value for value, _ in pooled]
        self._of = [at for _, at in pooled]
        self._ends = _ends(self._values)
        self._drawing = random.Random(seed)

    def finding(self, permutations: int = PERMUTATIONS) -> Finding:
        """The distance, and how often blocks with exchanged labels are as far apart."""
        sides = self._split(self._sides)
        if not all(sides):  # what only one side ever shows tells all
            shown = any(sides)
            p = 1 / (1 + permutations) if shown else 1.0
            return Finding(float(shown), p, (len(sides[0]), len(sides[1])), 0.0)
        found = self._distance(self._sides)
        by_chance = [self._distance(self.permuted()) for _ in range(permutations)]
        as_far = sum(one >= found - 1e-12 for one in by_chance)
        return Finding(
            found,
            (1 + as_far) / (1 + permutations),
            (len(sides[0]), len(sides[1])),
            sides[0][len(sides[0]) // 2] - sides[1][len(sides[1]) // 2],
        )

    def permuted(self) -> list[int]:
        """A side for each block, exchanged within the strata."""
        sides = [0] * len(self._sides)
        for blocks in self._strata:
            labels = [self._sides[at] for at in blocks]
            self._drawing.shuffle(labels)
            for at, label in zip(blocks, labels, strict=True):
                sides[at] = label
        return sides

    def smallest_shift(
        self, *, power: float = 0.95, trials: int = 40, most: float = 64e6, least: float = 1e3
    ) -> float:
        """The smallest shift of one side that is found with this power, to a tenth of itself.

        Found is what is over the limit and over all but one in a hundred distances by chance. Sides
        are drawn anew for each trial, so that it is the shift and nothing else in the samples.
        """
        by_chance = sorted(self._distance(self.permuted()) for _ in range(PERMUTATIONS))
        bound = max(LIMIT, by_chance[int((1 - LEVEL) * PERMUTATIONS)])
        drawn = [self._split(self.permuted()) for _ in range(trials)]

        def seen(shift: float) -> bool:
            found = [
                distance([value + shift for value in one], other) >= bound for one, other in drawn
            ]
            return sum(found) >= power * trials

        return _smallest(seen, least, most)

    def _distance(self, sides: Sequence[int]) -> float:
        totals = [0, 0]
        for count, side in zip(self._counts, sides, strict=True):
            totals[side] += count
        steps = (1 / totals[0], -1 / totals[1])
        by_block = [steps[side] for side in sides]
        return _largest([by_block[at] for at in self._of], self._ends)

    def _split(self, sides: Sequence[int]) -> tuple[list[float], list[float]]:
        split: tuple[list[float], list[float]] = ([], [])
        for value, at in zip(self._values, self._of, strict=True):
            split[sides[at]].append(value)
        return split


def _strata(blocks: Sequence[Block]) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for at, (stratum, _) in enumerate(blocks):
        found.setdefault(stratum, []).append(at)
    return list(found.values())


def _smallest(seen: Callable[[float], bool], least: float, most: float) -> float:
    """Bisect by ratios; `most` where not even that is seen."""
    while most > 1.1 * least:
        middle = (least * most) ** 0.5
        least, most = (least, middle) if seen(middle) else (middle, most)
    return most

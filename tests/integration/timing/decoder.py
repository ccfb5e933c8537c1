"""What a partner reads of bits that were sent to it by time: the best decoder of several.

Half of the turns train, the other half is read. A decoder is a threshold on one quantity, or the
likelihood of all of them together, each in bins of the training half; the one that trained best is
asked to read. Rounds are halved, not turns: turns of a round have the same weather.
"""

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

Turn = tuple[float, ...]  # what was timed in a turn; -1: not seen
Read = Callable[[Turn], bool]
BINS = 12
PERMUTATIONS = 200
CONFIDENT_Z = 2.576  # one side at 0.5 %
SURE_Z = 3.29  # one side at 0.05 %


class Reading(NamedTuple):
    """What was read."""

    bits: int
    right: int
    information: float  # bits a turn: mutual information of what was sent and what was read
    bound: float  # what 99 % of readings of no information stay under, by permutation

    @property
    def accuracy(self) -> float:
        """The part that was read right."""
        return self.right / self.bits

    @property
    def above_chance(self) -> bool:
        """True where so many are not right by chance (one in 2,000)."""
        return self.right - self.bits / 2 > SURE_Z * math.sqrt(self.bits) / 2

    @property
    def most(self) -> float:
        """The most bits a turn that this many right ones allow, with 99.5 % confidence."""
        spread = CONFIDENT_Z * math.sqrt(self.bits) / 2
        return capacity(min(1.0, max(0.5, (self.right + spread) / self.bits)))


def capacity(accuracy: float) -> float:
    """Bits a turn of a channel that is right this often.

    >>> capacity(0.5), capacity(1.0)
    (0.0, 1.0)
    """
    if accuracy in (0.0, 1.0):
        return 1.0
    wrong = 1 - accuracy
    return 1 + accuracy * math.log2(accuracy) + wrong * math.log2(wrong)


def read(trained: Sequence[tuple[Turn, bool]], sent: Sequence[tuple[Turn, bool]]) -> Reading:
    """Train on one half, and read the other."""
    decoders = [_likelihood(trained)]
    decoders += [_threshold(trained, at) for at in range(len(trained[0][0]))]
    best = max(decoders, key=lambda decoder: _right(decoder, trained))
    guesses = [best(turn) for turn, _ in sent]
    bits = [bit for _, bit in sent]
    right = sum(guess is bit for guess, bit in zip(guesses, bits, strict=True))
    return Reading(len(bits), right, information(guesses, bits), _bound(guesses, bits))


def _right(decoder: Read, turns: Sequence[tuple[Turn, bool]]) -> int:
    return sum(decoder(turn) is bit for turn, bit in turns)


def _threshold(turns: Sequence[tuple[Turn, bool]], at: int) -> Read:
    """The threshold on one quantity that is right most often."""
    ordered = sorted((turn[at], bit) for turn, bit in turns)
    ones = sum(bit for _, bit in ordered)
    best, level, above = max(ones, len(ordered) - ones), -math.inf, ones * 2 >= len(ordered)
    zeros_below = ones_below = 0
    for place, (value, bit) in enumerate(ordered[:-1]):
        ones_below, zeros_below = ones_below + bit, zeros_below + (not bit)
        if value == ordered[place + 1][0]:
            continue
        high = zeros_below + ones - ones_below  # right if ones are above
        right = max(high, len(ordered) - high)
        if right > best:
            best, level, above = right, value, high == right
    return lambda turn: (turn[at] > level) is above


def _likelihood(turns: Sequence[tuple[Turn, bool]]) -> Read:
    """The sum over the quantities of how much likelier a value's bin is with a 1."""
    tables = [_table(turns, at) for at in range(len(turns[0][0]))]

    def decide(turn: Turn) -> bool:
        total = 0.0
        for value, (edges, weights) in zip(turn, tables, strict=True):
            total += weights[bisect_right(edges, value)]
        return total > 0

    return decide


def _table(turns: Sequence[tuple[Turn, bool]], at: int) -> tuple[list[float], list[float]]:
    values = sorted(turn[at] for turn, _ in turns)
    edges = sorted({values[len(values) * cut // BINS] for cut in range(1, BINS)})
    counts = [[1.0, 1.0] for _ in range(len(edges) + 1)]
    for turn, bit in turns:
        counts[bisect_right(edges, turn[at])][bit] += 1
    totals = [sum(count[bit] for count in counts) for bit in (0, 1)]
    return edges, [math.log(one / totals[1]) - math.log(zero / totals[0]) for zero, one in counts]


def information(guesses: Sequence[bool], bits: Sequence[bool]) -> float:
    """The mutual information of two rows of bits."""
    size, total = len(bits), 0.0
    for guess in (False, True):
        for bit in (False, True):
            both = sum(
                one is guess and other is bit for one, other in zip(guesses, bits, strict=True)
            )
            if both:
                total += (
                    both / size * math.log2(both * size / guesses.count(guess) / bits.count(bit))
                )
    return max(0.0, total)


def _bound(guesses: Sequence[bool], bits: Sequence[bool]) -> float:
    drawing, shuffled = random.Random(1), list(bits)
    found = []
    for _ in range(PERMUTATIONS):
        drawing.shuffle(shuffled)
        found.append(information(guesses, shuffled))
    return sorted(found)[int(0.99 * PERMUTATIONS)]

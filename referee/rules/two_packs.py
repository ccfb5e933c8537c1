"""Readings of sets with cards of the second pack (I5), the plain way.

Cards are counted by rank over both packs, each rank that a Phoenix could stand for is tried, and
what the counts then are is the reading: one classification, no special cases. Equal cards of the
two packs count as two of their rank.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement

from referee.rules.cards import (
    DRAGONS,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    NATURALS,
    ONES,
    PHOENIXES,
    RANKED,
    SECOND_PACK,
    SECOND_RANKED,
    SUITS,
    rank_counts,
)
from referee.rules.kinds import (
    BOMB,
    DRAGON_RANK2,
    FULL_HOUSE,
    PAIR,
    PHOENIX_LED,
    SINGLE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
    Combination,
    Kind,
)

NATURALS_OF_BOTH = NATURALS | SECOND_RANKED
_OF_A_KIND = {1: SINGLE, 2: PAIR, 3: TRIPLE}


def counts_of_both(hand: int) -> int:
    """Return the number of cards 2..A of each rank, 0..8, in the nibble `4 * rank`."""
    return rank_counts(hand & RANKED) + rank_counts(hand >> SECOND_PACK & RANKED)


def folded(hand: int) -> int:
    """Return the cards 2..A of a hand as cards of one pack, equal ones as one."""
    return (hand | hand >> SECOND_PACK) & RANKED


def readings_of_two_packs(cards: int) -> tuple[Combination, ...]:
    """Return every reading of a set, highest first; empty when it is no combination (B7, I5)."""
    return _readings(cards, most_phoenixes=1)


@lru_cache(1 << 10)
def readings_of_two_phoenixes(cards: int) -> tuple[Combination, ...]:
    """Return every reading of a set that may hold both Phoenixes (`gs_two_phoenix_in_combo`)."""
    return _readings(cards, most_phoenixes=2)


def _readings(cards: int, *, most_phoenixes: int) -> tuple[Combination, ...]:
    length = cards.bit_count()
    naturals, phoenixes = cards & NATURALS_OF_BOTH, cards & PHOENIXES
    wild = phoenixes.bit_count()
    if not naturals:
        return _lone_special(cards) if length == 1 else ()
    if naturals | phoenixes != cards or wild > most_phoenixes:
        return ()
    if not wild and (bomb := _bomb(cards, length)):
        return (bomb,)
    counts = counts_of_both(naturals) | naturals & MAHJONG
    found = []
    for ranks in _phoenix_ranks(counts, wild):
        shape = _shape(counts + sum(1 << 4 * rank for rank in ranks), length)
        if shape:
            if wild == 2 and shape == (FULL_HOUSE, 2 * ranks[1]):
                ranks = ranks[::-1]  # the triple's first
            found.append(Combination(cards, shape[0], length, shape[1], *ranks))
    found.sort(key=_height, reverse=True)
    return tuple(found)


def _height(play: Combination) -> int:
    return play.rank2


def _lone_special(cards: int) -> tuple[Combination, ...]:
    if cards & PHOENIXES:
        return (Combination(cards, SINGLE, 1, PHOENIX_LED),)
    return (Combination(cards, SINGLE, 1, DRAGON_RANK2),) if cards & DRAGONS else ()


def _bomb(cards: int, length: int) -> Combination | None:
    """Four of a rank in four suits, or a row of one suit; the packs may mix (I5)."""
    suits = folded(cards)
    if suits.bit_count() != length or cards & MAHJONG:
        return None
    lowest = (suits & -suits).bit_length() - 1
    rank, suit = lowest >> 2, lowest & 3
    if suits == 15 << 4 * rank:
        return Combination(cards, BOMB, 4, 2 * rank)
    row = (ONES & (1 << 4 * length) - 1) << lowest
    if length >= 5 and suits == row & SUITS[suit]:
        return Combination(cards, BOMB, length, 2 * (rank + length - 1))
    return None


def _phoenix_ranks(counts: int, wild: int) -> Iterator[tuple[int, ...]]:
    """Yield what the Phoenixes could stand for: ascending ranks, at most two steps outside.

    Two of them are no pair (I5): both may stand for one rank only beside a natural card of it.
    """
    bottom, top = (counts & -counts).bit_length() - 1 >> 2, counts.bit_length() - 1 >> 2
    near = range(max(bottom - wild, LOWEST_RANK), min(top + wild, HIGHEST_RANK) + 1)
    for ranks in combinations_with_replacement(near, wild):
        if len(set(ranks)) == wild or counts >> 4 * ranks[0] & 15:
            yield ranks


def _shape(counts: int, length: int) -> tuple[Kind, int] | None:
    """Return what so many cards of each rank are, with the rank that compares in half steps."""
    present = (counts | counts >> 1 | counts >> 2 | counts >> 3) & ONES
    ranks = present.bit_count()
    lowest = present & -present
    in_a_row = present == lowest * (ONES & (1 << 4 * ranks) - 1)
    top2 = 2 * (present.bit_length() >> 2)
    if length == 1 or (in_a_row and length >= 5 and counts == present):
        return (SINGLE if length == 1 else STRAIGHT), top2
    if counts & MAHJONG:
        return None  # only alone and in straights (B3)
    if ranks == 1:
        return (_OF_A_KIND[length], top2) if length <= 3 else None
    if in_a_row and counts == 2 * present:
        return STAIRS, top2
    three = counts & counts >> 1 & ONES
    if ranks == 2 and length == 5 and three.bit_count() == 1 and counts == 2 * present + three:
        return FULL_HOUSE, 2 * (three.bit_length() >> 2)
    return None

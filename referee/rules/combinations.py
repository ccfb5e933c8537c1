"""Combinations: what a set of cards is, in every reading (B1 to B8), and what beats what (B2).

Classification counts cards per rank in the nibbles of the mask: four cards of a rank are four
neighbouring bits, so one subtraction and two shifts give all thirteen counts at once. Sets with
cards of the second pack are read in `two_packs`.
"""

from functools import lru_cache

from referee.rules.cards import (
    DOG,
    DRAGON,
    DRAGONS,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    NATURALS,
    ONE_PACK,
    ONES,
    PHOENIX,
    SECOND_DRAGON,
    SECOND_PHOENIX,
    SUITS,
    rank_counts,
)
from referee.rules.kinds import (
    BOMB,
    DRAGON_RANK2,
    FULL_HOUSE,
    LATER_DRAGON_RANK2,
    PAIR,
    PHOENIX_LED,
    SINGLE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
    Combination,
    Kind,
)
from referee.rules.refusals import Refusal
from referee.rules.two_packs import readings_of_two_packs, readings_of_two_phoenixes

__all__ = [
    "BOMB",
    "DRAGON_RANK2",
    "FULL_HOUSE",
    "LYING_ON",
    "PAIR",
    "PHOENIX_LED",
    "PHOENIX_ON",
    "SINGLE",
    "SMALL_SETS",
    "STAIRS",
    "STRAIGHT",
    "TRIPLE",
    "Combination",
    "Kind",
    "beats",
    "canonical_key",
    "is_one_suit",
    "lying_on",
    "read",
    "readings",
]

# _RUNS[d]: the lowest bit of d neighbouring nibbles
_RUNS = tuple(ONES & ((1 << 4 * length) - 1) for length in range(15))

# The Phoenix on a single is half a rank higher, on a Phoenix as high as that (I5: of two the later
# beats the earlier and the next rank beats both); on the Dragon, never (B5): no entry for 32.
PHOENIX_ON = {rank2: Combination(PHOENIX, SINGLE, 1, rank2 | 1) for rank2 in range(2, 30)}

_PHOENIX_ALONE = (PHOENIX, SECOND_PHOENIX)


def _small_sets() -> dict[int, tuple[Combination, ...]]:
    """Every single, pair, triple and four of a kind: 329 sets, ready in a table."""
    table: dict[int, tuple[Combination, ...]] = {
        DOG: (Combination(DOG, SINGLE, 1, 0),),
        MAHJONG: (Combination(MAHJONG, SINGLE, 1, 2),),
        PHOENIX: (Combination(PHOENIX, SINGLE, 1, PHOENIX_LED),),
        DRAGON: (Combination(DRAGON, SINGLE, 1, DRAGON_RANK2),),
    }
    for rank in range(LOWEST_RANK, HIGHEST_RANK + 1):
        for suits in range(1, 16):
            cards = suits << 4 * rank
            held = suits.bit_count()
            kind = (SINGLE, PAIR, TRIPLE, BOMB)[held - 1]
            table[cards] = (Combination(cards, kind, held, 2 * rank),)
            if held < 3:  # with a third natural card it would be four: nothing (B6)
                kind = (PAIR, TRIPLE)[held - 1]
                both = cards | PHOENIX
                table[both] = (Combination(both, kind, held + 1, 2 * rank, rank),)
    return table


SMALL_SETS = _small_sets()
_CACHE_SIZE = 1 << 14  # about 6 MB when full

# `two_phoenixes` is said by name, here and in `legal` and `wish`. It is no keyword-only argument
# since a call of a function that has one costs half as much again, in games that never use it.


def readings(cards: int, two_phoenixes: bool = False) -> list[Combination]:
    """Return every reading of a set, highest first; empty when it is no combination (B7).

    `two_phoenixes` is the option `gs_two_phoenix_in_combo` (I5).
    """
    found = SMALL_SETS.get(cards) or _long_readings(cards)
    return list(found or (readings_of_two_phoenixes(cards) if two_phoenixes else ()))


def read(
    cards: int, phoenix_rank: int | None = None, two_phoenixes: bool = False
) -> Combination | Refusal:
    """Return a set in the reading where the Phoenix has the given rank; None = the highest (B7).

    Of two Phoenixes the lower rank is given, in a full house that of the triple: it settles the
    other. Refuses with NOT_A_COMBINATION when there is no reading, PHOENIX_RANK when not this one.
    """
    found = SMALL_SETS.get(cards) or _long_readings(cards)
    if not found and two_phoenixes:
        found = readings_of_two_phoenixes(cards)
    if not found:
        return Refusal.NOT_A_COMBINATION
    if phoenix_rank is None:
        return found[0]
    for reading in found:
        if reading.phoenix_rank == phoenix_rank != 0:
            return reading
    return Refusal.PHOENIX_RANK


def beats(play: Combination, table: Combination) -> bool:
    """True when a play is of the table's type and higher, or a higher bomb (B2, B5).

    Of two Dragons the later beats the earlier (I5).
    """
    if play.kind is BOMB:
        if table.kind is not BOMB:
            return True
        return (play.length, play.rank2) > (table.length, table.rank2)
    if play.kind is not table.kind or play.length != table.length:
        return False
    cards = play.cards
    if cards in _PHOENIX_ALONE:
        return table.rank2 in PHOENIX_ON
    if play.rank2 > table.rank2:
        return True
    return table.rank2 == DRAGON_RANK2 and cards | table.cards == DRAGONS


# The singles whose height depends on the table, and how high each lies on a table's `rank2`
LYING_ON = {
    PHOENIX: PHOENIX_ON,
    SECOND_PHOENIX: {
        rank2: Combination(SECOND_PHOENIX, SINGLE, 1, play.rank2)
        for rank2, play in PHOENIX_ON.items()
    },
    DRAGON: {DRAGON_RANK2: Combination(DRAGON, SINGLE, 1, LATER_DRAGON_RANK2)},
    SECOND_DRAGON: {DRAGON_RANK2: Combination(SECOND_DRAGON, SINGLE, 1, LATER_DRAGON_RANK2)},
}


def lying_on(play: Combination, table: Combination) -> Combination:
    """Return a play that beats a table as it then lies there: Phoenix and Dragon alone (B5, I5)."""
    heights = LYING_ON.get(play.cards)
    return play if heights is None else heights.get(table.rank2, play)


@lru_cache(_CACHE_SIZE)
def _long_readings(cards: int) -> tuple[Combination, ...]:
    """Every reading of a set that is not in the table, highest first."""
    if cards > ONE_PACK:
        return readings_of_two_packs(cards)
    length = cards.bit_count()
    naturals = cards & NATURALS
    phoenix = cards & PHOENIX
    if length < 4 or naturals | phoenix != cards:
        return ()
    counts = rank_counts(naturals)
    present = (counts | counts >> 1 | counts >> 2) & ONES
    if counts == present:
        return _straight(cards, present, length, phoenix) if length >= 5 else ()
    if naturals & MAHJONG:
        return ()  # only in straights (B3)
    if length == 5 and present.bit_count() == 2:
        return _full_house(cards, counts, present, phoenix)
    return _stairs(cards, counts, present, length)


def _straight(cards: int, present: int, length: int, phoenix: int) -> tuple[Combination, ...]:
    lowest = present & -present
    bottom, top = lowest.bit_length() >> 2, present.bit_length() >> 2
    if not phoenix:
        if present != lowest * _RUNS[length]:
            return ()
        kind = BOMB if is_one_suit(cards) else STRAIGHT
        return (Combination(cards, kind, length, 2 * top),)
    if top - bottom + 1 == length:  # one gap, and the Phoenix fills it
        gap = (present ^ lowest * _RUNS[length]).bit_length() >> 2
        return (Combination(cards, STRAIGHT, length, 2 * top, gap),)
    if present != lowest * _RUNS[length - 1]:
        return ()
    ends = []
    if top < HIGHEST_RANK:
        ends.append(Combination(cards, STRAIGHT, length, 2 * top + 2, top + 1))
    if bottom > LOWEST_RANK:
        ends.append(Combination(cards, STRAIGHT, length, 2 * top, bottom - 1))
    return tuple(ends)


def _full_house(cards: int, counts: int, present: int, phoenix: int) -> tuple[Combination, ...]:
    high = present.bit_length() >> 2
    low = (present & -present).bit_length() >> 2
    if phoenix and counts == 2 * present:
        return (
            Combination(cards, FULL_HOUSE, 5, 2 * high, high),
            Combination(cards, FULL_HOUSE, 5, 2 * low, low),
        )
    three = counts & counts >> 1 & ONES
    if not three:
        return ()  # four and one
    triple = three.bit_length() >> 2
    phoenix_rank = high + low - triple if phoenix else 0
    return (Combination(cards, FULL_HOUSE, 5, 2 * triple, phoenix_rank),)


def _stairs(cards: int, counts: int, present: int, length: int) -> tuple[Combination, ...]:
    if length & 1 or present != (present & -present) * _RUNS[length // 2]:
        return ()
    top2 = 2 * (present.bit_length() >> 2)
    lone = 2 * present - counts  # the rank that the Phoenix completes, if any
    if lone == 0:
        return (Combination(cards, STAIRS, length, top2),)
    if lone > 0 and lone & present == lone and lone.bit_count() == 1 and cards & PHOENIX:
        return (Combination(cards, STAIRS, length, top2, lone.bit_length() >> 2),)
    return ()


def is_one_suit(cards: int) -> bool:
    """True when all cards are of one suit; the Mah Jong has none (B3)."""
    suit = ((cards & -cards).bit_length() - 1) & 3
    return not cards & ~SUITS[suit]


# _MIRROR[byte]: its bits in the opposite order
_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_TWO_PACKS = 16  # bytes


def canonical_key(play: Combination) -> int:
    """Sort key of canonical lists: fewer cards, then lower rank, then lower card numbers.

    With as many cards, lower numbers come first exactly where the mirrored mask is the greater
    number; mirroring is five times faster than comparing lists of numbers.
    """
    mirrored = play.cards.to_bytes(_TWO_PACKS, "little").translate(_MIRROR)
    shape = play.length << 6 | play.rank2
    return (shape << 8 * _TWO_PACKS) - int.from_bytes(mirrored, "big")

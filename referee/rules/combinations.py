"""Combinations: what a set of cards is, in every reading (B1 to B8), and what beats what (B2).

Classification counts cards per rank in the nibbles of the mask: four cards of a rank are four
neighbouring bits, so one subtraction and two shifts give all thirteen counts at once.
"""

import enum
from functools import lru_cache

import msgspec

from referee.rules.cards import (
    DOG,
    DRAGON,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    NATURALS,
    PHOENIX,
    SUITS,
)
from referee.rules.refusals import Refusal


class Kind(enum.IntEnum):
    """The types of combinations (B1). The Dog is a single of rank 0."""

    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    FULL_HOUSE = 4
    STRAIGHT = 5
    STAIRS = 6
    BOMB = 7


class Combination(msgspec.Struct, frozen=True, gc=False):
    """A set of cards in one reading. A Struct, since it is built twice as fast as a tuple class."""

    cards: int  # mask
    kind: Kind
    length: int  # number of cards
    rank2: int  # half steps: twice the rank that compares (B2); the Phoenix alone falls between
    phoenix_rank: int = 0  # 2..14 what the Phoenix stands for; 0 = no Phoenix, or alone

    @property
    def is_bomb(self) -> bool:
        """True for all four of a rank and for five or more in a row of one suit."""
        return self.kind is BOMB


SINGLE, PAIR, TRIPLE = Kind.SINGLE, Kind.PAIR, Kind.TRIPLE
FULL_HOUSE, STRAIGHT, STAIRS, BOMB = Kind.FULL_HOUSE, Kind.STRAIGHT, Kind.STAIRS, Kind.BOMB

PHOENIX_LED = 3  # 1.5 in half steps (B5)
DRAGON_RANK2 = 32  # above the Phoenix on an Ace, 29

_ONES = 0x1111_1111_1111_1111
_THREES = 0x3333_3333_3333_3333
_FIVES = 0x5555_5555_5555_5555
# _RUNS[d]: the lowest bit of d neighbouring nibbles
_RUNS = tuple(_ONES & ((1 << 4 * length) - 1) for length in range(15))

# The Phoenix on a single is half a rank higher; on the Dragon, never (B5): no entry for 32.
PHOENIX_ON = {rank2: Combination(PHOENIX, SINGLE, 1, rank2 + 1) for rank2 in range(2, 30)}


def rank_counts(cards: int) -> int:
    """Return the number of cards of each rank, 0..4, in the nibble `4 * rank` of the result."""
    pairs = cards - ((cards >> 1) & _FIVES)
    return (pairs & _THREES) + ((pairs >> 2) & _THREES)


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


def readings(cards: int) -> list[Combination]:
    """Return every reading of a set, highest first; empty when it is no combination (B7)."""
    return list(SMALL_SETS.get(cards) or _long_readings(cards))


def read(cards: int, phoenix_rank: int | None = None) -> Combination | Refusal:
    """Return a set in the reading where the Phoenix has the given rank; None = the highest (B7).

    Refuses with NOT_A_COMBINATION when there is no reading at all, PHOENIX_RANK when not this one.
    """
    found = SMALL_SETS.get(cards) or _long_readings(cards)
    if not found:
        return Refusal.NOT_A_COMBINATION
    if phoenix_rank is None:
        return found[0]
    for reading in found:
        if reading.phoenix_rank == phoenix_rank != 0:
            return reading
    return Refusal.PHOENIX_RANK


def beats(play: Combination, table: Combination) -> bool:
    """True when a play is of the table's type and higher, or a higher bomb (B2, B5)."""
    if play.kind is BOMB:
        if table.kind is not BOMB:
            return True
        return (play.length, play.rank2) > (table.length, table.rank2)
    if play.kind is not table.kind or play.length != table.length:
        return False
    if play.cards == PHOENIX:
        return table.rank2 in PHOENIX_ON
    return play.rank2 > table.rank2


@lru_cache(_CACHE_SIZE)
def _long_readings(cards: int) -> tuple[Combination, ...]:
    """Every reading of a set of four or more cards that is no four of a kind, highest first."""
    length = cards.bit_count()
    naturals = cards & NATURALS
    phoenix = cards & PHOENIX
    if length < 4 or naturals | phoenix != cards:
        return ()
    counts = rank_counts(naturals)
    present = (counts | counts >> 1 | counts >> 2) & _ONES
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
    three = counts & counts >> 1 & _ONES
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

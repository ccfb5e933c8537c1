"""Combinations: what a set of cards can be read as, what beats what, what a wish binds (B, E)."""

from functools import lru_cache

from tests.simulation.audit import both_packs
from tests.simulation.audit.cards import (
    DOG,
    DRAGON,
    DRAGONS,
    MAH_JONG,
    PHOENIX,
    PHOENIXES,
    SECOND,
)
from tests.simulation.audit.kinds import (
    ACE,
    BOMB,
    DRAGON_HALVES,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STAIRS,
    STRAIGHT,
    SUIT,
    TRIPLE,
    Reading,
    count,
    folded,
    runs,
)

__all__ = [
    "BOMB",
    "DRAGON_HALVES",
    "FULL_HOUSE",
    "PAIR",
    "SINGLE",
    "STAIRS",
    "STRAIGHT",
    "TRIPLE",
    "Reading",
    "beats",
    "binds",
    "bombs_in",
    "can_follow",
    "count",
    "folded",
    "on_table",
    "readings",
]

_PHOENIX_BIT = 1 << PHOENIX
_ALONE = 1 << DOG | 1 << DRAGON  # cards that go with no other


@lru_cache(maxsize=1 << 17)
def readings(mask: int, *, two_phoenixes: bool = False) -> tuple[Reading, ...]:
    """Every reading of the cards, the highest first. The Phoenix alone is read as if led."""
    size = mask.bit_count()
    if mask >> SECOND:
        return both_packs.readings(mask, two_phoenixes=two_phoenixes)
    if size == 0 or (size > 1 and mask & _ALONE):
        return ()
    if mask & _PHOENIX_BIT and size > 1:
        return _with_phoenix(mask ^ _PHOENIX_BIT)
    if size == 1:
        return (Reading(SINGLE, 1, _single_halves(mask.bit_length() - 1), 0),)
    found = _shape(_counts(mask))
    if found is None:
        return ()
    kind, rank = found
    if kind == STRAIGHT and _one_suit(mask):
        kind = BOMB
    return (Reading(kind, size, 2 * rank, 0),)


def _single_halves(card: int) -> int:
    specials = {DOG: 0, PHOENIX: 3, DRAGON: DRAGON_HALVES, MAH_JONG: 2}
    return specials[card] if card in specials else 2 * (card >> 2)


def _counts(mask: int) -> dict[int, int]:
    counts = {}
    for rank in range(1, ACE + 1):
        if n := count(mask, rank):
            counts[rank] = n
    return counts


def _with_phoenix(rest: int) -> tuple[Reading, ...]:
    counts, found = _counts(rest), []
    for rank in range(ACE, 1, -1):
        if counts.get(rank, 0) < 3:
            shape = _shape({**counts, rank: counts.get(rank, 0) + 1})
            if shape is not None and shape[0] != BOMB:
                found.append(Reading(shape[0], rest.bit_count() + 1, 2 * shape[1], rank))
    return tuple(sorted(found, key=lambda reading: -reading.halves))


def _shape(counts: dict[int, int]) -> tuple[int, int] | None:
    """Kind and rank of these numbers of cards by rank; a run of one suit counts as a straight."""
    ranks, size = sorted(counts), sum(counts.values())
    low, top = ranks[0], ranks[-1]
    if low == top:
        if low == 1:
            return (SINGLE, 1) if size == 1 else None
        return ((SINGLE, top), (PAIR, top), (TRIPLE, top), (BOMB, top))[size - 1]
    if size == 5 and len(ranks) == 2 and low > 1 and sorted(counts.values()) == [2, 3]:
        return FULL_HOUSE, next(rank for rank in ranks if counts[rank] == 3)
    if top - low + 1 != len(ranks):
        return None
    if len(ranks) >= 5 and size == len(ranks):
        return STRAIGHT, top
    if low > 1 and set(counts.values()) == {2}:
        return STAIRS, top
    return None


def _one_suit(mask: int) -> bool:
    if mask >> MAH_JONG & 1:
        return False
    suit = ((mask & -mask).bit_length() - 1) & 3
    return mask & SUIT[suit] == mask


def on_table(reading: Reading, mask: int, table: Reading | None) -> Reading:
    """The reading as it lies: the Phoenix alone is half a rank above what it is put on (B5), and
    as high as the other one on which it is put; a Dragon lies above the other (I5)."""
    if reading.kind != SINGLE or table is None or table.kind != SINGLE:
        return reading
    if mask in PHOENIXES:
        return reading._replace(halves=table.halves | 1)
    if mask in DRAGONS and table.halves == DRAGON_HALVES:
        return reading._replace(halves=DRAGON_HALVES + 1)
    return reading


def beats(play: Reading, mask: int, table: Reading) -> bool:
    """Whether a play goes on the table (B2 to B5)."""
    if mask == 1 << DOG:
        return False
    if play.kind == BOMB:
        if table.kind != BOMB:
            return True
        return (play.size, play.halves) > (table.size, table.halves)
    if play.kind != table.kind or play.size != table.size:
        return False
    if mask in PHOENIXES:
        return table.halves < DRAGON_HALVES
    if mask in DRAGONS:
        return table.halves <= DRAGON_HALVES
    return play.halves > table.halves


@lru_cache(maxsize=1 << 14)
def bombs_in(hand: int) -> tuple[tuple[Reading, int], ...]:
    """Every bomb of a hand with its cards, with two packs as `folded` ones."""
    if hand >> SECOND:
        return both_packs.bombs_in(hand)
    found = []
    for rank in range(2, ACE + 1):
        if hand >> 4 * rank & 15 == 15:
            found.append((Reading(BOMB, 4, 2 * rank, 0), 15 << 4 * rank))
    for suit in SUIT:
        if (hand & suit).bit_count() >= 5:
            found.extend(runs(hand & suit))
    return tuple(found)


@lru_cache(maxsize=1 << 15)
def binds(hand: int, table: Reading | None, wish: int, *, two_phoenixes: bool = False) -> bool:
    """Whether a seat on turn has a legal play with a natural card of the rank (E3 to E5)."""
    own = count(hand, wish)
    if own == 0:
        return False
    if table is None:
        return True
    if any(count(mask, wish) and beats(bomb, mask, table) for bomb, mask in bombs_in(hand)):
        return True
    if hand >> SECOND:
        found = both_packs.patterns(hand, table, two_phoenixes=two_phoenixes)
        return any(ranks >> 4 * wish & 15 for _, ranks, _, _ in found)
    return _fulfils(hand, table, wish, own, hand >> PHOENIX & 1)


def _fulfils(hand: int, table: Reading, wish: int, own: int, phoenix: int) -> bool:
    if table.kind <= TRIPLE:
        needed = max(1, table.kind - phoenix) if table.kind > SINGLE else 1
        return own >= needed and 2 * wish > table.halves
    if table.kind == FULL_HOUSE:
        return _full_house(hand, table.halves // 2, wish, phoenix)
    if table.kind == STRAIGHT:
        return _run(hand, table, wish, phoenix, width=1)
    if table.kind == STAIRS:
        return _run(hand, table, wish, phoenix, width=2)
    return False


def _full_house(hand: int, above: int, wish: int, phoenix: int) -> bool:
    counts = {rank: count(hand, rank) for rank in range(2, ACE + 1)}
    for triple in range(max(2, above + 1), ACE + 1):
        for pair in range(2, ACE + 1):
            if pair == triple or wish not in (triple, pair) or not counts[triple]:
                continue
            missing = max(0, 3 - counts[triple]) + max(0, 2 - counts[pair])
            if missing <= phoenix and counts[pair]:
                return True
    return False


def _run(hand: int, table: Reading, wish: int, phoenix: int, *, width: int) -> bool:
    length = table.size // width
    for top in range(table.halves // 2 + 1, ACE + 1):
        low = top - length + 1
        if low < (1 if width == 1 else 2) or not low <= wish <= top:
            continue
        missing = [max(0, width - count(hand, rank)) for rank in range(low, top + 1)]
        stand_in = low > 1 or count(hand, 1)  # the Phoenix is no 1
        if sum(missing) <= phoenix and stand_in:
            return True
    return False


@lru_cache(maxsize=1 << 15)
def can_follow(
    hand: int, table: Reading, *, bombs: bool = True, two_phoenixes: bool = False
) -> bool:
    """Whether any play of the hand beats the table, wish or not; with or without its bombs."""
    if bombs and any(beats(bomb, mask, table) for bomb, mask in bombs_in(hand)):
        return True
    if hand >> SECOND:
        return bool(both_packs.patterns(hand, table, two_phoenixes=two_phoenixes))
    if table.kind == SINGLE:
        phoenix = hand >> PHOENIX & 1 and table.halves < DRAGON_HALVES
        dragon = hand >> DRAGON & 1 and table.halves <= DRAGON_HALVES
        if phoenix or dragon:
            return True
    return any(
        _fulfils(hand, table, rank, own, hand >> PHOENIX & 1)
        for rank in range(1 if table.kind in (SINGLE, STRAIGHT) else 2, ACE + 1)
        if (own := count(hand, rank))
    )

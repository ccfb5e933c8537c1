"""Combinations of hands with cards of the second pack (RULES I5): by counting, one rule for all.

A pattern is (kind, natural cards by rank in nibbles, ranks of the Phoenixes, half ranks); the rank
of a second Phoenix is 16 times as much.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise

from tests.simulation.audit.cards import (
    DOG,
    DRAGONS,
    MAH_JONG,
    NATURALS,
    PHOENIXES,
    SECOND,
    cards_of,
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

Pattern = tuple[int, int, int, int]
_Shape = tuple[int, dict[int, int], int]  # kind, cards by rank, half ranks
_LED = 3  # half ranks of a Phoenix that leads
_RANKS = range(2, ACE + 1)


def _shapes() -> Iterator[_Shape]:
    """Every combination of several cards but the bombs."""
    for rank in _RANKS:
        yield PAIR, {rank: 2}, 2 * rank
        yield TRIPLE, {rank: 3}, 2 * rank
        for pair in _RANKS:
            if pair != rank:
                yield FULL_HOUSE, {rank: 3, pair: 2}, 2 * rank
    for low in range(1, ACE + 1):
        for top in range(low + 1, ACE + 1):
            ranks = range(low, top + 1)
            if top - low >= 4:
                yield STRAIGHT, dict.fromkeys(ranks, 1), 2 * top
            if low > 1:
                yield STAIRS, dict.fromkeys(ranks, 2), 2 * top


_SHAPES = tuple(_shapes())


@lru_cache(maxsize=1 << 12)
def patterns(hand: int, table: Reading | None, *, two_phoenixes: bool) -> frozenset[Pattern]:
    """What the hand can play on the table but for bombs."""
    found = set(_singles(hand, table))
    if table is None or table.kind not in (SINGLE, BOMB):
        for pattern in _of_several(hand, two_phoenixes):
            if table is None or _goes_on(pattern, table):
                found.add(pattern)
    return frozenset(found)


def _goes_on(pattern: Pattern, table: Reading) -> bool:
    kind, _, _, halves = pattern
    return kind == table.kind and halves > table.halves and _size(pattern) == table.size


def _size(pattern: Pattern) -> int:
    _, ranks, phoenixes, _ = pattern
    size = (phoenixes > 0) + (phoenixes > 15)
    while ranks:
        size, ranks = size + (ranks & 15), ranks >> 4
    return size


def _singles(hand: int, table: Reading | None) -> Iterator[Pattern]:
    if table is not None and table.kind != SINGLE:
        return
    height = -1 if table is None else table.halves
    for rank in range(1, ACE + 1):
        if count(hand, rank) and 2 * rank > height:
            yield SINGLE, 1 << 4 * rank, 0, 2 * rank
    if any(hand & dragon for dragon in DRAGONS) and height <= DRAGON_HALVES:
        yield SINGLE, 1, 0, DRAGON_HALVES + (height == DRAGON_HALVES)
    if hand >> DOG & 1 and table is None:
        yield SINGLE, 1, 0, 0
    if any(hand & phoenix for phoenix in PHOENIXES) and height < DRAGON_HALVES:
        yield SINGLE, 0, 0, _LED if table is None else height | 1


@lru_cache(maxsize=1 << 11)
def _of_several(hand: int, two_phoenixes: bool) -> tuple[Pattern, ...]:
    have = [0, *(count(hand, rank) for rank in range(1, ACE + 1))]
    wild = sum(1 for phoenix in PHOENIXES if hand & phoenix)
    if not two_phoenixes:
        wild = min(wild, 1)
    found = []
    for kind, need, halves in _SHAPES:
        short = sum(max(0, cards - have[rank]) for rank, cards in need.items())
        if short > wild:
            continue
        for used in range(short, wild + 1):
            for ranks in _stood_for(kind, need, have, used):
                if used or kind != STRAIGHT or not _one_suit(hand, need):
                    found.append((kind, _left(need, ranks), _code(kind, need, ranks), halves))
    return tuple(found)


def _stood_for(
    kind: int, need: dict[int, int], have: list[int], used: int
) -> Iterator[tuple[int, ...]]:
    """The ranks that so many Phoenixes may stand for, ascending."""
    ranks = [rank for rank in need if rank > 1]
    for chosen in combinations_with_replacement(ranks, used):
        left = {rank: cards - chosen.count(rank) for rank, cards in need.items()}
        if any(not 0 <= cards <= have[rank] for rank, cards in left.items()):
            continue
        if any(a == b and not left[a] for a, b in pairwise(chosen)):
            continue  # two Phoenixes are no pair
        if any(left.values()):
            yield chosen


def _left(need: dict[int, int], ranks: tuple[int, ...]) -> int:
    return sum((cards - ranks.count(rank)) << 4 * rank for rank, cards in need.items())


def _code(kind: int, need: dict[int, int], ranks: tuple[int, ...]) -> int:
    if kind == FULL_HOUSE and len(ranks) == 2:  # that of the triple first
        ranks = tuple(sorted(ranks, key=lambda rank: -need[rank]))
    return sum(rank << 4 * place for place, rank in enumerate(ranks))


def _one_suit(hand: int, need: dict[int, int]) -> bool:
    """Whether these ranks can be laid in one suit only."""
    if 1 in need:
        return False
    cards = folded(hand)
    suits = {card & 3 for rank in need for card in cards_of(cards & 15 << 4 * rank)}
    return len(suits) == 1


@lru_cache(maxsize=1 << 12)
def readings(mask: int, *, two_phoenixes: bool) -> tuple[Reading, ...]:
    """Every reading of the cards, the highest first."""
    size = mask.bit_count()
    if size == 1:
        return _alone(mask)
    naturals, phoenixes = mask & NATURALS, [p for p in PHOENIXES if mask & p]
    if naturals.bit_count() + len(phoenixes) != size:
        return ()
    if not phoenixes and folded(mask).bit_count() == size:
        bombs = [bomb for bomb, cards in bombs_in(mask) if cards == folded(mask)]
        if bombs and not mask >> MAH_JONG & 1:
            return tuple(bombs)
    found = [
        Reading(kind, size, halves, code & 15, code >> 4)
        for kind, ranks, code, halves in _of_several(mask, two_phoenixes)
        if _size((kind, ranks, code, halves)) == size
    ]
    return tuple(sorted(found, key=lambda reading: -reading.halves))


def _alone(mask: int) -> tuple[Reading, ...]:
    if mask in PHOENIXES:
        return (Reading(SINGLE, 1, _LED, 0),)
    if mask in DRAGONS:
        return (Reading(SINGLE, 1, DRAGON_HALVES, 0),)
    rank = (mask.bit_length() - 1 - SECOND) >> 2
    return (Reading(SINGLE, 1, 2 * rank, 0),) if rank > 1 else ()


@lru_cache(maxsize=1 << 12)
def bombs_in(hand: int) -> tuple[tuple[Reading, int], ...]:
    """Every bomb of a hand, told by its cards as if of one pack."""
    cards, found = folded(hand), []
    for rank in _RANKS:
        if cards >> 4 * rank & 15 == 15:
            found.append((Reading(BOMB, 4, 2 * rank, 0), 15 << 4 * rank))
    for suit in SUIT:
        found += runs(cards & suit)
    return tuple(found)

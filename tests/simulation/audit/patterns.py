"""Every pattern of play of a hand, as an ask lists them: kind, ranks, rank of the Phoenix.

A pattern is written as (kind, natural cards by rank in nibbles, rank of the Phoenix, half ranks);
bombs are listed by their cards instead.
"""

from collections.abc import Callable
from functools import lru_cache

from tests.simulation.audit import both_packs
from tests.simulation.audit.cards import DOG, DRAGON, PHOENIX, SECOND
from tests.simulation.audit.combos import (
    BOMB,
    DRAGON_HALVES,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
    Reading,
    beats,
    bombs_in,
    count,
)

Pattern = tuple[int, int, int, int]
_Maker = Callable[[int, list[int], bool], set[Pattern]]
_PHOENIX_BIT = 1 << PHOENIX


def by_rank(mask: int) -> int:
    """How many cards of each rank: nibble n for rank n, nibble 0 for Dog and Dragon."""
    if mask >> SECOND:
        return by_rank(mask & (1 << SECOND) - 1) + by_rank(mask >> SECOND)
    mask &= ~_PHOENIX_BIT
    mask -= mask >> 1 & 0x5555555555555555
    return (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)


@lru_cache(maxsize=1 << 12)
def patterns(
    hand: int, table: Reading | None, *, highest: bool = False, two_phoenixes: bool = False
) -> tuple[frozenset[Pattern], frozenset[int]]:
    """What the hand can play on the table: patterns, and bombs as `folded` masks. No wish."""
    if hand >> SECOND:
        found = set(both_packs.patterns(hand, table, two_phoenixes=two_phoenixes))
    else:
        found = _of_one_pack(hand, table)
    if highest:
        best: dict[tuple[int, int], int] = {}
        for kind, ranks, rank, halves in found:
            if rank:
                best[kind, ranks] = max(best.get((kind, ranks), 0), halves)
        found = {p for p in found if not p[2] or best[p[0], p[1]] == p[3]}
    bombs = {mask for bomb, mask in bombs_in(hand) if table is None or beats(bomb, mask, table)}
    return frozenset(found), frozenset(bombs)


def _of_one_pack(hand: int, table: Reading | None) -> set[Pattern]:
    found = _singles(hand, table)
    if table is None or table.kind not in (SINGLE, BOMB):
        counts = [0, *(count(hand, rank) for rank in range(1, 15))]
        phoenix = bool(hand & _PHOENIX_BIT)
        for kind, make in _MAKERS.items():
            if table is None or table.kind == kind:
                found |= make(hand, counts, phoenix)
    if table is not None:
        found = {pattern for pattern in found if _on(pattern, table)}
    return found


def _size(pattern: Pattern) -> int:
    size, ranks = int(pattern[2] > 0), pattern[1]
    while ranks:
        size, ranks = size + (ranks & 15), ranks >> 4
    return size


def _on(pattern: Pattern, table: Reading) -> bool:
    kind, ranks, phoenix, halves = pattern
    if kind == SINGLE and not ranks and not phoenix:
        return True  # the Phoenix, also on another one (I5)
    if kind != table.kind or halves <= table.halves:
        return False
    return kind == SINGLE or _size(pattern) == table.size


def _singles(hand: int, table: Reading | None) -> set[Pattern]:
    if table is not None and table.kind != SINGLE:
        return set()
    found = {(SINGLE, 1 << 4 * rank, 0, 2 * rank) for rank in range(1, 15) if count(hand, rank)}
    if hand >> DRAGON & 1:
        again = table is not None and table.halves == DRAGON_HALVES  # on that of the other pack
        found.add((SINGLE, 1, 0, DRAGON_HALVES + again))
    if hand >> DOG & 1:
        found.add((SINGLE, 1, 0, 0))
    if hand & _PHOENIX_BIT and (table is None or table.halves < DRAGON_HALVES):
        found.add((SINGLE, 0, 0, 3 if table is None else table.halves | 1))
    return found


def _same(kind: int, size: int) -> _Maker:
    def make(hand: int, counts: list[int], phoenix: bool) -> set[Pattern]:
        ranks = range(2, 15)
        found = {(kind, size << 4 * r, 0, 2 * r) for r in ranks if counts[r] >= size}
        if phoenix:
            found |= {(kind, size - 1 << 4 * r, r, 2 * r) for r in ranks if counts[r] >= size - 1}
        return found

    return make


def _full_houses(hand: int, counts: list[int], phoenix: bool) -> set[Pattern]:
    found = set()
    for triple in range(2, 15):
        if counts[triple] < 2:
            continue
        for pair in range(2, 15):
            if pair == triple or not counts[pair]:
                continue
            if counts[triple] >= 3 and counts[pair] >= 2:
                found.add((FULL_HOUSE, 3 << 4 * triple | 2 << 4 * pair, 0, 2 * triple))
            if phoenix and counts[pair] >= 2:
                found.add((FULL_HOUSE, 2 << 4 * triple | 2 << 4 * pair, triple, 2 * triple))
            if phoenix and counts[triple] >= 3:
                found.add((FULL_HOUSE, 3 << 4 * triple | 1 << 4 * pair, pair, 2 * triple))
    return found


def _straights(hand: int, counts: list[int], phoenix: bool) -> set[Pattern]:
    found = set()
    for low in range(1, 11):
        missing, ranks = [], 0
        for top in range(low, 15):
            if counts[top]:
                ranks |= 1 << 4 * top
            else:
                missing.append(top)
            if len(missing) > phoenix or missing == [1]:
                break
            if top - low < 4:
                continue
            if not missing and not _only_a_bomb(hand, counts, low, top):
                found.add((STRAIGHT, ranks, 0, 2 * top))
            if phoenix:
                for rank in missing or range(max(2, low), top + 1):
                    found.add((STRAIGHT, ranks & ~(15 << 4 * rank), rank, 2 * top))
    return found


def _only_a_bomb(hand: int, counts: list[int], low: int, top: int) -> bool:
    """Whether the one choice of cards for this run is of one suit."""
    if low == 1 or any(counts[rank] > 1 for rank in range(low, top + 1)):
        return False
    suits = {hand >> 4 * rank & 15 for rank in range(low, top + 1)}
    return len(suits) == 1


def _stairs(hand: int, counts: list[int], phoenix: bool) -> set[Pattern]:
    found = set()
    for low in range(2, 14):
        short, ranks = [], 0
        for top in range(low, 15):
            if not counts[top]:
                break
            ranks |= 2 << 4 * top
            if counts[top] == 1:
                short.append(top)
            if len(short) > phoenix:
                break
            if top == low:
                continue
            if not short:
                found.add((STAIRS, ranks, 0, 2 * top))
            if phoenix:
                for rank in short or range(low, top + 1):
                    found.add((STAIRS, ranks - (1 << 4 * rank), rank, 2 * top))
    return found


_MAKERS: dict[int, _Maker] = {
    PAIR: _same(PAIR, 2),
    TRIPLE: _same(TRIPLE, 3),
    FULL_HOUSE: _full_houses,
    STRAIGHT: _straights,
    STAIRS: _stairs,
}

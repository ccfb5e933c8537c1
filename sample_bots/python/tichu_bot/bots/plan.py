"""Divides a hand into the groups it would be played in, and says what the hand is worth.

The cost of a group is the share of a lead that it takes to get rid of it: about 1 for what
never wins a trick, near 0 for what always does. The plan is the division of least cost.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tichu_bot.cards import (
    ACE,
    DOG,
    DRAGON,
    MAH_JONG,
    PHOENIX,
    SECOND_PACK,
    Kind,
    find_bombs,
    known,
    rank,
)

Counts = tuple[int, ...]  # how many cards of each rank, 0 to 14; the Mah Jong is rank 1

_SINGLE_COST = {14: 0.35, 13: 0.7, 12: 0.85, 11: 0.95}
_SPECIAL_COST = {DRAGON: 0.0, PHOENIX: 0.25, DOG: 0.6}
BOMB_COST = -0.5  # a bomb wins a trick when it is needed


# Cards of one rank as triples and pairs, by their number; of two packs four and more are no bomb.
_PARTS = ((), (1,), (2,), (3,), (2, 2), (3, 2), (3, 3), (3, 2, 2), (3, 3, 2))


class Group(NamedTuple):
    """Cards meant to be played together; `rank` is the triple's or the top one."""

    cards: tuple[int, ...]
    kind: Kind
    rank: int
    cost: float


class Plan(NamedTuple):
    """A hand in groups, the cheapest division found."""

    groups: tuple[Group, ...]
    cost: float


@lru_cache(maxsize=20_000)
def plan(hand: tuple[int, ...]) -> Plan:
    """Return the plan of a hand given in ascending order; cards that nobody knows have no place."""
    hand = known(hand)
    groups = [
        Group((card,), Kind.SINGLE, 0, _SPECIAL_COST[card % SECOND_PACK])
        for card in hand
        if card % SECOND_PACK < MAH_JONG
    ]
    rest = [card for card in hand if card % SECOND_PACK >= MAH_JONG]
    for bomb in reversed(find_bombs(rest)):  # the largest first
        if set(bomb.cards) <= set(rest):
            rest = [card for card in rest if card not in bomb.cards]
            groups.append(Group(bomb.cards, Kind.BOMB, bomb.rank_halves // 2, BOMB_COST))
    groups += _divide(rest)
    return Plan(tuple(groups), sum(group.cost for group in groups))


def _divide(cards: list[int]) -> Iterator[Group]:
    """Yield the groups of suited cards and the Mah Jong, bombs apart."""
    by_rank: dict[int, list[int]] = {}
    for card in cards:
        by_rank.setdefault(rank(card), []).append(card)
    counts = tuple(len(by_rank.get(r, ())) for r in range(ACE + 1))
    for kind, ranks in _cheapest(counts)[1]:
        taken = tuple(by_rank[r].pop() for r in ranks)
        yield Group(tuple(sorted(taken)), kind, _height(kind, ranks), _cost(kind, ranks))


Shape = tuple[Kind, tuple[int, ...]]  # a group without suits: its ranks, one for each card


@lru_cache(maxsize=50_000)
def _cheapest(counts: Counts) -> tuple[float, tuple[Shape, ...]]:
    """Return the least cost of dividing the counts, and the division; straights are tried out."""
    shapes = tuple(_without_straights(counts))
    best = sum(_cost(kind, ranks) for kind, ranks in shapes)
    for straight in _straights(counts):
        left = list(counts)
        for r in straight:
            left[r] -= 1
        cost, others = _cheapest(tuple(left))
        cost += _cost(Kind.STRAIGHT, straight)
        if cost < best:
            best, shapes = cost, ((Kind.STRAIGHT, straight), *others)
    return best, shapes


def _straights(counts: Counts) -> Iterator[tuple[int, ...]]:
    for low in range(1, ACE - 3):
        high = low
        while high <= ACE and counts[high]:
            high += 1
            if high - low >= 5:
                yield tuple(range(low, high))


def _without_straights(counts: Counts) -> Iterator[Shape]:
    """Yield stairs of low pairs, full houses of a triple and the lowest pair, and what is left."""
    left = list(counts)
    for stairs in _stairs(left):
        yield Kind.STAIRS, stairs
    triples = [r for r in range(2, ACE + 1) if left[r] == 3]
    pairs = [r for r in range(2, 11) if left[r] == 2]
    for triple, pair in zip(triples, pairs, strict=False):
        left[triple] = left[pair] = 0
        yield Kind.FULL_HOUSE, (triple,) * 3 + (pair,) * 2
    for r, count in enumerate(left):
        for part in _PARTS[count]:
            yield Kind(part), (r,) * part


def _stairs(left: list[int]) -> Iterator[tuple[int, ...]]:
    """Take runs of two pairs or more, Aces and Kings apart, out of the counts."""
    low = 2
    while low < 12:
        high = low
        while high < 13 and left[high] == 2:
            high += 1
        if high - low >= 2:
            left[low:high] = [0] * (high - low)
            yield tuple(r for r in range(low, high) for _ in range(2))
        low = high + 1


def _height(kind: Kind, ranks: tuple[int, ...]) -> int:
    return ranks[0] if kind == Kind.FULL_HOUSE else ranks[-1]


def _cost(kind: Kind, ranks: tuple[int, ...]) -> float:
    top = _height(kind, ranks)
    match kind:
        case Kind.SINGLE:
            return _SINGLE_COST.get(top, 1.2 - 0.02 * top)
        case Kind.PAIR:
            return 0.3 if top == ACE else 1.15 - 0.03 * top - (0.15 if top == 13 else 0)
        case Kind.TRIPLE:
            return 0.2 if top == ACE else 0.95 - 0.04 * top
        case Kind.FULL_HOUSE:
            return 0.8 - 0.04 * top
        case Kind.STRAIGHT:
            return 0.95 - 0.03 * top - 0.05 * (len(ranks) - 5)
        case _:
            return 0.85 - 0.03 * top

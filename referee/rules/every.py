"""Every set of cards and reading that a hand may play: what vectors compare.

Deliberately the plain way, from the rules' own words: choose ranks, then suits, then the Phoenix's
place; no table, no bit trick and no classification is shared with `hands`, so that each can be held
against the other.
"""

from collections.abc import Iterator
from itertools import combinations, product

from referee.rules.cards import DOG, DRAGON, MAHJONG, PHOENIX, card_numbers, rank_of
from referee.rules.combinations import (
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
)

_ByRank = dict[int, list[int]]  # cards (as one-bit masks) of each rank held


def every_lead(hand: int) -> list[Combination]:
    """Return every distinct set and reading that a hand can lead (B1 to B8); no wish applied."""
    by_rank: _ByRank = {}
    for number in card_numbers(hand):
        by_rank.setdefault(rank_of(number), []).append(1 << number)
    by_rank.pop(0, None)
    phoenix = bool(hand & PHOENIX)
    plays = list(_singles(hand, by_rank))
    by_rank.pop(1, None)
    plays += _of_a_kind(by_rank, 2, phoenix=phoenix)
    plays += _of_a_kind(by_rank, 3, phoenix=phoenix)
    plays += _full_houses(by_rank, phoenix=phoenix)
    plays += _stairs(by_rank, phoenix=phoenix)
    plays += (Combination(sum(c), BOMB, 4, 2 * r) for r, c in by_rank.items() if len(c) == 4)
    if hand & MAHJONG:
        by_rank[1] = [MAHJONG]
    plays += _straights(by_rank, phoenix=phoenix)
    return plays


def every_follow(hand: int, table: Combination) -> list[Combination]:
    """Return every distinct set and reading of a hand that beats a table (B2); no wish applied."""
    plays = []
    for play in every_lead(hand):
        if play.kind == BOMB and table.kind == BOMB:
            higher = (play.length, play.rank2) > (table.length, table.rank2)
        elif play.cards == PHOENIX:
            higher = table.kind == SINGLE and table.rank2 != DRAGON_RANK2
            play = Combination(PHOENIX, SINGLE, 1, table.rank2 + 1)
        else:
            same = play.kind == table.kind and play.length == table.length
            higher = play.kind == BOMB or (same and play.rank2 > table.rank2)
        if higher:
            plays.append(play)
    return plays


def _singles(hand: int, by_rank: _ByRank) -> Iterator[Combination]:
    for card, rank2 in ((DOG, 0), (PHOENIX, PHOENIX_LED), (DRAGON, DRAGON_RANK2)):
        if hand & card:
            yield Combination(card, SINGLE, 1, rank2)
    for rank, cards in by_rank.items():
        yield from (Combination(card, SINGLE, 1, 2 * rank) for card in cards)


def _of_a_kind(by_rank: _ByRank, size: int, *, phoenix: bool) -> Iterator[Combination]:
    kind = PAIR if size == 2 else TRIPLE
    for rank, cards in by_rank.items():
        for chosen in combinations(cards, size):
            yield Combination(sum(chosen), kind, size, 2 * rank)
        if phoenix:
            for chosen in combinations(cards, size - 1):
                yield Combination(sum(chosen) | PHOENIX, kind, size, 2 * rank, rank)


def _full_houses(by_rank: _ByRank, *, phoenix: bool) -> Iterator[Combination]:
    shapes = [(3, 2, 0)]  # naturals in the triple, in the pair, and where the Phoenix stands
    if phoenix:
        shapes += [(2, 2, 3), (3, 1, 2)]
    for triple, pair in product(by_rank, by_rank):
        if triple == pair:
            continue
        for threes, twos, place in shapes:
            phoenix_rank = {0: 0, 3: triple, 2: pair}[place]
            extra = PHOENIX if place else 0
            for three in combinations(by_rank[triple], threes):
                for two in combinations(by_rank[pair], twos):
                    cards = sum(three) + sum(two) + extra
                    yield Combination(cards, FULL_HOUSE, 5, 2 * triple, phoenix_rank)


def _windows(by_rank: _ByRank, shortest: int, *, phoenix: bool) -> Iterator[tuple[range, int]]:
    """Yield runs of ranks with the rank the Phoenix takes, 0 = none; no other is missing."""
    for bottom in range(1, 15):
        for top in range(bottom + shortest - 1, 15):
            ranks = range(bottom, top + 1)
            missing = [rank for rank in ranks if rank not in by_rank]
            if not missing:
                yield ranks, 0
            if phoenix:
                for rank in ranks:
                    if rank != 1 and set(missing) <= {rank}:
                        yield ranks, rank


def _straights(by_rank: _ByRank, *, phoenix: bool) -> Iterator[Combination]:
    for ranks, phoenix_rank in _windows(by_rank, 5, phoenix=phoenix):
        choices = [by_rank[rank] for rank in ranks if rank != phoenix_rank]
        extra = PHOENIX if phoenix_rank else 0
        for chosen in product(*choices):
            kind = STRAIGHT if phoenix_rank or not _one_suit(chosen) else BOMB
            cards = sum(chosen) + extra
            yield Combination(cards, kind, len(ranks), 2 * ranks[-1], phoenix_rank)


def _one_suit(chosen: tuple[int, ...]) -> bool:
    suits = {(card.bit_length() - 1) % 4 for card in chosen}
    return len(suits) == 1 and MAHJONG not in chosen


def _stairs(by_rank: _ByRank, *, phoenix: bool) -> Iterator[Combination]:
    for ranks, phoenix_rank in _windows(by_rank, 2, phoenix=phoenix):
        sizes = [(rank, 1 if rank == phoenix_rank else 2) for rank in ranks]
        choices = [list(combinations(by_rank.get(rank, ()), size)) for rank, size in sizes]
        extra = PHOENIX if phoenix_rank else 0
        for chosen in product(*choices):
            cards = sum(map(sum, chosen)) + extra
            yield Combination(cards, STAIRS, 2 * len(ranks), 2 * ranks[-1], phoenix_rank)

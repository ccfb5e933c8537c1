"""Every set of cards and reading that a hand may play: what vectors compare.

Deliberately the plain way, from the rules' own words: choose ranks, then cards, then the Phoenix's
place; no table, no bit trick and no classification is shared with `hands` or `two_pack_lists`, so
that each can be held against the other. The packs make no difference here: a card is a card.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from referee.rules.cards import (
    DOG,
    DRAGON,
    MAHJONG,
    PHOENIX,
    SECOND_DRAGON,
    SECOND_PHOENIX,
    card_numbers,
    rank_of,
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
)

_ByRank = dict[int, list[int]]  # cards (as one-bit masks) of each rank held
# What may be wild in one play: a mask, and how many cards it holds
_Wild = tuple[int, int]

_DRAGONS = (DRAGON, SECOND_DRAGON)
_PHOENIXES = (PHOENIX, SECOND_PHOENIX)


def every_lead(hand: int, *, two_phoenixes: bool = False) -> list[Combination]:
    """Return every distinct set and reading that a hand can lead (B1 to B8); no wish applied.

    `two_phoenixes` is the option `gs_two_phoenix_in_combo` (I5).
    """
    by_rank: _ByRank = {}
    for number in card_numbers(hand):
        by_rank.setdefault(rank_of(number), []).append(1 << number)
    by_rank.pop(0, None)
    plays = list(_singles(hand, by_rank))
    mah_jong = by_rank.pop(1, None)
    wilds = list(_wilds(hand, two_phoenixes=two_phoenixes))
    for wild in wilds:
        plays += _of_a_kind(by_rank, 2, wild)
        plays += _of_a_kind(by_rank, 3, wild)
        plays += _full_houses(by_rank, wild)
        plays += _stairs(by_rank, wild)
    plays += _fours(by_rank)
    if mah_jong:
        by_rank[1] = mah_jong
    for wild in wilds:
        plays += _straights(by_rank, wild)
    return plays


def every_follow(
    hand: int, table: Combination, *, two_phoenixes: bool = False
) -> list[Combination]:
    """Return every distinct set and reading of a hand that beats a table (B2); no wish applied."""
    plays = []
    for play in every_lead(hand, two_phoenixes=two_phoenixes):
        if play.kind == BOMB and table.kind == BOMB:
            higher = (play.length, play.rank2) > (table.length, table.rank2)
        elif play.cards in _PHOENIXES:
            higher = table.kind == SINGLE and table.cards not in _DRAGONS
            above = table.rank2 if table.cards in _PHOENIXES else table.rank2 + 1
            play = Combination(play.cards, SINGLE, 1, above)
        elif play.cards in _DRAGONS and table.cards in _DRAGONS:
            higher = play.cards != table.cards
            play = Combination(play.cards, SINGLE, 1, LATER_DRAGON_RANK2)
        else:
            same = play.kind == table.kind and play.length == table.length
            higher = play.kind == BOMB or (same and play.rank2 > table.rank2)
        if higher:
            plays.append(play)
    return plays


def _wilds(hand: int, *, two_phoenixes: bool) -> Iterator[_Wild]:
    """Yield what may be wild in a combination: nothing, either Phoenix, or with the option both."""
    yield 0, 0
    held = [phoenix for phoenix in _PHOENIXES if hand & phoenix]
    for phoenix in held:
        yield phoenix, 1
    if two_phoenixes and len(held) == 2:
        yield sum(held), 2


def _singles(hand: int, by_rank: _ByRank) -> Iterator[Combination]:
    specials = {DOG: 0} | dict.fromkeys(_PHOENIXES, PHOENIX_LED)
    specials |= dict.fromkeys(_DRAGONS, DRAGON_RANK2)
    for card, rank2 in specials.items():
        if hand & card:
            yield Combination(card, SINGLE, 1, rank2)
    for rank, cards in by_rank.items():
        yield from (Combination(card, SINGLE, 1, 2 * rank) for card in cards)


def _of_a_kind(by_rank: _ByRank, size: int, wild: _Wild) -> Iterator[Combination]:
    """Pairs and triples with at least one natural card: two Phoenixes are no pair (I5)."""
    kind = PAIR if size == 2 else TRIPLE
    phoenixes, number = wild
    if number == size:
        return
    for rank, cards in by_rank.items():
        for chosen in combinations(cards, size - number):
            yield Combination(sum(chosen) | phoenixes, kind, size, 2 * rank, *[rank] * number)


def _fours(by_rank: _ByRank) -> Iterator[Combination]:
    """Bombs of four: one card of each suit, from either pack (B1, I5)."""
    for rank, cards in by_rank.items():
        by_suit = [[card for card in cards if _suit(card) == suit] for suit in range(4)]
        for chosen in product(*by_suit):
            yield Combination(sum(chosen), BOMB, 4, 2 * rank)


def _full_houses(by_rank: _ByRank, wild: _Wild) -> Iterator[Combination]:
    phoenixes, number = wild
    for triple, pair in product(by_rank, by_rank):
        if triple == pair:
            continue
        for in_pair in range(min(number, 1) + 1):  # the pair has a natural card too
            in_triple = number - in_pair
            places = [triple] * in_triple + [pair] * in_pair
            for three in combinations(by_rank[triple], 3 - in_triple):
                for two in combinations(by_rank[pair], 2 - in_pair):
                    cards = sum(three) + sum(two) + phoenixes
                    yield Combination(cards, FULL_HOUSE, 5, 2 * triple, *places)


def _windows(
    held: Iterable[int], shortest: int, number: int
) -> Iterator[tuple[range, tuple[int, ...]]]:
    """Yield runs of ranks with the ranks that so many Phoenixes take; no other is missing."""
    for bottom in range(1, 15):
        missing: set[int] = set()
        for top in range(bottom, 15):
            if top not in held:
                missing.add(top)
            if len(missing) > number:
                break
            if top - bottom + 1 >= shortest:
                ranks = range(bottom, top + 1)
                for places in combinations([rank for rank in ranks if rank != 1], number):
                    if missing <= set(places):
                        yield ranks, places


def _straights(by_rank: _ByRank, wild: _Wild) -> Iterator[Combination]:
    phoenixes, number = wild
    for ranks, places in _windows(by_rank, 5, number):
        choices = [by_rank[rank] for rank in ranks if rank not in places]
        for chosen in product(*choices):
            kind = STRAIGHT if number or not _one_suit(chosen) else BOMB
            cards = sum(chosen) + phoenixes
            yield Combination(cards, kind, len(ranks), 2 * ranks[-1], *places)


def _suit(card: int) -> int:
    return (card.bit_length() - 1) % 4


def _one_suit(chosen: tuple[int, ...]) -> bool:
    return len({_suit(card) for card in chosen}) == 1 and MAHJONG not in chosen


def _stairs(by_rank: _ByRank, wild: _Wild) -> Iterator[Combination]:
    phoenixes, number = wild
    for ranks, places in _windows(by_rank, 2, number):
        sizes = [(rank, 1 if rank in places else 2) for rank in ranks]
        choices = [list(combinations(by_rank.get(rank, ()), size)) for rank, size in sizes]
        for chosen in product(*choices):
            cards = sum(map(sum, chosen)) + phoenixes
            yield Combination(cards, STAIRS, 2 * len(ranks), 2 * ranks[-1], *places)

"""The plays of a hand with cards of the second pack, one a pattern, in canonical order (I5).

A pattern is a kind, its ranks and the Phoenix's rank; the packs make no difference. It is shown by
the lowest card numbers that form no bomb, so by cards of the first pack where the hand has them.
What the cards of one rank can be is worked out once and kept; rows are found by shifting sets of
ranks (bit `4 * rank`) over each other.
"""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from referee.rules.cards import (
    DOG,
    DRAGONS,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    ONES,
    PHOENIX,
    PHOENIXES,
    RANK_MASKS,
    SECOND_PACK,
    SECOND_PHOENIX,
    card_numbers,
    rank_of,
)
from referee.rules.combinations import SMALL_SETS, canonical_key
from referee.rules.hands import bombs, hand_has_bomb
from referee.rules.kinds import (
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
from referee.rules.two_packs import counts_of_both, folded

_EIGHTS = ONES * 8
_NOTHING = -1  # every rank is above it
_NOT_COUNTED = -1
# _ROOM[width]: the bottoms, from the Mah Jong's rank on, of rows of so many ranks up to the Ace
_ROOM = tuple(
    sum(1 << 4 * bottom for bottom in range(1, HIGHEST_RANK - width + 2))
    for width in range(HIGHEST_RANK + 1)
)


class _Rank(NamedTuple):
    """What a hand's cards of one rank can be, with the Phoenix or without."""

    singles: tuple[Combination, ...]
    pairs: tuple[Combination, ...]
    triples: tuple[Combination, ...]
    lowest: tuple[int, ...]  # [k]: the k lowest cards, up to three


def _rank(cards: int, wilds: tuple[int, ...]) -> _Rank:
    numbers = card_numbers(cards)[:3]
    rank = rank_of(numbers[0]) if numbers else 0
    lowest = tuple(sum(1 << n for n in numbers[:size]) for size in range(len(numbers) + 1))
    kinds = []
    for kind in (SINGLE, PAIR, TRIPLE):
        size = kind.value
        plays = [
            Combination(lowest[size - number] | wild, kind, size, 2 * rank, *[rank] * number)
            for number, wild in enumerate(wilds[:size])
            if size - number < len(lowest) and (rank >= LOWEST_RANK or not number)
        ]
        kinds.append(tuple(sorted(plays, key=canonical_key)))
    singles, pairs, triples = kinds
    return _Rank(singles, pairs, triples, lowest)


class _Ranks(dict[int, _Rank]):
    """`_Rank` by the cards of a rank, made when first asked for: 255 sets of each rank at most."""

    def __init__(self, wilds: tuple[int, ...]) -> None:
        super().__init__()
        self._wilds = wilds

    def __missing__(self, cards: int) -> _Rank:
        found = self[cards] = _rank(cards, self._wilds)
        return found


# By the hand's Phoenixes as combinations may use them: [k] is the mask of k of them.
_RANKS_WITH: dict[tuple[int, ...], _Ranks] = {
    wilds: _Ranks(wilds)
    for wilds in ((0,), (0, PHOENIX), (0, SECOND_PHOENIX), (0, PHOENIX, PHOENIXES))
}


class _Hand:
    """A hand of two packs as the lists ask about it; made once and remembered."""

    __slots__ = ("_counts", "cards", "most", "phoenix", "ranks", "wilds")

    def __init__(self, cards: int, *, two_phoenixes: bool) -> None:
        phoenixes = cards & PHOENIXES
        both = phoenixes == PHOENIXES and two_phoenixes
        self.cards = cards
        self.phoenix = phoenixes & -phoenixes  # the lower of two, 0 = none
        self.wilds: tuple[int, ...] = (0, self.phoenix, PHOENIXES)[: 1 + bool(phoenixes) + both]
        self.most = len(self.wilds) - 1  # Phoenixes in a combination
        table = _RANKS_WITH[self.wilds]
        self.ranks = [table[cards & rank] for rank in RANK_MASKS]
        self._counts = _NOT_COUNTED

    def with_at_least(self, number: int) -> int:
        """Return the ranks 2..A of which the hand has so many cards, as bits `4 * rank`."""
        if self._counts == _NOT_COUNTED:  # singles, pairs and triples never ask
            self._counts = counts_of_both(self.cards)
        return (self._counts + ONES * (8 - number) & _EIGHTS) >> 3


@lru_cache(1 << 10)
def _hand(cards: int, two_phoenixes: bool) -> _Hand:
    return _Hand(cards, two_phoenixes=two_phoenixes)


@lru_cache(1 << 12)
def _listed(bits: int) -> tuple[int, ...]:
    """Return the ranks of a set of bits `4 * rank`, ascending."""
    return tuple(number >> 2 for number in card_numbers(bits))


def leads_of_two_packs(hand: int, two_phoenixes: bool) -> tuple[Combination, ...]:
    """Return every pattern a hand can lead; no wish applied (B1 to B8, I5)."""
    held = _hand(hand, two_phoenixes)
    short = _single_leads(held)
    short += [play for rank in held.ranks for play in rank.pairs]
    short += [play for rank in held.ranks for play in rank.triples]
    if hand.bit_count() < 4:
        return tuple(short)
    long = _long_leads(held)
    if hand_has_bomb(hand):
        long += bombs(hand)
    if len(long) > 1:
        long.sort(key=canonical_key)
    return (*short, *long)


def _long_leads(held: _Hand) -> list[Combination]:
    """Return the leads of four and more cards but bombs; a longer row holds a shorter one."""
    plays: list[Combination] = []
    for length in range(5, HIGHEST_RANK + 1):
        straights = _straights(held, length, _NOTHING)
        if not straights:
            break
        plays += straights
    if held.with_at_least(2):  # stairs and full houses have two naturals of a rank
        plays += _full_houses(held, _NOTHING)
        for width in range(2, HIGHEST_RANK):
            stairs = _stairs(held, width, _NOTHING)
            if not stairs:
                break
            plays += stairs
    elif held.most == 2:  # but for stairs of two ranks and two Phoenixes
        plays += _stairs(held, 2, _NOTHING)
    return plays


def follows_of_two_packs(hand: int, table: Combination, two_phoenixes: bool) -> list[Combination]:
    """Return every pattern of a hand that beats a table that is no bomb; no wish applied."""
    held = _hand(hand, two_phoenixes)
    kind, rank2 = table.kind, table.rank2
    if kind is SINGLE:
        plays = _single_follows(held, rank2)
    elif kind is PAIR:
        plays = [play for rank in held.ranks[rank2 // 2 + 1 :] for play in rank.pairs]
    elif kind is TRIPLE:
        plays = [play for rank in held.ranks[rank2 // 2 + 1 :] for play in rank.triples]
    elif kind is FULL_HOUSE:
        plays = _full_houses(held, rank2)
    elif kind is STRAIGHT:
        plays = _straights(held, table.length, rank2)
    else:
        plays = _stairs(held, table.length // 2, rank2)
    if hand_has_bomb(hand):
        plays += bombs(hand)
    if table.length > 3 and len(plays) > 1:
        plays.sort(key=canonical_key)
    return plays


def _single_leads(held: _Hand) -> list[Combination]:
    plays = list(SMALL_SETS[DOG]) if held.cards & DOG else []
    plays += held.ranks[1].singles
    if held.phoenix:
        plays.append(Combination(held.phoenix, SINGLE, 1, PHOENIX_LED))
    plays += [play for rank in held.ranks[2:] for play in rank.singles]
    dragons = held.cards & DRAGONS
    if dragons:
        plays.append(Combination(dragons & -dragons, SINGLE, 1, DRAGON_RANK2))
    return plays


def _single_follows(held: _Hand, rank2: int) -> list[Combination]:
    """Return the singles that beat a single; the later Phoenix lies as high as the earlier (I5)."""
    plays = []
    if held.phoenix and rank2 < DRAGON_RANK2:
        plays.append(Combination(held.phoenix, SINGLE, 1, rank2 | 1))
    plays += [play for rank in held.ranks[rank2 // 2 + 1 :] for play in rank.singles]
    dragons = held.cards & DRAGONS
    if dragons and rank2 <= DRAGON_RANK2:
        height = DRAGON_RANK2 if rank2 < DRAGON_RANK2 else LATER_DRAGON_RANK2
        plays.append(Combination(dragons & -dragons, SINGLE, 1, height))
    return plays


def _full_houses(held: _Hand, rank2: int) -> list[Combination]:
    plays: list[Combination] = []
    above = -1 << 4 * (rank2 // 2 + 1)
    for number in range(held.most + 1):
        for in_pair in range(min(number, 1) + 1):  # the pair has a natural card too
            threes, twos = 3 - number + in_pair, 2 - in_pair
            triples = held.with_at_least(threes) & above
            if triples:
                pairs = _listed(held.with_at_least(twos))
                for triple in _listed(triples):
                    three = held.ranks[triple].lowest[threes] | held.wilds[number]
                    for pair in pairs:
                        if pair != triple:
                            cards = three | held.ranks[pair].lowest[twos]
                            places = [triple] * (number - in_pair) + [pair] * in_pair
                            plays.append(Combination(cards, FULL_HOUSE, 5, 2 * triple, *places))
    return plays


def _bottoms(ranks: int, width: int, most_missing: int) -> int:
    """Return where rows of so many ranks begin in which at most so many are missing."""
    if not most_missing:
        rows = _ROOM[width]
        for step in range(width):
            rows &= ranks >> 4 * step
        return rows
    within = [-1] * (most_missing + 1)  # [k]: rows, as far as looked at, with at most k missing
    for step in range(width):
        there = ranks >> 4 * step
        for number in range(most_missing, 0, -1):
            within[number] = within[number] & there | within[number - 1]
        within[0] &= there
    return within[-1] & _ROOM[width]


def _row(bottom: int, width: int) -> int:
    """Return neighbouring ranks as bits `4 * rank`."""
    return (ONES & (1 << 4 * width) - 1) << 4 * bottom


@lru_cache(1 << 12)
def _places(row: int, must: int, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the ranks, ascending, that so many Phoenixes take in a row, `must` among them."""
    free = _listed(row & ~must & ~MAHJONG)
    given = _listed(must)
    chosen = combinations(free, number - len(given))
    return tuple(tuple(sorted(given + ranks)) for ranks in chosen)


def _straights(held: _Hand, length: int, rank2: int) -> list[Combination]:
    """Return the straights of a length, no bombs, that are higher."""
    present = held.with_at_least(1) | held.cards & MAHJONG
    bottoms = _bottoms(present, length, held.most)
    bottoms &= -1 << 4 * max(rank2 // 2 - length + 2, 0)
    if not held.cards & MAHJONG:
        bottoms &= ~MAHJONG  # nothing else is a 1 (B6)
    plays: list[Combination] = []
    for bottom in _listed(bottoms):
        row, top2 = _row(bottom, length), 2 * (bottom + length - 1)
        missing = row & ~present
        for number in range(missing.bit_count(), held.most + 1):
            for places in _places(row, missing, number):
                cards = _straight_cards(held, row, places)
                if cards:
                    cards |= held.wilds[number]
                    plays.append(Combination(cards, STRAIGHT, length, top2, *places))
    return plays


def _straight_cards(held: _Hand, row: int, places: tuple[int, ...]) -> int:
    """Return the lowest naturals of a straight; 0 = every choice of them is a bomb."""
    ranks = [rank for rank in _listed(row) if rank not in places]
    cards = 0
    for rank in ranks:
        cards |= held.ranks[rank].lowest[1]
    if places or cards & MAHJONG:
        return cards
    suits = folded(cards)
    same = ONES << (suits.bit_length() - 1 & 3)
    return cards if suits & ~same else _with_another_suit(held, cards, ranks, same)


def _with_another_suit(held: _Hand, cards: int, ranks: list[int], suit: int) -> int:
    """Change the one card for another suit that leaves the lowest numbers; 0 = there is none."""
    same = suit | suit << SECOND_PACK
    changed = []
    for rank in ranks:
        others = held.cards & RANK_MASKS[rank] & ~same
        if others:
            changed.append(cards & ~RANK_MASKS[rank] | others & -others)
    return min(changed, key=card_numbers, default=0)


def _stairs(held: _Hand, width: int, rank2: int) -> list[Combination]:
    """Return the stairs of so many ranks that are higher; each rank has a natural card (I5)."""
    twos = held.with_at_least(2)
    bottoms = _bottoms(twos, width, held.most) & ~MAHJONG
    bottoms &= -1 << 4 * max(rank2 // 2 - width + 2, 0)
    plays: list[Combination] = []
    present = held.with_at_least(1)
    for bottom in _listed(bottoms):
        row = _row(bottom, width)
        if row & ~present:
            continue
        lone, top2 = row & ~twos, 2 * (bottom + width - 1)
        for number in range(lone.bit_count(), held.most + 1):
            for places in _places(row, lone, number):
                cards = held.wilds[number]
                for rank in _listed(row):
                    cards |= held.ranks[rank].lowest[1 if rank in places else 2]
                plays.append(Combination(cards, STAIRS, 2 * width, top2, *places))
    return plays

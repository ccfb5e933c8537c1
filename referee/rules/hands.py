"""What a hand holds: its combinations by pattern, and its bombs.

One play stands for each pattern (kind, ranks, the Phoenix's rank; every bomb for itself), shown by
the lowest card numbers that form no bomb. Each function returns its plays in canonical order and
remembers recent hands, since a hand is asked about several times between two of its plays. Hands
with cards of the second pack: their bombs are found here, their other plays in `two_pack_lists`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from referee.rules.cards import (
    DOG,
    DRAGON,
    FIRST_PACK_RANKS,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    NATURALS,
    ONE_PACK,
    ONES,
    PHOENIX,
    RANK_MASKS,
    RANKED,
    SECOND_PACK,
    rank_counts,
)
from referee.rules.combinations import (
    BOMB,
    FULL_HOUSE,
    SMALL_SETS,
    STAIRS,
    STRAIGHT,
    Combination,
    canonical_key,
    is_one_suit,
)
from referee.rules.straight_windows import Window, natural_windows, windows_with_phoenix
from referee.rules.two_packs import folded

_SPREAD = 0x7777_7777_7777_7777  # the bits of a nibble that can move up inside it
# Hands remembered. Between two plays of a hand its bombs are asked for several times, in matches
# that run side by side one after the other (128 of them: 62 % found). Its other lists are asked for
# again seldom (10 %), and one can take 10 kB.
_HANDS = 1 << 10
_LISTS = 1 << 7
_RANKS = range(LOWEST_RANK, HIGHEST_RANK + 1)


@lru_cache(_HANDS)
def hand_has_bomb(hand: int) -> bool:
    """True when a hand holds any bomb at all (B1); of two packs the cards may mix (I5)."""
    if hand > ONE_PACK:
        hand = folded(hand)
    twos = hand & hand >> 1
    return bool(twos & twos >> 2 & ONES) or has_straight_bomb(hand)


def has_straight_bomb(hand: int) -> bool:
    """True when five cards of one suit lie in a row: four bits apart in the mask.

    A bit of the result is the lowest card of a row; the specials and the Mah Jong lie below bit 8.
    """
    rows = hand & hand >> 4
    return (rows & rows >> 8 & hand >> 16) > 255


@lru_cache(_LISTS)
def bombs(hand: int) -> tuple[Combination, ...]:
    """Return every bomb of a hand.

    Of two packs one for each rank, and one for each suit and ranks in a row, since bombs that
    differ only in the packs of their cards are equal (I5).
    """
    if hand > ONE_PACK:
        found = [_unfolded(bomb, hand) for bomb in bombs(folded(hand))]
        found.sort(key=canonical_key)
        return tuple(found)
    found = []
    for rank in _RANKS:
        quad = FIRST_PACK_RANKS[rank]
        if hand & quad == quad:
            found.append(SMALL_SETS[quad][0])
    if has_straight_bomb(hand):
        found += _straight_bombs(hand & RANKED)
    found.sort(key=canonical_key)
    return tuple(found)


def _unfolded(bomb: Combination, hand: int) -> Combination:
    """Return a bomb of the folded hand with the cards of the hand: the first pack's where held."""
    cards = bomb.cards & hand | (bomb.cards & ~hand) << SECOND_PACK
    return Combination(cards, BOMB, bomb.length, bomb.rank2)


def _straight_bombs(ranked: int) -> list[Combination]:
    found = []
    for bottom in range(4 * LOWEST_RANK, 4 * (HIGHEST_RANK - 3)):
        cards, bit, length = 0, 1 << bottom, 0
        while ranked & bit:
            cards |= bit
            bit <<= 4
            length += 1
            if length >= 5:
                top = (bottom >> 2) + length - 1
                found.append(Combination(cards, BOMB, length, 2 * top))
    return found


def bombs_with(hand: int, table: Combination, rank: int) -> bool:
    """True when a bomb of the hand holds the rank and beats the table (B2)."""
    holder = RANK_MASKS[rank]
    length, rank2 = (table.length, table.rank2) if table.kind is BOMB else (0, 0)
    return any(
        bomb.cards & holder and (bomb.length, bomb.rank2) > (length, rank2) for bomb in bombs(hand)
    )


def lowest_of_ranks(naturals: int) -> int:
    """Return the lowest card of every rank in a mask of naturals."""
    above = (naturals & _SPREAD) << 1
    above |= (above & _SPREAD) << 1
    above |= (above & _SPREAD) << 1
    return naturals & ~above


def _lowest_table() -> tuple[tuple[int, ...], ...]:
    table = []
    for nibble in range(16):
        bits = [bit for bit in (1, 2, 4, 8) if nibble & bit]
        table.append(tuple(sum(bits[:size]) for size in range(len(bits) + 1)))
    return tuple(table)


# _LOWEST[nibble][k]: the k lowest cards of a rank
_LOWEST = _lowest_table()


_Tables = tuple[tuple[tuple[Combination, ...], ...], ...]


def _by_byte(size: int, *, phoenix: bool) -> _Tables:
    """The plays of one size in two neighbouring ranks, by the byte of a mask that holds them.

    Seven look-ups give the plays of a hand; a walk over its ranks costs six times that.
    """
    ranks = range(LOWEST_RANK, HIGHEST_RANK + 1)
    alone = [[_of_rank(rank, bits, size, phoenix=phoenix) for bits in range(16)] for rank in ranks]
    alone.append([()])  # above the Ace
    return tuple(
        tuple(low + high for high in alone[place + 1] for low in alone[place])
        for place in range(0, len(ranks), 2)
    )


def _of_rank(rank: int, bits: int, size: int, *, phoenix: bool) -> tuple[Combination, ...]:
    held = _LOWEST[bits]
    found = []
    if phoenix and len(held) >= size:
        found.append(SMALL_SETS[held[size - 1] << 4 * rank | PHOENIX][0])
    if len(held) > size:
        found.append(SMALL_SETS[held[size] << 4 * rank][0])
    return tuple(found)


_SINGLES = _by_byte(1, phoenix=False)
_OF_TWO = (_by_byte(2, phoenix=False), _by_byte(2, phoenix=True))
_OF_THREE = (_by_byte(3, phoenix=False), _by_byte(3, phoenix=True))
_BELOW_Q = (1 << 48) - (1 << 8)  # 2 .. J


def _looked_up(tables: _Tables, hand: int) -> tuple[Combination, ...]:
    twos, fours, sixes, eights, tens, queens, aces = tables
    if not hand & _BELOW_Q:  # often so above a table
        return queens[hand >> 48 & 0xFF] + aces[hand >> 56 & 0xF]
    _, low, four, six, eight, ten, queen, ace = (hand & RANKED).to_bytes(8, "little")
    return (
        twos[low] + fours[four] + sixes[six] + eights[eight] + tens[ten] + queens[queen] + aces[ace]
    )


# _SPECIALS[(hand & 31) >> 1]: the specials below the 2, in the order of their ranks as leads
_SPECIALS = tuple(
    tuple(SMALL_SETS[card][0] for card in (DOG, MAHJONG, PHOENIX) if bits << 1 & card)
    for bits in range(16)
)
_DRAGON = SMALL_SETS[DRAGON]


def singles(hand: int) -> tuple[Combination, ...]:
    """Return the singles to lead, one for each rank: Dog, Mah Jong, Phoenix, 2 .. A, Dragon."""
    found = _SPECIALS[hand >> 1 & 15] + _looked_up(_SINGLES, hand)
    return found + _DRAGON if hand & DRAGON else found


def ranked_singles(hand: int) -> tuple[Combination, ...]:
    """Return the singles 2 .. A, one for each rank."""
    return _looked_up(_SINGLES, hand)


def pairs(hand: int) -> tuple[Combination, ...]:
    """Return the pairs, those with the Phoenix before the natural one of their rank."""
    return _looked_up(_OF_TWO[hand >> 2 & 1], hand)


def triples(hand: int) -> tuple[Combination, ...]:
    """Return the triples, those with the Phoenix before the natural one of their rank."""
    return _looked_up(_OF_THREE[hand >> 2 & 1], hand)


def find_full_houses(hand: int) -> tuple[Combination, ...]:
    """Return the full houses: natural, with the Phoenix in the triple, with it in the pair."""
    phoenix = hand & PHOENIX
    counts = rank_counts(hand & RANKED)
    twos, threes = counts + ONES * 6 & ONES * 8, counts + ONES * 5 & ONES * 8
    if not (threes if phoenix else threes and twos & twos - 1) and not (
        phoenix and twos & twos - 1
    ):
        return ()
    by_rank = [(rank, _LOWEST[hand >> 4 * rank & 15]) for rank in _RANKS]
    two_or_more = [(rank, held) for rank, held in by_rank if len(held) > 2]
    held_at_all = [(rank, held) for rank, held in by_rank if len(held) > 1] if phoenix else []
    found = []
    for rank, held in two_or_more:
        if len(held) > 3:
            triple = held[3] << 4 * rank
            for other, pair in two_or_more:
                if other != rank:
                    found.append(_house(triple | pair[2] << 4 * other, rank, 0))
            for other, lone in held_at_all:
                if other != rank:
                    found.append(_house(triple | PHOENIX | lone[1] << 4 * other, rank, other))
        if phoenix:
            two = held[2] << 4 * rank | PHOENIX
            for other, pair in two_or_more:
                if other != rank:
                    found.append(_house(two | pair[2] << 4 * other, rank, rank))
    found.sort(key=canonical_key)
    return tuple(found)


def _house(cards: int, rank: int, phoenix_rank: int) -> Combination:
    return Combination(cards, FULL_HOUSE, 5, 2 * rank, phoenix_rank)


def find_straights(hand: int) -> tuple[Combination, ...]:
    """Return the straights that are no bombs, by length, then top."""
    naturals = hand & NATURALS
    ranks = (naturals | naturals >> 1 | naturals >> 2 | naturals >> 3) & ONES
    if hand & PHOENIX:
        windows: Sequence[Window] = windows_with_phoenix(ranks)
        lowest = lowest_of_ranks(naturals) | PHOENIX
    else:
        rows = ranks & ranks >> 4
        if not rows & rows >> 8 & ranks >> 16:
            return ()
        windows = natural_windows(ranks)
        lowest = lowest_of_ranks(naturals)
    if has_straight_bomb(hand):
        return tuple(_kept_from_bombs(windows, lowest, hand))
    return tuple(
        [
            Combination(lowest & window, STRAIGHT, length, rank2, phoenix_rank)
            for window, length, rank2, phoenix_rank in windows
        ]
    )


def _kept_from_bombs(windows: Sequence[Window], lowest: int, hand: int) -> Iterator[Combination]:
    for window, length, rank2, phoenix_rank in windows:
        cards = _no_bomb(lowest & window, hand)
        if cards:
            yield Combination(cards, STRAIGHT, length, rank2, phoenix_rank)


def _no_bomb(cards: int, hand: int) -> int:
    """Return the lowest cards of the same ranks that are not all of one suit; 0 = there are none.

    Changing the highest rank that has a second card leaves the lower numbers as low as they were.
    """
    if cards & PHOENIX or not is_one_suit(cards):
        return cards
    left = cards
    while left:
        card = 1 << (left.bit_length() - 1)
        nibble = 15 << (card.bit_length() - 1 & ~3)
        others = hand & nibble & ~card
        if others:
            return cards ^ card | others & -others
        left ^= card
    return 0


def find_stairs(hand: int) -> tuple[Combination, ...]:
    """Return the stairs, by length, then top."""
    counts = rank_counts(hand & RANKED)
    twos = counts + ONES * 6 >> 3 & ONES
    present = counts + ONES * 7 >> 3 & ONES
    phoenix = hand & PHOENIX
    if not (present & present >> 4) or not (twos & twos >> 4 or (phoenix and twos)):
        return ()
    found: list[Combination] = []
    for bottom in range(LOWEST_RANK, HIGHEST_RANK):
        cards = lone = 0
        for rank in range(bottom, HIGHEST_RANK + 1):
            held = _LOWEST[hand >> 4 * rank & 15]
            if len(held) > 2:
                cards |= held[2] << 4 * rank
            elif len(held) == 2 and phoenix and not lone:
                lone = rank
                cards |= held[1] << 4 * rank | PHOENIX
            else:
                break
            if rank > bottom:
                found += _stair_plays(cards, bottom, rank, lone, phoenix)
    found.sort(key=canonical_key)
    return tuple(found)


def _stair_plays(cards: int, bottom: int, top: int, lone: int, phoenix: int) -> list[Combination]:
    length = 2 * (top - bottom + 1)
    if lone or not phoenix:
        return [Combination(cards, STAIRS, length, 2 * top, lone)]
    plays = [Combination(cards, STAIRS, length, 2 * top, 0)]
    for rank in range(bottom, top + 1):
        upper = 1 << ((cards & FIRST_PACK_RANKS[rank]).bit_length() - 1)
        plays.append(Combination(cards ^ upper | PHOENIX, STAIRS, length, 2 * top, rank))
    return plays


def has_pair(hand: int) -> bool:
    """True when a hand holds two cards of a rank: else it has neither stairs nor a full house."""
    return bool(rank_counts(hand & RANKED) + ONES * 6 & ONES * 8)


# For a table a hand is asked again and again; a list of leads is remembered as a whole.
full_houses = lru_cache(_LISTS)(find_full_houses)
straights = lru_cache(_LISTS)(find_straights)
stairs = lru_cache(_LISTS)(find_stairs)

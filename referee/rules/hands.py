"""What a hand holds: its combinations by pattern, and its bombs.

One play stands for each pattern (kind, ranks, the Phoenix's rank; every bomb for itself), shown by
the lowest card numbers that form no bomb. Each function returns its plays in canonical order and
remembers recent hands, since a hand is asked about several times between two of its plays.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from referee.rules.cards import (
    DOG,
    DRAGON,
    HIGHEST_RANK,
    LOWEST_RANK,
    MAHJONG,
    NATURALS,
    PHOENIX,
    RANK_MASKS,
    RANKED,
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
    rank_counts,
)

_ONES = 0x1111_1111_1111_1111
_SPREAD = 0x7777_7777_7777_7777  # the bits of a nibble that can move up inside it
# Hands remembered. Between two plays of a hand its bombs are asked for several times, in matches
# that run side by side one after the other (128 of them: 62 % found). Its other lists are asked for
# again seldom (10 %), and one can take 10 kB.
_HANDS = 1 << 10
_LISTS = 1 << 7
_RANKS = range(LOWEST_RANK, HIGHEST_RANK + 1)

# A window of a straight: the mask of its ranks, the Phoenix's own left out and its bit put in;
# length; twice the top; the Phoenix's rank or 0
_Window = tuple[int, int, int, int]


@lru_cache(_HANDS)
def hand_has_bomb(hand: int) -> bool:
    """True when a hand holds any bomb at all (B1)."""
    twos = hand & hand >> 1
    return bool(twos & twos >> 2 & _ONES) or has_straight_bomb(hand)


def has_straight_bomb(hand: int) -> bool:
    """True when five cards of one suit lie in a row: four bits apart in the mask.

    A bit of the result is the lowest card of a row; the specials and the Mah Jong lie below bit 8.
    """
    rows = hand & hand >> 4
    return (rows & rows >> 8 & hand >> 16) > 255


@lru_cache(_LISTS)
def bombs(hand: int) -> tuple[Combination, ...]:
    """Return every bomb of a hand."""
    found = []
    for rank in _RANKS:
        quad = RANK_MASKS[rank]
        if hand & quad == quad:
            found.append(SMALL_SETS[quad][0])
    if has_straight_bomb(hand):
        found += _straight_bombs(hand & RANKED)
    found.sort(key=canonical_key)
    return tuple(found)


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
    twos, threes = counts + _ONES * 6 & _ONES * 8, counts + _ONES * 5 & _ONES * 8
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
    ranks = (naturals | naturals >> 1 | naturals >> 2 | naturals >> 3) & _ONES
    if hand & PHOENIX:
        windows: Sequence[_Window] = _windows_with_phoenix(ranks)
        lowest = lowest_of_ranks(naturals) | PHOENIX
    else:
        rows = ranks & ranks >> 4
        if not rows & rows >> 8 & ranks >> 16:
            return ()
        windows = _natural_windows(ranks)
        lowest = lowest_of_ranks(naturals)
    if has_straight_bomb(hand):
        return tuple(_kept_from_bombs(windows, lowest, hand))
    return tuple(
        [
            Combination(lowest & window, STRAIGHT, length, rank2, phoenix_rank)
            for window, length, rank2, phoenix_rank in windows
        ]
    )


def _kept_from_bombs(windows: Sequence[_Window], lowest: int, hand: int) -> Iterator[Combination]:
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


def _natural_windows(ranks: int) -> Sequence[_Window]:
    """Return the windows of a set of ranks (bit `4 * rank`), run by run."""
    found: list[_Window] = []
    runs = 0
    left = ranks * 15  # every nibble full, so that adding 1 carries to the end of a run
    while left:
        beyond = left + (left & -left)
        run = left & ~beyond
        bottom, top = (run & -run).bit_length() >> 2, run.bit_length() >> 2
        if top - bottom > 4:
            found += _RUN_WINDOWS[bottom, top - 1]
            runs += 1
        left &= beyond
    if runs > 1:
        found.sort(key=_window_key)
    return found


def _run_windows(bottom: int, top: int) -> tuple[_Window, ...]:
    """Return every window of a run of ranks, by length, then top."""
    found = []
    for length in range(5, top - bottom + 2):
        for last in range(bottom + length - 1, top + 1):
            window = sum(RANK_MASKS[last - length + 1 : last + 1])
            found.append((window, length, 2 * last, 0))
    return tuple(found)


_RUN_WINDOWS = {
    (bottom, top): _run_windows(bottom, top)
    for bottom in range(1, HIGHEST_RANK - 3)
    for top in range(bottom + 4, HIGHEST_RANK + 1)
}


@lru_cache(_LISTS)
def _windows_with_phoenix(ranks: int) -> tuple[_Window, ...]:
    """Return the windows in which the Phoenix may stand, and the natural ones."""
    found: list[_Window] = []
    for bottom in range(1, HIGHEST_RANK - 3):
        window = gap = 0
        for rank in range(bottom, HIGHEST_RANK + 1):
            if ranks >> 4 * rank & 1:
                window |= RANK_MASKS[rank]
            elif gap or rank < LOWEST_RANK:
                break
            else:
                gap = rank
            if rank >= bottom + 4:
                found += _window_plays(window, bottom, rank, gap)
    found.sort(key=_window_key)
    return tuple(found)


def _window_plays(window: int, bottom: int, top: int, gap: int) -> list[_Window]:
    length = top - bottom + 1
    if gap:
        return [(window | PHOENIX, length, 2 * top, gap)]
    plays = [(window, length, 2 * top, 0)]
    for rank in range(max(bottom, LOWEST_RANK), top + 1):
        plays.append((window & ~RANK_MASKS[rank] | PHOENIX, length, 2 * top, rank))
    return plays


def _window_key(play: _Window) -> tuple[int, int, bool, int]:
    """Canonical order: with the Phoenix first, and a higher gap keeps the lower numbers."""
    _, length, rank2, phoenix_rank = play
    return (length, rank2, phoenix_rank == 0, -phoenix_rank)


def find_stairs(hand: int) -> tuple[Combination, ...]:
    """Return the stairs, by length, then top."""
    counts = rank_counts(hand & RANKED)
    twos = counts + _ONES * 6 >> 3 & _ONES
    present = counts + _ONES * 7 >> 3 & _ONES
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
        upper = 1 << ((cards & RANK_MASKS[rank]).bit_length() - 1)
        plays.append(Combination(cards ^ upper | PHOENIX, STAIRS, length, 2 * top, rank))
    return plays


def has_pair(hand: int) -> bool:
    """True when a hand holds two cards of a rank: else it has neither stairs nor a full house."""
    return bool(rank_counts(hand & RANKED) + _ONES * 6 & _ONES * 8)


# For a table a hand is asked again and again; a list of leads is remembered as a whole.
full_houses = lru_cache(_LISTS)(find_full_houses)
straights = lru_cache(_LISTS)(find_straights)
stairs = lru_cache(_LISTS)(find_stairs)

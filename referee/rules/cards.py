"""Cards as bit numbers and sets of cards as int masks (A1).

A card's number is `4 * rank + suit` with ranks 2..14 (J=11 .. A=14) and suits jade 0, sword 1,
pagoda 2, star 3. The specials lie below: Dog 1, Phoenix 2, Dragon 3, Mah Jong 4 (its rank is 1, so
straights from 1 fall out of the arithmetic). Bit 0 is no card: `mask_of` sets it to say that a card
was named twice, and since no hand ever holds it, such a set is "not held" without a further test.
The second pack of Grand Seigneur is the same plus 64. A mask with a card of it is greater than
`ONE_PACK`; that one comparison is what sends a question to the modules for two packs.
"""

from collections.abc import Iterable
from functools import lru_cache

from referee.rules.errors import NotationError
from referee.rules.option_values import GsDog, Variant
from referee.rules.options import RuleOptions, seats
from referee.rules.seat import Seat

__all__ = [
    "DOG",
    "DRAGON",
    "DRAGONS",
    "DUPLICATE",
    "FIRST_PACK_RANKS",
    "HIGHEST_RANK",
    "LOWEST_RANK",
    "MAHJONG",
    "NATURALS",
    "ONES",
    "ONE_PACK",
    "PHOENIX",
    "PHOENIXES",
    "RANKED",
    "RANK_MAHJONG",
    "RANK_MASKS",
    "SECOND_DRAGON",
    "SECOND_PACK",
    "SECOND_PHOENIX",
    "SECOND_RANKED",
    "SUITS",
    "Seat",
    "card_numbers",
    "card_points",
    "count",
    "is_card",
    "mask_of",
    "pack",
    "rank_counts",
    "rank_of",
    "sorted_cards",
]

RANK_MAHJONG = 1
LOWEST_RANK = 2
HIGHEST_RANK = 14  # the Ace is only high (B3)

DUPLICATE = 1 << 0  # not a card: the mark of a set in which a card was named twice
DOG = 1 << 1
PHOENIX = 1 << 2
DRAGON = 1 << 3
MAHJONG = 1 << 4
RANKED = (1 << 60) - (1 << 8)  # the 52 cards 2..A
NATURALS = RANKED | MAHJONG  # "natural" in the rules: any card but Dog, Phoenix, Dragon
SECOND_PACK = 64  # added to the number of a card of the second pack
ONE_PACK = RANKED | DOG | PHOENIX | DRAGON | MAHJONG
SECOND_RANKED = RANKED << SECOND_PACK
SECOND_PHOENIX, SECOND_DRAGON = PHOENIX << SECOND_PACK, DRAGON << SECOND_PACK
PHOENIXES, DRAGONS = PHOENIX | SECOND_PHOENIX, DRAGON | SECOND_DRAGON

ONES = 0x1111_1111_1111_1111  # the lowest bit of every nibble: of every rank
_TWO_BITS, _ONE_BIT = 0x3333_3333_3333_3333, 0x5555_5555_5555_5555  # fields of a rank count
SUITS = tuple((ONES << suit) & RANKED for suit in range(4))  # all cards of a suit
FIRST_PACK_RANKS = (0, MAHJONG, *(15 << (4 * rank) for rank in range(2, 15)))
# all cards of a rank, of both packs; the second has no Mah Jong
RANK_MASKS = (0, MAHJONG, *(15 << 4 * rank | 15 << 4 * rank + SECOND_PACK for rank in range(2, 15)))

_FIVES = FIRST_PACK_RANKS[5]
_TENS = FIRST_PACK_RANKS[10] | FIRST_PACK_RANKS[13]


def count(cards: int) -> int:
    """Return how many cards a mask holds."""
    return cards.bit_count()


def rank_counts(cards: int) -> int:
    """Return the number of cards of each rank, 0..4, in the nibble `4 * rank`, of one pack.

    >>> rank_counts(SUITS[0] | SUITS[3]) >> 4 * 14
    2
    """
    pairs = cards - ((cards >> 1) & _ONE_BIT)
    return (pairs & _TWO_BITS) + ((pairs >> 2) & _TWO_BITS)


def card_numbers(cards: int) -> list[int]:
    """Return the numbers in a mask, ascending.

    >>> card_numbers(MAHJONG | DOG)
    [1, 4]
    """
    numbers = []
    while cards:
        lowest = cards & -cards
        numbers.append(lowest.bit_length() - 1)
        cards ^= lowest
    return numbers


@lru_cache(1 << 12)
def sorted_cards(cards: int) -> tuple[int, ...]:
    """Return `card_numbers` as a tuple, from a cache: most plays are of a few cards.

    >>> sorted_cards(MAHJONG | DOG)
    (1, 4)
    """
    return tuple(card_numbers(cards))


def mask_of(numbers: Iterable[int]) -> int:
    """Return the mask of card numbers; a number named twice sets `DUPLICATE` as well.

    Raises `NotationError` for a number that is no card.
    """
    cards = 0
    for number in numbers:
        if not is_card(number):
            raise NotationError(f"{number} is no card number")
        bit = 1 << number
        cards |= DUPLICATE | bit if cards & bit else bit
    return cards


def is_card(number: int) -> bool:
    """True for the number of a card of either pack; the second has no Dog and no Mah Jong (I1)."""
    if 0 <= number < SECOND_PACK:
        return bool(ONE_PACK >> number & 1)
    in_pack = number - SECOND_PACK
    return 0 <= in_pack < SECOND_PACK and bool((ONE_PACK & ~(DOG | MAHJONG)) >> in_pack & 1)


def rank_of(number: int) -> int:
    """Return the rank of a card: 1 for the Mah Jong, 2..14, and 0 for Dog, Phoenix and Dragon."""
    return (number % SECOND_PACK) >> 2


def card_points(cards: int) -> int:
    """Return what a set of cards is worth (A1): 5, 10 and K count, Dragon +25, Phoenix -25.

    Cards of the second pack count nothing: Grand Seigneur, which alone has it, knows no points.

    >>> card_points(ONE_PACK)
    100
    """
    points = 5 * (cards & _FIVES).bit_count() + 10 * (cards & _TENS).bit_count()
    if cards & DRAGON:
        points += 25
    if cards & PHOENIX:
        points -= 25
    return points


_TWO_PACKS_FROM = 7  # seats (I1)


def pack(options: RuleOptions) -> list[int]:
    """Return the numbers of all cards of a game, ascending: what the shuffle starts from.

    Grand Seigneur has 55, from seven seats on 109: no Dog, and one Mah Jong (I1). With `gs_dog` one
    the first of its two packs keeps its Dog; without partners the Dog hands the lead to the next.
    """
    cards = ONE_PACK
    if options.variant is Variant.GRAND_SEIGNEUR:
        if seats(options) >= _TWO_PACKS_FROM:
            cards |= SECOND_RANKED | SECOND_PHOENIX | SECOND_DRAGON
        if options.gs_dog is GsDog.REMOVED:
            cards &= ~DOG
    return card_numbers(cards)

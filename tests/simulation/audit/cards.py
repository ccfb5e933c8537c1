"""Cards as bits of an int (bit n: the card numbered n in the enum `Card`), with an own shuffle."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

DOG, PHOENIX, DRAGON, MAH_JONG = 1, 2, 3, 4
NUMBERS = (DOG, PHOENIX, DRAGON, MAH_JONG, *range(8, 60))
PACK = sum(1 << number for number in NUMBERS)
SECOND = 64  # a card of the second pack has the number of the first one's plus this (I1)
BOTH = PACK | PACK << SECOND
NATURAL = PACK & ~(1 << DOG | 1 << PHOENIX | 1 << DRAGON)
NATURALS = NATURAL | NATURAL << SECOND
DRAGONS = (1 << DRAGON, 1 << DRAGON + SECOND)  # each alone
PHOENIXES = (1 << PHOENIX, 1 << PHOENIX + SECOND)

_RANKS = "23456789TJQKA"
_SUITS = "jspr"
_SPECIALS = {"Dg": DOG, "Ph": PHOENIX, "Dr": DRAGON, "Mj": MAH_JONG}
_IN_TEXT = re.compile(r"\b(?:([2-9TJQKA])([jspr])|(Dg|Ph|Dr|Mj))\b('?)")
_LONG_RANKS = (*"23456789", "10", "JACK", "QUEEN", "KING", "ACE")
_LONG_SUITS = ("JADE", "SWORD", "PAGODA", "STAR")
_LONG = re.compile(
    r"\b(?:CARD_)?(SECOND_)?(?:(JADE|SWORD|PAGODA|STAR)_(10|[2-9]|JACK|QUEEN|KING|ACE)"
    r"|(?<=CARD_)(DOG|PHOENIX|DRAGON|MAH_JONG)|(?<=SECOND_)(DOG|PHOENIX|DRAGON|MAH_JONG))\b"
)
_LONG_SPECIALS = {"DOG": DOG, "PHOENIX": PHOENIX, "DRAGON": DRAGON, "MAH_JONG": MAH_JONG}


def mask_of(cards: Iterable[int]) -> int:
    """The set of these cards; a card named twice or out of the pack makes it -1."""
    mask = 0
    for card in cards:
        if mask >> card & 1:
            return -1
        mask |= 1 << card
    return -1 if mask & ~BOTH else mask


def cards_of(mask: int) -> Iterator[int]:
    """The cards in ascending order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def points_of(mask: int) -> int:
    """Card points (A1); the second pack has none, since its game has no points."""
    points = 5 * (mask >> 20 & 15).bit_count()
    points += 10 * ((mask >> 40 & 15).bit_count() + (mask >> 52 & 15).bit_count())
    return points + 25 * (mask >> DRAGON & 1) - 25 * (mask >> PHOENIX & 1)


def text_of(mask: int) -> str:
    """Cards in the notation of the rules page."""
    return " ".join(map(_name, cards_of(mask)))


def _name(card: int) -> str:
    if card >= SECOND:
        return _name(card - SECOND) + "'"
    names = {number: name for name, number in _SPECIALS.items()}
    return names.get(card) or f"{_RANKS[(card >> 2) - 2]}{_SUITS[card & 3]}"


def is_dragon(mask: int) -> bool:
    """Whether this is a Dragon alone, of either pack."""
    return mask in DRAGONS


def cards_in_text(text: str) -> int:
    """Every card that a text names, in the notation of the rules page or by its enum name."""
    mask = 0
    for rank, suit, special, second in _IN_TEXT.findall(text):
        mask |= 1 << _number(special or suit + rank) + (SECOND if second else 0)
    for pack, suit, rank, first, other in _LONG.findall(text.upper()):
        number = _LONG_SPECIALS.get(first or other)
        if number is None:
            number = 4 * (_LONG_RANKS.index(rank) + 2) + _LONG_SUITS.index(suit)
        mask |= 1 << number + (SECOND if pack else 0)
    return mask


def _number(name: str) -> int:
    """The number of a special card, or of one that is written suit before rank."""
    number = _SPECIALS.get(name)
    return 4 * (_RANKS.index(name[1]) + 2) + _SUITS.index(name[0]) if number is None else number


class _Words:
    """32-bit words from a seed: SHA-256 of the seed and a counter."""

    def __init__(self, seed: bytes) -> None:
        self._seed, self._block, self._words = seed, 0, [0][:0]

    def below(self, limit: int) -> int:
        bound = (1 << 32) // limit * limit
        while True:
            if not self._words:
                data = hashlib.sha256(self._seed + self._block.to_bytes(8, "big")).digest()
                self._block += 1
                self._words = [int.from_bytes(data[i : i + 4], "big") for i in range(28, -4, -4)]
            if (word := self._words.pop()) < bound:
                return word % limit


def shuffled(seed: bytes, pack: Sequence[int]) -> list[int]:
    """The pack in the order in which it is dealt (RULES: The shuffle)."""
    cards, words = sorted(pack), _Words(seed)
    for i in range(len(cards) - 1, 0, -1):
        j = words.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal(
    seed: bytes, pack: Sequence[int], order: Sequence[int], first_cards: int
) -> tuple[list[int], list[int]]:
    """The first cards and the rest of each seat, card by card in this order (A2, H1, I1)."""
    n = len(order)
    first, rest = [0] * n, [0] * n
    for place, card in enumerate(shuffled(seed, pack)):
        part = first if place < n * first_cards else rest
        part[order[place % n]] |= 1 << card
    return first, rest


def commitment(match_id: str, seed: bytes) -> bytes:
    """What seats get before the first card."""
    return hashlib.sha256(b"tichu-commit" + match_id.encode() + seed).digest()

"""Cards as bits of an int (bit n: the card numbered n in the enum `Card`), with an own shuffle."""

import hashlib
import re
from collections.abc import Iterable, Iterator

DOG, PHOENIX, DRAGON, MAH_JONG = 1, 2, 3, 4
NUMBERS = (DOG, PHOENIX, DRAGON, MAH_JONG, *range(8, 60))
PACK = sum(1 << number for number in NUMBERS)
NATURAL = PACK & ~(1 << DOG | 1 << PHOENIX | 1 << DRAGON)

_RANKS = "23456789TJQKA"
_SUITS = "jspr"
_SPECIALS = {"Dg": DOG, "Ph": PHOENIX, "Dr": DRAGON, "Mj": MAH_JONG}
_IN_TEXT = re.compile(r"\b([2-9TJQKA])([jspr])\b|\b(Dg|Ph|Dr|Mj)\b")
_LONG_RANKS = (*"23456789", "10", "JACK", "QUEEN", "KING", "ACE")
_LONG_SUITS = ("JADE", "SWORD", "PAGODA", "STAR")
_LONG = re.compile(
    r"\b(?:CARD_)?(JADE|SWORD|PAGODA|STAR)_(10|[2-9]|JACK|QUEEN|KING|ACE)\b"
    r"|\bCARD_(DOG|PHOENIX|DRAGON|MAH_JONG)\b"
)
_LONG_SPECIALS = {"DOG": DOG, "PHOENIX": PHOENIX, "DRAGON": DRAGON, "MAH_JONG": MAH_JONG}


def mask_of(cards: Iterable[int]) -> int:
    """The set of these cards; a card named twice or out of the pack makes it -1."""
    mask = 0
    for card in cards:
        if mask >> card & 1:
            return -1
        mask |= 1 << card
    return -1 if mask & ~PACK else mask


def cards_of(mask: int) -> Iterator[int]:
    """The cards in ascending order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def points_of(mask: int) -> int:
    """Card points (A1)."""
    points = 5 * (mask >> 20 & 15).bit_count()
    points += 10 * ((mask >> 40 & 15).bit_count() + (mask >> 52 & 15).bit_count())
    return points + 25 * (mask >> DRAGON & 1) - 25 * (mask >> PHOENIX & 1)


def text_of(mask: int) -> str:
    """Cards in the notation of the rules page."""
    names = {number: name for name, number in _SPECIALS.items()}
    return " ".join(
        names.get(card) or f"{_RANKS[(card >> 2) - 2]}{_SUITS[card & 3]}" for card in cards_of(mask)
    )


def cards_in_text(text: str) -> int:
    """Every card that a text names, in the notation of the rules page or by its enum name."""
    mask = 0
    for rank, suit, special in _IN_TEXT.findall(text):
        number = (
            _SPECIALS[special] if special else 4 * (_RANKS.index(rank) + 2) + _SUITS.index(suit)
        )
        mask |= 1 << number
    for suit, rank, special in _LONG.findall(text.upper()):
        if special:
            mask |= 1 << _LONG_SPECIALS[special]
        else:
            mask |= 1 << (4 * (_LONG_RANKS.index(rank) + 2) + _LONG_SUITS.index(suit))
    return mask


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


def shuffled(seed: bytes) -> list[int]:
    """The pack in the order in which it is dealt (RULES: The shuffle)."""
    cards, words = sorted(NUMBERS), _Words(seed)
    for i in range(55, 0, -1):
        j = words.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal(seed: bytes, *, dealer: int) -> tuple[list[int], list[int]]:
    """The first eight and the last six cards of each seat, card by card from the dealer (A2)."""
    pack = shuffled(seed)
    first, rest = [0, 0, 0, 0], [0, 0, 0, 0]
    for place, card in enumerate(pack):
        part = first if place < 32 else rest
        part[(dealer + place) % 4] |= 1 << card
    return first, rest


def commitment(match_id: str, seed: bytes) -> bytes:
    """What seats get before the first card."""
    return hashlib.sha256(b"tichu-commit" + match_id.encode() + seed).digest()

"""Cards: numbers and names, ranks, points, the bombs of a hand, the shuffle.

What the library has is only named here; the shuffle and the commitment are what it does not need.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from tichu_bot.cards import SECOND_PACK, holds_bomb, parse, points, rank, show

__all__ = ["commitment", "holds_bomb", "known", "parse", "points", "rank", "show", "shuffle"]

_PACK = (1, 2, 3, 4, *range(8, 60))
_CARDS = frozenset((*_PACK, *(card + SECOND_PACK for card in _PACK)))


def known(cards: Iterable[int]) -> tuple[int, ...]:
    """Return the cards that there are, ascending: a later protocol may have others."""
    return tuple(sorted(card for card in cards if card in _CARDS))


def shuffle(seed: bytes, cards: Sequence[int]) -> list[int]:
    """Return the cards, which come ascending, as the seed orders them: the first is dealt first."""
    order = list(cards)
    words = _words(seed)
    for i in range(len(order) - 1, 0, -1):
        j = _below(i + 1, words)
        order[i], order[j] = order[j], order[i]
    return order


def _below(n: int, words: Iterator[int]) -> int:
    """Return a number from 0 to n - 1, each as likely: words that favour some are left out."""
    limit = n * (2**32 // n)
    return next(word for word in words if word < limit) % n


def _words(seed: bytes) -> Iterator[int]:
    """Eight 32-bit words from each block SHA-256(seed, number of the block in 8 bytes)."""
    block = 0
    while True:
        digest = sha256(seed + block.to_bytes(8, "big")).digest()
        for at in range(0, len(digest), 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def commitment(match_id: str, seed: bytes) -> bytes:
    """Return the 32 bytes that every seat gets before the deal, so that it is fixed."""
    return sha256(b"tichu-commit" + match_id.encode() + seed).digest()

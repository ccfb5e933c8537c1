"""The shuffle, written down so that any language repeats it, and the commitment to its seed.

The stream: block i = SHA-256(seed || i as 8 bytes, big-endian), i = 0, 1, 2, ...; the blocks are
read as 32-bit big-endian words, eight from each. A number below n: take words until one is below
`n * floor(2**32 / n)`, and return it modulo n (rejection sampling, no bias). Fisher-Yates: for i
from the last index down to 1, draw j below i + 1 and swap places i and j. The cards start in
ascending order of their numbers. `tests/vectors/shuffle.jsonl` holds worked results.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

_WORD_VALUES = 1 << 32
_COMMIT_LABEL = b"tichu-commit"


def _words(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = sha256(seed + counter.to_bytes(8, "big")).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(block[at : at + 4], "big")
        counter += 1


def shuffle(seed: bytes, cards: Sequence[int]) -> list[int]:
    """Return the cards in the order that the seed gives: the first is dealt first (A2)."""
    order = list(cards)
    words = _words(seed)
    for i in range(len(order) - 1, 0, -1):
        n = i + 1
        limit = _WORD_VALUES - _WORD_VALUES % n
        word = next(words)
        while word >= limit:
            word = next(words)
        j = word % n
        order[i], order[j] = order[j], order[i]
    return order


def commit(match_id: str, deal_seed: bytes) -> bytes:
    """Return what bots get before the deal: SHA-256("tichu-commit" || match id || deal seed).

    The match id, in UTF-8, salts it, so that two legs of a board do not show the same value.
    """
    return sha256(_COMMIT_LABEL + match_id.encode() + deal_seed).digest()

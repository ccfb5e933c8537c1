"""Kinds of combinations and what one is told as (RULES B)."""

from typing import NamedTuple

from tests.simulation.audit.cards import MAH_JONG, SECOND

SINGLE, PAIR, TRIPLE, FULL_HOUSE, STRAIGHT, STAIRS, BOMB = range(1, 8)  # as in `PlayKind`
DRAGON_HALVES = 32
ACE = 14
SUIT = tuple(sum(1 << (4 * rank + suit) for rank in range(2, 15)) for suit in range(4))


class Reading(NamedTuple):
    """A combination: kind, number of cards, height in half ranks, rank of the Phoenix (0: none),
    and that of the second one where both are in it."""

    kind: int
    size: int
    halves: int
    phoenix: int
    second: int = 0


def count(mask: int, rank: int) -> int:
    """How many natural cards of a rank from 1 to 14 there are, of both packs."""
    if rank == 1:
        return mask >> MAH_JONG & 1
    own = (mask >> 4 * rank & 15).bit_count()
    return own + (mask >> SECOND + 4 * rank & 15).bit_count() if mask >> SECOND else own


def folded(mask: int) -> int:
    """Cards of both packs as those of one, equal ones as one: what tells bombs apart (I5)."""
    return (mask | mask >> SECOND) & (1 << SECOND) - 1 if mask >> SECOND else mask


def runs(cards: int) -> list[tuple[Reading, int]]:
    """Every straight bomb among cards of one suit."""
    found = []
    held = [rank for rank in range(2, ACE + 1) if cards >> 4 * rank & 15]
    for first in held:
        run, rank = 0, first
        while rank in held:
            run |= cards & 15 << 4 * rank
            if rank - first >= 4:
                found.append((Reading(BOMB, rank - first + 1, 2 * rank, 0), run))
            rank += 1
    return found

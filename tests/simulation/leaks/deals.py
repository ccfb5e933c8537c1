"""Two deals that one seat cannot tell apart: what it holds is the same, the rest may differ.

A hand is a tuple of cards in the order in which they are dealt: the first eight, then six (A2).
"""

import enum
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from referee.match import dealing, rounds
from referee.match.inputs import Deal
from referee.match.state import MatchState
from tests.simulation.audit.cards import MAH_JONG, NUMBERS, mask_of
from tests.simulation.audit.combos import bombs_in

SEATS = range(4)
Hands = tuple[tuple[int, ...], ...]  # by seat


class Difference(enum.StrEnum):
    """In what two deals differ."""

    BOMB = "one hand holds a bomb in one of them"
    RANK = "two cards of a rank in two hands"
    FEW = "a few cards of hidden hands"
    MANY = "nearly all cards of two hidden hands"
    ORDER = "which cards of hidden hands were the first eight"
    GIVER = "who of two seats had which of the cards that they give to the third"


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two deals, and the gifts that `Difference.GIVER` needs: (giver, card) in each deal."""

    one: Hands
    other: Hands
    difference: Difference
    relay: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = ((), ())


def dealt(rng: random.Random, *, bombs: int) -> list[list[int]]:
    """A deal with about so many bombs of four planted in it, and the Mah Jong anywhere."""
    free, hands = set(NUMBERS), [[0][:0] for _ in SEATS]
    for rank in rng.sample(range(2, 15), bombs):
        seat = rng.choice([seat for seat in SEATS if len(hands[seat]) <= 8])
        hands[seat] += range(4 * rank, 4 * rank + 4)
        free -= set(hands[seat])
    rest = sorted(free)
    rng.shuffle(rest)
    for hand in hands:
        hand += [rest.pop() for _ in range(14 - len(hand))]
        rng.shuffle(hand)
    return hands


def twins(rng: random.Random, seat: int, difference: Difference) -> Twins:
    """Two deals that differ in this, none of it in the hand of `seat`."""
    hidden = [other for other in SEATS if other != seat]
    rng.shuffle(hidden)
    one = dealt(rng, bombs=rng.choice((1, 2, 3)))
    other = [list(hand) for hand in one]
    relay: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = ((), ())
    if difference is Difference.ORDER:
        for at in hidden:
            rng.shuffle(other[at])
    elif difference is Difference.GIVER:
        first, second = hidden[:2]
        x, z = _places(rng, one, first, second)
        _swap(other, first, x, second, z)
        relay = (
            ((first, one[first][x]), (second, one[second][z])),
            ((first, other[first][x]), (second, other[second][z])),
        )
    else:
        for places in _moved(rng, one, hidden, difference):
            _swap(other, *places)
    return Twins(
        one=tuple(map(tuple, one)),
        other=tuple(map(tuple, other)),
        difference=difference,
        relay=relay,
    )


def _moved(
    rng: random.Random, hands: Sequence[Sequence[int]], hidden: list[int], difference: Difference
) -> list[tuple[int, int, int, int]]:
    """Pairs of places to swap. Nobody but its holder has the Mah Jong: who leads is public."""
    first, second = hidden[:2]
    if difference is Difference.BOMB:
        for at in hidden:
            bombs = bombs_in(mask_of(hands[at]))
            if bombs:
                cards = bombs[-1][1]
                x = next(i for i, card in enumerate(hands[at]) if cards >> card & 1)
                to = next(seat for seat in hidden if seat != at)
                return [(at, x, to, _quiet(rng, hands[to]))]
    if difference is Difference.RANK:
        pairs = [
            (x, z)
            for x, mine in enumerate(hands[first])
            for z, yours in enumerate(hands[second])
            if mine >= 8 and mine >> 2 == yours >> 2
        ]
        if pairs:
            x, z = rng.choice(pairs)
            return [(first, x, second, z)]
    size = rng.choice((8, 9, 10)) if difference is Difference.MANY else rng.choice((1, 2, 3))
    mine = rng.sample(_movable(hands[first]), size)
    yours = rng.sample(_movable(hands[second]), size)
    return [(first, x, second, z) for x, z in zip(mine, yours, strict=True)]


def _places(
    rng: random.Random, hands: Sequence[Sequence[int]], first: int, second: int
) -> tuple[int, int]:
    return rng.choice(_movable(hands[first])), rng.choice(_movable(hands[second]))


def _movable(hand: Sequence[int]) -> list[int]:
    return [place for place, card in enumerate(hand) if card != MAH_JONG]


def _quiet(rng: random.Random, hand: Sequence[int]) -> int:
    """The place of a card that belongs to no bomb."""
    loud = 0
    for _, cards in bombs_in(mask_of(hand)):
        loud |= cards
    quiet = [place for place in _movable(hand) if not loud >> hand[place] & 1]
    return rng.choice(quiet or _movable(hand))


def _swap(hands: list[list[int]], one: int, x: int, other: int, z: int) -> None:
    hands[one][x], hands[other][z] = hands[other][z], hands[one][x]


@contextmanager
def injected(deals: Sequence[Hands]) -> Iterator[None]:
    """Deal these hands, one a round, whatever the seed: so all that comes of it stays the same."""
    real, place = rounds.deal, [0, 0]  # number of the round from 0, dealer

    def deal(state: MatchState, what: Deal) -> None:
        place[:] = state.round_number, state.score.dealer
        real(state, what)

    def order(seed: bytes, cards: Sequence[int]) -> list[int]:
        number, dealer = place
        hands = deals[number]
        found = [hands[(dealer + i) % 4][i // 4] for i in range(len(cards))]
        assert sorted(found) == sorted(cards), "the injected deal is no pack"
        return found

    with patch.object(rounds, "deal", deal), patch.object(dealing, "shuffle", order):
        yield

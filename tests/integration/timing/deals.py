"""Deals in pairs that differ in who holds a bomb, and in nothing that anybody sees played.

Four roles in turn order. LEADER leads all that it has, the Dog last, so that its partner IDLER
leads next and does the same; all others pass. In one deal of a pair HOLDER has four of a rank; in
the other IDLER has one of these four, and keeps it for its last card, which ends the round.
OBSERVER, the partner of HOLDER, sees the same cards and plays in both. Rounds are short, since a
round is one example of either.
"""

import random
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from referee.rules.cards import (
    DOG,
    DRAGON,
    FIRST_PACK_RANKS,
    MAHJONG,
    PHOENIX,
    card_numbers,
    mask_of,
)
from referee.rules.hands import hand_has_bomb

SEATS = 4
PAIRS = 6
GIFTS = 3
SEED = 20
WINDOWS = 35  # in a round: 5 leads with three passes after each, 5 with two
_TRIPLES = 4  # of LEADER, and of IDLER

Cards = tuple[int, ...]


class Role(IntEnum):
    """A place at the table."""

    LEADER = 0
    OBSERVER = 1
    IDLER = 2
    HOLDER = 3


def role_at(seat: int, match: int) -> Role:
    """The role at a seat: another one in each match, so that every order of seats occurs."""
    return Role((seat - match) % SEATS)


class Pair(NamedTuple):
    """Two deals. Hands are those after the exchange, by role."""

    with_bomb: tuple[Cards, ...]
    without: tuple[Cards, ...]
    gifts: tuple[Cards, ...]  # what each role gives away, to the next seat first
    leads: tuple[tuple[Cards, ...], ...]  # what LEADER leads, and IDLER; its last card comes then

    def hands(self, *, holds: bool) -> tuple[Cards, ...]:
        """The hands of one of the deals."""
        return self.with_bomb if holds else self.without

    def order(self, match: int, dealer: int, *, holds: bool) -> list[int]:
        """The shuffled pack that deals a hand before the exchange: the dealer's card is first."""
        dealt = self._before_exchange(self.hands(holds=holds))
        places = [iter(dealt[role_at((dealer + place) % SEATS, match)]) for place in range(SEATS)]
        return [next(places[at % SEATS]) for at in range(sum(map(len, dealt)))]

    def _before_exchange(self, hands: Sequence[Cards]) -> list[Cards]:
        found = [set(hand) for hand in hands]
        for role, given in enumerate(self.gifts):
            for step, card in enumerate(given, start=1):
                found[(role + step) % SEATS].remove(card)
                found[role].add(card)
        return [tuple(sorted(hand)) for hand in found]


@cache
def pairs() -> tuple[Pair, ...]:
    """The pairs, the same in every process."""
    drawing = random.Random(SEED)
    found: list[Pair] = []
    while len(found) < PAIRS:
        pair = _draw(drawing)
        if [bombs(pair.hands(holds=holds)) for holds in (True, False)] == [[Role.HOLDER], []]:
            found.append(pair)
    return tuple(found)


def bombs(hands: Iterable[Cards]) -> list[Role]:
    """The roles that hold one."""
    return [Role(role) for role, hand in enumerate(hands) if hand_has_bomb(mask_of(hand))]


def _draw(drawing: random.Random) -> Pair:
    ranks = [[*card_numbers(mask)] for mask in FIRST_PACK_RANKS[2:]]
    for cards in ranks:
        drawing.shuffle(cards)
    drawing.shuffle(ranks)
    bomb = ranks.pop()
    triples = [tuple(sorted(ranks[at][:3])) for at in range(2 * _TRIPLES)]
    rest = [card for cards in ranks[: 2 * _TRIPLES] for card in cards[3:]]
    rest += [card for cards in ranks[2 * _TRIPLES :] for card in cards]
    drawing.shuffle(rest)
    plain, single = rest.pop(), rest.pop()
    rest += card_numbers(PHOENIX | DRAGON)
    drawing.shuffle(rest)
    mah_jong, dog = card_numbers(MAHJONG) + card_numbers(DOG)
    first, second = triples[:_TRIPLES], triples[_TRIPLES:]
    leader = (mah_jong, *sum(first, ()), dog)
    idler = sum(second, (single,))
    with_bomb = (leader, tuple(rest[10:]), (*idler, plain), (*bomb, *rest[:10]))
    without = (leader, tuple(rest[10:]), (*idler, bomb[0]), (*bomb[1:], plain, *rest[:10]))
    return Pair(
        with_bomb,
        without,
        gifts=_gifts(with_bomb, kept={plain, *bomb}),
        leads=(((mah_jong,), *first, (dog,)), ((single,), *second)),
    )


def _gifts(hands: Sequence[Cards], *, kept: set[int]) -> tuple[Cards, ...]:
    """Three cards that each role gives: such as the others hold after the exchange."""
    return tuple(
        tuple(
            [card for card in hands[(role + step) % SEATS] if card not in kept][role - 1]
            for step in range(1, GIFTS + 1)
        )
        for role in Role
    )

"""The luck of a deal: points by which the hands that were dealt favour a team.

A control variate: it is fixed before a match is played and depends on the 14 cards that each seat
was dealt, not on anything that a bot did. Its mean over all deals is 0, since it changes its sign
when the teams change hands. So points less luck have the same mean as points, and a smaller spread.
It explains a tenth of the variance of a round between equal teams; the rest is play, and luck that
no count of cards shows.
"""

from collections.abc import Sequence

import msgspec

from referee.rules.cards import DOG, DRAGON, PHOENIX, RANK_MASKS
from referee.rules.errors import RefereeBug

VERSION = 1  # goes up with any coefficient or feature
_ACES, _KINGS = RANK_MASKS[14], RANK_MASKS[13]
_NO_STRAIGHT = 4  # cards in a row that make none yet


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of the 14 cards of a hand; `row` is the longest row of ranks beyond four."""

    dragon: int
    phoenix: int
    dog: int
    aces: int
    kings: int
    triples: int
    fours: int
    row: int


# Points for each, of a team against the other: least squares over 16,000 rounds in which the house
# bot greedy played all four seats, rounded (`python -m tests.ladder_study.luck`).
WORTH = Holding(dragon=16, phoenix=17, dog=-8, aces=16, kings=9, triples=6, fours=32, row=3)


def holding_of(hand: int) -> Holding:
    """Return what counts of a hand, a mask of cards."""
    counts = [(hand & mask).bit_count() for mask in RANK_MASKS[2:]]
    return Holding(
        dragon=int(hand & DRAGON != 0),
        phoenix=int(hand & PHOENIX != 0),
        dog=int(hand & DOG != 0),
        aces=(hand & _ACES).bit_count(),
        kings=(hand & _KINGS).bit_count(),
        triples=sum(count == 3 for count in counts),
        fours=sum(count == 4 for count in counts),
        row=max(0, _longest_row(hand) - _NO_STRAIGHT),
    )


def _longest_row(hand: int) -> int:
    """Return how many ranks without a gap, Mah Jong to Ace, the hand holds at most."""
    longest = row = 0
    for mask in RANK_MASKS[1:]:
        row = row + 1 if hand & mask else 0
        longest = max(longest, row)
    return longest


def worth_of(hand: int) -> float:
    """Return what a hand adds to the luck of its team; only differences mean something."""
    held = holding_of(hand)
    return float(
        sum(getattr(held, name) * getattr(WORTH, name) for name in Holding.__struct_fields__)
    )


def luck_of(hands: Sequence[int]) -> float:
    """Return the points by which the dealt hands, masks by seat, favour team 0 (seats 0, 2, ...).

    It changes its sign, and nothing else, when the teams change hands. Raises `RefereeBug` where
    the seats are odd in number: then they are no two teams.
    """
    if len(hands) % 2:
        raise RefereeBug(f"{len(hands)} hands are no two teams")
    worths = [worth_of(hand) for hand in hands]
    return sum(worths[0::2]) - sum(worths[1::2])

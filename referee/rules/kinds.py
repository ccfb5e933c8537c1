"""The kinds of combinations, and a combination as a value (B1, B2)."""

import enum

import msgspec


class Kind(enum.IntEnum):
    """The types of combinations (B1). The Dog is a single of rank 0."""

    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    FULL_HOUSE = 4
    STRAIGHT = 5
    STAIRS = 6
    BOMB = 7


class Combination(msgspec.Struct, frozen=True, gc=False):
    """A set of cards in one reading. A Struct, since it is built twice as fast as a tuple class."""

    cards: int  # mask
    kind: Kind
    length: int  # number of cards
    rank2: int  # half steps: twice the rank that compares (B2); the Phoenix alone falls between
    phoenix_rank: int = 0  # 2..14 what the Phoenix stands for; 0 = no Phoenix, or alone
    # Of two Phoenixes (option `gs_two_phoenix_in_combo`) `phoenix_rank` is the lower rank, but in a
    # full house that of the triple: so the first settles the reading, and this the other one is
    # told for people. Which card stands for which makes no difference. 0 = at most one Phoenix.
    second_phoenix_rank: int = 0

    @property
    def is_bomb(self) -> bool:
        """True for all four of a rank and for five or more in a row of one suit."""
        return self.kind is BOMB


SINGLE, PAIR, TRIPLE = Kind.SINGLE, Kind.PAIR, Kind.TRIPLE
FULL_HOUSE, STRAIGHT, STAIRS, BOMB = Kind.FULL_HOUSE, Kind.STRAIGHT, Kind.STAIRS, Kind.BOMB

PHOENIX_LED = 3  # 1.5 in half steps (B5)
DRAGON_RANK2 = 32  # above the Phoenix on an Ace, 29
LATER_DRAGON_RANK2 = 33  # of the Dragon that lies on a Dragon, whichever of the two it is (I5)

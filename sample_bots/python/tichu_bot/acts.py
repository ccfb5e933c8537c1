"""What a strategy answers with."""

import enum
from typing import NamedTuple

from tichu_bot.cards import Play


class CallKind(enum.IntEnum):
    """A bet on being first out, or the decision against one; the numbers are those of the wire."""

    UNKNOWN = 0
    TICHU = 1
    GRAND = 2
    NO_GRAND = 3
    GREAT_GRAND = 4
    NO_GREAT_GRAND = 5

    @property
    def is_bet(self) -> bool:
        """True for the calls that put points at stake."""
        return self in (CallKind.TICHU, CallKind.GRAND, CallKind.GREAT_GRAND)


class Act(NamedTuple):
    """A turn: a play, or a pass where `play` is None.

    `wish` is a rank, 2 to 14; it counts only with a play that holds the Mah Jong. `tichu` calls
    Tichu just before the play; it is left out where the hand may not call any more.
    """

    play: Play | None
    wish: int | None = None
    tichu: bool = False


PASS = Act(None)


class Exchange(NamedTuple):
    """Cards to give away, in the order of `view.slots`; `tichu` calls Tichu before they move."""

    cards: tuple[int, ...]
    tichu: bool = False

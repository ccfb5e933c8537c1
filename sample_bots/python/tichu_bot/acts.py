"""What a strategy answers with."""

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

from tichu_bot.cards import Play


class CallKind(enum.IntEnum):
    """A bet on being first out, or another decision on bets; the numbers are those of the wire."""

    UNKNOWN = 0
    TICHU = 1
    GRAND = 2
    NO_GRAND = 3
    GREAT_GRAND = 4
    NO_GREAT_GRAND = 5
    BID_0 = 6  # option chaos: how willing a seat is to have its team's Grand
    BID_1 = 7
    BID_2 = 8
    BID_3 = 9
    ACCEPT = 10  # option refuse_call: an opponent's call may stand
    REFUSE = 11

    @property
    def is_bet(self) -> bool:
        """True for the calls that put points at stake."""
        return self in (CallKind.TICHU, CallKind.GRAND, CallKind.GREAT_GRAND)

    @property
    def bid(self) -> int | None:
        """0 to 3 for a bid, None for all else."""
        return self - CallKind.BID_0 if CallKind.BID_0 <= self <= CallKind.BID_3 else None


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


class Default(enum.Enum):
    """The one value of `DEFAULT`."""

    DEFAULT = "default"


# To any ask: leave it to the referee, which takes its substitute action, without a strike.
DEFAULT: Final = Default.DEFAULT

# What may answer an ask, of whatever kind; see `Bot.decide`.
Decision = Act | Play | Exchange | CallKind | Sequence[int] | bool | int | Default | None


def choice_of(choices: Sequence[CallKind], decided: Decision) -> CallKind | None:
    """Return which choice of a call ask a decision means; None if it is none of them.

    True is to bet or to refuse, 0 to 3 is a bid. A bid of any other number is a ValueError.

    >>> choice_of((CallKind.GRAND, CallKind.NO_GRAND), False)
    <CallKind.NO_GRAND: 3>
    """
    if isinstance(decided, CallKind):
        return decided if decided in choices else None
    if CallKind.REFUSE in choices:
        return CallKind.REFUSE if decided else CallKind.ACCEPT
    if any(call.bid is not None for call in choices):
        if not isinstance(decided, int) or decided not in range(4):
            raise ValueError(f"a bid is 0 to 3, the strategy bid {decided}")
        return next((call for call in choices if call.bid == decided), None)
    known = (call for call in choices if call != CallKind.UNKNOWN)
    return next((call for call in known if call.is_bet == bool(decided)), None)

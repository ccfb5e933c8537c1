"""What goes into the machine: decisions of bots and news of the world."""

import msgspec

from referee.match.values import Blame, Ending
from referee.rules.phases import CallKind
from referee.rules.seat import Seat


class CallDecision(msgspec.Struct, frozen=True, tag="call", kw_only=True):
    """Bet or not, to a call ask."""

    choice: CallKind


class ExchangeDecision(
    msgspec.Struct, frozen=True, tag="exchange", kw_only=True, omit_defaults=True
):
    """Cards to give away: (recipient, card numbers) pairs in any order."""

    gifts: tuple[tuple[int, tuple[int, ...]], ...]
    tichu: bool = False


class PlayDecision(msgspec.Struct, frozen=True, tag="play", kw_only=True, omit_defaults=True):
    """A play, by `index` into the ask's list or by `cards`. `wish` and `tichu` ride on it.

    Of two Phoenixes `phoenix_rank` is the lower rank, which settles the other one.
    """

    index: int | None = None
    cards: tuple[int, ...] = ()
    phoenix_rank: int | None = None
    wish: int | None = None
    tichu: bool = False


class PassDecision(msgspec.Struct, frozen=True, tag="pass", kw_only=True, omit_defaults=True):
    """A pass in turn."""

    tichu: bool = False


class BombDecision(msgspec.Struct, frozen=True, tag="bomb", kw_only=True, omit_defaults=True):
    """A bomb out of turn, by `index` or by `cards`."""

    index: int | None = None
    cards: tuple[int, ...] = ()


class DeclineDecision(msgspec.Struct, frozen=True, tag="decline"):
    """No bomb in this window."""


class SeatDecision(msgspec.Struct, frozen=True, tag="seat", kw_only=True):
    """The seat that gets the trick, or the lead."""

    seat: int


class DefaultDecision(msgspec.Struct, frozen=True, tag="default"):
    """The substitute action, asked for by the bot: no strike."""


class MalformedDecision(msgspec.Struct, frozen=True, tag="malformed", kw_only=True):
    """An answer that could not be understood; `text` names the field."""

    text: str


Decision = (
    CallDecision
    | ExchangeDecision
    | PlayDecision
    | PassDecision
    | BombDecision
    | DeclineDecision
    | SeatDecision
    | DefaultDecision
    | MalformedDecision
)


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The deal seed of the next round, when the machine needs one. 32 bytes as 64 hex digits.

    `cards` is the order of the pack where the cards are known and no seed gives them.
    """

    seed: str
    cards: tuple[int, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """A decision of a player on an ask. `seat` is the player's: the ask's `to`."""

    seat: Seat
    ask_id: int
    decision: Decision


class CallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A call that stands alone. `for_seat` is the hand that calls, None = the player's own."""

    seat: Seat
    call: CallKind
    request_id: int
    for_seat: Seat | None = None


class StandDownRequest(msgspec.Struct, frozen=True, kw_only=True):
    """No bomb out of turn from a hand for the rest of the round.

    `for_seat` is the hand, None = the player's own.
    """

    seat: Seat
    request_id: int
    for_seat: Seat | None = None


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """The asks of these players were handed to the writers: their clocks start.

    `lags` is the estimate of the lag of each seat's link, nanoseconds, in the order of `seats`;
    empty: no lag is credited.
    """

    seats: tuple[Seat, ...]
    lags: tuple[int, ...] = ()


class Tick(msgspec.Struct, frozen=True):
    """Time has passed; what is due happens."""


class Stalled(msgspec.Struct, frozen=True, kw_only=True):
    """The referee itself was blocked over its limit, for `blocked_ns` from this input's instant.

    Fed after the answers that waited meanwhile. The asks that ran are asked anew (PROTOCOL 3).
    """

    blocked_ns: int


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """The match goes on in a new process of the referee, from its facts (DESIGN 3).

    Fed at the match time of the last fact: time stood still since. Afterwards the asks of every
    seat have to be handed over, also of one that has none: clocks, window and grid begin with that.
    `epoch` is the number of the process among all that owned the store, from 1.
    """

    epoch: int


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """The match ends by a fault of one seat, by resignation, or by order (`seat` None).

    `blame` None is the usual: the bot for a seat, the referee for its own endings, else nobody.
    """

    seat: Seat | None
    ending: Ending
    blame: Blame | None = None
    request_id: int | None = None


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Several faults of one step: where both teams are at fault, the match counts for nothing."""

    faults: tuple[Fault, ...]


Input = (
    Deal
    | Answer
    | CallRequest
    | StandDownRequest
    | Handed
    | Tick
    | Stalled
    | Resumed
    | Fault
    | Faults
)

"""What seats did in a logged round, with nothing left open: what a replay settled."""

import msgspec

from referee.rules.cards import Seat
from referee.rules.phases import CallKind


class CallAct(msgspec.Struct, frozen=True, kw_only=True):
    """A call, or the decision against a Grand Tichu."""

    line: int
    seat: Seat
    call: CallKind


class GiveAct(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat gives in the exchange: (recipient, card number)."""

    line: int
    seat: Seat
    gifts: tuple[tuple[Seat, int], ...]


class PlayAct(msgspec.Struct, frozen=True, kw_only=True):
    """A play, its cards ascending. `phoenix_rank` None: no choice; `wish` None: no wish."""

    line: int
    seat: Seat
    cards: tuple[int, ...]
    phoenix_rank: int | None = None
    wish: int | None = None


class PassAct(msgspec.Struct, frozen=True, kw_only=True):
    """A pass in turn."""

    line: int
    seat: Seat


class CollectAct(msgspec.Struct, frozen=True, kw_only=True):
    """The trick that all others passed is taken: no bomb falls on it any more."""

    line: int


class DragonAct(msgspec.Struct, frozen=True, kw_only=True):
    """The Dragon's trick goes to a seat."""

    line: int
    seat: Seat
    to: Seat


Act = CallAct | GiveAct | PlayAct | PassAct | CollectAct | DragonAct

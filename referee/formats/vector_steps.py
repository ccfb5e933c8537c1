"""The steps of a rule vector as values: seven actions and a check."""

from collections.abc import Mapping

import msgspec

from referee.rules.phases import CallKind
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat


class AnyError(msgspec.Struct, frozen=True):
    """`"error": "*"`: the action must be refused, with any code."""


Expected = Refusal | AnyError | None  # None = the action must be accepted


class PlayStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":0,"play":"Mj","wish":"8"}`."""

    seat: Seat
    cards: int
    phoenix_rank: int | None
    wish: int | None  # 0 = a text that is no rank
    error: Expected


class PassStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":1,"pass":true}`."""

    seat: Seat
    error: Expected


class CollectStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"collect":true}`."""

    error: Expected


class DragonStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":2,"dragon_to":3}`."""

    seat: Seat
    to: Seat
    error: Expected


class DogStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":0,"dog_to":4}`."""

    seat: Seat
    to: Seat
    error: Expected


class CallStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":0,"call":"tichu"}`."""

    seat: Seat
    call: CallKind
    error: Expected


class ExchangeStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"seat":0,"exchange":["2j","Kp","3s"]}`; masks of one card each, in the order of slots."""

    seat: Seat
    choice: tuple[int, ...]
    error: Expected


class CheckStep(msgspec.Struct, frozen=True, kw_only=True):
    """`{"check": {...}}`: what must hold, by key, in plain comparable values.

    `hands` is `{seat: mask}`, `legal` is `{seat: entries}`; an entry is (mask, Phoenix's
    rank or 0), or PASS.
    """

    expected: Mapping[str, object]


ActionStep = PlayStep | PassStep | CollectStep | DragonStep | DogStep | CallStep | ExchangeStep
Step = ActionStep | CheckStep

PASS = (0, 0)  # the legal entry "pass"
UNNAMED = -1  # a legal entry whose Phoenix names no rank though it stands in a combination


class Vector(msgspec.Struct, frozen=True, kw_only=True):
    """One rule vector: a position, a script, and what must hold."""

    name: str  # its id
    start: Position
    steps: tuple[Step, ...]

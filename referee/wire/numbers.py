"""The closed sets of the domain as numbers of the wire, both ways. Names are the same."""

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import (
    AckStatus,
    Blame,
    CancelReason,
    ChooseReason,
    Ending,
    Objective,
    Pace,
    WireRefusal,
)
from referee.ports import ClosingCode, EventDelivery
from referee.rules.refusals import Refusal
from referee.rules.round import CallKind, Phase

_E = TypeVar("_E", bound=enum.Enum)
_N = TypeVar("_N", bound=int)


def _table(members: type[_E], wire: Mapping[str, _N], prefix: str) -> Mapping[_E, _N]:
    """Return the number of each member; a member without one fails at import."""
    return MappingProxyType({member: wire[f"{prefix}_{member.name}"] for member in members})


CALLS = _table(CallKind, dict(match_pb2.CallKind.items()), "CALL_KIND")
ACKS = _table(AckStatus, dict(match_pb2.AckStatus.items()), "ACK_STATUS")
CANCELS = _table(CancelReason, dict(match_pb2.CancelReason.items()), "CANCEL_REASON")
CHOOSE_REASONS = _table(
    ChooseReason, dict(match_pb2.ChooseSeatReason.items()), "CHOOSE_SEAT_REASON"
)
ENDINGS = _table(Ending, dict(match_pb2.Ending.items()), "ENDING")
PACES = _table(Pace, dict(match_pb2.Pace.items()), "PACE")
OBJECTIVES = _table(Objective, dict(match_pb2.Objective.items()), "OBJECTIVE")
PHASES = _table(Phase, dict(match_pb2.Phase.items()), "PHASE")
CLOSINGS = _table(ClosingCode, dict(referee_pb2.ClosingCode.items()), "CLOSING_CODE")

_BLAMES_BUT_NONE = {
    blame: number
    for blame in Blame
    if (number := dict(match_pb2.Blame.items()).get(f"BLAME_{blame.name}")) is not None
}
BLAMES: Mapping[Blame, match_pb2.Blame.ValueType] = MappingProxyType(
    {Blame.NONE: match_pb2.BLAME_UNSPECIFIED, **_BLAMES_BUT_NONE}
)

_CODES = dict(match_pb2.RefusalCode.items())
REFUSALS: Mapping[str, match_pb2.RefusalCode.ValueType] = MappingProxyType(
    {code.value: _CODES[f"REFUSAL_CODE_{code.name}"] for code in (*Refusal, *WireRefusal)}
)

CALLS_IN: Mapping[int, CallKind] = MappingProxyType({n: call for call, n in CALLS.items()})
DELIVERIES_IN: Mapping[int, EventDelivery] = MappingProxyType(
    {
        referee_pb2.EVENT_DELIVERY_UNSPECIFIED: EventDelivery.EVERY_STEP,
        referee_pb2.EVENT_DELIVERY_EVERY_STEP: EventDelivery.EVERY_STEP,
        referee_pb2.EVENT_DELIVERY_WITH_ASKS: EventDelivery.WITH_ASKS,
    }
)

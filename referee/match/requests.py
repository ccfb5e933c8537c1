"""Requests of seats that answer no ask: Tichu calls that stand alone, and standing down."""

from referee.match import barriers, windows
from referee.match.facts import CallAsked, StoodDown
from referee.match.inputs import CallRequest, StandDownRequest
from referee.match.state import MatchState
from referee.match.step import Ack
from referee.match.values import AckStatus
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal

_IN_PLAY = (Phase.PLAY, Phase.CLOSING, Phase.DRAGON, Phase.DOG)


def call(state: MatchState, request: CallRequest) -> None:
    """A call counts at its stamp; while the exchange is owed it is held with the choices."""
    refused = _call_refusal(state, request)
    held = refused is None and state.current.phase is Phase.EXCHANGE
    status = _status(refused, AckStatus.RECEIVED if held else AckStatus.APPLIED)
    state.fact(
        CallAsked(
            at=state.now,
            seat=request.seat,
            call=request.call,
            status=status,
            code=refused.value if refused else "",
            request=request.request_id if held else 0,
        )
    )
    if refused is not None:
        state.refuse(request.seat, refused, request_id=request.request_id)
        return
    state.step.acks.append(Ack(seat=request.seat, status=status, request_id=request.request_id))
    if held:
        barriers.hold_call(state, request.seat, request.request_id)
    else:
        state.make_call(request.seat, request.call)


def _status(refused: Refusal | None, otherwise: AckStatus) -> AckStatus:
    return otherwise if refused is None else AckStatus.REFUSED


def _call_refusal(state: MatchState, request: CallRequest) -> Refusal | None:
    if state.round is None or request.call is not CallKind.TICHU:
        return Refusal.WRONG_PHASE  # other calls are answers to call asks
    if state.barrier is not None and request.seat in state.barrier.calls:
        return Refusal.ALREADY_CALLED
    return state.round.check_call(request.seat, request.call)


def stand_down(state: MatchState, request: StandDownRequest) -> None:
    """Stand down from bomb windows: after the exchange, to the end of the round."""
    position = state.round
    legal = position is not None and position.phase in _IN_PLAY
    refused = None if legal else Refusal.WRONG_PHASE
    status = _status(refused, AckStatus.APPLIED)
    state.fact(
        StoodDown(
            at=state.now,
            seat=request.seat,
            status=status,
            code=refused.value if refused else "",
        )
    )
    if refused is not None:
        state.refuse(
            request.seat,
            refused,
            text="stand down after the exchange and before the round is over",
            request_id=request.request_id,
        )
        return
    state.step.acks.append(Ack(seat=request.seat, status=status, request_id=request.request_id))
    windows.stand_down(state, request.seat)

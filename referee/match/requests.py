"""Requests of players that answer no ask: Tichu calls that stand alone, and standing down.

Both are about a hand: the player's own, or another one that it plays (G6).
"""

from referee.match import barriers, calls, windows
from referee.match.facts import CallAsked, StoodDown
from referee.match.inputs import CallRequest, StandDownRequest
from referee.match.state import MatchState
from referee.match.step import Ack
from referee.match.values import AckStatus
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat

_IN_PLAY = (Phase.PLAY, Phase.CLOSING, Phase.DRAGON, Phase.DOG)


def call(state: MatchState, request: CallRequest) -> None:
    """A call counts at its stamp; while the exchange is owed it is held with the choices.

    Also while opponents decide on another call that was made there (`refuse_call`).
    """
    hand = _hand(state, request)
    refused = Refusal.CALL_NOT_ALLOWED if hand is None else _call_refusal(state, hand, request.call)
    held = refused is None and state.current.stage is Phase.EXCHANGE
    status = _status(refused, AckStatus.RECEIVED if held else AckStatus.APPLIED)
    state.fact(
        CallAsked(
            at=state.now,
            seat=request.seat,
            call=request.call,
            status=status,
            code=refused.value if refused else "",
            request=request.request_id if held else 0,
            for_seat=_other_hand(request),
        )
    )
    if refused is not None or hand is None:
        text = None if hand is not None else _no_hand(request)
        state.refuse(
            request.seat,
            refused or Refusal.CALL_NOT_ALLOWED,
            text=text,
            request_id=request.request_id,
        )
        return
    state.step.acks.append(Ack(seat=request.seat, status=status, request_id=request.request_id))
    if held:
        barriers.hold_call(state, hand, request.request_id)
    else:
        state.make_call(hand, request.call)
        calls.put_to_refusal(state)


def _hand(state: MatchState, request: CallRequest | StandDownRequest) -> Seat | None:
    """The hand that a request is about; None if its player does not play it."""
    hand = request.seat if request.for_seat is None else request.for_seat
    return hand if 0 <= hand < state.n and state.players[hand] == request.seat else None


def _other_hand(request: CallRequest | StandDownRequest) -> Seat | None:
    return None if request.for_seat == request.seat else request.for_seat


def _no_hand(request: CallRequest | StandDownRequest) -> str:
    return f"for_seat: {request.for_seat} is no hand that seat {request.seat} plays; leave it out"


def _status(refused: Refusal | None, otherwise: AckStatus) -> AckStatus:
    return otherwise if refused is None else AckStatus.REFUSED


def _call_refusal(state: MatchState, hand: Seat, call: CallKind) -> Refusal | None:
    if state.round is None or call is not CallKind.TICHU:
        return Refusal.WRONG_PHASE  # other calls are answers to call asks
    if state.holds_call(hand):
        return Refusal.ALREADY_CALLED
    return state.round.check_call(hand, call)


def stand_down(state: MatchState, request: StandDownRequest) -> None:
    """Stand down from bomb windows: after the exchange, to the end of the round."""
    position, hand = state.round, _hand(state, request)
    legal = position is not None and hand is not None and position.stage in _IN_PLAY
    refused = None if legal else Refusal.WRONG_PHASE
    status = _status(refused, AckStatus.APPLIED)
    state.fact(
        StoodDown(
            at=state.now,
            seat=request.seat,
            status=status,
            code=refused.value if refused else "",
            for_seat=_other_hand(request),
        )
    )
    if refused is not None or hand is None:
        in_time = "stand down after the exchange and before the round is over"
        state.refuse(
            request.seat,
            refused or Refusal.WRONG_PHASE,
            text=in_time if hand is not None else _no_hand(request),
            request_id=request.request_id,
        )
        return
    state.step.acks.append(Ack(seat=request.seat, status=status, request_id=request.request_id))
    windows.stand_down(state, hand)

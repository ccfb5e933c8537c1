"""Answers of seats: found, checked, refused or taken (PROTOCOL 2, 4 and 5)."""

from typing import assert_never

from referee.match import barriers, calls, turns, windows
from referee.match.checks import Objection, check
from referee.match.facts import Answered, TimedOut
from referee.match.inputs import Answer, BombDecision, Decision, Fault
from referee.match.state import MatchState, settle, surely_handed
from referee.match.step import Ask, Cancelled, Choice
from referee.match.substitute import substitute
from referee.match.values import (
    ACT,
    CHOOSE_SEAT,
    RECEIVED,
    AckStatus,
    AskKind,
    CancelReason,
    Ending,
    WireRefusal,
)
from referee.rules.option_values import ExchangeRechoose


def receive(state: MatchState, answer: Answer) -> None:
    """Take one answer; whatever it is, it is acknowledged."""
    ask = state.asks.get(answer.seat, answer.ask_id)
    if ask is None:
        _not_open(state, answer)
    elif ask.choice is not None and (settled := _settled(state, ask, answer.decision)):
        _note(state, answer, settled)
    else:
        _judge(state, ask, answer)


def _settled(state: MatchState, ask: Ask, decision: Decision) -> AckStatus | None:
    """What an answer is told whose ask has its choice already; None: it may still be taken."""
    if ask.answer is None:
        return AckStatus.TOO_LATE  # the substitute was taken
    if ask.answer == decision:
        return AckStatus.DUPLICATE
    return None if _replaceable(state, ask) else AckStatus.STALE


def _replaceable(state: MatchState, ask: Ask) -> bool:
    """A7 with `until_all_gave`: till the last has given, or its corrections are used up."""
    rule = state.settings.rules.exchange_rechoose
    free = ask.kind is AskKind.EXCHANGE and rule is ExchangeRechoose.UNTIL_ALL_GAVE
    return free and ask.refusals <= state.settings.max_resends


def _record(
    state: MatchState,
    answer: Answer,
    status: AckStatus,
    *,
    sent: int = -1,
    code: str = "",
    charged: int = 0,
    lag: int = 0,
) -> None:
    state.fact(
        Answered(
            at=state.now,
            seat=answer.seat,
            ask=answer.ask_id,
            decision=answer.decision,
            status=status,
            sent=sent,
            code=code,
            charged=charged,
            lag=lag,
        )
    )


def _note(state: MatchState, answer: Answer, status: AckStatus) -> None:
    """Record and acknowledge an answer that changes nothing."""
    _record(state, answer, status)
    state.ack_number(answer.seat, answer.ask_id, status)


def _not_open(state: MatchState, answer: Answer) -> None:
    """Sort out an answer to an ask that is not open: a repeat, a late one, or a wrong number."""
    if not state.asks.was_asked(answer.seat, answer.ask_id):
        _refuse_unknown(state, answer)
        return
    closed = state.asks.closed(answer.seat, answer.ask_id)
    if closed is None:
        _note(state, answer, AckStatus.STALE)
    elif closed.decision == answer.decision and closed.decision is not None:
        _note(state, answer, AckStatus.DUPLICATE)
    elif closed.decision is None and closed.status in _TOLD:
        _note(state, answer, closed.status)
    else:
        _note(state, answer, AckStatus.STALE)


_TOLD = (AckStatus.TOO_LATE, AckStatus.VOID_BOMBED)  # what a first answer that crossed is told


def _refuse_unknown(state: MatchState, answer: Answer) -> None:
    bomb = isinstance(answer.decision, BombDecision)
    code = WireRefusal.WINDOW_CLOSED if bomb else WireRefusal.NOT_YOUR_ASK
    _record(state, answer, AckStatus.REFUSED, code=code.value)
    state.refuse(
        answer.seat,
        code,
        text=f"ask_id: {answer.ask_id} was never asked of seat {answer.seat}; "
        "answer the numbers of the asks you got",
        ask_id=answer.ask_id,
    )


# --- judging


def _judge(state: MatchState, ask: Ask, answer: Answer) -> None:
    judged = check(state, ask, answer.decision)
    if isinstance(judged, Choice):
        _accept(state, ask, answer, judged)
    else:
        _refuse(state, ask, answer, judged)


def _accept(state: MatchState, ask: Ask, answer: Answer, choice: Choice) -> None:
    if ask.sent < 0:
        surely_handed(state, ask)
    charged = 0
    if ask.answer is None:
        ask.stamp = state.now
        charged = _charged_now(state, ask)
    ask.answer = answer.decision
    ask.choice = choice
    _record(state, answer, RECEIVED, sent=ask.sent, charged=charged, lag=ask.lag)
    _take(state, ask, choice)


def _charged_now(state: MatchState, ask: Ask) -> int:
    """Settle the answer where that is done at once: no bomb can make it void."""
    held = ask.kind is ACT or ask.kind is CHOOSE_SEAT
    return 0 if held else settle(state, ask)


def _take(state: MatchState, ask: Ask, choice: Choice) -> None:
    match ask.kind:
        case AskKind.ACT | AskKind.CHOOSE_SEAT:  # the frequent ones first
            turns.take(state, ask)
        case AskKind.CALL:
            calls.take_call(state, ask)
        case AskKind.EXCHANGE:
            barriers.take_exchange(state, ask, choice)
        case AskKind.BOMB:
            windows.take(state, ask)
        case _:
            assert_never(ask.kind)


def _refuse(state: MatchState, ask: Ask, answer: Answer, objection: Objection) -> None:
    code, text = objection
    ask.refusals += 1
    left = state.settings.max_resends + 1 - ask.refusals
    charged = 0
    if left <= 0 and ask.choice is None:
        ask.stamp = state.now
        charged = _charged_now(state, ask)
    _record(
        state,
        answer,
        AckStatus.REFUSED,
        sent=ask.sent,
        code=code.value,
        charged=charged,
        lag=ask.lag,
    )
    state.refuse(ask.to, code, text=text, ask_id=ask.id, resends_left=max(0, left))
    if left <= 0:
        stand_in(state, ask, CancelReason.SUBSTITUTED, why=code.value)


def stand_in(state: MatchState, ask: Ask, reason: CancelReason, *, why: str) -> None:
    """Take the substitute action for a player that failed to answer, and count a strike.

    One over its strikes forfeits: noted here, and the match ends once the instant is over.
    """
    state.strike(ask, why)
    if state.strikes[ask.to] > state.settings.max_strikes:
        late = reason is CancelReason.TIMED_OUT
        ending = Ending.FORFEIT_TIME if late else Ending.FORFEIT_ILLEGAL
        state.failures.append(Fault(seat=ask.to, ending=ending))
        state.cancel(ask, CancelReason.MATCH_ENDED, AckStatus.STALE)
        return
    if ask.choice is not None:
        return  # `until_all_gave`: the choice that it could not replace stands
    surely_handed(state, ask)
    ask.choice = substitute(ask, state.position)
    if ask.kind is ACT or ask.kind is CHOOSE_SEAT:
        state.cancel(ask, reason, AckStatus.TOO_LATE)
    else:
        state.step.cancelled.append(_cancelled(ask, reason))
    _take(state, ask, ask.choice)


def _cancelled(ask: Ask, reason: CancelReason) -> Cancelled:
    return Cancelled(seat=ask.to, ask_id=ask.id, reason=reason)


def time_out(state: MatchState, ask: Ask) -> None:
    """The time of an ask ran out. A choice that stands already is no fault (PROTOCOL 3)."""
    ask.stamp = state.now
    charged = settle(state, ask)
    state.fact(
        TimedOut(at=state.now, seat=ask.to, ask=ask.id, sent=ask.sent, charged=charged, lag=ask.lag)
    )
    if ask.standing:
        ask.choice = substitute(ask, state.position)
        state.step.cancelled.append(_cancelled(ask, CancelReason.TIMED_OUT))
        barriers.take_exchange(state, ask, ask.choice)
    else:
        stand_in(state, ask, CancelReason.TIMED_OUT, why="late")

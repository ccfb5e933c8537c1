"""Answers of seats: found, checked, refused or taken (PROTOCOL 2, 4 and 5)."""

from collections.abc import Callable
from typing import assert_never

from referee.match import barriers, turns, windows
from referee.match.facts import Answered, TimedOut
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    Fault,
    MalformedDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
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
    ChooseReason,
    Ending,
    WireRefusal,
)
from referee.rules.cards import is_card, mask_of
from referee.rules.combinations import Combination
from referee.rules.option_values import ExchangeRechoose
from referee.rules.phases import TICHU
from referee.rules.refusals import Refusal
from referee.rules.round_state import CLOSING
from referee.rules.seat import Seat

Code = Refusal | WireRefusal
Objection = tuple[Code, str | None]  # a code, and a text that says more than the code's own


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
            barriers.take_call(state, ask)
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
    state.refuse(ask.seat, code, text=text, ask_id=ask.id, resends_left=max(0, left))
    if left <= 0:
        stand_in(state, ask, CancelReason.SUBSTITUTED, why=code.value)


def stand_in(state: MatchState, ask: Ask, reason: CancelReason, *, why: str) -> None:
    """Take the substitute action for a seat that failed to answer, and count a strike.

    A seat over its strikes forfeits: noted here, and the match ends once the instant is over.
    """
    state.strike(ask, why)
    if state.strikes[ask.seat] > state.settings.max_strikes:
        late = reason is CancelReason.TIMED_OUT
        ending = Ending.FORFEIT_TIME if late else Ending.FORFEIT_ILLEGAL
        state.failures.append(Fault(seat=ask.seat, ending=ending))
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
    return Cancelled(seat=ask.seat, ask_id=ask.id, reason=reason)


def time_out(state: MatchState, ask: Ask) -> None:
    """The time of an ask ran out. A choice that stands already is no fault (PROTOCOL 3)."""
    ask.stamp = state.now
    charged = settle(state, ask)
    state.fact(
        TimedOut(
            at=state.now, seat=ask.seat, ask=ask.id, sent=ask.sent, charged=charged, lag=ask.lag
        )
    )
    if ask.standing:
        ask.choice = substitute(ask, state.position)
        state.step.cancelled.append(_cancelled(ask, CancelReason.TIMED_OUT))
        barriers.take_exchange(state, ask, ask.choice)
    else:
        stand_in(state, ask, CancelReason.TIMED_OUT, why="late")


# --- checking: a decision becomes a choice, or a fault


def check(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    """What the decision means in the position, or why it cannot be."""
    kinds, checker = _CHECKS[ask.kind]
    if isinstance(decision, kinds):
        return checker(state, ask, decision)
    if isinstance(decision, MalformedDecision):
        return WireRefusal.MALFORMED, decision.text
    if isinstance(decision, DefaultDecision):
        return substitute(ask, state.position)
    if isinstance(decision, BombDecision) and ask.kind is not AskKind.ACT:
        return WireRefusal.WINDOW_CLOSED, f"ask_id: {ask.id} is no bomb ask"
    return WireRefusal.MALFORMED, (
        f"decision: an ask of kind {ask.kind} cannot be answered with "
        f"{type(decision).__name__.removesuffix('Decision').lower()}"
    )


def _check_call(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    assert isinstance(decision, CallDecision)
    if decision.choice not in ask.choices:
        return Refusal.CALL_NOT_ALLOWED, (
            f"choice: {decision.choice} is not among {', '.join(ask.choices)}"
        )
    return Choice(call=decision.choice)


def _check_exchange(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    assert isinstance(decision, ExchangeDecision)
    gifts = dict(decision.gifts)
    wanted = [to for to, _ in ask.slots]
    if len(decision.gifts) != len(wanted) or set(gifts) != set(wanted):
        return Refusal.BAD_EXCHANGE, f"gifts: one is due for each of the seats {wanted}"
    named = _mask("gifts", tuple(card for cards in gifts.values() for card in cards))
    if not isinstance(named, int):
        return named
    for to, size in ask.slots:
        if len(gifts[to]) != size:
            return Refusal.BAD_EXCHANGE, f"gifts: seat {to} gets {size} card(s)"
    masks = tuple(mask_of(gifts[to]) for to in wanted)
    if (refused := state.current.check_exchange(ask.seat, masks)) is not None:
        return refused, None
    said_before = ask.choice is not None and ask.choice.tichu  # `until_all_gave`
    if decision.tichu and not said_before and (late := _call_refusal(state, ask.seat)) is not None:
        return late, None
    return Choice(cards=masks, tichu=decision.tichu)


def _check_act(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    if isinstance(decision, PassDecision):
        choice: Choice | Objection = _check_pass(state, ask, decision)
    else:
        assert isinstance(decision, PlayDecision)
        choice = _check_play(state, ask, decision)
    if decision.tichu and (refused := _call_refusal(state, ask.seat)) is not None:
        return refused, None
    return choice


def _check_play(state: MatchState, ask: Ask, decision: PlayDecision) -> Choice | Objection:
    position, index, wish = state.position, decision.index, decision.wish
    if index is not None and 0 <= index < len(ask.plays):
        # a play of the list is legal as long as its ask is open; only the wish is open
        play: Combination | Refusal = ask.plays[index]
    else:
        named = _named(ask, index, decision.cards, decision.phoenix_rank)
        if not isinstance(named[0], int):
            return named
        play = position.check_play(ask.seat, named[0], phoenix_rank=named[1], wish=wish)
    if isinstance(play, Refusal):
        return play, None
    if (refused := position.check_named_wish(play.cards, wish)) is not None:
        return refused, None
    return Choice(play=play, wish=wish or 0, tichu=decision.tichu)


def _check_pass(state: MatchState, ask: Ask, decision: PassDecision) -> Choice | Objection:
    if state.position.phase is CLOSING:  # the owner lets his own trick go
        return Choice(tichu=decision.tichu)
    refused = state.position.check_pass(ask.seat)
    return (refused, None) if refused is not None else Choice(tichu=decision.tichu)


Named = tuple[int, int | None]  # mask of cards, the Phoenix's rank or None


def _named(
    ask: Ask, index: int | None, cards: tuple[int, ...], phoenix_rank: int | None = None
) -> Named | Objection:
    """The cards that an answer names, by index into the ask's list or one by one."""
    if index is not None:
        if not 0 <= index < len(ask.plays):
            return WireRefusal.MALFORMED, (
                f"index: {index} is outside the ask's list of {len(ask.plays)} plays"
            )
        play: Combination = ask.plays[index]
        return play.cards, play.phoenix_rank or None
    mask = _mask("cards", cards)
    return (mask, phoenix_rank) if isinstance(mask, int) else mask


def _mask(field: str, cards: tuple[int, ...]) -> int | Objection:
    """The set of cards that an answer names one by one."""
    for card in cards:
        if not is_card(card):
            return WireRefusal.MALFORMED, f"{field}: {card} is no card"
    if len(set(cards)) != len(cards):
        return Refusal.CARDS_NOT_HELD, f"{field}: a card is named twice"
    return mask_of(cards)


def _call_refusal(state: MatchState, seat: Seat) -> Refusal | None:
    if state.barrier is not None and seat in state.barrier.calls:
        return Refusal.ALREADY_CALLED
    return state.position.check_call(seat, TICHU)


def _check_bomb(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    if isinstance(decision, DeclineDecision):
        return Choice()
    assert isinstance(decision, BombDecision)
    named = _named(ask, decision.index, decision.cards)
    if not isinstance(named[0], int):
        return named
    play = state.current.check_play(ask.seat, named[0])
    if isinstance(play, Refusal):
        return play, None
    return Choice(play=play) if play.is_bomb else (Refusal.NOT_YOUR_TURN, None)


def _check_seat(state: MatchState, ask: Ask, decision: Decision) -> Choice | Objection:
    assert isinstance(decision, SeatDecision)
    if decision.seat not in ask.seats:
        return Refusal.BAD_RECIPIENT, f"seat: {decision.seat} is not among {list(ask.seats)}"
    to = Seat(decision.seat)
    dragon = ask.why is ChooseReason.DRAGON
    judge = state.position.check_dragon if dragon else state.position.check_dog
    refused = judge(ask.seat, to)
    return (refused, None) if refused is not None else Choice(seat=to)


Checker = Callable[[MatchState, Ask, Decision], Choice | Objection]
_CHECKS: dict[AskKind, tuple[tuple[type, ...], Checker]] = {
    AskKind.CALL: ((CallDecision,), _check_call),
    AskKind.EXCHANGE: ((ExchangeDecision,), _check_exchange),
    AskKind.ACT: ((PlayDecision, PassDecision), _check_act),
    AskKind.BOMB: ((BombDecision, DeclineDecision), _check_bomb),
    AskKind.CHOOSE_SEAT: ((SeatDecision,), _check_seat),
}

"""Decisions that are released together: bets on the first cards, and the exchange (PROTOCOL 3).

Nobody learns who answered when, and events, hands and scores are the same in every order of
arrival: answers are kept, and given to the rules in seat order once the last one is there.
"""

from referee.match import rounds, turns
from referee.match.facts import Exchanged
from referee.match.state import Barrier, MatchState, settle
from referee.match.step import Ack, Ask, CardsExchanged, Choice
from referee.match.values import AckStatus, AskKind
from referee.rules.cards import card_numbers
from referee.rules.errors import RefereeBug
from referee.rules.option_values import ExchangeRechoose
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.seat import Seat

_CHOICES = {
    Phase.GREAT_GRAND: (CallKind.GREAT_GRAND, CallKind.NO_GREAT_GRAND),
    Phase.GRAND: (CallKind.GRAND, CallKind.NO_GRAND),
}


# --- bets


def ask_calls(state: MatchState) -> None:
    """Ask for Great Grand or Grand decisions: all that are owed, or the next one by seat."""
    position = state.current
    owed = position.decisions_owed()
    if not owed:
        raise RefereeBug(f"phase {position.phase} with no decision owed")
    state.barrier = Barrier()
    state.barrier.owed = set(owed)
    for seat in sorted(owed):
        state.put(
            Ask(
                seat=seat,
                id=state.asks.number(seat),
                kind=AskKind.CALL,
                base_ns=state.base_call,
                bank_ns=state.banks[seat],
                choices=_choices(position, seat),
            )
        )


def _choices(position: Round, seat: Seat) -> tuple[CallKind, ...]:
    return tuple(c for c in _CHOICES[position.phase] if position.check_call(seat, c) is None)


def take_call(state: MatchState, ask: Ask) -> None:
    """Keep a decision; release all when it was the last."""
    barrier = _barrier(state)
    _keep(state, ask)
    barrier.owed.discard(ask.seat)
    if not barrier.owed:
        _release_calls(state)


def _keep(state: MatchState, ask: Ask) -> None:
    settle(state, ask)
    if ask.answer is not None:
        state.ack(ask, AckStatus.RECEIVED, charged=max(0, ask.charged))


def _release_calls(state: MatchState) -> None:
    asks = sorted(_asks(state, AskKind.CALL), key=lambda ask: ask.seat)
    state.barrier = None
    for ask in asks:
        _close(state, ask)
    for ask in asks:
        call = ask.choice.call if ask.choice else None
        if call is None:
            raise RefereeBug(f"seat {ask.seat} decided nothing")
        state.make_call(ask.seat, _still_possible(state.current, ask.seat, call))
    rounds.enter_phase(state)


def _close(state: MatchState, ask: Ask) -> None:
    """Close an ask whose answer is released; one that came after the substitute is too late."""
    if ask.answer is None:
        state.asks.close(ask, AckStatus.TOO_LATE)
        return
    state.ack(ask, AckStatus.APPLIED)
    state.asks.close(ask, AckStatus.APPLIED)


def _still_possible(position: Round, seat: Seat, call: CallKind) -> CallKind:
    """A bet that an earlier seat's bet of the same moment forbids becomes the refusal of it.

    Only with `both_partners_may_call = false`: of two partners who bet together the first by seat
    has it.
    """
    if position.check_call(seat, call) is None:
        return call
    return _CHOICES[position.phase][1]


def _asks(state: MatchState, kind: AskKind) -> list[Ask]:
    return [ask for ask in state.asks.all() if ask.kind is kind]


def _barrier(state: MatchState) -> Barrier:
    if state.barrier is None:
        raise RefereeBug("no decisions are owed together")
    return state.barrier


# --- exchange


def ask_exchange(state: MatchState) -> None:
    """Ask every seat that owes cards for its choice."""
    state.barrier = Barrier()
    position = state.current
    seats = [Seat(s) for s in range(state.n) if position.exchange_slots(Seat(s))]
    _put_exchange(state, seats)


def _put_exchange(state: MatchState, seats: list[Seat]) -> None:
    barrier, position = _barrier(state), state.current
    barrier.owed = set(seats)
    for seat in seats:
        base, again = state.base_exchange, seat in barrier.chosen
        recipients = position.exchange_slots(seat)
        state.put(
            Ask(
                seat=seat,
                id=state.asks.number(seat),
                kind=AskKind.EXCHANGE,
                base_ns=base // 2 if again and base is not None else base,
                bank_ns=None if again else state.banks[seat],
                slots=tuple((to, 1) for to in recipients),
                standing=_standing(barrier, seat, recipients),
                may_call_tichu=turns.may_call_tichu(state, position, seat),
            )
        )


def _standing(
    barrier: Barrier, seat: Seat, recipients: tuple[Seat, ...]
) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    old = barrier.chosen.get(seat, ())
    return tuple((to, tuple(card_numbers(mask))) for to, mask in zip(recipients, old, strict=False))


def take_exchange(state: MatchState, ask: Ask, choice: Choice) -> None:
    """Keep a choice, and the call that rides on it; go on when it was the last."""
    barrier = _barrier(state)
    if ask.seat in barrier.owed:
        _keep(state, ask)
    else:  # `until_all_gave`: a choice replaced before the barrier
        state.ack(ask, AckStatus.RECEIVED)
    barrier.chosen[ask.seat] = choice.cards
    if choice.tichu:
        hold_call(state, ask.seat)
    barrier.owed.discard(ask.seat)
    if not barrier.owed:
        _all_gave(state)


def hold_call(state: MatchState, seat: Seat, request_id: int | None = None) -> None:
    """Keep a Tichu call that was made while the exchange is owed, riding or as a request."""
    barrier = _barrier(state)
    if seat not in barrier.calls:
        barrier.calls.append(seat)
        for ask in state.asks.of(seat):
            ask.may_call_tichu = False
    if request_id is not None:
        barrier.requests[seat] = request_id


def _all_gave(state: MatchState) -> None:
    """Publish the calls; ask again whom the rules let choose again, else move the cards."""
    barrier = _barrier(state)
    for ask in _asks(state, AskKind.EXCHANGE):
        _close(state, ask)
    callers, barrier.calls = sorted(barrier.calls), []
    made = [seat for seat in callers if _published(state, seat)]
    again = _asked_again(state, made)
    if again:
        _put_exchange(state, again)
    else:
        _move_cards(state)


def _published(state: MatchState, seat: Seat) -> bool:
    """Make a held call; a partner's call of the same moment may have made it impossible."""
    request_id = _barrier(state).requests.pop(seat, None)
    refused = state.current.check_call(seat, CallKind.TICHU)
    if refused is None:
        state.make_call(seat, CallKind.TICHU)
    if request_id is not None:
        _tell_request(state, seat, request_id, refused)
    return refused is None


def _tell_request(state: MatchState, seat: Seat, request_id: int, refused: Refusal | None) -> None:
    if refused is not None:
        state.refuse(seat, refused, request_id=request_id)
        return
    state.step.acks.append(Ack(seat=seat, status=AckStatus.APPLIED, request_id=request_id))


def _asked_again(state: MatchState, callers: list[Seat]) -> list[Seat]:
    """After calls everybody but a sole caller chooses again (A7)."""
    rechoose = state.settings.rules.exchange_rechoose
    if not callers or rechoose is not ExchangeRechoose.AFTER_CALL:
        return []
    sole = callers[0] if len(callers) == 1 else None
    return [seat for seat in sorted(_barrier(state).chosen) if seat != sole]


def _move_cards(state: MatchState) -> None:
    barrier, position = _barrier(state), state.current
    state.barrier = None
    gifts = [
        (seat, to, mask)
        for seat in sorted(barrier.chosen)
        for to, mask in zip(position.exchange_slots(seat), barrier.chosen[seat], strict=True)
    ]
    for seat in sorted(barrier.chosen):
        refused = position.exchange(seat, barrier.chosen[seat])
        if refused is not None:
            raise RefereeBug(f"the exchange of seat {seat} was checked, then {refused}")
    state.fact(
        Exchanged(
            at=state.now,
            gifts=tuple((seat, to, tuple(card_numbers(mask))) for seat, to, mask in gifts),
        )
    )
    state.shown = list(position.hands)
    state.event(CardsExchanged(gifts=tuple(gifts)))
    rounds.enter_phase(state)

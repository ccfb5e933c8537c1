"""Decisions that are released together, and among them the exchange (PROTOCOL 3).

Nobody learns who answered when, and events, hands and scores are the same in every order of
arrival: answers are kept, and given to the rules in seat order once the last one is there. What
seats say together is in `calls`.
"""

from referee.match import calls, rounds, turns
from referee.match.facts import Exchanged
from referee.match.state import Barrier, MatchState, settle
from referee.match.step import Ack, Ask, CardsExchanged, Choice, HandShown
from referee.match.values import AckStatus, AskKind
from referee.rules.cards import card_numbers
from referee.rules.errors import RefereeBug
from referee.rules.exchanges import Slots
from referee.rules.option_values import ExchangeRechoose
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat


def keep(state: MatchState, ask: Ask) -> None:
    """Settle the clock of an answer that waits at the barrier, and acknowledge it."""
    settle(state, ask)
    if ask.answer is not None:
        state.ack(ask, AckStatus.RECEIVED, charged=max(0, ask.charged))


def close(state: MatchState, ask: Ask) -> None:
    """Close an ask whose answer is released; one that came after the substitute is too late."""
    if ask.answer is None:
        state.asks.close(ask, AckStatus.TOO_LATE)
        return
    state.ack(ask, AckStatus.APPLIED)
    state.asks.close(ask, AckStatus.APPLIED)


def asks_of(state: MatchState, kind: AskKind) -> list[Ask]:
    """Return the open asks of one kind."""
    return [ask for ask in state.asks.all() if ask.kind is kind]


def barrier_of(state: MatchState) -> Barrier:
    """Return the barrier that holds answers now; `RefereeBug` without one."""
    if state.barrier is None:
        raise RefereeBug("no decisions are owed together")
    return state.barrier


# --- exchange


def ask_exchange(state: MatchState) -> None:
    """Ask every seat that owes cards for its choice; after a refusal go on with the choices."""
    if state.paused is not None:
        state.barrier, state.paused = state.paused, None
        _go_on(state)
        return
    state.barrier = Barrier()
    position = state.current
    seats = [Seat(s) for s in range(state.n) if position.exchange_slots(Seat(s))]
    _put_exchange(state, seats)


def _put_exchange(state: MatchState, seats: list[Seat]) -> None:
    barrier, position = barrier_of(state), state.current
    barrier.owed = set(seats)
    for seat in seats:
        base, again = state.base_exchange, seat in barrier.chosen
        slots, to = position.exchange_slots(seat), state.players[seat]
        state.put(
            Ask(
                seat=seat,
                to=to,
                id=state.asks.number(to),
                kind=AskKind.EXCHANGE,
                base_ns=base // 2 if again and base is not None else base,
                bank_ns=None if again else state.banks[seat],
                slots=tuple((slot.to, slot.count, slot.forced) for slot in slots),
                standing=_standing(barrier, seat, slots),
                may_call_tichu=turns.may_call_tichu(state, position, seat),
            )
        )


def _standing(
    barrier: Barrier, seat: Seat, slots: Slots
) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    old = barrier.chosen.get(seat, ())
    return tuple(
        (slot.to, tuple(card_numbers(mask))) for slot, mask in zip(slots, old, strict=False)
    )


def take_exchange(state: MatchState, ask: Ask, choice: Choice) -> None:
    """Keep a choice, and the call that rides on it; go on when it was the last."""
    barrier = barrier_of(state)
    if ask.seat in barrier.owed:
        keep(state, ask)
    else:  # `until_all_gave`: a choice replaced before the barrier
        state.ack(ask, AckStatus.RECEIVED)
    barrier.chosen[ask.seat] = choice.cards
    if choice.tichu:
        hold_call(state, ask.seat)
    barrier.owed.discard(ask.seat)
    if not barrier.owed:
        _all_gave(state)


def hold_call(state: MatchState, seat: Seat, request_id: int | None = None) -> None:
    """Keep a Tichu call of a hand while the exchange is owed, riding or as a request."""
    barrier = state.paused or barrier_of(state)
    if seat not in barrier.calls:
        barrier.calls.append(seat)
        for ask in state.asks.of_hand(seat):
            ask.may_call_tichu = False
    if request_id is not None:
        barrier.requests[seat] = request_id


def _all_gave(state: MatchState) -> None:
    for ask in asks_of(state, AskKind.EXCHANGE):
        close(state, ask)
    _go_on(state)


def _go_on(state: MatchState) -> None:
    """Publish the calls, and let opponents refuse them where they may (`refuse_call`).

    Then ask again whom the rules let choose again, else move the cards.
    """
    barrier = barrier_of(state)
    callers, barrier.calls = sorted(barrier.calls), []
    barrier.made += [seat for seat in callers if _published(state, barrier, seat)]
    if state.current.phase is Phase.REFUSAL:
        state.barrier, state.paused = None, barrier
        calls.ask_calls(state)
        return
    again = _asked_again(state, barrier.made)
    barrier.made = []
    if again:
        _put_exchange(state, again)
    else:
        _move_cards(state)


def drop_paused(state: MatchState) -> None:
    """The round is over in the exchange, by a refused call: calls that were held came too late."""
    barrier, state.paused = state.paused, None
    if barrier is not None:
        for seat in sorted(barrier.calls):
            _published(state, barrier, seat)


def _published(state: MatchState, barrier: Barrier, seat: Seat) -> bool:
    """Make a held call; a partner's call of the same moment may have made it impossible."""
    request_id = barrier.requests.pop(seat, None)
    refused = state.current.check_call(seat, CallKind.TICHU)
    if refused is None:
        state.make_call(seat, CallKind.TICHU)
    if request_id is not None:
        _tell_request(state, seat, request_id, refused)
    return refused is None


def _tell_request(state: MatchState, seat: Seat, request_id: int, refused: Refusal | None) -> None:
    to = state.players[seat]
    if refused is not None:
        state.refuse(to, refused, request_id=request_id)
        return
    state.step.acks.append(Ack(seat=to, status=AckStatus.APPLIED, request_id=request_id))


def _asked_again(state: MatchState, callers: list[Seat]) -> list[Seat]:
    """After calls everybody but a sole caller chooses again (A7)."""
    rechoose = state.settings.rules.exchange_rechoose
    if not callers or rechoose is not ExchangeRechoose.AFTER_CALL:
        return []
    sole = callers[0] if len(callers) == 1 else None
    return [seat for seat in sorted(barrier_of(state).chosen) if seat != sole]


def _move_cards(state: MatchState) -> None:
    barrier, position = barrier_of(state), state.current
    state.barrier = None
    gifts = [
        (seat, slot.to, mask)
        for seat in sorted(barrier.chosen)
        for slot, mask in zip(position.exchange_slots(seat), barrier.chosen[seat], strict=True)
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
    soloist, tisch = position.seating.soloist, position.seating.tisch
    state.event(CardsExchanged(gifts=tuple(gifts), soloist=soloist, tisch=tisch))
    if tisch is not None:
        state.event(HandShown(seat=tisch, cards=position.hands[tisch]))
    rounds.enter_phase(state)

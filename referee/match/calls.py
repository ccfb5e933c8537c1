"""What seats say together: bets, bids, and whether a call of the opponents stands (PROTOCOL 3).

Answers are kept, and given to the rules in seat order once the last one is there. Bids are told to
partners only (`chaos`); a call that can be refused (`refuse_call`) is put to its opponents before
anything else goes on.
"""

from collections.abc import Sequence

from referee.match import barriers, rounds
from referee.match.facts import Bidden
from referee.match.state import Barrier, MatchState
from referee.match.step import Ask, BidsShown
from referee.match.values import AckStatus, AskKind, CancelReason
from referee.rules.errors import RefereeBug
from referee.rules.phases import (
    ANSWERS,
    BIDS,
    GRAND_DECISIONS,
    GREAT_GRAND_DECISIONS,
    CallKind,
    Phase,
)
from referee.rules.round import Round
from referee.rules.seat import Seat

_CHOICES = {
    Phase.GREAT_GRAND: GREAT_GRAND_DECISIONS,
    Phase.GRAND: GRAND_DECISIONS,
    Phase.REFUSAL: ANSWERS,
}


def ask_calls(state: MatchState) -> None:
    """Ask for the decisions that are owed now: all of them, or the next one by seat."""
    position = state.current
    owed = position.decisions_owed()
    if not owed:
        raise RefereeBug(f"phase {position.phase} with no decision owed")
    state.barrier = Barrier()
    state.barrier.owed = set(owed)
    for seat in sorted(owed):
        to = state.players[seat]
        state.put(
            Ask(
                seat=seat,
                to=to,
                id=state.asks.number(to),
                kind=AskKind.CALL,
                base_ns=state.base_call,
                bank_ns=state.banks[seat],
                choices=_choices(position, seat),
                judged=position.judged,
            )
        )


def _choices(position: Round, seat: Seat) -> tuple[CallKind, ...]:
    return tuple(c for c in _offered(position) if position.check_call(seat, c) is None)


def _offered(position: Round) -> tuple[CallKind, ...]:
    bids = position.phase is Phase.GRAND and position.options.chaos
    return BIDS if bids else _CHOICES[position.phase]


def take_call(state: MatchState, ask: Ask) -> None:
    """Keep a decision; release all when it was the last."""
    barrier = barriers.barrier_of(state)
    barriers.keep(state, ask)
    barrier.owed.discard(ask.seat)
    if not barrier.owed:
        _release(state)


def _release(state: MatchState) -> None:
    asks = sorted(barriers.asks_of(state, AskKind.CALL), key=lambda ask: ask.seat)
    state.barrier = None
    for ask in asks:
        barriers.close(state, ask)
    made_before = tuple(state.current.calls)
    for ask in asks:
        call = ask.choice.call if ask.choice else None
        if call is None:
            raise RefereeBug(f"seat {ask.seat} decided nothing")
        if call in BIDS:
            state.say(ask.seat, call)
        else:
            state.make_call(ask.seat, _still_possible(state.current, ask.seat, call))
    if asks[0].choices == BIDS:
        _show_bids(state, made_before)
    rounds.enter_phase(state)


def _still_possible(position: Round, seat: Seat, call: CallKind) -> CallKind:
    """A bet that an earlier seat's bet of the same moment forbids becomes the refusal of it.

    Only with `both_partners_may_call = false`: of two partners who bet together the first by seat
    has it.
    """
    if position.check_call(seat, call) is None:
        return call
    return _CHOICES[position.phase][1]


def _show_bids(state: MatchState, made_before: Sequence[CallKind | None]) -> None:
    """Tell partners their bids, and everybody who has to call for them."""
    position = state.current
    bids = tuple(
        (Seat(seat), BIDS[bid]) for seat, bid in enumerate(position.bids) if bid is not None
    )
    state.fact(Bidden(at=state.now, bids=bids))
    state.event(BidsShown(bids=bids, teams=position.seating.teams))
    for seat, call in enumerate(position.calls):
        if call is not None and made_before[seat] is None:
            state.tell_call(Seat(seat), call)


# --- a call that can be refused


def put_to_refusal(state: MatchState) -> None:
    """After a small call before the first lead: what is asked is void, its opponents decide.

    Nothing to do where calls cannot be refused, or where another call is being decided: then this
    one comes after it.
    """
    if state.current.phase is not Phase.REFUSAL or state.barrier is not None:
        return
    state.held = None
    state.grid = -1
    for ask in state.asks.all():
        if ask.answer is not None:
            state.ack(ask, AckStatus.STALE)
        state.cancel(ask, CancelReason.CALLED, AckStatus.STALE)
    ask_calls(state)

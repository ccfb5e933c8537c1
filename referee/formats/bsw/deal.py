"""From the logged hands, calls and gifts of cards to a round whose play can begin."""

from collections.abc import Mapping

from referee.formats.bsw.events import Called, LoggedCall, LoggedCards, LoggedRound
from referee.formats.bsw.reader import ALL_CARDS, FIRST_CARDS, SEATS
from referee.formats.bsw.verdicts import Fault
from referee.rules.cards import DUPLICATE, Seat, mask_of
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import CLAUSE, Refusal
from referee.rules.round import Round

_SEATS = tuple(Seat(number) for number in range(SEATS))
_DEALER = Seat(0)  # not logged, and nothing in a four-player round depends on it


def deal(logged: LoggedRound, options: RuleOptions) -> Round | Fault:
    """Return the round in its first phase, or what is wrong with the logged hands (A1, A2)."""
    for hands, size in ((logged.first, FIRST_CARDS), (logged.dealt, ALL_CARDS)):
        fault = _check_hands(logged, hands, size)
        if fault is not None:
            return fault
    order = [0] * (SEATS * ALL_CARDS)
    for seat in _SEATS:
        first, dealt = logged.first[seat].cards, logged.dealt[seat]
        if not set(first) <= set(dealt.cards):
            text = f"seat {seat} does not hold all of its first {FIRST_CARDS} cards any more"
            return Fault(line=dealt.line, clause="A2", text=text)
        later = [card for card in dealt.cards if card not in first]
        order[seat::SEATS] = [*first, *later]
    return Round.deal(order, dealer=_DEALER, options=options)


def _check_hands(logged: LoggedRound, hands: Mapping[Seat, LoggedCards], size: int) -> Fault | None:
    seen = 0
    for seat in _SEATS:
        hand = hands.get(seat)
        if hand is None:
            text = f"the {size} cards of seat {seat} are not logged"
            return Fault(line=logged.line, clause="A2", text=text, missing=True)
        if len(hand.cards) != size:
            text = f"seat {seat} has {len(hand.cards)} readable cards instead of {size}"
            return Fault(line=hand.line, clause="A2", text=text, cut_short=True)
        cards = mask_of(hand.cards)
        if cards & DUPLICATE or cards & seen:
            text = f"seat {seat} holds a card that is dealt twice"
            return Fault(line=hand.line, clause="A1", text=text)
        seen |= cards
    return None


def make_calls(round_: Round, logged: LoggedRound) -> Fault | None:
    """Make the calls that stand before the exchange; who is not logged has called no Grand."""
    grands = [called for called in logged.early_calls if called.call is LoggedCall.GRAND]
    if round_.phase is Phase.GREAT_GRAND:
        for seat in _SEATS:
            round_.call(seat, CallKind.NO_GREAT_GRAND)
    if round_.phase is Phase.GRAND:
        callers = {called.seat: called for called in reversed(grands)}
        for seat in _SEATS:
            if seat not in callers:
                round_.call(seat, CallKind.NO_GRAND)
            elif (fault := make_call(round_, callers[seat])) is not None:
                return fault
    tichus = [called for called in logged.early_calls if called.call is LoggedCall.TICHU]
    for called in grands + tichus:
        fault = make_call(round_, called)
        if fault is not None:
            return fault
    return None


KINDS = {LoggedCall.TICHU: CallKind.TICHU, LoggedCall.GRAND: CallKind.GRAND}


def make_call(round_: Round, called: Called) -> Fault | None:
    """Make one call; a call that already stands may be logged again."""
    kind = KINDS[called.call]
    if round_.calls[called.seat] is kind:
        return None
    refusal = round_.call(called.seat, kind)
    if refusal is None:
        return None
    text = f"seat {called.seat} calls {called.call.value}: {refusal}"
    return Fault(line=called.line, clause=_call_clause(refusal, called.call), text=text)


def _call_clause(refusal: Refusal, call: LoggedCall) -> str:
    if refusal is Refusal.ALREADY_CALLED:
        return CLAUSE[refusal]
    return "A4" if call is LoggedCall.TICHU else "A3"


def exchange(round_: Round, logged: LoggedRound) -> Fault | None:
    """Let every seat give its three cards (A7)."""
    for seat in _SEATS:
        given = logged.given.get(seat)
        if given is None:
            text = f"what seat {seat} gives is not logged"
            return Fault(line=logged.line, clause="A7", text=text, missing=True)
        to = {Seat((seat + 1 + at) % SEATS): 1 << card for at, card in enumerate(given.cards)}
        choice = [to[slot.to] for slot in round_.exchange_slots(seat)]
        refusal = round_.exchange(seat, choice)
        if refusal is not None:
            text = f"seat {seat} gives cards that it cannot give: {refusal}"
            return Fault(line=given.line, clause="A7", text=text)
    return None

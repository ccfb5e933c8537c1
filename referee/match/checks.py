"""Checking an answer: a decision becomes a choice, or what is wrong with it. Nothing changes."""

from collections.abc import Callable

from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    MalformedDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.state import MatchState
from referee.match.step import Ask, Choice
from referee.match.substitute import substitute
from referee.match.values import AskKind, ChooseReason, WireRefusal
from referee.rules.cards import is_card, mask_of
from referee.rules.combinations import Combination
from referee.rules.exchanges import Forced
from referee.rules.phases import TICHU
from referee.rules.refusals import Refusal
from referee.rules.round_state import CLOSING
from referee.rules.seat import Seat

Code = Refusal | WireRefusal
Objection = tuple[Code, str | None]  # a code, and a text that says more than the code's own


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
    wanted = [to for to, _, _ in ask.slots]
    if len(decision.gifts) != len(wanted) or set(gifts) != set(wanted):
        return Refusal.BAD_EXCHANGE, f"gifts: one is due for each of the seats {wanted}"
    named = _mask("gifts", tuple(card for cards in gifts.values() for card in cards))
    if not isinstance(named, int):
        return named
    for to, size, _ in ask.slots:
        if len(gifts[to]) != size:
            return Refusal.BAD_EXCHANGE, f"gifts: seat {to} gets {size} card(s)"
    masks = tuple(mask_of(gifts[to]) for to in wanted)
    if (refused := state.current.check_exchange(ask.seat, masks)) is not None:
        return refused, _forced_text(ask) if refused is Refusal.BAD_EXCHANGE else None
    said_before = ask.choice is not None and ask.choice.tichu  # `until_all_gave`
    if decision.tichu and not said_before and (late := _call_refusal(state, ask.seat)) is not None:
        return late, None
    return Choice(cards=masks, tichu=decision.tichu)


def _forced_text(ask: Ask) -> str | None:
    """Which gifts are not free, for one that gave others; None where all are."""
    due = [
        f"seat {to} gets the {_FORCED_WORDS[forced]} {size} of the hand"
        for to, size, forced in ask.slots
        if forced is not Forced.FREE
    ]
    return f"gifts: {', '.join(due)}" if due else None


_FORCED_WORDS = {Forced.BEST: "best", Forced.WORST: "worst"}


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
    if state.holds_call(seat):
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

"""The substitute action (PROTOCOL 5): what happens when a seat does not answer legally in time.

Pure, the same for everybody, and documented, so that a bot's author can foresee it: pass if
allowed, else the first play of the canonical list that is no bomb (a bomb only if nothing else is
legal), the Phoenix at its highest reading; no calls, no wish (rank 2 if one must be named); in the
exchange the lowest cards by number, the lowest to the first recipient in turn order, and where the
best or worst are due (I3) those, of equal ones the lowest numbers; a bid of 0; a call that may be
refused stands; Dragon or Dog to the eligible seat with most cards, of equal ones the first after
the giver.
"""

from collections.abc import Sequence
from typing import assert_never

from referee.match.step import Ask, Choice
from referee.match.values import AskKind
from referee.rules.cards import MAHJONG, card_numbers, count, mask_of
from referee.rules.combinations import Combination
from referee.rules.errors import RefereeBug
from referee.rules.exchanges import ExchangeSlot, Forced, forced_choice
from referee.rules.phases import CallKind
from referee.rules.round import Round
from referee.rules.seat import Seat

_DECLINES = (CallKind.NO_GRAND, CallKind.NO_GREAT_GRAND, CallKind.BID_0, CallKind.ACCEPT)
FORCED_WISH = 2  # PROTOCOL 5: the rank named when one must be


def substitute(ask: Ask, position: Round) -> Choice:
    """The choice that stands in for an answer to `ask` in `position` (already collected)."""
    match ask.kind:
        case AskKind.CALL:
            return Choice(call=next(c for c in ask.choices if c in _DECLINES))
        case AskKind.EXCHANGE:
            return Choice(cards=_gifts(ask, position))
        case AskKind.ACT:
            return _act(ask, position)
        case AskKind.BOMB:
            return Choice()
        case AskKind.CHOOSE_SEAT:
            return Choice(seat=_fullest(ask.seats, ask.seat, position))
        case _:
            assert_never(ask.kind)


def _gifts(ask: Ask, position: Round) -> tuple[int, ...]:
    if ask.standing:
        return tuple(mask_of(cards) for _, cards in ask.standing)
    left, chosen = position.hands[ask.seat], []
    for to, size, forced in ask.slots:
        if forced is Forced.FREE:
            cards = mask_of(card_numbers(left)[:size])
        else:
            slot = ExchangeSlot(to, size, forced)
            (cards,) = forced_choice((slot,), left, position.options)
        chosen.append(cards)
        left &= ~cards
    return tuple(chosen)


def _act(ask: Ask, position: Round) -> Choice:
    if ask.may_pass:
        return Choice()
    play = _first_play(ask.plays)
    forced = ask.wish_required and play.cards & MAHJONG
    return Choice(play=play, wish=FORCED_WISH if forced else 0)


def _first_play(plays: Sequence[Combination]) -> Combination:
    """The first play that is no bomb; of the readings of its cards the highest."""
    if not plays:
        raise RefereeBug("an act ask without a pass has no plays")
    first = next((play for play in plays if not play.is_bomb), plays[0])
    return max((p for p in plays if p.cards == first.cards), key=lambda p: p.rank2)


def _fullest(seats: Sequence[Seat], giver: Seat, position: Round) -> Seat:
    after = position.seating.after[giver]
    return max(seats, key=lambda s: (count(position.hands[s]), -after.index(s)))

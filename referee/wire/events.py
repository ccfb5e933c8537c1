"""Events as bytes: public ones once for all seats, private ones for each seat its own."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import assert_never

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.facts import (
    CallMade,
    DragonGiven,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    RoundEnded,
    TrickTaken,
    WentOut,
)
from referee.match.step import (
    BidsShown,
    CardsDealt,
    CardsExchanged,
    Event,
    HandShown,
    PlayedEvent,
    RoundStarted,
)
from referee.ports import EventBytes
from referee.rules.cards import count
from referee.rules.errors import RefereeBug
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from referee.wire.fragments import cards_of, play_bytes, sized, tag, varint
from referee.wire.numbers import BLAMES, CALLS, ENDINGS

_NUMBER = varint(match_pb2.Event.NUMBER_FIELD_NUMBER << 3)
_PLAYED = tag(match_pb2.Event.PLAYED_FIELD_NUMBER)
_PLAY = tag(match_pb2.Played.PLAY_FIELD_NUMBER)


def encode_events(first: int, events: Sequence[Event], seats: int) -> list[EventBytes]:
    """Return each event with its length; `first` is the number of the first."""
    return [_event(number, event, seats) for number, event in enumerate(events, first)]


def _event(number: int, event: Event, seats: int) -> EventBytes:
    before = _NUMBER + varint(number)
    match event:  # the frequent ones first
        case Passed():
            return sized(before + _passed(event.seat))
        case PlayedEvent():
            return sized(before + _played(event))
        case TrickTaken():
            return sized(before + _taken(event.seat, event.points))
        case CardsDealt() | CardsExchanged() | BidsShown():
            own = (_private(event, Seat(seat)) for seat in range(seats))
            return tuple([sized(before + message.SerializeToString()) for message in own])
        case _:
            return sized(before + _public(event).SerializeToString())


@cache
def _passed(seat: int) -> bytes:
    return match_pb2.Event(passed=match_pb2.Passed(seat=seat)).SerializeToString()


@lru_cache(maxsize=512)
def _taken(seat: int, points: int) -> bytes:
    taken = match_pb2.TrickTaken(seat=seat, points=points)
    return match_pb2.Event(trick_taken=taken).SerializeToString()


def _played(event: PlayedEvent) -> bytes:
    frame = _played_frame(event.seat, event.wish, event.cards_left)
    return _PLAYED + sized(frame + _PLAY + play_bytes(event.play))


@lru_cache(maxsize=4096)
def _played_frame(seat: int, wish: int, cards_left: int) -> bytes:
    """Return all of a Played but its play: there are few."""
    played = match_pb2.Played(seat=seat, wish=wish or None, cards_left=cards_left)
    return played.SerializeToString()


def _private(event: CardsDealt | CardsExchanged | BidsShown, seat: Seat) -> match_pb2.Event:
    match event:
        case CardsDealt():
            return match_pb2.Event(cards_dealt=_dealt(event, seat))
        case CardsExchanged():
            hands = [_exchanged(event, seat, hand) for hand in event.hands_of(seat)]
            return match_pb2.Event(cards_exchanged=match_pb2.CardsExchanged(hands=hands))
        case BidsShown():
            bids = [bid_of(bidder, bid) for bidder, bid in event.seen_by(seat)]
            return match_pb2.Event(bids_shown=match_pb2.BidsShown(bids=bids))
        case _:
            assert_never(event)


def _dealt(event: CardsDealt, seat: Seat) -> match_pb2.CardsDealt:
    counts = [count(hand) for hand in event.hands]
    if event.soloist is not None and event.tisch is not None:
        counts[event.tisch] = counts[event.soloist]  # dealt alike; shown only when all are dealt
    return match_pb2.CardsDealt(
        hands=[_gift(hand, cards) for hand, cards in event.seen_by(seat)],
        complete=event.complete,
        counts=counts,
    )


def _exchanged(event: CardsExchanged, seat: Seat, hand: Seat) -> match_pb2.HandExchanged:
    gifts = event.seen_by(seat)
    return match_pb2.HandExchanged(
        seat=hand,
        gave=[_gift(to, cards) for giver, to, cards in gifts if giver == hand],
        received=[_gift(giver, cards) for giver, to, cards in gifts if to == hand],
    )


def bid_of(seat: Seat, bid: CallKind) -> match_pb2.Bid:
    """Return a bid as events and snapshots show it to the seat's own team."""
    return match_pb2.Bid(seat=seat, bid=CALLS[bid])


def _gift(seat: int, cards: int) -> match_pb2.Gift:
    return match_pb2.Gift(seat=seat, cards=cards_of(cards))


_Public = (
    RoundStarted
    | CallMade
    | HandShown
    | Played
    | DragonGiven
    | LeadHanded
    | WentOut
    | RoundEnded
    | MatchEnded
)


def _public(event: _Public) -> match_pb2.Event:
    match event:
        case WentOut():
            return match_pb2.Event(went_out=match_pb2.WentOut(seat=event.seat, place=event.place))
        case CallMade():
            return match_pb2.Event(call_made=call_made(event))
        case HandShown():
            shown = match_pb2.HandShown(seat=event.seat, cards=cards_of(event.cards))
            return match_pb2.Event(hand_shown=shown)
        case LeadHanded():
            lead = match_pb2.LeadHanded(seat=event.seat, to_seat=event.to)
            return match_pb2.Event(lead_handed=lead)
        case DragonGiven():
            dragon = match_pb2.DragonGiven(seat=event.seat, to_seat=event.to, points=event.points)
            return match_pb2.Event(dragon_given=dragon)
        case RoundStarted():
            return match_pb2.Event(round_started=_round_started(event))
        case RoundEnded():
            return match_pb2.Event(round_ended=_round_ended(event))
        case MatchEnded():
            return match_pb2.Event(match_ended=_match_ended(event))
        case Played():
            raise RefereeBug("a play is told as PlayedEvent; its fact says too little")
        case _:
            assert_never(event)


def call_made(event: CallMade) -> match_pb2.CallMade:
    """Return a call as events and snapshots show it."""
    return match_pb2.CallMade(seat=event.seat, call=CALLS[event.call])


def _round_started(event: RoundStarted) -> match_pb2.RoundStarted:
    return match_pb2.RoundStarted(
        round=event.round,
        dealer=event.dealer,
        commitment=event.commitment,
        totals=event.totals,
        turn_order=event.order,
        teams=event.teams,
        ranks=event.ranks,
    )


def _round_ended(event: RoundEnded) -> match_pb2.RoundEnded:
    return match_pb2.RoundEnded(
        round=event.round,
        points=event.points,
        card_points=event.card_points,
        calls=[
            match_pb2.CallResult(seat=seat, call=CALLS[call], won=won, points=points)
            for seat, call, won, points in event.calls
        ],
        double_victory=event.double_victory,
        totals=event.totals,
        ranks=event.ranks,
        refused_seat=event.refused,
    )


def _match_ended(event: MatchEnded) -> match_pb2.MatchEnded:
    return match_pb2.MatchEnded(
        ending=ENDINGS[event.ending],
        seat=event.seat,
        blame=BLAMES[event.blame],
        totals=event.totals,
        winner=event.winner,
        rounds=event.rounds,
        failed_seats=event.failed,
        awarded=event.awarded,
    )

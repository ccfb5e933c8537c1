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
from referee.match.step import CardsDealt, CardsExchanged, Event, PlayedEvent, RoundStarted
from referee.ports import EventBytes
from referee.rules.errors import RefereeBug
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
        case CardsDealt() | CardsExchanged():
            own = (_private(event, seat) for seat in range(seats))
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


def _private(event: CardsDealt | CardsExchanged, seat: int) -> match_pb2.Event:
    match event:
        case CardsDealt():
            own = match_pb2.Gift(seat=seat, cards=cards_of(event.hands[seat]))
            dealt = match_pb2.CardsDealt(hands=[own], complete=event.complete)
            return match_pb2.Event(cards_dealt=dealt)
        case CardsExchanged():
            hand = match_pb2.HandExchanged(
                seat=seat,
                gave=[_gift(to, cards) for giver, to, cards in event.gifts if giver == seat],
                received=[_gift(giver, cards) for giver, to, cards in event.gifts if to == seat],
            )
            return match_pb2.Event(cards_exchanged=match_pb2.CardsExchanged(hands=[hand]))
        case _:
            assert_never(event)


def _gift(seat: int, cards: int) -> match_pb2.Gift:
    return match_pb2.Gift(seat=seat, cards=cards_of(cards))


_Public = (
    RoundStarted | CallMade | Played | DragonGiven | LeadHanded | WentOut | RoundEnded | MatchEnded
)


def _public(event: _Public) -> match_pb2.Event:
    match event:
        case WentOut():
            return match_pb2.Event(went_out=match_pb2.WentOut(seat=event.seat, place=event.place))
        case CallMade():
            return match_pb2.Event(call_made=call_made(event))
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

"""Asks as bytes. The list of plays is joined from cached pieces; it is most of an ask."""

from functools import cache, lru_cache
from typing import assert_never

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.step import Ask
from referee.match.values import MS, AskKind
from referee.rules.cards import mask_of
from referee.rules.errors import RefereeBug
from referee.rules.exchanges import Forced
from referee.rules.seat import Seat
from referee.wire.fragments import cards_of, play_bytes, sized, tag, varint
from referee.wire.numbers import CALLS, CHOOSE_REASONS

_ID = varint(match_pb2.Ask.ASK_ID_FIELD_NUMBER << 3)
_ACT = tag(match_pb2.Ask.ACT_FIELD_NUMBER)
_BOMB = tag(match_pb2.Ask.BOMB_FIELD_NUMBER)
_PLAYS = tag(match_pb2.ActAsk.PLAYS_FIELD_NUMBER)  # the same number in BombAsk


def encode_ask(ask: Ask, *, time_left_ms: int | None, legal_plays: bool) -> bytes:
    """Return an ask with its length. `time_left_ms` None means no limit."""
    bank_ms = None if ask.bank_ns is None or ask.base_ns is None else ask.bank_ns // MS
    head = _ID + varint(ask.id) + _head(ask.seat, time_left_ms, bank_ms, ask.provisional)
    match ask.kind:
        case AskKind.ACT:
            body = _act(ask.may_pass, ask.leading, ask.wish, ask.may_call_tichu, ask.wish_required)
            return sized(head + _ACT + sized(body + _plays(ask, legal_plays)))
        case AskKind.BOMB:
            return sized(head + _BOMB + sized(_plays(ask, legal_plays)))
        case AskKind.CALL:
            call = match_pb2.CallAsk(
                choices=[CALLS[choice] for choice in ask.choices], of_seat=ask.judged
            )
            return sized(head + match_pb2.Ask(call=call).SerializeToString())
        case AskKind.EXCHANGE:
            return sized(head + match_pb2.Ask(exchange=_exchange(ask)).SerializeToString())
        case AskKind.CHOOSE_SEAT:
            return sized(head + match_pb2.Ask(choose_seat=_choose_seat(ask)).SerializeToString())
        case _:
            assert_never(ask.kind)


@lru_cache(maxsize=4096)
def _head(seat: int, time_left_ms: int | None, bank_ms: int | None, provisional: bool) -> bytes:
    """Return the fields that most asks of a seat have in common."""
    return match_pb2.Ask(
        for_seat=seat,
        time_left_ms=time_left_ms,
        bank_left_ms=bank_ms,
        provisional=provisional,
    ).SerializeToString()


def _plays(ask: Ask, legal_plays: bool) -> bytes:
    if not legal_plays or not ask.plays:
        return b""
    return _PLAYS + _PLAYS.join(map(play_bytes, ask.plays))


@cache
def _act(may_pass: bool, leading: bool, wish: int, may_call: bool, must_wish: bool) -> bytes:
    """Return an act ask without its plays: there are 240."""
    return match_pb2.ActAsk(
        may_pass=may_pass,
        leading=leading,
        wish=wish or None,
        may_call_tichu=may_call,
        wish_required=must_wish,
    ).SerializeToString()


def _exchange(ask: Ask) -> match_pb2.ExchangeAsk:
    return match_pb2.ExchangeAsk(
        slots=[_slot(to, size, forced) for to, size, forced in ask.slots],
        standing=[
            match_pb2.Gift(seat=to, cards=cards_of(mask_of(numbers)))
            for to, numbers in ask.standing
        ],
        may_call_tichu=ask.may_call_tichu,
    )


def _slot(to: Seat, size: int, forced: Forced) -> match_pb2.ExchangeSlot:
    return match_pb2.ExchangeSlot(
        to_seat=to,
        count=size,
        forced_best=forced is Forced.BEST,
        forced_worst=forced is Forced.WORST,
    )


def _choose_seat(ask: Ask) -> match_pb2.ChooseSeatAsk:
    if ask.why is None:
        raise RefereeBug("a choice of a seat without its reason")
    return match_pb2.ChooseSeatAsk(why=CHOOSE_REASONS[ask.why], seats=ask.seats)

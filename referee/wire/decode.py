"""What a bot sends, checked field by field. A fault is a value that names the field.

An answer that makes no sense still belongs to its ask: it becomes a `MalformedDecision`, which the
match counts like an illegal one. Enums are open on the wire, so every number is looked up.
"""

from collections.abc import Sequence

from google.protobuf.message import DecodeError

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
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
from referee.ports import AnswerIn, CallIn, FieldFault, Frame, Hello, ResignIn, StandDownIn
from referee.rules.cards import HIGHEST_RANK, LOWEST_RANK, is_card
from referee.wire.numbers import CALLS_IN, DELIVERIES_IN

MAX_CARDS = 56  # one pack: more cards than any hand holds
MAX_GIFTS = 12  # the largest table
MAX_TEXT = 64  # characters of a name or version
MAX_MATCHES = 512
MAX_GOODBYE = 200

_DECLINE, _DEFAULT, _PASS = DeclineDecision(), DefaultDecision(), PassDecision()


class _Fault(Exception):
    """A field of an answer cannot be accepted. Never leaves this module."""


def decode_frame(data: bytes, most_items: int) -> Frame | FieldFault:
    """Return the frame, or a fault when the bytes are no frame at all.

    Of a frame with more than `most_items` answers and requests only their number is read: it may
    hold 30,000, and each costs as much as one that is taken.
    """
    try:
        message = referee_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return FieldFault("frame", f"{len(data)} bytes that are no PlayRequest")
    hello = _hello(message.hello) if message.HasField("hello") else None
    items = sum(
        map(len, (message.answers, message.calls, message.stand_downs, message.resigns))  # type: ignore[arg-type]
    )
    if items > most_items:
        return Frame(hello=hello, items=items)
    return Frame(
        hello=hello,
        items=items,
        answers=[_answer(answer) for answer in message.answers],
        calls=[_call(call) for call in message.calls],
        stand_downs=[_stand_down(stand_down) for stand_down in message.stand_downs],
        resigns=[ResignIn(resign.match, resign.request_id) for resign in message.resigns],
        pong=message.pong.number if message.HasField("pong") else None,
        goodbye=_goodbye(message.goodbye.text) if message.HasField("goodbye") else None,
    )


def _goodbye(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:MAX_GOODBYE])


def _hello(hello: referee_pb2.Hello) -> Hello | FieldFault:
    for field in ("bot_name", "bot_version", "sdk"):
        text: str = getattr(hello, field)
        if len(text) > MAX_TEXT:
            return FieldFault(f"hello.{field}", f"longer than {MAX_TEXT} characters; shorten it")
        if not text.isprintable():
            return FieldFault(f"hello.{field}", "holds characters that cannot be printed")
    if hello.max_matches > MAX_MATCHES:
        return FieldFault("hello.max_matches", f"{hello.max_matches} is not 0 to {MAX_MATCHES}")
    events = DELIVERIES_IN.get(hello.event_delivery)
    if events is None:
        return FieldFault("hello.event_delivery", f"{hello.event_delivery} is no EventDelivery")
    return Hello(
        protocol_version=hello.protocol_version,
        bot_name=hello.bot_name,
        bot_version=hello.bot_version,
        sdk=hello.sdk,
        max_matches=hello.max_matches or 1,
        session_token=hello.session_token if hello.HasField("session_token") else None,
        snapshots=not hello.without_snapshots,
        legal_plays=not hello.without_legal_plays,
        events=events,
    )


def _call(call: referee_pb2.Call) -> CallIn:
    kind = CALLS_IN.get(call.call)
    return CallIn(
        call.match,
        call.request_id,
        call.for_seat if call.HasField("for_seat") else None,
        kind if kind is not None else FieldFault("call.call", f"{call.call} is no CallKind"),
    )


def _stand_down(stand_down: referee_pb2.StandDown) -> StandDownIn:
    for_seat = stand_down.for_seat if stand_down.HasField("for_seat") else None
    return StandDownIn(stand_down.match, stand_down.request_id, for_seat)


def _answer(answer: referee_pb2.Answer) -> AnswerIn:
    try:
        decision = _decision(answer)
    except _Fault as fault:
        decision = MalformedDecision(text=str(fault))
    return AnswerIn(answer.match, answer.ask_id, decision)


def _decision(answer: referee_pb2.Answer) -> Decision:
    match answer.WhichOneof("decision"):
        case "act":
            return _act(answer.act)
        case "bomb":
            return _bomb(answer.bomb)
        case "exchange":
            return _exchange(answer.exchange)
        case "call":
            return _call_decision(answer.call)
        case "choose_seat":
            if not answer.choose_seat.HasField("seat"):
                raise _Fault("choose_seat.seat: not set; name one of the ask's seats")
            return SeatDecision(seat=answer.choose_seat.seat)
        case "default_action":
            return _DEFAULT
        case _:
            raise _Fault(
                "decision: empty, or of a kind not known here; set act, bomb, exchange, call, "
                "choose_seat or default_action"
            )


def _act(act: referee_pb2.ActAnswer) -> Decision:
    wish = _rank("act.wish", act.wish) if act.HasField("wish") else None
    match act.WhichOneof("choice"):
        case "index":
            return PlayDecision(index=act.index, wish=wish, tichu=act.tichu)
        case "pass":
            if wish is not None:
                raise _Fault("act.wish: set with a pass; a wish rides on a play")
            return PassDecision(tichu=True) if act.tichu else _PASS
        case "play":
            return PlayDecision(
                cards=_cards("act.play.cards", act.play.cards),
                phoenix_rank=_phoenix_rank(act.play),
                wish=wish,
                tichu=act.tichu,
            )
        case _:
            raise _Fault("act.choice: empty; set index, pass or play")


def _phoenix_rank(play: match_pb2.Play) -> int | None:
    if not play.HasField("phoenix_rank"):
        return None
    return _rank("act.play.phoenix_rank", play.phoenix_rank)


def _bomb(bomb: referee_pb2.BombAnswer) -> Decision:
    match bomb.WhichOneof("choice"):
        case "decline":
            return _DECLINE
        case "index":
            return BombDecision(index=bomb.index)
        case "play":
            if bomb.play.HasField("phoenix_rank"):
                raise _Fault("bomb.play.phoenix_rank: set, but no bomb holds the Phoenix")
            return BombDecision(cards=_cards("bomb.play.cards", bomb.play.cards))
        case _:
            raise _Fault("bomb.choice: empty; set decline, index or play")


def _exchange(exchange: referee_pb2.ExchangeAnswer) -> Decision:
    if len(exchange.gifts) > MAX_GIFTS:
        raise _Fault(f"exchange.gifts: {len(exchange.gifts)} gifts; one for each slot of the ask")
    gifts = []
    for i, gift in enumerate(exchange.gifts):
        if not gift.HasField("seat"):
            raise _Fault(f"exchange.gifts[{i}].seat: not set; name who gets the cards")
        gifts.append((gift.seat, _cards(f"exchange.gifts[{i}].cards", gift.cards)))
    return ExchangeDecision(gifts=tuple(gifts), tichu=exchange.tichu)


def _call_decision(call: referee_pb2.CallAnswer) -> Decision:
    choice = CALLS_IN.get(call.choice)
    if choice is None:
        raise _Fault(f"call.choice: {call.choice} is no CallKind; name one of the ask's choices")
    return CallDecision(choice=choice)


def _rank(field: str, rank: int) -> int:
    if not LOWEST_RANK <= rank <= HIGHEST_RANK:
        raise _Fault(f"{field}: {rank} is no rank; 2 to 14, or leave it out")
    return rank


def _cards(field: str, numbers: Sequence[int]) -> tuple[int, ...]:
    if not numbers:
        raise _Fault(f"{field}: empty")
    if len(numbers) > MAX_CARDS:
        raise _Fault(f"{field}: {len(numbers)} cards; no hand holds so many")
    for i, number in enumerate(numbers):
        if not is_card(number):
            raise _Fault(f"{field}[{i}]: {number} is no Card")
    return tuple(numbers)

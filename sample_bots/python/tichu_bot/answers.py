"""Asks of the wire into a view, and what a strategy decided back into answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot._gen.tichu.referee.v1.card_pb2 import Card
from tichu_bot.acts import DEFAULT, Act, Decision, Exchange, choice_of
from tichu_bot.cards import MAH_JONG, Play
from tichu_bot.tracker import call_kind, gifts
from tichu_bot.view import Plays, Slot, View, Why

LOWEST_WISH = 2  # where a wish must be named and the strategy named none

_PASS = pb.ActAnswer()
getattr(_PASS, "pass").SetInParent()  # a Python keyword
_DECLINE = pb.BombAnswer(decline=pb.Decline())
_WHYS = {int(why): why for why in Why}


def read(ask: match_pb.Ask, view: View) -> bool:
    """Put what is asked into the view. False: this version does not know the kind."""
    kind = ask.WhichOneof("kind") or ""
    read_kind = _READERS.get(kind)
    if read_kind is None:
        return False
    view.start_ask(kind)
    view.seat = ask.for_seat
    view.provisional = ask.provisional
    view.time_left_ms = ask.time_left_ms if ask.HasField("time_left_ms") else None
    view.bank_left_ms = ask.bank_left_ms if ask.HasField("bank_left_ms") else None
    read_kind(ask, view)
    return True


def write(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    """Write a decision into the answer; one that does not fit the ask raises."""
    if decided is DEFAULT:
        take_default(answer)
    else:
        _WRITERS[ask.WhichOneof("kind") or ""](answer, ask, decided)


def take_default(answer: pb.Answer) -> None:
    """Leave the decision to the referee; whatever the answer held is gone."""
    answer.default_action.SetInParent()


def decline(answer: pb.Answer) -> None:
    """Throw no bomb."""
    answer.bomb.CopyFrom(_DECLINE)


def _read_act(ask: match_pb.Ask, view: View) -> None:
    asked = ask.act
    view.plays = Plays(asked.plays)
    view.may_pass = asked.may_pass
    view.leading = asked.leading
    view.may_call_tichu = asked.may_call_tichu
    view.wish_required = asked.wish_required
    view.wish = asked.wish if asked.HasField("wish") else None


def _write_act(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    asked = ask.act
    if isinstance(decided, Act):
        act = decided
    elif isinstance(decided, Play) or decided is None:
        act = Act(decided)
    else:
        raise TypeError(f"act is answered by a Play, an Act or PASS, not by {decided!r}")
    if act.play is None:
        answer.act.CopyFrom(_PASS)
    else:
        _write_act_play(answer.act, act.play, act.wish, asked)
    if act.tichu and asked.may_call_tichu:
        answer.act.tichu = True


def _write_act_play(
    target: pb.ActAnswer, play: Play, wish: int | None, asked: match_pb.ActAsk
) -> None:
    index = _index(play, asked.plays)
    if index is None:
        _write_cards(target.play, play)
    else:
        target.index = index
    if MAH_JONG in play.cards and (wish is not None or asked.wish_required):
        target.wish = LOWEST_WISH if wish is None else wish


def _index(play: Play, listed: Sequence[match_pb.Play]) -> int | None:
    """Return the play's place in this ask's list; None for other cards, or an older ask's play."""
    index = play.place
    if index is None or not 0 <= index < len(listed):
        return None
    offered = listed[index]
    same = tuple(offered.cards) == play.cards
    return index if same and (offered.phoenix_rank or None) == play.phoenix_rank else None


def _write_cards(target: match_pb.Play, play: Play) -> None:
    target.cards.extend([Card.ValueType(card) for card in play.cards])
    if play.phoenix_rank is not None:
        target.phoenix_rank = play.phoenix_rank


def _read_bomb(ask: match_pb.Ask, view: View) -> None:
    view.plays = Plays(ask.bomb.plays)


def _write_bomb(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    play = decided.play if isinstance(decided, Act) else decided
    if play is None:
        decline(answer)
        return
    if not isinstance(play, Play):
        raise TypeError(f"bomb is answered by a Play or None, not by {decided!r}")
    index = _index(play, ask.bomb.plays)
    if index is None:
        _write_cards(answer.bomb.play, play)
    else:
        answer.bomb.index = index


def _read_call(ask: match_pb.Ask, view: View) -> None:
    view.call_choices = tuple(map(call_kind, ask.call.choices))
    view.judged = ask.call.of_seat if ask.call.HasField("of_seat") else None


def _write_call(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    choice = choice_of(tuple(map(call_kind, ask.call.choices)), decided)
    if choice is None:
        take_default(answer)
    else:
        answer.call.choice = match_pb.CallKind.ValueType(choice)


def _read_exchange(ask: match_pb.Ask, view: View) -> None:
    asked = ask.exchange
    view.slots = tuple(
        Slot(slot.to_seat, slot.count, slot.forced_best, slot.forced_worst) for slot in asked.slots
    )
    view.standing = gifts(asked.standing)
    view.may_call_tichu = asked.may_call_tichu


def _write_exchange(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    if not isinstance(decided, Iterable) or isinstance(decided, Play | Act):
        raise TypeError(f"exchange is answered by cards or an Exchange, not by {decided!r}")
    asked = ask.exchange
    exchange = decided if isinstance(decided, Exchange) else Exchange(tuple(decided))
    owed = sum(slot.count for slot in asked.slots)
    if len(exchange.cards) != owed:
        raise ValueError(f"{owed} cards are owed, the strategy gave {len(exchange.cards)}")
    rest = [Card.ValueType(card) for card in exchange.cards]
    for slot in asked.slots:
        answer.exchange.gifts.add(seat=slot.to_seat, cards=rest[: slot.count])
        del rest[: slot.count]
    answer.exchange.tichu = exchange.tichu and asked.may_call_tichu


def _read_choose_seat(ask: match_pb.Ask, view: View) -> None:
    view.recipients = tuple(ask.choose_seat.seats)
    view.why = _WHYS.get(ask.choose_seat.why, Why.UNKNOWN)


def _write_choose_seat(answer: pb.Answer, ask: match_pb.Ask, decided: Decision) -> None:
    if not isinstance(decided, int):
        raise TypeError(f"give is answered by a seat, not by {decided!r}")
    answer.choose_seat.seat = decided


_READERS: Mapping[str, Callable[[match_pb.Ask, View], None]] = {
    "act": _read_act,
    "bomb": _read_bomb,
    "call": _read_call,
    "exchange": _read_exchange,
    "choose_seat": _read_choose_seat,
}
_WRITERS: Mapping[str, Callable[[pb.Answer, match_pb.Ask, Decision], None]] = {
    "act": _write_act,
    "bomb": _write_bomb,
    "call": _write_call,
    "exchange": _write_exchange,
    "choose_seat": _write_choose_seat,
}

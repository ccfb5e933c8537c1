"""Asks of the wire into a view, and what a strategy decided back into answers."""

from collections.abc import Callable, Mapping, Sequence

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot._gen.tichu.referee.v1.card_pb2 import Card
from tichu_bot.acts import Act, CallKind, Exchange
from tichu_bot.bot import Bot
from tichu_bot.cards import MAH_JONG, Play
from tichu_bot.tracker import call_kind, gifts
from tichu_bot.view import Plays, Slot, View

LOWEST_WISH = 2  # where a wish must be named and the strategy named none

_PASS = pb.ActAnswer()
getattr(_PASS, "pass").SetInParent()  # a Python keyword
_DECLINE = pb.BombAnswer(decline=pb.Decline())


def fill(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    """Let the strategy decide, and write its decision into the answer.

    Whatever the strategy raises, or answers that cannot be written, is raised from here.
    """
    kind = ask.WhichOneof("kind")
    decide = _DECIDERS.get(kind or "")
    if decide is None:
        take_default(answer)
        return
    view.start_ask(kind or "")
    view.seat = ask.for_seat
    view.provisional = ask.provisional
    view.time_left_ms = ask.time_left_ms if ask.HasField("time_left_ms") else None
    view.bank_left_ms = ask.bank_left_ms if ask.HasField("bank_left_ms") else None
    decide(answer, ask, bot, view)


def take_default(answer: pb.Answer) -> None:
    """Leave the decision to the referee; whatever the answer held is gone."""
    answer.default_action.SetInParent()


def decline(answer: pb.Answer) -> None:
    """Throw no bomb."""
    answer.bomb.CopyFrom(_DECLINE)


def _act(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    asked = ask.act
    view.plays = Plays(asked.plays)
    view.may_pass = asked.may_pass
    view.leading = asked.leading
    view.may_call_tichu = asked.may_call_tichu
    view.wish_required = asked.wish_required
    view.wish = asked.wish if asked.HasField("wish") else None
    decided = bot.act(view)
    act = decided if isinstance(decided, Act) else Act(decided)
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


def _bomb(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    view.plays = Plays(ask.bomb.plays)
    play = bot.bomb(view)
    if play is None:
        decline(answer)
        return
    index = _index(play, ask.bomb.plays)
    if index is None:
        _write_cards(answer.bomb.play, play)
    else:
        answer.bomb.index = index


def _call(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    choices = ask.call.choices
    view.call_choices = tuple(map(call_kind, choices))
    view.judged = ask.call.of_seat if ask.call.HasField("of_seat") else None
    wanted = _wanted(bot, view)
    for number, call in zip(choices, view.call_choices, strict=True):
        if call != CallKind.UNKNOWN and wanted(call):
            answer.call.choice = number
            return
    take_default(answer)


def _wanted(bot: Bot, view: View) -> Callable[[CallKind], bool]:
    """Ask the strategy what the choices are about, and say which of them it means."""
    if CallKind.REFUSE in view.call_choices:
        answer = CallKind.REFUSE if bot.refuse(view) else CallKind.ACCEPT
        return lambda call: call == answer
    if any(call.bid is not None for call in view.call_choices):
        bid = bot.bid(view)
        if bid not in range(4):
            raise ValueError(f"a bid is 0 to 3, the strategy bid {bid}")
        return lambda call: call.bid == bid
    bet = bot.call(view)
    return lambda call: call.is_bet == bet


def _exchange(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    asked = ask.exchange
    view.slots = tuple(
        Slot(slot.to_seat, slot.count, slot.forced_best, slot.forced_worst) for slot in asked.slots
    )
    view.standing = gifts(asked.standing)
    view.may_call_tichu = asked.may_call_tichu
    decided = bot.exchange(view)
    exchange = decided if isinstance(decided, Exchange) else Exchange(tuple(decided))
    owed = sum(slot.size for slot in view.slots)
    if len(exchange.cards) != owed:
        raise ValueError(f"{owed} cards are owed, the strategy gave {len(exchange.cards)}")
    rest = [Card.ValueType(card) for card in exchange.cards]
    for slot in view.slots:
        answer.exchange.gifts.add(seat=slot.to_seat, cards=rest[: slot.size])
        del rest[: slot.size]
    answer.exchange.tichu = exchange.tichu and asked.may_call_tichu


def _choose_seat(answer: pb.Answer, ask: match_pb.Ask, bot: Bot, view: View) -> None:
    view.recipients = tuple(ask.choose_seat.seats)
    answer.choose_seat.seat = bot.give(view)


_DECIDERS: Mapping[str, Callable[[pb.Answer, match_pb.Ask, Bot, View], None]] = {
    "act": _act,
    "bomb": _bomb,
    "call": _call,
    "exchange": _exchange,
    "choose_seat": _choose_seat,
}

"""Hostile conducts, part two: answers that are false, broken, repeated or in the wrong order."""

import random

from google.protobuf.message import DecodeError

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee._gen.tichu.referee.v1.card_pb2 import Card
from referee.match.values import MS
from tests.simulation.service.bots import Bot, Conduct, Outgoing
from tests.simulation.service.policy import PASS, Hand

_CARDS = (1, 2, 3, 4, *range(8, 60))


class Illegal(Conduct):
    """Now and then answers with cards or choices that are not legal, then thinks better of it."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((1, 2, 5, 20))

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Something of the right kind that is wrong, most of the time."""
        if bot.rng.random() * self._one_in >= 1:
            return frames
        frame = referee_pb2.PlayRequest()
        answer = frame.answers.add(match=hand.number, ask_id=ask.ask_id)
        _fill_wrongly(bot.rng, hand, ask, answer)
        return [(0, frame.SerializeToString())]


def _fill_wrongly(
    rng: random.Random, hand: Hand, ask: match_pb2.Ask, answer: referee_pb2.Answer
) -> None:
    kind = ask.WhichOneof("kind")
    if kind == "act":
        _wrong_act(rng, hand, ask, answer)
    elif kind == "bomb":
        answer.bomb.play.cards.extend(_some(rng, hand, ask.for_seat))
    elif kind == "call":
        answer.call.choice = rng.choice((1, 2, 3, 4, 5))  # type: ignore[assignment]
    elif kind == "exchange" and any(slot.count > 1 for slot in ask.exchange.slots):
        _any_cards(rng, hand.held(ask.for_seat), ask.exchange, answer)
    elif kind == "exchange":
        for seat in rng.choices(range(5), k=rng.randrange(5)):
            some = _some(rng, hand, ask.for_seat)
            answer.exchange.gifts.add(seat=seat, cards=some[: rng.randrange(1, 3)])
    else:
        answer.choose_seat.seat = rng.randrange(5)


def _any_cards(
    rng: random.Random, cards: set[int], exchange: match_pb2.ExchangeAsk, answer: referee_pb2.Answer
) -> None:
    """As many cards as are due, but any: where the best are due they seldom are."""
    left = sorted(cards)
    rng.shuffle(left)
    for slot in exchange.slots:
        gift = answer.exchange.gifts.add(seat=slot.to_seat)
        gift.cards.extend(left[: slot.count])  # type: ignore[arg-type]
        del left[: slot.count]


def _wrong_act(
    rng: random.Random, hand: Hand, ask: match_pb2.Ask, answer: referee_pb2.Answer
) -> None:
    what = rng.randrange(4)
    if what == 0:
        answer.act.CopyFrom(PASS)
    elif what == 1:
        answer.act.index = len(ask.act.plays) + rng.randrange(3)
    else:
        answer.act.play.cards.extend(_some(rng, hand, ask.for_seat))
        if rng.random() < 0.3:
            answer.act.play.phoenix_rank = rng.randrange(1, 16)
    if rng.random() < 0.3:
        answer.act.wish = rng.randrange(1, 16)
    answer.act.tichu = rng.random() < 0.3


def _some(rng: random.Random, hand: Hand, seat: int) -> "list[Card.ValueType]":
    """Some cards, of the hand that decides or of anybody's."""
    cards = sorted(hand.held(seat)) if rng.random() < 0.7 else list(_CARDS)
    return rng.sample(cards, min(len(cards), rng.choice((1, 1, 2, 3, 4, 5))))  # type: ignore[arg-type]


class Malformed(Conduct):
    """Now and then sends a frame whose fields make no sense, or bytes that are no frame."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((2, 10, 40))
        self._noise = rng.random() < 0.15

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Something broken, in place of the answer or before it."""
        rng = bot.rng
        if rng.random() * self._one_in >= 1:
            return frames
        if self._noise:
            return [(0, rng.randbytes(rng.randrange(1, 40)))]
        frame = referee_pb2.PlayRequest()
        answer = frame.answers.add(match=hand.number, ask_id=ask.ask_id)
        _break(rng, answer)
        return [(0, frame.SerializeToString()), *(frames if rng.random() < 0.5 else [])]


def _break(rng: random.Random, answer: referee_pb2.Answer) -> None:
    """Make the decision one that cannot be read, or of another kind than most asks."""
    match rng.randrange(7):
        case 0:
            pass  # no decision at all
        case 1:
            answer.act.SetInParent()  # no choice
        case 2:
            answer.act.play.cards.append(200)  # type: ignore[arg-type]
        case 3:
            answer.call.choice = 99  # type: ignore[assignment]
        case 4:
            answer.bomb.index = 4_000_000_000
        case 5:
            answer.choose_seat.SetInParent()
        case _:
            answer.exchange.gifts.add(cards=[0])


class Elsewhere(Conduct):
    """Answers with the numbers of other asks and of other matches as well."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((2, 10))

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """An answer under a false number, then the true one."""
        rng = bot.rng
        if rng.random() * self._one_in >= 1:
            return frames
        frame = _read(frames[-1][1]) if frames else _empty()
        for answer in frame.answers:
            if rng.random() < 0.5:
                answer.ask_id = max(0, answer.ask_id + rng.choice((-3, -1, 1, 2, 1_000)))
            else:
                answer.match = rng.choice((0, 1, 2, 3, 77))
        return [(0, frame.SerializeToString()), *frames]


def _read(data: bytes) -> referee_pb2.PlayRequest:
    """What another conduct has made of the answer, if it still is a frame."""
    try:
        return referee_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return _empty()


def _empty() -> referee_pb2.PlayRequest:
    return referee_pb2.PlayRequest()


class Repeats(Conduct):
    """Sends the same answer again, at once or much later, and now and then another one."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((1, 3, 10))

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """The frames, and again."""
        rng = bot.rng
        if not frames or rng.random() * self._one_in >= 1:
            return frames
        last = frames[-1]
        later = last[0] + rng.choice((0, 0, MS, 40 * MS, 3_000 * MS))
        again = last[1]
        if rng.random() < 0.3:
            other = referee_pb2.PlayRequest()
            bot.policy.answer(hand, ask, other.answers.add())
            again = other.SerializeToString()
        return [*frames, (later, again)]


class WrongOrder(Conduct):
    """Keeps an answer back until it has another, and sends the later one first."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((2, 5))
        self._kept: list[Outgoing] = []

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Nothing yet, or the later before the earlier."""
        if self._kept:
            kept, self._kept = self._kept, []
            return [*frames, *kept]
        if bot.rng.random() * self._one_in < 1 and len(hand.asks) > 1:
            self._kept = frames
            return []
        return frames


class Bundles(Conduct):
    """Sends answers to several asks in one frame."""

    def __init__(self, rng: random.Random) -> None:
        self._chance = rng.choice((0.2, 0.8))

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Join what goes out at once; add an answer to another open ask."""
        if bot.rng.random() >= self._chance or not frames:
            return frames
        others = [one for one in hand.asks.values() if one.ask_id != ask.ask_id]
        if not others:
            return frames
        more = referee_pb2.PlayRequest()
        bot.policy.answer(hand, others[-1], more.answers.add())
        return [(frames[0][0], frames[0][1] + more.SerializeToString()), *frames[1:]]

"""What a bot plays: a cheap choice among what it is offered, by a drawn temperament."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2

_GRAND, _GREAT_GRAND = match_pb2.CALL_KIND_GRAND, match_pb2.CALL_KIND_GREAT_GRAND
_BID_0, _ACCEPT = match_pb2.CALL_KIND_BID_0, match_pb2.CALL_KIND_ACCEPT
_REFUSE = match_pb2.CALL_KIND_REFUSE
_MAH_JONG = 4
PASS = referee_pb2.ActAnswer()
getattr(PASS, "pass").SetInParent()  # a keyword of Python
_RANKS = range(2, 15)
_SUITS, _LOWEST = 4, 8  # numbers of cards of a rank; of the first that has one


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperament:
    """Chances from 0 to 1."""

    passes: float = 0.15
    high: float = 0.3  # plays the last of the list instead of any
    long: float = 0.4  # leads the most cards at once
    bombs: float = 0.6  # when asked for one
    refuses: float = 0.6  # a call of an opponent
    calls: float = 0.02  # Tichu, with an act or an exchange
    grands: float = 0.05
    wishes: float = 0.7
    defaults: float = 0.02  # leaves it to the substitute action
    by_cards: float = 0.1  # names the cards instead of the index


@dataclass(slots=True)
class Hand:
    """A bot's view of one match: what it needs to answer, and no more."""

    number: int
    seat: int = -1
    cards: set[int] = field(default_factory=set)  # of the own hand
    second: set[int] = field(default_factory=set)  # of the hand that a soloist plays besides
    second_seat: int | None = None  # which that is, in Trichu
    mah_jong_low: bool = False  # in the exchange of Grand Seigneur
    asks: dict[int, match_pb2.Ask] = field(default_factory=dict)
    base_ms: int | None = None
    last_ask: int = 0
    totals: tuple[int, ...] = ()
    over: bool = False

    def held(self, seat: int) -> set[int]:
        """The cards of one of the bot's hands."""
        return self.second if seat == self.second_seat else self.cards


def _four_of(cards: set[int], card: int) -> bool:
    """True if the hand holds all four of this card's rank."""
    first = card // _SUITS * _SUITS
    return card >= _LOWEST and cards.issuperset(range(first, first + _SUITS))


def _worth(hand: Hand, card: int) -> int:
    """Where a card stands among the best ones of a hand."""
    specials = {1: 0, _MAH_JONG: 1 if hand.mah_jong_low else 15, 2: 16, 3: 17}
    return specials.get(card % 64, card % 64 // _SUITS)


class Policy:
    """Answers asks."""

    def __init__(self, rng: random.Random, temperament: Temperament) -> None:
        self._rng = rng
        self._of = temperament

    def answer(self, hand: Hand, ask: match_pb2.Ask, into: referee_pb2.Answer) -> None:
        """Fill in an answer to an ask; it is legal."""
        into.match, into.ask_id = hand.number, ask.ask_id
        kind = ask.WhichOneof("kind")
        if kind is None or self._chance(self._of.defaults):
            into.default_action.SetInParent()
        elif kind == "act":
            self._act(hand, ask, into)
        elif kind == "bomb":
            self._bomb(ask.bomb, into)
        elif kind == "exchange":
            self._exchange(hand, ask, into)
        elif kind == "call":
            into.call.choice = self._bet(ask.call.choices)
        else:
            into.choose_seat.seat = self._rng.choice(ask.choose_seat.seats)

    def _chance(self, of: float) -> bool:
        return self._rng.random() < of

    def _bet(
        self, choices: "Sequence[match_pb2.CallKind.ValueType]"
    ) -> "match_pb2.CallKind.ValueType":
        if _BID_0 in choices:
            return self._rng.choice(choices)
        if _REFUSE in choices:
            return _REFUSE if self._chance(self._of.refuses) else _ACCEPT
        bold = self._chance(self._of.grands)
        for choice in choices:
            if (choice in (_GRAND, _GREAT_GRAND)) is bold:
                return choice
        return choices[0]

    def _act(self, hand: Hand, ask: match_pb2.Ask, into: referee_pb2.Answer) -> None:
        act = ask.act
        if act.may_pass and (not act.plays or self._chance(self._of.passes)):
            into.act.CopyFrom(PASS)
            return
        if not act.plays:  # the list is turned off
            self._blind(hand.held(ask.for_seat), act, into)
            return
        index = self._pick(act)
        play = act.plays[index]
        if self._chance(self._of.by_cards):
            into.act.play.cards.extend(play.cards)
            if play.HasField("phoenix_rank"):
                into.act.play.phoenix_rank = play.phoenix_rank
        else:
            into.act.index = index
        if _MAH_JONG in play.cards and (act.wish_required or self._chance(self._of.wishes)):
            into.act.wish = self._rng.choice(_RANKS)
        if act.may_call_tichu and self._chance(self._of.calls):
            into.act.tichu = True

    def _pick(self, act: match_pb2.ActAsk) -> int:
        plays = act.plays
        if act.leading and self._chance(self._of.long):
            return len(plays) - 1  # fewer cards come first
        if self._chance(self._of.high):
            return len(plays) - 1
        return int(self._rng.random() * len(plays))

    def _blind(self, cards: set[int], act: match_pb2.ActAsk, into: referee_pb2.Answer) -> None:
        """Without a list: the lowest card where it leads and no wish binds, else the substitute."""
        if act.leading and not act.HasField("wish") and not act.wish_required and cards:
            into.act.play.cards.append(min(cards))  # type: ignore[arg-type]
        else:
            into.default_action.SetInParent()

    def _bomb(self, bomb: match_pb2.BombAsk, into: referee_pb2.Answer) -> None:
        if bomb.plays and self._chance(self._of.bombs):
            into.bomb.index = int(self._rng.random() * len(bomb.plays))
        else:
            into.bomb.decline.SetInParent()

    def _exchange(self, hand: Hand, ask: match_pb2.Ask, into: referee_pb2.Answer) -> None:
        exchange, held = ask.exchange, hand.held(ask.for_seat)
        cards = sorted(held)
        if len(cards) < sum(slot.count for slot in exchange.slots):
            into.default_action.SetInParent()  # answered long after
            return
        self._rng.shuffle(cards)
        cards.sort(key=lambda card: _four_of(held, card), reverse=True)  # bombs stay
        for slot in exchange.slots:
            gift = into.exchange.gifts.add(seat=slot.to_seat)
            if slot.forced_best or slot.forced_worst:
                cards.sort(key=lambda card: _worth(hand, card), reverse=slot.forced_worst)
            for _ in range(slot.count):
                gift.cards.append(cards.pop())  # type: ignore[arg-type]
        if exchange.may_call_tichu and self._chance(self._of.calls * 2):
            into.exchange.tichu = True

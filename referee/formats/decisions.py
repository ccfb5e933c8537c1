"""Decisions of bots in words, as they stand in a playthrough."""

from collections.abc import Iterable
from typing import assert_never

from referee.formats.printable import printable
from referee.match.facts import Answered, Fact
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
from referee.match.values import AckStatus
from referee.rules.cards import is_card
from referee.rules.notation import format_cards


def describe(decision: Decision) -> str:
    """Return what a bot decided, legal or not.

    >>> describe(PlayDecision(cards=(28, 29), tichu=True))
    'play 7j 7s, tichu'
    """
    match decision:
        case CallDecision():
            return decision.choice.value
        case ExchangeDecision():
            return _exchange(decision)
        case PlayDecision():
            return _play(decision)
        case PassDecision():
            return "pass" + _tichu(decision.tichu)
        case BombDecision():
            return "bomb " + _named(decision.index, decision.cards)
        case DeclineDecision():
            return "no bomb"
        case SeatDecision():
            return f"seat {decision.seat}"
        case DefaultDecision():
            return "default"
        case MalformedDecision():
            return f"malformed: {printable(decision.text)}"
        case _ as never:
            assert_never(never)


def is_taken(fact: Fact) -> bool:
    """True for an answer that was accepted: what `record show` and `record export` number."""
    return isinstance(fact, Answered) and fact.status is AckStatus.RECEIVED


def card_texts(numbers: Iterable[int]) -> str:
    """Return cards as text in the order given; a number that is no card as `#number`."""
    return " ".join(format_cards(1 << n) if is_card(n) else f"#{n}" for n in numbers)


def _exchange(decision: ExchangeDecision) -> str:
    gifts = ", ".join(f"{card_texts(cards)} to {to}" for to, cards in decision.gifts)
    return f"give {gifts}" + _tichu(decision.tichu)


def _play(decision: PlayDecision) -> str:
    text = "play " + _named(decision.index, decision.cards)
    if decision.phoenix_rank is not None:
        text += f", Phoenix {decision.phoenix_rank}"
    if decision.wish is not None:
        text += f", wish {decision.wish}"
    return text + _tichu(decision.tichu)


def _named(index: int | None, cards: tuple[int, ...]) -> str:
    return f"number {index}" if index is not None else card_texts(cards)


def _tichu(rides: bool) -> str:
    return ", tichu" if rides else ""

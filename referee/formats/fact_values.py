"""The ranges of the values in a fact: what its types alone do not say."""

import re
from collections.abc import Iterable, Iterator

from referee.match.facts import (
    Answered,
    Bidden,
    Dealt,
    Exchanged,
    Fact,
    Faulted,
    MatchEnded,
    Played,
    Resumed,
    RoundEnded,
    Stalled,
)
from referee.match.inputs import BombDecision, Decision, ExchangeDecision, PlayDecision
from referee.rules.cards import is_card
from referee.rules.phases import BIDS

_HEX64 = re.compile(r"[0-9a-f]{64}")
_SEAT_FIELDS = ("seat", "to", "dealer", "bomber", "for_seat", "refused")
_ROW_FIELDS = ("order", "ranks")


def value_fault(fact: Fact, *, seats: int) -> str:
    """Return what is out of range in a fact, with the name of its field; "" when nothing is."""
    return next(_faults(fact, seats), "")


def _faults(fact: Fact, seats: int) -> Iterator[str]:
    for field in _SEAT_FIELDS:
        yield from _seat_fault(field, getattr(fact, field, None), seats)
    for field in _ROW_FIELDS:
        row = getattr(fact, field, ())
        if row and sorted(row) != list(range(seats)):
            yield f"{field}: not each of the {seats} seats once"
    match fact:
        case Answered():
            yield from _card_faults("decision", _decided_cards(fact.decision))
        case Dealt():
            for field, text in (("seed", fact.seed), ("commitment", fact.commitment)):
                if not _HEX64.fullmatch(text):
                    yield f"{field}: not 64 lower-case hex digits"
        case Played():
            yield from _card_faults("cards", fact.cards)
            yield from _rank_fault("phoenix_rank", fact.phoenix_rank)
            yield from _rank_fault("second_phoenix_rank", fact.second_phoenix_rank)
            yield from _rank_fault("wish", fact.wish)
        case Exchanged():
            for giver, to, cards in fact.gifts:
                yield from _seat_fault("gifts", giver, seats)
                yield from _seat_fault("gifts", to, seats)
                yield from _card_faults("gifts", cards)
        case Bidden():
            for seat, bid in fact.bids:
                yield from _seat_fault("bids", seat, seats)
                if bid not in BIDS:
                    yield f"bids: {bid} is no bid"
        case RoundEnded():
            for seat, *_ in fact.calls:
                yield from _seat_fault("calls", seat, seats)
        case Faulted():
            if len(fact.sent) not in (0, seats):
                yield f"sent: {len(fact.sent)} times for {seats} seats"
        case Stalled():
            for seat, _ in fact.asks:
                yield from _seat_fault("asks", seat, seats)
        case Resumed():
            if fact.epoch < 1:
                yield f"epoch: {fact.epoch} is no number of a start, which count from 1"
        case MatchEnded():
            yield from _seat_fault("winner", fact.winner, seats)
            for seat in fact.failed:
                yield from _seat_fault("failed", seat, seats)
        case _:
            pass


def _decided_cards(decision: Decision) -> Iterator[int]:
    match decision:
        case PlayDecision() | BombDecision():
            yield from decision.cards
        case ExchangeDecision():
            for _, cards in decision.gifts:
                yield from cards
        case _:
            pass


def _seat_fault(field: str, seat: int | None, seats: int) -> Iterator[str]:
    if seat is not None and not 0 <= seat < seats:
        yield f"{field}: {seat} is none of 0..{seats - 1}"


def _card_faults(field: str, cards: Iterable[int]) -> Iterator[str]:
    for card in cards:
        if not is_card(card):
            yield f"{field}: {card} is no card number"


def _rank_fault(field: str, rank: int) -> Iterator[str]:
    if rank != 0 and not 2 <= rank <= 14:
        yield f"{field}: {rank} is no rank from 2 to 14, nor 0 for none"

"""Decisions of a record as lines of a suite: the position before each, and what was chosen.

The record is replayed; its facts become the steps that lead from the deal to the decision.
"""

import json
from collections.abc import Iterator, Sequence

import msgspec

from referee.formats.decisions import is_taken
from referee.formats.printable import printable
from referee.formats.records import Record
from referee.formats.suites import DEFAULT, NO_BOMB, PASS
from referee.formats.vector_parsing import parse_step
from referee.formats.vector_steps import CheckStep
from referee.formats.vectors import apply_step
from referee.formats.verification import replays
from referee.match.dealing import dealt_round
from referee.match.facts import (
    Answered,
    Bidden,
    CallMade,
    Dealt,
    DragonGiven,
    Exchanged,
    Fact,
    LeadHanded,
    Passed,
    Played,
    TrickTaken,
)
from referee.match.inputs import DefaultDecision
from referee.match.step import Ask
from referee.match.values import AskKind
from referee.rules.cards import card_numbers, mask_of
from referee.rules.errors import RefereeBug
from referee.rules.notation import format_cards, format_play, format_rank
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, options_dict
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.seat import Seat

_Plain = dict[str, object]


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of a record. `number` counts from 1 as `record show` does."""

    number: int
    seat: Seat  # the hand that decided
    line: _Plain  # of a suite

    def text(self) -> str:
        """Return the line."""
        return json.dumps(self.line, ensure_ascii=False, separators=(",", ":"))


def decisions_of(record: Record) -> Iterator[Decided]:
    """Yield every decision of a record in order.

    Raises `RecordError` where the record does not replay.
    """
    story: _Story | None = None
    asks: dict[tuple[Seat, int], Ask] = {}
    number = 0
    for replayed in replays(record):
        for fact in replayed.step.facts:
            if isinstance(fact, Answered) and is_taken(fact) and story is not None:
                number += 1
                ask = asks[fact.seat, fact.ask]
                yield _decided(record, story, ask, fact, number)
            if isinstance(fact, Dealt):
                story = _Story(fact, record.config.settings.rules)
            elif story is not None:
                story.follow(fact)
        asks |= {(ask.to, ask.id): ask for ask in replayed.step.asks}


def _decided(record: Record, story: "_Story", ask: Ask, fact: Answered, number: int) -> Decided:
    match_id = record.config.match_id
    name = printable(record.config.players[ask.to].name)
    steps = [*story.steps]
    if story.round.phase is Phase.CLOSING and (ask.kind is AskKind.CHOOSE_SEAT or ask.leading):
        steps.append({"collect": True})  # it was asked beside the window, about what follows
    chosen = _chosen(ask)
    line: _Plain = {
        "id": f"{match_id}-{number}",
        "title": f"{match_id} round {story.number}, decision {number}, seat {ask.seat}: {name}",
        "options": story.options,
        "start": story.start,
        "steps": steps,
        "seat": ask.seat,
        "ask": ask.kind.value,
        "one_of": [chosen, DEFAULT] if isinstance(fact.decision, DefaultDecision) else [chosen],
    }
    if not story.options:
        del line["options"]
    return Decided(number=number, seat=ask.seat, line=line)


def _chosen(ask: Ask) -> object:
    """Return what was chosen as an entry of a suite."""
    choice = ask.choice
    if choice is None:
        raise RefereeBug(f"ask {ask.id} of seat {ask.to} was answered without a choice")
    tichu: _Plain = {"call": CallKind.TICHU.value} if choice.tichu else {}
    match ask.kind:
        case AskKind.CALL:
            return str(choice.call)
        case AskKind.CHOOSE_SEAT:
            return {"seat": choice.seat}
        case AskKind.EXCHANGE:
            return {"exchange": _texts(choice.cards), **tichu}
        case AskKind.ACT | AskKind.BOMB:
            nothing = PASS if ask.kind is AskKind.ACT else NO_BOMB
            text = nothing if choice.play is None else format_play(choice.play)
            if choice.wish:
                tichu["wish"] = format_rank(choice.wish)
            return {"play": text, **tichu} if tichu else text


def _texts(masks: Sequence[int]) -> list[str]:
    return [format_cards(1 << number) for mask in masks for number in card_numbers(mask)]


class _Story:
    """One round as a vector: its start, and the steps so far."""

    def __init__(self, dealt: Dealt, rules: RuleOptions) -> None:
        self.number = dealt.round
        self.options = options_dict(rules)
        self.round: Round = dealt_round(dealt, rules)
        self.start = _start(dealt, self.round)
        self.steps: list[_Plain] = []

    def follow(self, fact: Fact) -> None:
        """Add the steps of a fact."""
        for step in self._steps_of(fact):
            parsed = parse_step(step, self.round.options, "step")
            refused = None if isinstance(parsed, CheckStep) else apply_step(self.round, parsed)
            if refused is not None:
                raise RefereeBug(f"a fact is refused as a step: {step}: {refused}")
            self.steps.append(step)

    def _steps_of(self, fact: Fact) -> list[_Plain]:
        match fact:
            case CallMade():
                return self._called(fact)
            case Bidden():
                return [{"seat": seat, "call": bid.value} for seat, bid in fact.bids]
            case Exchanged():
                return _exchanged(fact)
            case Played():
                return [self._played(fact)]
            case Passed():
                return [{"seat": fact.seat, "pass": True}]
            case TrickTaken():
                return [{"collect": True}]
            case DragonGiven():
                return [{"seat": fact.seat, "dragon_to": fact.to}]
            case LeadHanded() if self.round.phase is Phase.DOG:
                return [{"seat": fact.seat, "dog_to": fact.to}]
            case _:
                return []

    def _called(self, fact: CallMade) -> list[_Plain]:
        """Return a call; one that came of bids is made already (`chaos`)."""
        if self.round.calls[fact.seat] is fact.call:
            return []
        return [{"seat": fact.seat, "call": fact.call.value}]

    def _played(self, fact: Played) -> _Plain:
        play = self.round.check_play(
            fact.seat,
            mask_of(fact.cards),
            phoenix_rank=fact.phoenix_rank or None,
            wish=fact.wish or None,
        )
        if isinstance(play, Refusal):
            raise RefereeBug(f"a play of a record is refused: {play}")
        step: _Plain = {"seat": fact.seat, "play": format_play(play)}
        if fact.wish:
            step["wish"] = format_rank(fact.wish)
        return step


def _exchanged(fact: Exchanged) -> list[_Plain]:
    by_giver: dict[Seat, list[int]] = {}
    for giver, _, numbers in fact.gifts:
        by_giver.setdefault(giver, []).append(mask_of(numbers))
    return [{"seat": giver, "exchange": _texts(masks)} for giver, masks in by_giver.items()]


def _start(dealt: Dealt, deal: Round) -> _Plain:
    rules = deal.options
    start: _Plain = {"hands": [_hand(deal, seat) for seat in range(deal.n)]}
    if rules.variant is Variant.GRAND_SEIGNEUR:
        start["phase"] = (Phase.EXCHANGE if dealt.ranks else Phase.PLAY).value
    else:
        start["phase"] = (Phase.GREAT_GRAND if rules.great_grand else Phase.GRAND).value
    for key, value in (
        ("dealer", dealt.dealer),
        ("turn_order", list(dealt.order)),
        ("ranks", list(dealt.ranks)),
        ("scores", list(dealt.totals) if any(dealt.totals) else []),
    ):
        if value:
            start[key] = value
    return start


def _hand(deal: Round, seat: int) -> str:
    """Return a hand, the first cards in front (A3)."""
    first = deal.dealt_first[seat]
    rest = deal.hands[seat] & ~first
    return " ".join([format_cards(part) for part in (first, rest) if part])

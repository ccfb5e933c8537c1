"""A line of a suite as a question that can be asked, and what an answer to it comes to."""

from referee.app.holding import time_left_ms
from referee.check.positions import Posed, Question
from referee.formats.suites import (
    DEFAULT,
    NO_BOMB,
    NO_TICHU,
    PASS,
    Entry,
    Given,
    SuiteLine,
    fault_of,
)
from referee.match.facts import CallMade
from referee.match.inputs import CallRequest, DefaultDecision, StandDownRequest
from referee.match.step import Ask, Choice
from referee.match.step import Step as MatchStep
from referee.match.values import MS, AckStatus, AskKind, Clock, Pace
from referee.ports import AnswerIn, CallIn, FieldFault, StandDownIn
from referee.rules.cards import MAHJONG
from referee.rules.errors import NotationError
from referee.rules.exchanges import by_slot
from referee.rules.phases import CallKind
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat

LIMIT_S = 10.0  # for an answer: no time is lost by a generous one


class Asked:
    """A question under way. `settled`: it has its answer, whose `fault` None is a right one.

    Raises `NotationError` where it cannot be asked, or where an entry cannot be an answer.
    """

    def __init__(self, line: SuiteLine, *, limit_s: float = LIMIT_S) -> None:
        limit_ns = int(limit_s * 1000) * MS
        self.line = line
        self.posed = Posed(
            Question(
                name=line.name, start=line.start, steps=line.steps, seat=line.seat, kind=line.kind
            ),
            clock=Clock(base_ns=limit_ns, bank_ns=0),
            pace=Pace.FAIR,
            window_ns=limit_ns // 2,
        )
        self.limit_s = (time_left_ms(self.posed.ask, 0) or 0) / 1000
        self.settled = False
        self.fault: str | None = None
        self._tichu = False
        for key, entries in (("one_of", line.one_of), ("none_of", line.none_of)):
            for at, entry in enumerate(entries):
                if (wrong := _entry_fault(entry, self.posed)) is not None:
                    raise NotationError(f"{key}[{at}]: {entry.text!r} {wrong}")

    # --- what the bot sends about this match

    def answer(self, answer: AnswerIn) -> MatchStep:
        """Judge an answer; return what the bot is told."""
        posed = self.posed
        step = posed.answer_to(answer.ask_id, answer.decision)
        if step.refused:
            first = step.refused[0]
            self._end(f"{first.code}: {first.text}")
        elif posed.ask.choice is not None:
            default = isinstance(answer.decision, DefaultDecision)
            self._judge(posed.ask, posed.ask.choice, default=default)
        return step

    def call(self, call: CallIn) -> MatchStep:
        """Take a call that stands alone; it counts as one that rides on the answer."""
        posed = self.posed
        if isinstance(call.call, FieldFault):
            self._end(f"MALFORMED: {call.call.field}: {call.call.text}")
            return posed.nothing()
        hand = None if call.for_seat is None else Seat(call.for_seat)
        step = posed.step(
            CallRequest(
                seat=posed.player, call=call.call, request_id=call.request_id, for_seat=hand
            )
        )
        if step.refused:
            self._end(f"{step.refused[0].code}: {step.refused[0].text}")
            return step
        held = any(ack.status is AckStatus.RECEIVED for ack in step.acks)
        if held or any(isinstance(fact, CallMade) for fact in step.facts):
            self._tichu = True
        if step.cancelled:  # its opponents decide on it first (`refuse_call`)
            self._judge(posed.ask, Choice(), default=False)
        return step

    def stand_down(self, stand_down: StandDownIn) -> MatchStep:
        """Take a stand-down: it declines a bomb ask."""
        posed = self.posed
        hand = None if stand_down.for_seat is None else Seat(stand_down.for_seat)
        step = posed.step(
            StandDownRequest(seat=posed.player, request_id=stand_down.request_id, for_seat=hand)
        )
        if posed.ask.kind is AskKind.BOMB and posed.ask.choice is not None:
            self._judge(posed.ask, posed.ask.choice, default=False)
        return step

    def _judge(self, ask: Ask, choice: Choice, *, default: bool) -> None:
        given = Given(
            kind=ask.kind,
            choice=choice,
            slots=self.posed.slots,
            tichu=choice.tichu or self._tichu,
            default=default,
        )
        self._end(fault_of(self.line, given))

    def _end(self, fault: str | None) -> None:
        if not self.settled:
            self.settled, self.fault = True, fault


# What an entry may be


def _entry_fault(entry: Entry, posed: Posed) -> str | None:
    """Return what is wrong with an entry in its position, None for what could be answered."""
    kind = posed.ask.kind
    words = (*_WORDS[kind], *posed.ask.choices)
    if any(word not in words for word in entry.words):
        return f"is no answer to {kind}, whose words are {', '.join(words)}"
    if PASS in entry.words and not posed.ask.may_pass:
        return "is not allowed here: the seat has to play"
    if CallKind.TICHU in entry.words and not posed.ask.may_call_tichu:
        return "cannot be called here any more"
    if entry.play is not None:
        return _play_fault(entry, posed)
    if entry.wish is not None and kind is not AskKind.ACT:
        return f"is no answer to {kind}"
    if entry.gifts:
        return _gifts_fault(entry, posed)
    if entry.seat is not None and entry.seat not in posed.ask.seats:
        return f"is none of the seats {list(posed.ask.seats)}"
    return None


_TICHU = (CallKind.TICHU.value, NO_TICHU)
_WORDS: dict[AskKind, tuple[str, ...]] = {
    AskKind.ACT: (PASS, *_TICHU, DEFAULT),
    AskKind.BOMB: (NO_BOMB, DEFAULT),
    AskKind.CALL: (DEFAULT,),
    AskKind.EXCHANGE: (*_TICHU, DEFAULT),
    AskKind.CHOOSE_SEAT: (DEFAULT,),
}


def _play_fault(entry: Entry, posed: Posed) -> str | None:
    kind, play = posed.ask.kind, entry.play
    assert play is not None
    if kind not in (AskKind.ACT, AskKind.BOMB):
        return f"is no answer to {kind}"
    wish = entry.wish
    if wish is None and play.cards & MAHJONG:
        wish = 2  # some games demand one; which makes no play illegal
    judged = posed.position.check_play(
        posed.hand, play.cards, phoenix_rank=play.phoenix_rank or None, wish=wish
    )
    if isinstance(judged, Refusal):
        return f"cannot be played here: {judged}"
    if kind is AskKind.BOMB and not judged.is_bomb:
        return "is no bomb"
    return None


def _gifts_fault(entry: Entry, posed: Posed) -> str | None:
    if posed.ask.kind is not AskKind.EXCHANGE:
        return f"is no answer to {posed.ask.kind}"
    due = sum(slot.count for slot in posed.slots)
    if len(entry.gifts) != due:
        return f"names {len(entry.gifts)} cards, {due} are due; write null for any"
    named = [card for card in entry.gifts if card is not None]
    hand = posed.position.hands[posed.hand]
    if any(not card & hand for card in named):
        return "names a card that is not in the hand"
    if len(named) == due:
        judged = posed.position.check_exchange(posed.hand, by_slot(posed.slots, named))
        if judged is not None:
            return f"cannot be given: {judged}"
    return None

"""From a record to what its match brought. The record is re-executed: what is not true is refused.

A summary depends on the record alone, so a ladder can be made anew from records at any time.
"""

from referee.formats.answer_counts import AnswerBook
from referee.formats.fault_notes import FaultBook
from referee.formats.leg_results import leg_result
from referee.formats.records import Record, RecordError
from referee.formats.summary import CallCount, MatchSummary, RoundPoints
from referee.formats.time_bills import TimeBook
from referee.formats.verification import Doubt, last_fact, re_executed
from referee.ladder.luck import luck_of
from referee.match.dealing import dealt_round
from referee.match.facts import Dealt, Fact, MatchEnded, RoundEnded
from referee.match.step import Step
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions
from referee.rules.phases import MADE_CALLS, CallKind
from referee.rules.seat import Seat


def summarise(record: Record) -> MatchSummary:
    """Return what a match brought, from its record: the same from the same record always.

    Bets are those of finished rounds; one in a round that was never finished is neither won nor
    lost. Raises `RecordError` with the line from which on the record is not true: cut short, still
    running, or no match that the rules give.
    """
    ended = _held(last_fact(record))
    rules = record.config.settings.rules
    rounds, times, faults = _RoundBook(rules), TimeBook(), FaultBook()
    answers = AnswerBook(len(record.config.players))
    for replayed in re_executed(record):
        if isinstance(replayed, Doubt):
            raise _error(replayed)
        step = replayed.step
        times.take(step)
        faults.take(step)
        rounds.take(step)
        answers.take(step)
    place = record.header.place
    return MatchSummary(
        match_id=record.header.match_id,
        practice=record.header.practice,
        isolation=record.header.isolation,
        players=tuple(player.name for player in record.header.players),
        place=place,
        leg=(
            None
            if place is None
            else leg_result(place, record.config, ended, answers, mid_round=rounds.is_open)
        ),
        rounds=tuple(rounds.points),
        faults=faults.notes(),
        times=times.bills(),
        calls=rounds.calls(),
        refused=tuple(answers.refused),
        answers=tuple(answers.given),
        defaults=tuple(answers.defaults),
    )


def _held(ended: MatchEnded | Doubt) -> MatchEnded:
    if isinstance(ended, Doubt):
        raise _error(ended)
    return ended


def _error(doubt: Doubt) -> RecordError:
    shown = f"; expected {doubt.expected}, got {doubt.got}" if doubt.expected or doubt.got else ""
    return RecordError(doubt.line, doubt.why + shown)


class _RoundBook:
    """Points, luck and bets of the rounds that were finished."""

    def __init__(self, rules: RuleOptions) -> None:
        self._rules = rules
        self._luck = 0.0
        self._bets: dict[tuple[Seat, CallKind], tuple[int, int]] = {}
        self.points: list[RoundPoints] = []
        self.is_open = False

    def take(self, step: Step) -> None:
        """Book a step of the replay."""
        for fact in step.facts:
            self._see(fact)

    def _see(self, fact: Fact) -> None:
        match fact:
            case Dealt():
                self.is_open = True
                if self._rules.variant is Variant.TICHU:
                    self._luck = luck_of(dealt_round(fact, self._rules).hands)
            case RoundEnded():
                self.is_open = False
                self._finish(fact)
            case _:
                pass

    def _finish(self, fact: RoundEnded) -> None:
        self.points.append(RoundPoints(round=fact.round, points=fact.points, luck=self._luck))
        for seat, call, won, _ in fact.calls:
            made, before = self._bets.get((seat, call), (0, 0))
            self._bets[seat, call] = made + 1, before + won

    def calls(self) -> tuple[CallCount, ...]:
        """Return the bets by seat and kind."""
        found = sorted(self._bets, key=lambda bet: (bet[0], MADE_CALLS.index(bet[1])))
        return tuple(
            CallCount(seat=seat, call=call.value, made=made, won=won)
            for seat, call in found
            for made, won in (self._bets[seat, call],)
        )

"""Every decision of a record as a line to learn from: what was known, what was chosen, what came.

A round is held at a time, since its points are known when it is over; never a whole match.
"""

import json
from collections.abc import Iterable, Iterator

import msgspec

from referee.formats.decisions import is_taken
from referee.formats.exported_views import Json, choice_of, view_of
from referee.formats.records import RecordError
from referee.match.facts import Answered, Dealt, Fact, MatchEnded, RoundEnded
from referee.match.inputs import DefaultDecision
from referee.match.machine import Machine
from referee.match.replay import Difference, Replayed, replay_into
from referee.match.step import Ask
from referee.match.values import MatchConfig
from referee.rules.errors import ConfigError, NotationError, RefereeBug
from referee.rules.seat import Seat

_FIRST_FACT_LINE = 2


class Decided(msgspec.Struct, kw_only=True):
    """A decision with what came of it. `number` counts from 1 as `record show` does."""

    number: int
    round: int
    seat: Seat  # the hand that decided
    view: Json
    choice: Json
    default: bool  # it was left to the referee
    side: int  # place of the seat's points in the lists of points; -1 where there are none
    round_points: tuple[int, ...] | None = None  # None: the round was not finished


def line_text(
    match_id: str, decided: Decided, ended: MatchEnded | None, *, imported: str = ""
) -> str:
    """Return the line of a decision; `ended` is the end of its match, None for one without.

    `imported` is the source of a record that no referee wrote.
    """
    line: Json = {
        "match": match_id,
        "round": decided.round,
        "decision": decided.number,
        "seat": decided.seat,
        "view": decided.view,
        "choice": decided.choice,
    }
    if decided.default:
        line["default"] = True
    if imported:
        line["imported"] = imported
    line |= {
        "side": None if decided.side < 0 else decided.side,
        "round_points": decided.round_points,
        "match_points": None if ended is None else ended.totals,
        "ending": None if ended is None else ended.ending.value,
    }
    return json.dumps(line, separators=(",", ":"))


def all_decided(
    config: MatchConfig, facts: Iterable[Fact], *, seat: Seat | None = None
) -> Iterator[Decided]:
    """Yield the decisions of a match in order, those of one hand or of all.

    Raises `RecordError` where the facts do not replay.
    """
    told = _Telling(config, seat)
    line = _FIRST_FACT_LINE
    for row in _rounds(facts):
        try:
            yield from told.round(row, line)
        # The machine is never fed like this by the referee itself: here it is the record's fault.
        except (RefereeBug, ConfigError, NotationError, LookupError) as error:
            why = f"the record does not replay: {error}; see referee record verify"
            raise RecordError(line, why) from None
        line += len(row)


def _rounds(facts: Iterable[Fact]) -> Iterator[list[Fact]]:
    """Yield the facts from each deal to the next; those before the first one go with it."""
    row: list[Fact] = []
    for fact in facts:
        if isinstance(fact, Dealt) and any(isinstance(one, Dealt) for one in row):
            yield row
            row = []
        row.append(fact)
    if row:
        yield row


class _Telling:
    """Follows a match, and remembers of each open ask what its hand knew."""

    def __init__(self, config: MatchConfig, seat: Seat | None) -> None:
        self._machine = Machine(config)
        self._seat = seat
        self._asks: dict[tuple[Seat, int], tuple[Ask, Json | None]] = {}
        self._number = 0

    def round(self, facts: list[Fact], line: int) -> list[Decided]:
        """Return the decisions of a round; `line` is that of its first fact in the record."""
        decided: list[Decided] = []
        points = None
        self._asks.clear()  # a deal follows: nothing is open any more
        for replayed in replay_into(self._machine, facts):
            if isinstance(replayed, Difference):
                if replayed.expected is None:
                    break  # the record was cut within a step: what came before it holds
                why = f"the record does not replay: {replayed.why}; see referee record verify"
                raise RecordError(line + replayed.index, why)
            for fact in replayed.step.facts:
                if isinstance(fact, Answered) and is_taken(fact):
                    self._number += 1
                    if (one := self._decided(fact)) is not None:
                        decided.append(one)
                elif isinstance(fact, RoundEnded):
                    points = fact.points
            self._open(replayed)
        for one in decided:
            one.round_points = points
            one.side = _side(self._machine, one.seat, points)
        return decided

    def _open(self, replayed: Replayed) -> None:
        for ask in replayed.step.asks:
            wanted = self._seat in (None, ask.seat)
            view = view_of(self._machine, ask) if wanted else None
            self._asks[ask.to, ask.id] = ask, view
        for gone in replayed.step.cancelled:
            self._asks.pop((gone.seat, gone.ask_id), None)

    def _decided(self, fact: Answered) -> Decided | None:
        ask, view = self._asks[fact.seat, fact.ask]
        if view is None:
            return None
        return Decided(
            number=self._number,
            round=self._machine.round_number,
            seat=ask.seat,
            view=view,
            choice=choice_of(ask),
            default=isinstance(fact.decision, DefaultDecision),
            side=-1,
        )


def _side(machine: Machine, seat: Seat, points: tuple[int, ...] | None) -> int:
    """Return the place of a seat's points: its team's, in Trichu its own."""
    if not points:
        return -1
    if len(points) == machine.seats:
        return machine.player_of(seat)
    known = machine.snapshot(seat).view
    return -1 if known is None else known.public.teams[seat]

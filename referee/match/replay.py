"""Replaying a record: its inputs are fed again and must give the same facts (DESIGN 3)."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import assert_never

import msgspec

from referee.match.facts import (
    Answered,
    CallAsked,
    Dealt,
    Fact,
    Faulted,
    InputFact,
    Released,
    Resumed,
    Stalled,
    StoodDown,
    TimedOut,
    WindowClosed,
)
from referee.match.inputs import (
    Answer,
    CallRequest,
    Deal,
    Fault,
    Faults,
    Input,
    StandDownRequest,
    Tick,
)
from referee.match.inputs import Resumed as ResumedInput
from referee.match.inputs import Stalled as StalledInput
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import MatchConfig


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where a replay parts from its record. `index` counts facts from 0."""

    index: int
    expected: Fact | None  # in the record; None: the record has no more facts
    got: Fact | None  # in the replay; None: the replay gave no fact here
    why: str


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One input of a record, and the step that it made again."""

    index: int
    step: Step
    machine: Machine


def replay(config: MatchConfig, facts: Sequence[Fact]) -> Iterator[Replayed | Difference]:
    """Feed the inputs among `facts` to a new machine; yield its steps, at last a difference.

    A record that replays whole yields steps only.
    """
    yield from replay_into(Machine(config), facts)


def replay_into(machine: Machine, facts: Sequence[Fact]) -> Iterator[Replayed | Difference]:
    """The same with a machine that stands where the facts begin."""
    index = 0
    while index < len(facts):
        fact = facts[index]
        if not isinstance(fact, InputFact):
            yield Difference(index=index, expected=fact, got=None, why="no input led to this fact")
            return
        machine.recall(fact)
        if isinstance(fact, _BY_TIME):
            _recall_others(machine, facts, index)
        step = machine.step(_input(facts, index), fact.at)
        difference = _compare(facts, index, step)
        if difference is not None:
            yield difference
            return
        yield Replayed(index=index, step=step, machine=machine)
        index += len(step.facts)


def _recall_others(machine: Machine, facts: Sequence[Fact], index: int) -> None:
    """Recall what else time brings at the same instant.

    Whose time ran out follow one another in order of seats, and the end of the whole match's time
    comes last. A time-out behind another kind of fact is fed on its own.
    """
    at, late = facts[index].at, isinstance(facts[index], TimedOut)
    for place in range(index + 1, len(facts)):
        fact = facts[place]
        if fact.at != at:
            return
        if isinstance(fact, Faulted) or (late and isinstance(fact, TimedOut)):
            machine.recall(fact)


def _compare(facts: Sequence[Fact], index: int, step: Step) -> Difference | None:
    if not step.facts:
        return Difference(
            index=index, expected=facts[index], got=None, why="this input changes nothing"
        )
    for offset, got in enumerate(step.facts):
        at = index + offset
        expected = facts[at] if at < len(facts) else None
        if got != expected:
            return Difference(index=at, expected=expected, got=got, why="the facts differ")
    return None


_BY_TIME = (TimedOut, WindowClosed, Released)


def _input(facts: Sequence[Fact], index: int) -> Input:
    fact = facts[index]
    assert isinstance(fact, InputFact)
    match fact:
        case Dealt():
            return Deal(seed=fact.seed, cards=fact.cards)
        case Answered():
            return Answer(fact.seat, fact.ask, fact.decision)
        case CallAsked():
            return CallRequest(
                seat=fact.seat, call=fact.call, request_id=fact.request, for_seat=fact.for_seat
            )
        case StoodDown():
            return StandDownRequest(seat=fact.seat, request_id=0, for_seat=fact.for_seat)
        case Faulted():
            return Tick() if fact.sent else _faults(facts, index)
        case Stalled():
            return StalledInput(blocked_ns=fact.blocked_ns)
        case Resumed():
            return ResumedInput(epoch=fact.epoch)
        case TimedOut() | WindowClosed() | Released():
            return Tick()
        case _:
            assert_never(fact)


def _faults(facts: Sequence[Fact], index: int) -> Faults:
    """The faults of one step stand in a row."""
    row = takewhile(lambda fact: isinstance(fact, Faulted), facts[index:])
    return Faults(
        faults=tuple(
            Fault(seat=fact.seat, ending=fact.ending, blame=fact.blame)
            for fact in row
            if isinstance(fact, Faulted)
        )
    )

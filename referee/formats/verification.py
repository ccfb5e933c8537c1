"""Verifying a record: the same inputs through the machine must give the same facts and scores."""

from collections.abc import Iterator

import msgspec

from referee.formats.records import Record, RecordError
from referee.match.facts import Fact, MatchEnded, encode_fact
from referee.match.replay import Difference, Replayed, replay
from referee.rules.errors import ConfigError, NotationError, RefereeBug

_FIRST_FACT_LINE = 2
_SHOWN_CHARS = 300


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The record is true: its inputs give its facts."""

    rounds: int
    totals: tuple[int, ...]
    chain: str


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that does not hold, and its line from 1. "" where nothing can be shown."""

    line: int
    why: str
    expected: str = ""  # what the rules give
    got: str = ""  # what the record says


def verify_record(record: Record) -> Verified | Doubt:
    """Re-execute a record and compare fact by fact."""
    for step in re_executed(record):
        if isinstance(step, Doubt):
            return step
    last = last_fact(record)
    if isinstance(last, Doubt):
        return last
    return Verified(rounds=last.rounds, totals=last.totals, chain=record.chain)


def last_fact(record: Record) -> MatchEnded | Doubt:
    """Return how the match ended, or that the record ends before it did."""
    end = len(record.facts) + _FIRST_FACT_LINE
    last = record.facts[-1] if record.facts else None
    if not isinstance(last, MatchEnded):
        return Doubt(line=end, why="the match does not end: the record was cut, or still runs")
    if not record.complete:
        return Doubt(line=end, why="the trailer is missing: the record was cut in its last line")
    return last


def re_executed(record: Record) -> Iterator[Replayed | Doubt]:
    """Yield the steps that the inputs of a record make again; at last a doubt, if there is one."""
    reached = 0
    try:
        for step in replay(record.config, record.facts):
            if isinstance(step, Difference):
                yield _difference(step)
                return
            reached = step.index + len(step.step.facts)
            yield step
    # The machine is never fed like this by the referee itself: here it is the record's fault.
    except (RefereeBug, ConfigError, NotationError, LookupError) as error:
        yield Doubt(
            line=min(reached, max(len(record.facts) - 1, 0)) + _FIRST_FACT_LINE,
            why=f"this input cannot be at this place: {error}",
        )


def replays(record: Record) -> Iterator[Replayed]:
    """Yield the steps that the inputs of a record make again. Raises `RecordError` at a doubt."""
    for step in re_executed(record):
        if isinstance(step, Doubt):
            why = f"the record does not replay: {step.why}; see referee record verify"
            raise RecordError(step.line, why)
        yield step


def _difference(found: Difference) -> Doubt:
    if found.got is None:
        why = found.why
    elif found.expected is None:
        why = "the record ends before the facts that follow from its last input"
    else:
        why = "the record differs from what the rules give"
    return Doubt(
        line=found.index + _FIRST_FACT_LINE,
        why=why,
        expected=_text(found.got),
        got=_text(found.expected),
    )


def _text(fact: Fact | None) -> str:
    if fact is None:
        return ""
    text = encode_fact(fact).decode()
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."

"""Where a stored round forks: the decision, the facts before it, and what was recorded after it."""

import msgspec

from referee.formats.decisions import describe, is_taken
from referee.formats.records import Record
from referee.formats.verification import replays
from referee.match.facts import Answered, Dealt, Fact, RoundEnded
from referee.match.step import Ask
from referee.match.values import AskKind
from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant
from referee.rules.seat import Seat


class ForkPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of a record. `number` counts from 1 as `record show` does."""

    number: int
    round: int
    hand: Seat
    player: Seat  # whose bot decided: another seat only for the Tisch of Trichu
    kind: AskKind
    chosen: str  # in words
    before: tuple[Fact, ...]  # the facts that led to it
    side: int  # place of the player's points
    recorded: tuple[int, ...] | None  # points of the round; None: it was not finished


def fork_point(record: Record, at: int, *, seat: Seat | None = None) -> ForkPoint:
    """Return decision `at` (from 1) of a record, or of one hand.

    Raises `RecordError` where the record does not replay, `ConfigError` where there is no such
    decision, or no points to compare.
    """
    rules = record.config.settings.rules
    if rules.variant is Variant.GRAND_SEIGNEUR:
        raise ConfigError(
            "Grand Seigneur has no points to compare: fork a match of another variant"
        )
    index, number, ask = _decision(record, at, seat)
    fact = record.facts[index]
    assert isinstance(fact, Answered)
    round_ = max(one.round for one in record.facts[:index] if isinstance(one, Dealt))
    ended = (one for one in record.facts[index:] if isinstance(one, RoundEnded | Dealt))
    after = next(ended, None)
    return ForkPoint(
        number=number,
        round=round_,
        hand=ask.seat,
        player=ask.to,
        kind=ask.kind,
        chosen=describe(fact.decision),
        before=record.facts[:index],
        side=ask.to if rules.variant is Variant.TRICHU else ask.to % 2,
        recorded=after.points if isinstance(after, RoundEnded) else None,
    )


def margin(points: tuple[int, ...], side: int) -> int:
    """Return what a round is worth to a side: its points less the other's; in Trichu its points.

    >>> margin((30, 70), 1), margin((10, 20, 0, 70), 3)
    (40, 70)
    """
    return 2 * points[side] - sum(points) if len(points) == 2 else points[side]


def _decision(record: Record, at: int, seat: Seat | None) -> tuple[int, int, Ask]:
    """Return the place of the fact, its number among all decisions, and its ask."""
    asks: dict[tuple[Seat, int], Ask] = {}
    number = count = 0
    for replayed in replays(record):
        for offset, fact in enumerate(replayed.step.facts):
            if isinstance(fact, Answered) and is_taken(fact):
                number += 1
                ask = asks[fact.seat, fact.ask]
                count += seat in (None, ask.seat)
                if count == at and seat in (None, ask.seat):
                    return replayed.index + offset, number, ask
        asks |= {(ask.to, ask.id): ask for ask in replayed.step.asks}
    of = "the record" if seat is None else f"seat {seat}"
    raise ConfigError(f"--at {at}: {of} has {count} decisions")

"""One board under the rulings: which attempt counts, which were void, whether it is over."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from referee.ladder.attempts import FIELD_TABLES, Attempt, attempts_of, is_unknown, struck_by
from referee.ladder.outcomes import BoardHistory, Fate, FieldLeg, RatedBoard
from referee.ladder.rulings import AnnulledBoard, AnnulledMatch, Decided
from referee.ladder.seats import TRIO
from referee.ladder.values import TEAM, LegResult, pairing_of
from referee.match.values import Ending
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions
from referee.rules.worst import worst_new_round

MOST_VOID = 20  # attempts at one board, those that were stopped not counted; then it is given up


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of one board, and what it adds to the numbers of a ladder, name by name."""

    history: BoardHistory
    rated: tuple[RatedBoard, ...]
    field_legs: tuple[FieldLeg, ...]
    played: tuple[str, ...]
    unknown: tuple[str, ...]
    void: tuple[str, ...]
    failed: tuple[str, ...]


class Court(msgspec.Struct, frozen=True, kw_only=True):
    """What the attempts at a board are judged by."""

    decided: Decided
    owners: Mapping[str, str]
    charged: frozenset[str]

    def verdict(self, legs: Sequence[LegResult]) -> Verdict:
        """Judge a board by all its legs."""
        attempts = attempts_of(legs)
        struck = struck_by(attempts, self._annulled(legs))
        judged = [_Judged(attempt, self, struck) for attempt in attempts]
        valid = next((one for one in judged if one.counts), None)
        is_field = attempts[0].is_field
        standing = [leg for leg in legs if leg.match_id not in struck]
        return Verdict(
            history=_history(judged, valid),
            rated=() if valid is None or is_field else tuple(_rated_boards(valid.rated)),
            field_legs=tuple(map(_field_leg, valid.rated)) if valid and is_field else (),
            played=tuple(entry for leg in standing for entry in self._current(leg)),
            unknown=tuple(
                entry
                for leg in standing
                if is_unknown(leg)
                for entry in self._current(leg)
                if entry in leg.faulty
            ),
            void=tuple(entry for one in judged for entry in one.void_entries()),
            failed=tuple(pairing for one in judged for pairing in one.failures()),
        )

    def _annulled(self, legs: Sequence[LegResult]) -> list[AnnulledBoard | AnnulledMatch]:
        """Return the annulments that are about a board."""
        if not self.decided.annulled:
            return []
        place, ids = legs[0].place, {leg.match_id for leg in legs}
        return [
            named
            for named in self.decided.annulled
            if (
                named.match_id in ids
                if isinstance(named, AnnulledMatch)
                else (named.pairing, named.board) == (place.pairing, place.board)
            )
        ]

    def _current(self, leg: LegResult) -> Iterator[str]:
        """Yield who played a leg with the version that counts."""
        return (side.entry for side in leg.place.sides if self.decided.is_current(side))

    def closes(self, leg: LegResult) -> bool:
        """Whether a leg counts for nothing, whatever it brought, and is not played again."""
        sides, decided = leg.place.sides, self.decided
        if len({self.owners.get(side.entry, side.owner) for side in sides}) < len(sides):
            return True
        return any(decided.is_out(side.entry) or not decided.is_current(side) for side in sides)

    def seen(self, leg: LegResult) -> LegResult:
        """Return a leg as it counts: unknown, it may be lost for the one entry that was missing.

        Its points then are the worst of a new round under the usual rules: how far the leg had
        come is nothing that anyone could be held to.
        """
        if not (is_unknown(leg) and len(leg.faulty) == 1 and leg.faulty[0] in self.charged):
            return leg
        loser = [side.entry for side in leg.place.sides].index(leg.faulty[0])
        lost, won = worst_new_round(0, RuleOptions(variant=_game_of(leg)))
        points = tuple(lost if side == loser else won for side in range(len(leg.place.sides)))
        return msgspec.structs.replace(leg, points=points, rounds=1, rated=True)


def _game_of(leg: LegResult) -> Variant:
    """Return the game that a leg was, as its seats say it."""
    if len(leg.place.sides) == TRIO:
        return Variant.TRICHU
    is_tichu = all(len(side.players) == TEAM for side in leg.place.sides)
    return Variant.TICHU if is_tichu else Variant.TIENTSIN


class _Judged:
    """An attempt under the rulings: which legs are rated, which void, and whether it counts."""

    def __init__(self, attempt: Attempt, court: Court, struck: frozenset[str]) -> None:
        self.attempt = attempt
        legs = [court.seen(leg) for leg in attempt.legs]
        standing = [leg for leg in legs if not court.closes(leg)]
        self.closed = len(standing) < len(legs)
        standing = [leg for leg in standing if leg.match_id not in struck]
        self.rated = [leg for leg in standing if leg.rated]
        self.counts = len(self.rated) >= (FIELD_TABLES if attempt.is_field else attempt.size)
        if attempt.is_field:
            self.void = [leg for leg in standing if not (self.counts and leg.rated)]
        else:
            self.void = [] if self.counts or len(standing) < len(legs) else standing[:1]

    def void_entries(self) -> Iterator[str]:
        """Who sat there in vain: in a field at each table that does not count."""
        for leg in self.void:
            yield from (side.entry for side in leg.place.sides)

    def failures(self) -> Iterator[str]:
        """Who sat there in vain although nobody stopped it: the next may fail in the same way."""
        legs = self.attempt.legs
        broken_off = not self.attempt.is_field and len(legs) < self.attempt.size
        if not (broken_off or any(leg.ending == Ending.CANCELLED for leg in legs)):
            yield from (pairing_of(*(side.entry for side in leg.place.sides)) for leg in self.void)


def _history(of_board: Sequence[_Judged], valid: _Judged | None) -> BoardHistory:
    last = of_board[-1].attempt
    if valid is not None:
        fate = Fate.RATED
    elif last.is_field or any(one.closed for one in of_board):
        fate = Fate.CLOSED
    else:
        given_up = sum(any(one.failures()) for one in of_board) >= MOST_VOID
        fate = Fate.GIVEN_UP if given_up else Fate.OPEN
    legs = [leg for one in of_board for leg in one.attempt.legs]
    return BoardHistory(
        pairing=last.pairing,
        board=last.board,
        attempts=last.attempt,
        fate=fate,
        entries=tuple(sorted({side.entry for leg in legs for side in leg.place.sides})),
    )


def _rated_boards(legs: Sequence[LegResult]) -> Iterator[RatedBoard]:
    """Yield what a board says of each two that sat there."""
    place = legs[0].place
    for first, second in combinations(sorted(side.entry for side in place.sides), 2):
        yield RatedBoard(
            pairing=place.pairing,
            board=place.board,
            attempt=place.attempt,
            first=first,
            second=second,
            margin=sum(_points_of(leg, first) - _points_of(leg, second) for leg in legs),
            rounds=sum(leg.rounds for leg in legs),
            legs=tuple(legs),
        )


def _points_of(leg: LegResult, entry: str) -> int:
    return leg.points[[side.entry for side in leg.place.sides].index(entry)]


def _field_leg(leg: LegResult) -> FieldLeg:
    place = leg.place
    return FieldLeg(
        board=place.board,
        attempt=place.attempt,
        table=place.leg,
        first=place.sides[0].entry,
        second=place.sides[1].entry,
        margin=leg.points[0] - leg.points[1],
        rounds=leg.rounds,
        leg=leg,
    )

"""Which legs of a ladder count, and of the others why not, in words."""

import enum
from collections.abc import Mapping, Sequence
from itertools import groupby

import msgspec

from referee.ladder.attempts import Attempt, attempts_of, struck_by
from referee.ladder.boards import resolve
from referee.ladder.habits import counted_legs
from referee.ladder.rulings import AnnulledMatch, Decided, annulled_by, decide
from referee.ladder.values import LegResult, Ruling, RulingKind


class WhyNot(enum.StrEnum):
    """Why a leg does not count. Values stand in texts."""

    ANNULLED = "annulled"  # by a ruling on its board or on one leg of it
    DISQUALIFIED = "disqualified"  # one of its entries was
    REPLACED = "replaced"  # one of its entries plays on with another version
    ONE_OWNER = "one owner"  # somebody runs both entries
    VOID = "void board"  # a leg of the attempt is missing or not rated
    OTHER_ATTEMPT = "other attempt"  # an earlier attempt at the board counts


class NotCounted(msgspec.Struct, frozen=True, kw_only=True):
    """Why a leg does not count; `text` adds to it the ruling or what else there is to know."""

    why: WhyNot
    text: str


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a ladder by match id: those that count as they count, of the others why not."""

    counted: Mapping[str, LegResult]
    others: Mapping[str, NotCounted]

    def says(self, match_id: str) -> str:
        """Return whether a leg counts: `yes`, or `no: ` with the reason; `-` without a result."""
        if match_id in self.counted:
            return "yes"
        return f"no: {self.others[match_id].text}" if match_id in self.others else "-"

    def why_not(self, match_id: str) -> str:
        """Return why a leg does not count; "" for one that does."""
        return self.others[match_id].text if match_id in self.others else ""


def counting(
    results: Sequence[LegResult], rulings: Sequence[Ruling], *, owners: Mapping[str, str]
) -> Counting:
    """Return what counts of the results of one event, as `resolve` has it.

    Raises ConfigError where results cannot be legs of one ladder.
    """
    resolved = resolve(results, rulings, owners=owners)
    counted = {leg.match_id: leg for leg in counted_legs(resolved)}
    reader = _Reader(rulings, owners)
    by_board = sorted(results, key=lambda leg: (leg.place.pairing, leg.place.board))
    others: dict[str, NotCounted] = {}
    for _, legs in groupby(by_board, key=lambda leg: (leg.place.pairing, leg.place.board)):
        board = list(legs)
        if any(leg.match_id not in counted for leg in board):
            others |= reader.others(board, counted)
    return Counting(counted=counted, others=others)


class _Reader:
    """Finds the reasons."""

    def __init__(self, rulings: Sequence[Ruling], owners: Mapping[str, str]) -> None:
        self._rulings = sorted(rulings, key=lambda one: one.number)
        self._decided: Decided = decide(rulings)
        self._owners = owners

    def others(
        self, board: Sequence[LegResult], counted: Mapping[str, LegResult]
    ) -> dict[str, NotCounted]:
        """Return why legs of a board do not count, by match id."""
        attempts = attempts_of(board)
        annulled = self._annulled(attempts)
        valid = next(
            (leg.place.attempt for leg in board if leg.match_id in counted),
            None,
        )
        return {
            leg.match_id: annulled.get(leg.match_id)
            or self._closed(leg)
            or _void(leg, attempt, valid)
            for attempt in attempts
            for leg in attempt.legs
            if leg.match_id not in counted
        }

    def _annulled(self, attempts: Sequence[Attempt]) -> dict[str, NotCounted]:
        """Return the legs of a board that rulings took out, each by the first that did."""
        ids = {leg.match_id for attempt in attempts for leg in attempt.legs}
        about = []
        found: dict[str, NotCounted] = {}
        for ruling in self._rulings:
            if ruling.kind is not RulingKind.ANNUL:
                continue
            named = annulled_by(ruling.subject)
            if isinstance(named, AnnulledMatch):
                if named.match_id not in ids:
                    continue
            elif not any(attempt.holds(named) for attempt in attempts):
                continue
            about.append(named)
            why = NotCounted(why=WhyNot.ANNULLED, text=f"annulled by ruling {ruling.number}")
            for match_id in struck_by(attempts, about):
                found.setdefault(match_id, why)
        return found

    def _closed(self, leg: LegResult) -> NotCounted | None:
        """Return why it counts for nothing, whatever it brought."""
        for side in leg.place.sides:
            if self._decided.is_out(side.entry):
                number = self._number(RulingKind.DISQUALIFY, side.entry)
                return NotCounted(
                    why=WhyNot.DISQUALIFIED, text=f"{side.entry} disqualified by ruling {number}"
                )
        for side in leg.place.sides:
            if not self._decided.is_current(side):
                number = self._number(RulingKind.REPLACE, side.entry)
                return NotCounted(
                    why=WhyNot.REPLACED,
                    text=f"version of {side.entry} replaced by ruling {number}",
                )
        owners = {self._owners.get(side.entry, side.owner) for side in leg.place.sides}
        if len(owners) == 1:
            return NotCounted(why=WhyNot.ONE_OWNER, text="both entries have one owner")
        return None

    def _number(self, kind: RulingKind, entry: str) -> int:
        """Return the last ruling of a kind on an entry."""
        return max(one.number for one in self._rulings if one.kind is kind and one.subject == entry)


def _void(leg: LegResult, attempt: Attempt, valid: int | None) -> NotCounted:
    if not leg.rated:
        text = f"void board, blame {leg.blame}"
    elif valid is not None and attempt.is_rated():
        return NotCounted(why=WhyNot.OTHER_ATTEMPT, text=f"attempt {valid} counts")
    elif attempt.is_field:
        text = "void board, no other table of the deal counts"
    elif len(attempt.legs) == 1:
        text = "void board, the other leg was not finished"
    elif all(one.rated for one in attempt.legs):
        text = "void board, the other leg does not count"
    else:
        text = "void board, the other leg is not rated"
    return NotCounted(why=WhyNot.VOID, text=text)

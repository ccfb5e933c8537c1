"""Which entries fail one match after the other."""

from collections import Counter
from collections.abc import Iterable, Sequence

from referee.ladder.rulings import AnnulledBoard, Decided
from referee.ladder.values import Deals, LegResult, Ruling, RulingKind

FAILED_IN_A_ROW = 3  # and no more boards
_ALL = 0  # as a leg: all matches of an entry

_Key = tuple[str, int]  # entry and leg


class FailedInARow:
    """Failed matches in a row: of an entry, and of an entry in one leg of its boards.

    Each leg has processes of its own: one that is broken is not made good by the other leg's. What
    fails at the same time counts once: a process that plays several boards ends all of them when
    it crashes. For the entry the legs of one board count each.
    """

    def __init__(self) -> None:
        self._endings: dict[_Key, list[str]] = {}
        self._at: dict[_Key, tuple[int, int]] = {}  # last failure: its board, boards begun by then

    def take(self, leg: LegResult, *, board: int, begun: int) -> dict[str, str]:
        """Take a match; return the entries that have failed too often by now, and why so.

        `board` counts boards in the order in which they began, from 1; `begun` is how many have by
        now.
        """
        found = {side.entry: self._take(leg, side.entry, board, begun) for side in leg.place.sides}
        return {entry: reason for entry, reason in found.items() if reason}

    def forget(self, entry: str) -> None:
        """Begin anew: the entry plays on with another version."""
        for key in [key for key in self._endings if key[0] == entry]:
            del self._endings[key], self._at[key]

    def begin(
        self,
        results: Iterable[LegResult],
        rulings: Sequence[Ruling],
        decided: Decided,
        *,
        at_once: int,
    ) -> dict[str, str]:
        """Take what earlier runs left; return who should have been stopped then, and why.

        No result says when it ended: they are taken by the numbers of their boards. `at_once`
        boards of an entry may have been ended by one crash. Each quarantine that is on record
        begins the count anew, since whoever plays after it was replaced.
        """
        spent = Counter(one.subject for one in rulings if one.kind is RulingKind.QUARANTINE)
        numbers: dict[str, dict[tuple[str, int, int], int]] = {}
        full: dict[str, str] = {}
        for leg in sorted(results, key=_order):
            for side in leg.place.sides:
                if not decided.is_current(side) or _is_annulled(leg, decided):
                    continue
                known = numbers.setdefault(side.entry, {})
                place = (leg.place.pairing, leg.place.board, leg.place.attempt)
                number = known.setdefault(place, len(known) + 1)
                reason = self._take(leg, side.entry, number, number + at_once - 1)
                if reason and spent[side.entry]:
                    spent[side.entry] -= 1
                    self.forget(side.entry)
                elif reason:
                    full[side.entry] = reason
                elif leg.rated and side.entry not in leg.faulty:
                    full.pop(side.entry, None)
        return full

    def _take(self, leg: LegResult, entry: str, board: int, begun: int) -> str:
        """Return why the entry is to play no more, "" if it may."""
        number = 1 if leg.place.deals is Deals.FIELD else leg.place.leg
        reasons = {_ALL: "", number: f" in leg {number}"}
        for key in ((entry, one) for one in reasons):
            if entry in leg.faulty:
                if self._add(key, leg.ending, board, begun) >= FAILED_IN_A_ROW:
                    endings = self._endings[key]
                    where, what = reasons[key[1]], ", ".join(endings)
                    return f"{len(endings)} failed matches in a row{where}: {what}"
            elif leg.rated:
                self._endings.pop(key, None)
                self._at.pop(key, None)
        return ""

    def _add(self, key: _Key, ending: str, board: int, begun: int) -> int:
        """Return how many there are now, or 0 where this one counts for nothing."""
        last, known = self._at.get(key, (0, 0))
        if board != last and board <= known:
            return 0
        self._at[key] = (board, begun)
        endings = self._endings.setdefault(key, [])
        endings.append(ending)
        return len(endings)


def boards_of(results: Sequence[LegResult]) -> int:
    """Return how many boards were begun, every attempt one."""
    return len({leg.place.deal for leg in results})


def _order(leg: LegResult) -> tuple[int, int, str, int]:
    place = leg.place
    return place.board, place.attempt, place.pairing, place.leg


def _is_annulled(leg: LegResult, decided: Decided) -> bool:
    place = leg.place
    for one in decided.annulled:
        if isinstance(one, AnnulledBoard):
            same = (one.pairing, one.board) == (place.pairing, place.board)
            if same and one.attempt in (0, place.attempt):
                return True
        elif one.match_id == leg.match_id:
            return True
    return False

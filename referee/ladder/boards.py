"""From results of legs and rulings to what is rated: the valid attempt of each board.

The valid attempt of a board is the lowest whose legs are all rated and none annulled. An attempt
that has fewer legs than it should was broken off; it is void, as one with a leg that is not rated.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from referee.ladder.attempts import charged_by, check_result, twice
from referee.ladder.outcomes import BoardHistory, Fate, FieldLeg, RatedBoard, Resolved
from referee.ladder.rulings import (
    BOARD_MARK,
    AnnulledBoard,
    AnnulledMatch,
    Decided,
    annulled_by,
    decide,
)
from referee.ladder.values import FIELD, PAIR_MARK, LegResult, Ruling, pairing_of
from referee.ladder.verdicts import MOST_VOID, Court, Verdict
from referee.rules.errors import ConfigError

__all__ = [
    "MOST_VOID",
    "BoardHistory",
    "Fate",
    "FieldLeg",
    "RatedBoard",
    "Resolved",
    "Resolver",
    "annul_subject",
    "is_about",
    "resolve",
]

_Board = tuple[str, int]  # pairing and number
_SHOWN = 8  # of many, in an error


def resolve(
    results: Iterable[LegResult], rulings: Sequence[Ruling], *, owners: Mapping[str, str]
) -> Resolved:
    """Return what counts of the results of one event, under its rulings.

    `owners` says who runs an entry; of one that is not named there, the owner that stands in the
    result counts. Raises ConfigError where results cannot be legs of one ladder.
    """
    resolver = Resolver(owners)
    resolver.rule(rulings)
    resolver.add(results)
    return resolver.resolved()


class Resolver:
    """What counts while results come in: each is looked at once, and again after a ruling.

    The answer is that of `resolve`. With 20,000 legs that takes a second, too long for every board.
    """

    def __init__(self, owners: Mapping[str, str]) -> None:
        self._owners = owners
        self._decided = Decided()
        self._charged: frozenset[str] = frozenset()
        self._legs: dict[_Board, dict[tuple[int, int], LegResult]] = {}
        self._order: list[_Board] = []
        self._verdicts: dict[_Board, Verdict] = {}
        self._news: set[_Board] = set()  # boards whose verdict is to be made anew
        self._tallies = _Tallies()

    def rule(self, rulings: Sequence[Ruling]) -> None:
        """Take all rulings, old and new."""
        self._decided = decide(rulings)
        self._news.update(self._legs)

    def add(self, results: Iterable[LegResult]) -> None:
        """Take results; one that is there already changes nothing.

        Raises ConfigError where one cannot be a leg of this ladder; those before it are taken.
        """
        for result in results:
            check_result(result)
            place = result.place
            board = place.pairing, place.board
            if board not in self._legs:
                self._legs[board] = {}
                insort(self._order, board)
            legs = self._legs[board]
            there = legs.setdefault((place.attempt, place.leg), result)
            if there.match_id != result.match_id:
                raise twice(*sorted((there, result), key=lambda leg: leg.match_id))
            self._news.add(board)

    def resolved(self) -> Resolved:
        """Return what counts now."""
        self._judge_news()
        charged = charged_by(self._tallies.played, self._tallies.unknown)
        if charged != self._charged:
            self._charged = charged
            self._news.update(self._legs)
            self._judge_news()
        verdicts = [self._verdicts[board] for board in self._order]
        return Resolved(
            boards=tuple(board for one in verdicts for board in one.rated),
            field_legs=tuple(leg for one in verdicts for leg in one.field_legs),
            histories={(one.history.pairing, one.history.board): one.history for one in verdicts},
            void=_in_order(self._tallies.void),
            unknown=_in_order(self._tallies.unknown),
            charged=tuple(sorted(charged)),
            failed=_in_order(self._tallies.failed),
            annulled=self._annulled(),
        )

    def _annulled(self) -> dict[_Board, int]:
        found: dict[_Board, int] = {}
        for named in self._decided.annulled:
            if isinstance(named, AnnulledBoard) and named.attempt:
                board = named.pairing, named.board
                found[board] = max(named.attempt, found.get(board, 0))
        return found

    def _judge_news(self) -> None:
        court = Court(decided=self._decided, owners=self._owners, charged=self._charged)
        for board in self._news:
            if board in self._verdicts:
                self._tallies.count(self._verdicts[board], -1)
            verdict = self._verdicts[board] = court.verdict(list(self._legs[board].values()))
            self._tallies.count(verdict, 1)
        self._news.clear()


class _Tallies:
    """The numbers of a ladder, by name."""

    def __init__(self) -> None:
        self.played: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self.void: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def count(self, verdict: Verdict, times: int) -> None:
        """Add a verdict, or take it out again."""
        for tally, names in (
            (self.played, verdict.played),
            (self.unknown, verdict.unknown),
            (self.void, verdict.void),
            (self.failed, verdict.failed),
        ):
            for name in names:
                tally[name] += times


def _in_order(tally: Counter[str]) -> dict[str, int]:
    return {name: count for name, count in sorted(tally.items()) if count}


def annul_subject(resolved: Resolved, text: str) -> str:
    """Return the subject of an annulment as it stands in a ruling, for what an operator named.

    `text` is a match id, `PAIRING/BOARD` or `PAIRING/BOARD/ATTEMPT`; a board is written with the
    attempt that counts now, also where one of its matches was named. Raises ConfigError where
    nothing of that name counts.
    """
    named = annulled_by(text)
    if isinstance(named, AnnulledMatch):
        return _subject_of_match(resolved, named.match_id)
    pairing = _sorted_pairing(named.pairing)
    for attempt in _counting(resolved, pairing, named.board):
        if named.attempt in (0, attempt):
            return _board_subject(pairing, named.board, attempt)
    there = sorted(set(_counting_boards(resolved, pairing)))
    cure = f"of {pairing} there count {_ranges(there)}" if there else _pairings_that_count(resolved)
    raise ConfigError(f"annul {text}: no such board counts in this ladder now; {cure}")


def _subject_of_match(resolved: Resolved, match_id: str) -> str:
    """Return the board of a match: a record that is lost cannot say which one it was of.

    A table of a field stands for itself.
    """
    for board in resolved.boards:
        if any(leg.match_id == match_id for leg in board.legs):
            return _board_subject(board.pairing, board.board, board.attempt)
    if any(table.leg.match_id == match_id for table in resolved.field_legs):
        return match_id
    raise ConfigError(
        f"annul {match_id}: no match of that id counts in this ladder; name one as its record is "
        "named, without .jsonl, or a board as ENTRY~ENTRY/NUMBER"
    )


def _board_subject(pairing: str, board: int, attempt: int) -> str:
    return BOARD_MARK.join((pairing, str(board), str(attempt)))


def _counting_boards(resolved: Resolved, pairing: str) -> Iterator[int]:
    yield from (one.board for one in resolved.boards if one.pairing == pairing)
    yield from (one.board for one in resolved.field_legs if pairing == FIELD)


def _pairings_that_count(resolved: Resolved) -> str:
    names = {board.pairing for board in resolved.boards}
    names |= {FIELD for _ in resolved.field_legs[:1]}
    named = ", ".join(sorted(names)[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return f"there are boards of {named}{more}" if names else "no board counts yet"


def _ranges(numbers: Sequence[int]) -> str:
    """Return numbers in order, those in a row as from-to.

    >>> _ranges([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs]
    return ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")


def is_about(leg: LegResult, text: str) -> bool:
    """Whether a leg is among those that an operator named, as `annul_subject` reads it."""
    named, place = annulled_by(text), leg.place
    if isinstance(named, AnnulledMatch):
        return leg.match_id == named.match_id
    board = (_sorted_pairing(named.pairing), named.board)
    return (place.pairing, place.board) == board and named.attempt in (0, place.attempt)


def _sorted_pairing(text: str) -> str:
    entries = text.split(PAIR_MARK)
    return pairing_of(*entries) if len(entries) > 1 else text


def _counting(resolved: Resolved, pairing: str, board: int) -> Iterator[int]:
    for one in resolved.boards:
        if (one.pairing, one.board) == (pairing, board):
            yield one.attempt
    for table in resolved.field_legs:
        if (FIELD, table.board) == (pairing, board):
            yield table.attempt

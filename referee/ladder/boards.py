"""From results of legs and rulings to what is rated: the valid attempt of each board.

The valid attempt of a board is the lowest whose legs are all rated and none annulled. An attempt
that has fewer legs than it should was broken off; it is void, as one with a leg that is not rated.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from referee.ladder.attempts import charged_by, check_result, twice
from referee.ladder.outcomes import BoardHistory, Fate, FieldLeg, RatedBoard, Resolved
from referee.ladder.rulings import BOARD_MARK, AnnulledMatch, Decided, annulled_by, decide
from referee.ladder.values import FIELD, PAIR_MARK, TEAMS, LegResult, Ruling, pairing_of
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
            boards=tuple(one.rated for one in verdicts if one.rated is not None),
            field_legs=tuple(leg for one in verdicts for leg in one.field_legs),
            histories={(one.history.pairing, one.history.board): one.history for one in verdicts},
            void=_in_order(self._tallies.void),
            unknown=_in_order(self._tallies.unknown),
            charged=tuple(sorted(charged)),
            failed=_in_order(self._tallies.failed),
        )

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
    attempt that counts now. Raises ConfigError where nothing of that name counts.
    """
    named = annulled_by(text)
    if isinstance(named, AnnulledMatch):
        legs = [leg for board in resolved.boards for leg in board.legs]
        legs += [table.leg for table in resolved.field_legs]
        if all(leg.match_id != named.match_id for leg in legs):
            raise ConfigError(f"annul {text}: no match of that id counts in this ladder")
        return text
    pairing = _sorted_pairing(named.pairing)
    for attempt in _counting(resolved, pairing, named.board):
        if named.attempt in (0, attempt):
            return BOARD_MARK.join((pairing, str(named.board), str(attempt)))
    raise ConfigError(f"annul {text}: no such board counts in this ladder now")


def is_about(leg: LegResult, text: str) -> bool:
    """Whether a leg is among those that an operator named, as `annul_subject` reads it."""
    named, place = annulled_by(text), leg.place
    if isinstance(named, AnnulledMatch):
        return leg.match_id == named.match_id
    board = (_sorted_pairing(named.pairing), named.board)
    return (place.pairing, place.board) == board and named.attempt in (0, place.attempt)


def _sorted_pairing(text: str) -> str:
    entries = text.split(PAIR_MARK)
    return pairing_of(*entries) if len(entries) == TEAMS else text


def _counting(resolved: Resolved, pairing: str, board: int) -> Iterator[int]:
    for one in resolved.boards:
        if (one.pairing, one.board) == (pairing, board):
            yield one.attempt
    for table in resolved.field_legs:
        if (FIELD, table.board) == (pairing, board):
            yield table.attempt

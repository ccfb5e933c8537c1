"""What counts of the matches of a tournament, and which tables are still to be played."""

from collections.abc import Iterable, Sequence

from referee.formats.printable import printable
from referee.formats.summary import MatchSummary
from referee.ladder.partners import entrant_at, entrants_of
from referee.ladder.plans import BoardPlan
from referee.ladder.rulings import decide
from referee.ladder.tournament_scores import TableResult
from referee.ladder.tournament_standings import RoundScores
from referee.ladder.tournaments import Tournament
from referee.ladder.values import FIELD, TEAMS, LegResult, Ruling, RulingKind
from referee.match.values import Ending
from referee.rules.errors import ConfigError, RefereeBug

MOST_VOID = 5  # attempts at one table, those that were stopped not counted; then it is given up

_Sides = tuple[str, str]


class Misfit(ConfigError):
    """A match that has no place in the movement, by a key of the tournament's file."""

    def __init__(self, key: str, text: str) -> None:
        """`text` says what is wrong with it, and the cure."""
        super().__init__(f"{key}: {text}")
        self.key = key


class TournamentResults:
    """Matches of a tournament, each taken once. Of a table the first attempt that is rated counts.

    Where all tables of a round have the same cards, the round is one board with a leg for each
    table; else every table is a board of its own.
    """

    def __init__(self, tournament: Tournament, rulings: Iterable[Ruling] = ()) -> None:
        """`rulings` as `heed` takes them."""
        self._tournament = tournament
        self._rounds = len(tournament.movement.rounds)
        self._width = len(tournament.movement.rounds[0].tables)
        self._matches: dict[str, MatchSummary] = {}
        self._at: dict[tuple[int, _Sides], list[MatchSummary]] = {}
        self._attempts: dict[int, int] = {}  # the last one of each board
        self._annulled: frozenset[str] = frozenset()
        self._gone: frozenset[str] = frozenset()
        self.heed(rulings)

    def heed(self, rulings: Iterable[Ruling]) -> None:
        """Take all rulings there are: matches that count no more, and who plays no more."""
        found = list(rulings)
        self._annulled = frozenset(one.subject for one in found if one.kind is RulingKind.ANNUL)
        self._gone = frozenset(decide(found).stopped)

    @property
    def withdrawn(self) -> frozenset[str]:
        """The entrants that play no more."""
        return self._gone

    def add(self, summaries: Iterable[MatchSummary]) -> None:
        """Take matches; one that is there already changes nothing.

        Raises `Misfit` for one that has no place in the movement: it has fewer rounds now, the
        entrants are others, or come in another order, than when it was played.
        """
        new = [one for one in summaries if one.leg and one.match_id not in self._matches]
        begun = max((self._round_of(one.leg.place.board) for one in new if one.leg), default=0)
        if begun > self._rounds:
            text = f"round {begun} has begun, and its results stand; write rounds = {begun} or more"
            raise Misfit("rounds", f"{self._rounds} are too few: {text}")
        for summary in new:
            if summary.leg is not None and summary.match_id not in self._matches:
                self._add(summary, summary.leg)

    def _add(self, summary: MatchSummary, leg: LegResult) -> None:
        number, sides = self._round_of(leg.place.board), _sides(leg)
        if sides not in self._tournament.sides(number):
            named = " and ".join(printable(side) for side in sides)
            raise Misfit(
                "entry",
                f"match {summary.match_id}: {named} do not meet in round {number} of this "
                "movement: entries, their order, entrants and same_deals must stay as they were "
                "when the tournament began; or begin another one with another folder",
            )
        self._matches[summary.match_id] = summary
        self._at.setdefault((number, sides), []).append(summary)
        board, attempt = leg.place.board, leg.place.attempt
        self._attempts[board] = max(self._attempts.get(board, 0), attempt)

    def _round_of(self, board: int) -> int:
        return board if self._tournament.same_deals else (board - 1) // self._width + 1

    def seated(self, leg: LegResult) -> tuple[int, int]:
        """Return the round of a leg that was taken and the number of its table, both from 1."""
        number = self._round_of(leg.place.board)
        return number, self._tournament.sides(number).index(_sides(leg)) + 1

    def named(self, leg: LegResult) -> str:
        """Return the place of a leg that was taken, in words."""
        number, table = self.seated(leg)
        return f"round {number} table {table}"

    # --- what counts

    def table(self, number: int, sides: _Sides) -> TableResult | None:
        """Return the result of a table; None while it is to be played."""
        counts = self.counting(number, sides)
        if counts is not None and counts.leg is not None:
            return self._result(number, counts, counts.leg, given_up=not counts.leg.rated)
        gone = tuple(one for side in sides for one in entrants_of(side) if one in self._gone)
        if not gone:
            return None
        return TableResult(
            round=number,
            sides=(entrants_of(sides[0]), entrants_of(sides[1])),
            points=(0, 0),
            finished=(0, 0),
            deals=self._tournament.deals,
            withdrawn=gone,
        )

    def counting(self, number: int, sides: _Sides) -> MatchSummary | None:
        """Return the match that counts at a table: the last one where it was given up."""
        tried = sorted(self._at.get((number, sides), ()), key=_attempt)
        tried = [one for one in tried if one.match_id not in self._annulled]
        for summary in tried:
            if summary.leg is not None and summary.leg.rated:
                return summary
        failed = [one for one in tried if one.leg and one.leg.ending != Ending.CANCELLED]
        return failed[-1] if len(failed) >= MOST_VOID else None

    def all_counting(self) -> dict[str, MatchSummary]:
        """Return all matches that count, by match id."""
        found = (self.counting(*at) for at in self._at)
        return {one.match_id: one for one in found if one is not None}

    def match(self, match_id: str) -> MatchSummary | None:
        """Return a match that was taken, whether it counts or not."""
        return self._matches.get(match_id)

    def _result(
        self, number: int, summary: MatchSummary, leg: LegResult, *, given_up: bool = False
    ) -> TableResult:
        first, second = leg.place.sides
        made = [sum(one.points[team] for one in summary.rounds) for team in range(TEAMS)]
        return TableResult(
            round=number,
            sides=(entrants_of(first.entry), entrants_of(second.entry)),
            points=(leg.points[0], leg.points[1]),
            finished=(made[0], made[1]),
            deals=self._tournament.deals,
            at_fault=failed_entrants(summary, leg),
            given_up=given_up,
        )

    def round(self, number: int) -> RoundScores | None:
        """Return what a round brought, from 1; None while a table of it is to be played."""
        tables = [self.table(number, sides) for sides in self._tournament.sides(number)]
        over = tuple(table for table in tables if table is not None)
        if len(over) < len(tables):
            return None
        return RoundScores(number=number, tables=over, byes=self._tournament.byes(number))

    def rounds(self) -> tuple[RoundScores, ...]:
        """Return all rounds that are over, up to the first that is not."""
        found: list[RoundScores] = []
        for number in range(1, self._rounds + 1):
            one = self.round(number)
            if one is None:
                break
            found.append(one)
        return tuple(found)

    @property
    def done(self) -> int:
        """How many tables are over."""
        return sum(
            self.table(number, sides) is not None
            for number in range(1, self._rounds + 1)
            for sides in self._tournament.sides(number)
        )

    @property
    def begun(self) -> int:
        """How many rounds have begun."""
        return max((number for number, _ in self._at), default=0)

    # --- what is to be played

    def next_boards(self) -> tuple[BoardPlan, ...]:
        """Return what is to be played of the first round that is not over; none once all are."""
        rounds = range(1, self._rounds + 1)
        return next((due for number in rounds if (due := self.boards(number))), ())

    def boards(self, number: int) -> tuple[BoardPlan, ...]:
        """Return what is to be played of a round: none once it is over.

        What was begun and does not count has new cards, since the bots have seen the old ones.
        """
        sides = self._tournament.sides(number)
        due = [at for at, one in enumerate(sides) if self.table(number, one) is None]
        if not due:
            return ()
        if self._tournament.same_deals:
            return (self._board(number, [sides[at] for at in due]),)
        first = (number - 1) * self._width + 1
        return tuple(self._board(first + at, [sides[at]]) for at in due)

    def _board(self, board: int, tables: Sequence[_Sides]) -> BoardPlan:
        attempt = self._attempts.get(board, 0) + 1
        return BoardPlan(pairing=FIELD, board=board, attempt=attempt, tables=tuple(tables))


def _sides(leg: LegResult) -> _Sides:
    first, second = leg.place.sides
    return first.entry, second.entry


def _attempt(summary: MatchSummary) -> int:
    if summary.leg is None:
        raise RefereeBug(f"match {summary.match_id} has no place")
    return summary.leg.place.attempt


def failed_entrants(summary: MatchSummary, leg: LegResult) -> tuple[str, ...]:
    """Return the entrants whose bots ended a match."""
    seats = sorted({note.seat for note in summary.faults if note.ended_match})
    names = [entrant_at(leg.place.sides[seat % TEAMS].entry, seat // TEAMS) for seat in seats]
    return tuple(dict.fromkeys(names))

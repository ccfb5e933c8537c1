"""Who wins a match that a fault ended, and that failing did not pay (PROTOCOL: Endings)."""

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.position import Phase, Position

CARD_MARGIN = 150  # card points of a round are at most 125 to -25 (F2)
MANY = 5  # with as many cards in each hand nothing is forced


class Awards:
    """Judges winner and points of a match that was not completed."""

    def __init__(self, history: History, report: Report) -> None:
        self._history, self._report = history, report

    def judge(self, ended: match_pb2.MatchEnded, at: int, name: str) -> None:
        """Judge the winner, and the points that are awarded if there are any."""
        failed = set(ended.failed_seats) | ({ended.seat} if ended.HasField("seat") else set())
        loser = self._loser(failed) if ended.blame == match_pb2.BLAME_BOT else None
        awarded = list(ended.awarded)
        due = None if loser is None else self._winner(loser, awarded)
        told = ended.winner if ended.HasField("winner") else None
        if told != due:
            self._report.add(F.WINNER, at, f"{name}: {told} wins, seats {sorted(failed)} failed")
        if loser is None:
            if awarded:
                self._report.add(F.AWARDED, at, f"{name}: {awarded}, though nobody wins")
        elif len(awarded) != self._history.rules.columns:
            self._report.add(F.AWARDED, at, f"{name}: {awarded} is awarded")
        else:
            self._awarded(awarded, loser, at)

    def _loser(self, failed: set[int]) -> int | None:
        """The one team that failed, in Trichu the player; None of several or without points."""
        if not self._history.rules.has_teams:
            return None
        trichu = self._history.rules.variant == "trichu"
        losers = failed if trichu else {seat % 2 for seat in failed}
        return next(iter(losers)) if len(losers) == 1 else None

    def _winner(self, loser: int, awarded: list[int]) -> int | None:
        rules = self._history.rules
        if rules.variant != "trichu":
            return 1 - loser
        others = [seat for seat in rules.players if seat != loser and seat < len(awarded)]
        best = max((awarded[seat] for seat in others), default=0)
        first = [seat for seat in others if awarded[seat] == best]
        return first[0] if len(first) == 1 else None

    def _awarded(self, awarded: list[int], loser: int, at: int) -> None:
        """Who failed gets no more than it could still have been beaten to."""
        here = self._history.after[-1]
        team = here.seats.teams[loser] if self._history.rules.variant == "trichu" else loser
        most = self._round_bound(here, team)
        gained = [new - old for new, old in zip(awarded, here.totals, strict=True)]
        others = {gain for column, gain in enumerate(gained) if column != loser}
        if len(others) != 1:
            self._report.add(F.AWARDED, at, f"{awarded}: the others get different {others}")
        if gained[loser] - min(others) > most:
            self._report.add(F.AWARDED, at, f"{awarded} for failing {loser}, at most {most} apart")

    def _round_bound(self, at: Position, team: int) -> int:
        """A bound for the margin of the worst end of the running round.

        With many cards about it is that of one bad end which is surely still possible; with few
        the play may be forced, and it is that of the best end.
        """
        if at.phase is Phase.OVER:
            return 0
        victory, teams = self._history.rules.victory, at.seats.teams
        bets = [(seat, r.VALUE_OF_BET[call]) for seat, call in at.bets.items()]
        if any(count < MANY for seat, count in enumerate(at.counts) if seat not in at.out):
            return max(CARD_MARGIN, victory) + sum(value for _, value in bets)
        if not at.out:
            margin = -victory
            firsts = [seat for seat, side in enumerate(teams) if side != team]
        else:  # a partner may have to go out after the first
            own = teams[at.out[0]] == team
            margin, firsts = max(CARD_MARGIN, victory) if own else CARD_MARGIN, [at.out[0]]
        ends = []
        for first in firsts:
            own_bets = sum(v if s == first else -v for s, v in bets if teams[s] == team)
            others = sum(v if s == first else -v for s, v in bets if teams[s] != team)
            ends.append(margin + own_bets - others)
        return min(ends)

"""What a match means for a ladder: points that count, or that it counts for nothing."""

from collections.abc import Sequence

from referee.formats.answer_counts import AnswerBook, by_team
from referee.formats.fault_notes import failed_seats
from referee.ladder.values import TEAMS, LegPlace, LegResult
from referee.match.facts import MatchEnded
from referee.match.values import Ending, MatchConfig
from referee.rules.options import RuleOptions, team_of
from referee.rules.worst import worst_new_round


def leg_result(
    place: LegPlace,
    config: MatchConfig,
    ended: MatchEnded,
    answers: AnswerBook,
    *,
    mid_round: bool,
) -> LegResult:
    """Return the result of a leg. `mid_round`: a round had begun and was not finished.

    It is rated where the match was completed, or where bots of one team ended it: then the worst
    counts that this team could still get. A match that nobody is to blame for, or the referee, the
    network, nobody knows who, or bots of both teams, counts for nothing (PROTOCOL 5).
    """
    rules = config.settings.rules
    if ended.awarded:
        points: Sequence[int] = ended.awarded
        rounds = _rounds_awarded(rules, ended, mid_round=mid_round)
    else:
        points, rounds = ended.totals, ended.rounds
    return LegResult(
        place=place,
        match_id=config.match_id,
        points=(points[0], points[1]),
        rounds=max(1, rounds),
        ending=ended.ending.value,
        blame=ended.blame.value,
        rated=bool(ended.awarded) or ended.ending is Ending.COMPLETED,
        faulty=_faulty(place, rules, ended),
        answers=by_team(answers.given),
        defaults=by_team(answers.defaults),
    )


def _faulty(place: LegPlace, rules: RuleOptions, ended: MatchEnded) -> tuple[str, ...]:
    teams = {team_of(rules, seat) for seat in failed_seats(ended)}
    return tuple(place.sides[team].entry for team in sorted(teams))


def _rounds_awarded(rules: RuleOptions, ended: MatchEnded, *, mid_round: bool) -> int:
    """Return how many rounds the awarded points stand for.

    Points are compared by round: the worst of many rounds counted as that of one would weigh as
    much as dozens of boards. To a target they are the rounds that were finished, and as many of
    the worst kind as it takes to lose by so much.
    """
    if rules.rounds is not None:
        return rules.rounds
    loser = TEAMS - 1 - ended.winner if ended.winner is not None else 0
    worst = worst_new_round(loser, rules)
    lost = _behind(ended.awarded, loser) - _behind(ended.totals, loser)
    return ended.rounds + max(int(mid_round), -(-lost // _behind(worst, loser)))


def _behind(points: Sequence[int], team: int) -> int:
    """Return by how many points a team is behind the other."""
    return points[TEAMS - 1 - team] - points[team]

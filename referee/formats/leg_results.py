"""What a match means for a ladder: points that count, or that it counts for nothing."""

from collections.abc import Sequence

from referee.formats.answer_counts import AnswerBook, by_side
from referee.formats.fault_notes import failed_seats
from referee.ladder.seats import points_by_side, side_at
from referee.ladder.values import TEAMS, LegPlace, LegResult
from referee.match.facts import MatchEnded
from referee.match.values import Ending, MatchConfig
from referee.rules.options import RuleOptions, match_rounds
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
        columns: Sequence[int] = ended.awarded
        rounds = _rounds_awarded(rules, ended, mid_round=mid_round)
    else:
        columns, rounds = ended.totals, ended.rounds
    sides = len(place.sides)
    return LegResult(
        place=place,
        match_id=config.match_id,
        points=points_by_side(columns, sides),
        rounds=max(1, rounds),
        ending=ended.ending.value,
        blame=ended.blame.value,
        rated=bool(ended.awarded) or ended.ending is Ending.COMPLETED,
        faulty=_faulty(place, ended),
        answers=by_side(answers.given, sides),
        defaults=by_side(answers.defaults, sides),
    )


def _faulty(place: LegPlace, ended: MatchEnded) -> tuple[str, ...]:
    failed = {side_at(len(place.sides), seat) for seat in failed_seats(ended)}
    return tuple(one.entry for side, one in enumerate(place.sides) if side in failed)


def _rounds_awarded(rules: RuleOptions, ended: MatchEnded, *, mid_round: bool) -> int:
    """Return how many rounds the awarded points stand for.

    Points are compared by round: the worst of many rounds counted as that of one would weigh as
    much as dozens of boards. To a target they are the rounds that were finished, and as many of
    the worst kind as it takes to lose by so much.
    """
    fixed = match_rounds(rules)
    if fixed is not None:
        return fixed
    loser = TEAMS - 1 - ended.winner if ended.winner is not None else 0
    worst = worst_new_round(loser, rules)
    lost = _behind(ended.awarded, loser) - _behind(ended.totals, loser)
    return ended.rounds + max(int(mid_round), -(-lost // _behind(worst, loser)))


def _behind(points: Sequence[int], team: int) -> int:
    """Return by how many points a team is behind the other."""
    return points[TEAMS - 1 - team] - points[team]

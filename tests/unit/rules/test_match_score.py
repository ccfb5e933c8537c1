"""F4 and A2: totals, the end of a match, the next dealer; and the options that only show here."""

import pytest

from referee.rules.cards import Seat
from referee.rules.errors import RefereeBug
from referee.rules.match_score import MatchScore
from referee.rules.option_values import TieAtTarget
from referee.rules.options import RuleOptions


def scored(options: RuleOptions, *rounds: tuple[int, int]) -> MatchScore:
    score = MatchScore(options)
    for points in rounds:
        score.add(points)
    return score


def test_totals_add_up_and_may_be_negative() -> None:
    assert scored(RuleOptions(), (-25, 125), (100, -100)).totals == (75, 25)


def test_the_winner_of_a_round_deals_the_next() -> None:
    score = MatchScore(RuleOptions())
    assert score.dealer == 0
    score.add((100, 0), order=(Seat(3), Seat(0), Seat(1), Seat(2)))
    assert score.dealer == 3


def test_no_match_is_over_before_a_round() -> None:
    score = MatchScore(RuleOptions(), totals=(1200, 0))
    assert not score.is_over
    assert score.winner is None


def test_the_higher_total_wins_when_both_reach_the_target() -> None:
    score = MatchScore(RuleOptions(), totals=(960, 990))
    score.add((50, 50))
    assert (score.is_over, score.winner) == (True, 1)


def test_an_exact_tie_is_played_on_or_drawn() -> None:
    played_on = MatchScore(RuleOptions(), totals=(950, 950))
    played_on.add((50, 50))
    assert not played_on.is_over
    drawn = MatchScore(RuleOptions(tie_at_target=TieAtTarget.DRAW), totals=(950, 950))
    drawn.add((50, 50))
    assert (drawn.is_over, drawn.winner) == (True, None)


def test_without_rounds_the_target_ends_the_match() -> None:
    assert not scored(RuleOptions(rounds=None), *[(100, 0)] * 9).is_over
    assert scored(RuleOptions(rounds=None), *[(100, 0)] * 10).is_over


def test_with_the_default_rounds_no_number_of_rounds_ends_it() -> None:
    assert not scored(RuleOptions(), *[(50, 50)] * 19).is_over


def test_a_match_of_four_rounds_ends_after_four() -> None:
    options = RuleOptions(rounds=4)
    assert not scored(options, *[(60, 40)] * 3).is_over
    score = scored(options, *[(60, 40)] * 4)
    assert (score.is_over, score.winner) == (True, 0)


def test_a_match_of_four_rounds_goes_on_past_the_target_and_may_be_drawn() -> None:
    options = RuleOptions(rounds=4)
    assert not scored(options, *[(400, 0)] * 3).is_over
    drawn = scored(options, (100, 0), (0, 100), (50, 50), (50, 50))
    assert (drawn.is_over, drawn.winner) == (True, None)


def test_nothing_is_added_to_a_match_that_is_over() -> None:
    score = scored(RuleOptions(rounds=1), (100, 0))
    with pytest.raises(RefereeBug):
        score.add((100, 0))

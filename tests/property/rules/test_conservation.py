"""Declared facts of every round: 56 cards, 100 points, and what can never go backwards."""

import random

from referee.rules.cards import DOG, ONE_PACK, card_points
from referee.rules.options import options_dict
from referee.rules.phases import CALL_VALUE, Phase
from referee.rules.round import Round
from tests.property.rules.playing import playing, random_options


def assert_cards_are_conserved(round_: Round, story: str) -> None:
    places = [*round_.hands, *round_.won, round_.trick]
    together = 0
    for cards in places:
        assert not together & cards, story
        together |= cards
    assert together in (ONE_PACK, ONE_PACK & ~DOG), story  # the Dog, once played, is nobody's (C4)


def assert_turn_is_sound(round_: Round, story: str) -> None:
    if round_.phase is Phase.PLAY:
        assert round_.turn is not None, story
        assert round_.hands[round_.turn], story
    elif round_.phase is not Phase.DRAGON:
        assert round_.turn is None, story
    assert (round_.table is None) == (round_.trick == 0) == (round_.owner is None), story
    assert set(round_.out) == {seat for seat, hand in enumerate(round_.hands) if not hand}, story


def assert_score_is_sound(round_: Round, story: str) -> None:
    points = round_.card_points
    if round_.double_victory:
        assert points == (0, 0), story
        expected = round_.options.double_victory_points
    else:
        assert sum(points) == 100, story
        assert all(-25 <= team <= 125 for team in points), story
        expected = 100
    calls = [(CALL_VALUE[call], won) for call, won in round_.call_results if call is not None]
    if not calls:
        assert sum(round_.round_score) == expected, story
    assert sum(won for _, won in calls) <= 1, story


def test_rounds_keep_their_cards_their_points_and_come_to_an_end() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(60):
        options = random_options(rng)
        wish_seen = steps = 0
        for round_ in playing(rng, options):
            steps += 1
            story = f"seed {seed} round {number} step {steps} {options_dict(options)}"
            assert_cards_are_conserved(round_, story)
            assert_turn_is_sound(round_, story)
            wish_seen |= round_.wish
        assert round_.phase is Phase.ROUND_OVER, story
        assert steps < 1000, story
        assert_score_is_sound(round_, story)


def test_in_most_rounds_the_captured_points_are_those_of_the_pack_but_the_last_hand() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(20):
        *_, round_ = playing(rng, random_options(rng))
        captured = sum(card_points(cards) for cards in round_.won)
        held = sum(card_points(hand) for hand in round_.hands)
        assert captured + held == 100, f"seed {seed}"

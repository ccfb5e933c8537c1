"""Declared facts of every round of every game: cards, points, turns, gifts, and the worst."""

import random

import pytest

from referee.rules.cards import DOG, mask_of, pack
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, options_dict, victory_points
from referee.rules.phases import CALL_VALUE, Phase
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.rules.views import seat_view
from referee.rules.worst import worst_round
from tests.property.rules.playing import playing, random_options_of

VARIANTS = pytest.mark.parametrize("variant", Variant)


def assert_state_is_sound(round_: Round, story: str) -> None:
    together = 0
    for cards in (*round_.hands, *round_.won, round_.trick):
        assert not together & cards, story
        together |= cards
    every = mask_of(pack(round_.options))
    assert together in (every, every & ~DOG), story  # the Dog, once played, is nobody's (C4)
    decides = round_.phase in (Phase.DRAGON, Phase.DOG)
    assert (round_.turn is None) != (round_.phase is Phase.PLAY or decides), story
    if round_.phase is Phase.PLAY and round_.turn is not None:
        assert round_.hands[round_.turn], story
    assert set(round_.out) == {seat for seat, hand in enumerate(round_.hands) if not hand}, story
    assert bool(round_.decisions_owed()) == (
        round_.phase in (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL)
    ), story


def assert_score_is_sound(round_: Round, story: str) -> None:
    """Card points sum to 100 unless they burn; nobody gets or loses more than there is."""
    options, cards, points = round_.options, round_.team_card_points, round_.team_points
    if round_.refused is not None or round_.double_victory:
        assert cards == (0, 0), story
    elif options.trichu_last_burns_points:
        assert all(-25 <= team <= 125 for team in cards), story
    else:
        assert sum(cards) == 100, story
        assert all(-25 <= team <= 125 for team in cards), story
    most = max(victory_points(options), 125) + (400 if options.great_grand else 200)
    assert max(points) <= most, story
    if not (options.great_grand or options.double_victory_points == 100):
        assert max(points) <= (500 if options.variant is Variant.TIENTSIN else 400), story
    lost = [CALL_VALUE[call] for call in round_.calls if call is not None]
    assert min(points) >= -25 - sum(lost), story
    if round_.n == 4 and options.variant is Variant.TRICHU:
        assert round_.round_score == tuple(points[team] for team in round_.seating.teams), story


@VARIANTS
def test_rounds_of_every_game_keep_cards_and_points_and_come_to_an_end(variant: Variant) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(40):
        options = random_options_of(variant, rng)
        for steps, round_ in enumerate(playing(rng, options)):
            story = f"seed {seed} round {number} step {steps} {options_dict(options)}"
            assert steps < 2_000, story
            assert_state_is_sound(round_, story)
        if round_.seating.teams:
            assert_score_is_sound(round_, story)
        else:
            assert sorted(round_.finishing_order) == list(range(round_.n)), story
            assert (round_.round_score, round_.calls) == ((), [None] * round_.n), story


@pytest.mark.parametrize("variant", [Variant.TRICHU, Variant.TIENTSIN, Variant.TICHU])
@pytest.mark.parametrize("most", [400, pytest.param(6_000, marks=pytest.mark.slow)])
def test_no_continuation_is_worse_than_the_worst(variant: Variant, most: int) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    checked = 0
    while checked < most:
        options, bounds = random_options_of(variant, rng), []
        for step, round_ in enumerate(playing(rng, options)):
            if rng.random() < 0.3 or round_.phase is Phase.REFUSAL:
                bounds += [(step, team, worst_round(round_, team)) for team in range(2)]
        points = round_.team_points
        for step, team, worst in bounds:
            story = f"seed {seed} after {checked}, {options_dict(options)} step {step} team {team}"
            assert worst[team] - worst[1 - team] <= points[team] - points[1 - team], story
        checked += len(bounds)


@VARIANTS
def test_a_copy_lives_on_its_own(variant: Variant) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(5):
        options = random_options_of(variant, rng)
        for round_ in playing(rng, options):
            copied, state = round_.copy(), round_.state()
            assert copied.state() == state, f"seed {seed}"


def _strangers_cards(round_: Round, seat: Seat) -> int:
    """All hands but those that a seat may see: its own, and in Trichu the open one (G3, G5)."""
    known = {seat}
    soloist, tisch = round_.seating.soloist, round_.seating.tisch
    if soloist is not None and tisch is not None:
        in_play = round_.stage not in (Phase.GREAT_GRAND, Phase.GRAND, Phase.EXCHANGE)
        if in_play or (seat == soloist and round_.stage is Phase.EXCHANGE):
            known.add(tisch)
        if seat == tisch and round_.stage not in (Phase.GREAT_GRAND, Phase.GRAND):
            known.add(soloist)
    return sum(hand for other, hand in enumerate(round_.hands) if other not in known)


@VARIANTS
def test_no_view_shows_a_hand_that_is_hidden(variant: Variant) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(5):
        options: RuleOptions = random_options_of(variant, rng)
        for step, round_ in enumerate(playing(rng, options)):
            for seat in map(Seat, range(round_.n)):
                view, hidden = seat_view(round_, seat), _strangers_cards(round_, seat)
                shown = [view.hand, view.public.trick, *view.public.won]
                shown += [cards for _, cards in (*view.open_hands, *view.public.open_hands)]
                story = f"seed {seed} step {step} seat {seat} {options_dict(options)}"
                assert not any(cards & hidden for cards in shown), story
                own = {other for other, _ in view.bids}
                assert own <= {seat, *round_.seating.partners[seat]}, story

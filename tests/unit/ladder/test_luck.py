import random

import pytest

from referee.ladder.luck import Holding, holding_of, luck_of, worth_of
from referee.rules.cards import DOG, DRAGON, FIRST_PACK_RANKS, MAHJONG, PHOENIX, mask_of, pack
from referee.rules.errors import RefereeBug
from referee.rules.options import DEFAULT_OPTIONS

SEED = 26


def dealt(rng: random.Random) -> list[int]:
    order = pack(DEFAULT_OPTIONS)
    rng.shuffle(order)
    return [mask_of(order[seat::4]) for seat in range(4)]


def test_what_counts_of_a_hand() -> None:
    """Dragon, Phoenix, two Aces, three Kings, four 2s, and a row of five: Mah Jong to 5."""
    hand = DRAGON | PHOENIX | 0b0101 << 56 | 0b0111 << 52 | FIRST_PACK_RANKS[2] | MAHJONG
    hand |= 1 << 12 | 1 << 16 | 1 << 20
    assert holding_of(hand) == Holding(
        dragon=1, phoenix=1, dog=0, aces=2, kings=3, triples=1, fours=1, row=1
    )
    assert worth_of(hand) == 16 + 17 + 2 * 16 + 3 * 9 + 6 + 32 + 3


def test_the_dog_is_bad_luck() -> None:
    assert worth_of(DOG) < worth_of(0) == 0


def test_the_team_with_better_cards_is_lucky() -> None:
    assert luck_of([DRAGON, 0, PHOENIX, DOG]) == 16 + 17 + 8


def test_luck_changes_its_sign_when_teams_change_hands() -> None:
    rng = random.Random(SEED)
    for number in range(200):
        one, two, three, four = dealt(rng)
        assert luck_of([one, two, three, four]) == -luck_of([two, three, four, one]), number
        assert luck_of([one, two, three, four]) == luck_of([three, two, one, four]), number


def test_the_mean_of_luck_is_0() -> None:
    """20,000 deals of seed 26: 41 points of spread make an error of the mean of 0.3."""
    rng = random.Random(SEED)
    lucks = [luck_of(dealt(rng)) for _ in range(20_000)]
    assert sum(lucks) / len(lucks) == pytest.approx(0, abs=1.0)


def test_three_hands_are_no_two_teams() -> None:
    with pytest.raises(RefereeBug):
        luck_of([0, 0, 0])

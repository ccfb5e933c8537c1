"""E3 to E5: whether a hand can fulfil the wish is what the list of all its plays says."""

import random
from collections import Counter

import pytest

from referee.rules.cards import DRAGON, MAHJONG, PHOENIX, RANK_MASKS
from referee.rules.combinations import Combination, Kind, read
from referee.rules.every import every_follow, every_lead
from referee.rules.notation import format_cards, format_play, parse_cards
from referee.rules.wish import can_bomb_with, can_fulfil

# The shortest table of each type comes often; a hand meets it with few ranks and many cards.
CASES = 3000
MOST_CASES = 20 * CASES  # a bomb that fulfils on a bomb comes once in some thousand cases


def two_hands(rng: random.Random) -> tuple[int, int]:
    """Hands of up to nine cards out of four to seven neighbouring ranks, the Phoenix in one."""
    width = rng.randrange(4, 8)
    lowest = rng.randrange(2, 16 - width)
    numbers = list(range(4 * lowest, 4 * (lowest + width)))
    rng.shuffle(numbers)
    size = rng.randrange(5, 10)
    one = sum(1 << number for number in numbers[:size])
    other = sum(1 << number for number in numbers[size : 2 * size])
    if rng.random() < 0.6:
        other |= PHOENIX
    return one | (MAHJONG | DRAGON if rng.random() < 0.3 else 0), other


def some_table(rng: random.Random, hand: int) -> Combination:
    leads = [play for play in every_lead(hand) if play.rank2]
    kind = rng.choice(sorted({play.kind for play in leads}))
    return rng.choice([play for play in leads if play.kind is kind])


def both_sides(answers: Counter[tuple[Kind, bool]]) -> bool:
    """True when every type of table was met by hands that can fulfil and by hands that cannot."""
    return all(answers[kind, answer] for kind in Kind for answer in (False, True))


def test_can_fulfil_is_what_the_list_of_all_plays_says() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    answers: Counter[tuple[Kind, bool]] = Counter()
    for case in range(MOST_CASES):
        if case >= CASES and both_sides(answers):
            break
        one, hand = two_hands(rng)
        table = some_table(rng, one)
        plays = every_follow(hand, table)
        for wish in {
            rng.randrange(2, 15),
            *(rank for rank in range(2, 15) if hand >> 4 * rank & 15),
        }:
            rank = RANK_MASKS[wish]
            story = f"seed {seed}: {format_cards(hand)} on {format_play(table)}, wish {wish}"
            expected = any(play.cards & rank for play in plays)
            assert can_fulfil(hand, table, wish) == expected, story
            bombs = any(play.cards & rank for play in plays if play.is_bomb)
            assert can_bomb_with(hand, table, wish) == bombs, story
            answers[table.kind, expected] += 1
    assert both_sides(answers), f"seed {seed}: {answers}"


def test_a_leader_can_fulfil_it_exactly_when_he_holds_the_rank() -> None:
    rng = random.Random(3)
    for _ in range(100):
        _, hand = two_hands(rng)
        for wish in range(2, 15):
            assert can_fulfil(hand, None, wish) == bool(hand & RANK_MASKS[wish])


@pytest.mark.parametrize(
    ("hand", "fulfils"),
    [("5s 6s 7s 8s 9s", False), ("6s 7s 8s 9s Ts", True), ("8s 8p 8r 8j", False)],
)
def test_an_equal_bomb_does_not_oblige(hand: str, fulfils: bool) -> None:
    table = read(parse_cards("5j 6j 7j 8j 9j"))
    assert isinstance(table, Combination)
    assert can_fulfil(parse_cards(hand), table, 8) == fulfils

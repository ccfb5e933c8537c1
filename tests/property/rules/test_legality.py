"""Three answers to "what is legal" agree: the canonical list, every set, and the validator."""

import random
from itertools import combinations

import pytest

from referee.rules.cards import MAHJONG, PHOENIX, RANK_MASKS, Seat, card_numbers, rank_of
from referee.rules.combinations import Combination, Kind, canonical_key
from referee.rules.notation import format_cards, parse_cards
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions, options_dict
from referee.rules.phases import Phase
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from tests.property.rules.oracle import Shape, open_plays
from tests.property.rules.playing import playing, random_options

KINDS = {
    Kind.SINGLE: "single",
    Kind.PAIR: "pair",
    Kind.TRIPLE: "triple",
    Kind.FULL_HOUSE: "full house",
    Kind.STRAIGHT: "straight",
    Kind.STAIRS: "stairs",
    Kind.BOMB: "bomb",
}


def pattern(play: Combination) -> object:
    if play.kind is Kind.BOMB:
        return play.cards
    ranks = tuple(sorted(rank_of(number) for number in card_numbers(play.cards)))
    return play.kind, ranks, play.cards & (PHOENIX | 0b1010), play.phoenix_rank


def slow_key(play: Combination) -> tuple[int, int, list[int]]:
    return play.length, play.rank2, card_numbers(play.cards)


def one_a_pattern(plays: list[Combination]) -> list[Combination]:
    lowest: dict[object, Combination] = {}
    for play in sorted(plays, key=slow_key):
        lowest.setdefault(pattern(play), play)
    return sorted(lowest.values(), key=slow_key)


def validated(round_: Round, seat: Seat, cards: int, rank: int | None) -> Combination | Refusal:
    wish = 2 if cards & MAHJONG and not round_.options.wish_optional else None
    return round_.check_play(seat, cards, phoenix_rank=rank, wish=wish)


def assert_answers_agree(round_: Round, seat: Seat, story: object) -> None:
    every = round_.every_play(seat)
    assert len(every) == len(set(every)), story
    assert round_.legal_plays(seat) == one_a_pattern(every), story
    for play in every:
        assert validated(round_, seat, play.cards, play.phoenix_rank or None) == play, story
    if seat == round_.turn and round_.phase is Phase.PLAY:
        rank = RANK_MASKS[round_.wish] if round_.wish else 0
        bound = any(play.cards & rank for play in every)
        assert round_.may_pass(seat) == (round_.table is not None and not bound), story
    else:
        assert not round_.may_pass(seat), story
        bombs = [play for play in every if play.is_bomb]
        assert round_.legal_bombs(seat) == sorted(bombs, key=slow_key), story
        assert round_.holds_legal_bomb(seat) == bool(bombs), story
        assert (seat in round_.bomb_holders()) == bool(bombs), story
        for bomb in bombs:
            assert round_.check_bomb(seat, bomb.cards) == bomb, story


def assert_nothing_else_is_accepted(round_: Round, seat: Seat, story: object) -> None:
    """All subsets of a hand in all readings: the validator takes what is listed and no more."""
    every = {(play.cards, play.phoenix_rank) for play in round_.every_play(seat)}
    numbers = card_numbers(round_.hands[seat])
    for size in range(1, len(numbers) + 1):
        for chosen in combinations(numbers, size):
            cards = sum(1 << number for number in chosen)
            ranks = range(1, 15) if cards & PHOENIX else ()
            for rank in (None, *ranks):
                found = validated(round_, seat, cards, rank)
                if isinstance(found, Combination):
                    assert (found.cards, found.phoenix_rank) in every, (story, chosen, rank)
                elif rank is not None:
                    assert (cards, rank) not in every, (story, chosen, rank)


@pytest.mark.parametrize("any_options", [False, True])
def test_the_three_answers_agree_on_reached_positions(any_options: bool) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(50):
        options = random_options(rng) if any_options else DEFAULT_OPTIONS
        said = options_dict(options)
        for step, round_ in enumerate(playing(rng, options)):
            for seat in map(Seat, range(round_.n)):
                if seat == round_.turn or rng.random() < 0.2:
                    story = f"seed {seed} round {number} step {step} seat {seat} {said}"
                    assert_answers_agree(round_, seat, story)
                    if round_.hands[seat].bit_count() <= 6 and rng.random() < 0.1:
                        assert_nothing_else_is_accepted(round_, seat, story)


def random_position(rng: random.Random, options: RuleOptions = DEFAULT_OPTIONS) -> Position:
    """Few cards of few ranks, so that bombs, stairs and straights are common."""
    lowest = rng.randrange(2, 11)
    numbers = [n for n in range(8, 60) if lowest <= rank_of(n) < lowest + rng.choice((2, 5, 6))]
    numbers += [2, 2] if rng.random() < 0.5 else [1, 3, 4]
    numbers = sorted(set(numbers))
    rng.shuffle(numbers)
    size = min(rng.randrange(2, 9), len(numbers) // 3)
    hands = [0, 0, 0, 0]
    for place in range(3 * size):
        hands[place % 3] |= 1 << numbers[place]
    spare = next(n for n in range(8, 60) if n not in numbers[: 3 * size])
    hands[3] = 1 << spare
    wish = rng.choice((0, lowest, lowest + 1, lowest + 3))
    return Position(hands=tuple(hands), lead=Seat(0), wish=min(wish, 14), options=options)


def oracle_table(table: Combination | None) -> Shape | None:
    if table is None:
        return None
    rank = 16.0 if table.rank2 == 32 else table.rank2 / 2
    return KINDS[table.kind], table.length, rank


def assert_as_the_oracle_says(round_: Round, seat: Seat, story: object) -> None:
    on_turn = round_.phase is Phase.PLAY and seat == round_.turn
    hand = format_cards(round_.hands[seat]).split()
    expected = open_plays(hand, oracle_table(round_.table), round_.wish, on_turn=on_turn)
    plays = {(p.cards, p.phoenix_rank) for p in round_.every_play(seat)}
    assert plays == {(parse_cards(" ".join(cards)), rank) for cards, rank in expected}, story


def test_every_set_is_what_a_second_referee_finds_among_all_subsets() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(800):
        start = random_position(rng)
        round_ = Round.from_position(start)
        story = f"seed {seed} position {number}: {start}"
        assert_as_the_oracle_says(round_, Seat(0), story)
        leads = round_.every_play(Seat(0))
        kind = rng.choice(sorted({play.kind for play in leads}))  # long ones as often as singles
        round_.play_checked(Seat(0), rng.choice([play for play in leads if play.kind is kind]))
        if round_.phase is not Phase.PLAY:
            continue
        round_.wish = rng.choice(
            (0, *(rank_of(n) for n in card_numbers(round_.hands[1] >> 8 << 8)))
        )
        for seat in map(Seat, range(3)):
            assert_as_the_oracle_says(round_, seat, story)
            assert_answers_agree(round_, seat, story)
        if round_.turn is not None and rng.random() < 0.3:
            assert_nothing_else_is_accepted(round_, round_.turn, story)


def test_the_sort_key_orders_as_the_lists_of_numbers_do() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(50):
        hand = sum(1 << number for number in rng.sample(range(8, 60), 13)) | PHOENIX
        start = Position(hands=(hand, DRAGON_BIT, 0, 0), lead=Seat(0), out=(Seat(2), Seat(3)))
        plays = Round.from_position(start).every_play(Seat(0))
        assert sorted(plays, key=canonical_key) == sorted(plays, key=slow_key), f"seed {seed}"


DRAGON_BIT = 1 << 3

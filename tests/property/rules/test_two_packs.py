"""I5: what hands of two packs may play, held against the plain list of every set and reading."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import pytest

from referee.rules.cards import (
    DOG,
    DRAGONS,
    ONE_PACK,
    PHOENIXES,
    RANK_MASKS,
    SECOND_PACK,
    Seat,
    card_numbers,
    is_card,
    mask_of,
    rank_of,
)
from referee.rules.combinations import (
    Combination,
    Kind,
    beats,
    canonical_key,
    lying_on,
    read,
    readings,
)
from referee.rules.every import every_follow, every_lead
from referee.rules.hands import bombs, hand_has_bomb
from referee.rules.legal import beating_bombs, follows, highest_readings, leads, under_wish
from referee.rules.notation import format_cards, format_play, parse_play
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, options_dict
from referee.rules.phases import Phase
from referee.rules.refusals import Refusal
from referee.rules.wish import can_bomb_with, can_fulfil
from tests.property.rules.oracle import natural_shape
from tests.property.rules.playing import playing

BOTH_PACKS = [number for number in range(128) if is_card(number)]
LARGEST = 22
OPTION = pytest.mark.parametrize("two_phoenixes", [False, True])

# kind, ranks, Phoenixes' ranks, and of bombs the suit (4 = all four)
Pattern = tuple[object, ...]


def any_hand(rng: random.Random) -> int:
    """Up to 22 cards of both packs, which meet few combinations but all lengths."""
    return mask_of(rng.sample(BOTH_PACKS, rng.randrange(1, LARGEST + 1)))


def dense_hand(rng: random.Random) -> int:
    """Up to 12 cards of three to seven neighbouring ranks and specials: bombs, stairs, houses."""
    width = rng.randrange(3, 8)
    lowest = rng.randrange(1, 16 - width)
    near = [n for n in BOTH_PACKS if lowest <= rank_of(n) < lowest + width]
    suits = rng.sample(range(4), rng.randrange(1, 5))  # few suits make bombs of rows
    near = [n for n in near if n % 4 in suits]
    hand = mask_of(rng.sample(near, min(len(near), rng.randrange(4, 11))))
    specials = [n for n in BOTH_PACKS if rank_of(n) == 0]
    return hand | mask_of(rng.sample(specials, rng.choice((0, 1, 1, 2, 3))))


def four_hand(rng: random.Random) -> int:
    """All but a few cards of one or two ranks."""
    rank = rng.randrange(2, 14)
    ranks = RANK_MASKS[rank] | (RANK_MASKS[rank + 1] if rng.random() < 0.5 else 0)
    near = card_numbers(ranks)
    return mask_of(rng.sample(near, min(len(near), rng.randrange(4, 11)))) | (
        PHOENIXES if rng.random() < 0.3 else 0
    )


def some_hands(count: int) -> Iterator[tuple[str, random.Random, int]]:
    """Yield the story, the generator and a hand."""
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(count):
        make = rng.choices((any_hand, dense_hand, four_hand), (2, 5, 1))[0]
        hand = make(rng)
        yield f"seed {seed} hand {number}: {format_cards(hand)}", rng, hand


def plain_enough(hand: int, *, two_phoenixes: bool) -> bool:
    """Two Phoenixes in a long hand make some 100,000 sets: those hands are left out."""
    wild = (hand & PHOENIXES).bit_count()
    return hand.bit_count() <= (LARGEST, 16, 11 if two_phoenixes else 14)[wild]


def pattern(play: Combination) -> Pattern:
    numbers = card_numbers(play.cards)
    ranks = tuple(sorted(rank_of(number) for number in numbers))
    specials = tuple(sorted(n % SECOND_PACK for n in numbers if rank_of(n) == 0))
    suits = {number % 4 for number in numbers} if play.kind is Kind.BOMB else set()
    suit = min(suits) if len(suits) == 1 else 4
    return play.kind, ranks, specials, play.phoenix_rank, play.second_phoenix_rank, suit


def slow_key(play: Combination) -> tuple[int, int, list[int]]:
    return play.length, play.rank2, card_numbers(play.cards)


def one_a_pattern(plays: list[Combination]) -> list[Combination]:
    lowest: dict[Pattern, Combination] = {}
    for play in sorted(plays, key=slow_key):
        lowest.setdefault(pattern(play), play)
    return sorted(lowest.values(), key=slow_key)


@OPTION
def test_leads_are_the_lowest_of_every_set_of_their_pattern(*, two_phoenixes: bool) -> None:
    longest = 0
    for story, _, hand in some_hands(500):
        if not plain_enough(hand, two_phoenixes=two_phoenixes):
            continue
        longest = max(longest, hand.bit_count())
        every = every_lead(hand, two_phoenixes=two_phoenixes)
        assert len(every) == len(set(every)), story
        listed = leads(hand, two_phoenixes=two_phoenixes)
        assert list(listed) == one_a_pattern(every), story
        held = one_a_pattern([play for play in every if play.is_bomb])
        assert list(bombs(hand)) == held, story
        assert hand_has_bomb(hand) == bool(held), story
    assert longest >= 20


@OPTION
def test_a_set_is_read_as_every_list_says(*, two_phoenixes: bool) -> None:
    for story, rng, hand in some_hands(150):
        if not plain_enough(hand, two_phoenixes=two_phoenixes):
            continue
        every = every_lead(hand, two_phoenixes=two_phoenixes)
        for play in rng.sample(every, min(len(every), 300)):
            found = readings(play.cards, two_phoenixes=two_phoenixes)
            expected = [other for other in every if other.cards == play.cards]
            assert found == sorted(expected, key=lambda p: -p.rank2), (story, format_play(play))
            rank = play.phoenix_rank or None
            assert read(play.cards, rank, two_phoenixes=two_phoenixes) == play, story
            assert parse_play(format_play(play)) == (play.cards, rank), story
            if not play.second_phoenix_rank:
                assert read(play.cards, rank) == play, story
            else:
                assert read(play.cards) is Refusal.NOT_A_COMBINATION, story
        assert_what_is_in_no_list_is_no_combination(every, rng, hand, story, two_phoenixes)


def assert_what_is_in_no_list_is_no_combination(
    every: list[Combination],
    rng: random.Random,
    hand: int,
    story: str,
    two_phoenixes: bool,
) -> None:
    known = {play.cards for play in every}
    numbers = card_numbers(hand)
    for _ in range(100):
        cards = mask_of(rng.sample(numbers, rng.randrange(1, min(len(numbers), 8) + 1)))
        if cards not in known:
            assert readings(cards, two_phoenixes=two_phoenixes) == [], (story, format_cards(cards))


def test_sets_are_what_a_second_referee_calls_them() -> None:
    """The classification of `oracle` knows no packs: it counts cards by rank and looks at suits."""
    for story, rng, hand in some_hands(400):
        numbers = card_numbers(hand & ~(PHOENIXES | DRAGONS | DOG))
        for _ in range(30):
            cards = (
                rng.sample(numbers, rng.randrange(1, min(len(numbers), 6) + 1)) if numbers else []
            )
            if not cards:
                continue
            shape = natural_shape([(rank_of(n), "?" if n == 4 else "jspr"[n % 4]) for n in cards])
            four = len({rank_of(n) for n in cards}) == 1 and len(cards) == 4
            four_suits = len({n % 4 for n in cards}) == 4  # a bomb of four needs them (I5)
            expected = [shape] if shape and (four_suits or not four) else []
            found = readings(mask_of(cards))
            told = [(p.kind.name.lower().replace("_", " "), p.length, p.rank2 / 2) for p in found]
            assert told == expected, (story, cards)


def some_table(rng: random.Random, hand: int, *, two_phoenixes: bool) -> Combination | None:
    plays = [play for play in leads(hand, two_phoenixes=two_phoenixes) if play.rank2]
    if not plays:
        return None
    kind = rng.choice(sorted({play.kind for play in plays}))
    table = rng.choice([play for play in plays if play.kind is kind])
    if table.cards & DRAGONS and rng.random() < 0.3:
        return Combination(table.cards, table.kind, 1, 33)  # on the other, which is gone then
    return table


@OPTION
def test_follows_and_the_wish_are_what_the_list_of_every_play_says(*, two_phoenixes: bool) -> None:
    answers: Counter[tuple[Kind, bool]] = Counter()
    for story, rng, hand in some_hands(1500):
        other = rng.choice((any_hand, dense_hand, dense_hand, four_hand))(rng) & ~hand
        table = some_table(rng, hand, two_phoenixes=two_phoenixes)
        if table is None or not plain_enough(other, two_phoenixes=two_phoenixes):
            continue
        if table.rank2 == 33:
            other &= ~DRAGONS
        told = f"{story}; {format_cards(other)} on {format_play(table)}"
        every = every_follow(other, table, two_phoenixes=two_phoenixes)
        listed = follows(other, table, two_phoenixes=two_phoenixes)
        assert listed == one_a_pattern(every), told
        beating = one_a_pattern([play for play in every if play.is_bomb])
        assert beating_bombs(other, table) == beating, told
        assert_each_is_judged_alike(every, other, table, told, two_phoenixes)
        for wish in range(2, 15):
            fulfils = any(play.cards & RANK_MASKS[wish] for play in every)
            wished = f"{told}, wish {wish}"
            assert can_fulfil(other, table, wish, two_phoenixes=two_phoenixes) == fulfils, wished
            by_bomb = any(play.cards & RANK_MASKS[wish] for play in beating)
            assert can_bomb_with(other, table, wish) == by_bomb, wished
            answers[table.kind, fulfils] += 1
            left = under_wish(listed, wish, bombs_exempt=False)
            assert fulfils == (bool(left) and all(p.cards & RANK_MASKS[wish] for p in left)), wished
    assert all(answers[kind, answer] for kind in Kind for answer in (False, True)), answers


def assert_each_is_judged_alike(
    every: list[Combination],
    hand: int,
    table: Combination,
    story: str,
    two_phoenixes: bool,
) -> None:
    """Read, compared and laid down, a play of the hand is in the list of what beats the table."""
    accepted = set()
    for lead in every_lead(hand, two_phoenixes=two_phoenixes):
        play = read(lead.cards, lead.phoenix_rank or None, two_phoenixes=two_phoenixes)
        assert isinstance(play, Combination), story
        if beats(play, table):
            accepted.add(lying_on(play, table))
    assert accepted == set(every), story


@OPTION
def test_the_highest_readings_are_those_that_a_bare_phoenix_gets(*, two_phoenixes: bool) -> None:
    for story, _, hand in some_hands(100):
        if not plain_enough(hand, two_phoenixes=two_phoenixes):
            continue
        plays = leads(hand, two_phoenixes=two_phoenixes)
        expected = [p for p in plays if read(p.cards, two_phoenixes=two_phoenixes) == p]
        assert highest_readings(plays) == expected, story


def test_the_sort_key_orders_as_the_lists_of_numbers_do() -> None:
    for story, _, hand in some_hands(60):
        if plain_enough(hand, two_phoenixes=False):
            plays = every_lead(hand)
            assert sorted(plays, key=canonical_key) == sorted(plays, key=slow_key), story


def test_a_hand_of_one_pack_has_the_same_plays_by_either_way() -> None:
    """The second pack's cards alone are the first pack's, moved: so are their plays."""
    for story, _, hand in some_hands(300):
        moved = hand & ~(DOG | 1 << 4)
        one = (moved | moved >> SECOND_PACK) & ONE_PACK & ~(DOG | 1 << 4)
        shown = [p.cards << SECOND_PACK for p in leads(one)]
        assert [p.cards for p in leads(one << SECOND_PACK)] == shown, story


@OPTION
@pytest.mark.parametrize("seats", [7, 12])
def test_a_round_of_two_packs_lists_and_accepts_the_same_plays(
    seats: int, *, two_phoenixes: bool
) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    options = RuleOptions(
        variant=Variant.GRAND_SEIGNEUR, seats=seats, gs_two_phoenix_in_combo=two_phoenixes
    )
    for step, round_ in enumerate(chain(*(playing(rng, options) for _ in range(8)))):
        for seat in map(Seat, range(seats)):
            if round_.phase is not Phase.PLAY or (seat != round_.turn and rng.random() < 0.9):
                continue
            if not plain_enough(round_.hands[seat], two_phoenixes=two_phoenixes):
                continue
            story = f"seed {seed} step {step} seat {seat} {options_dict(options)}"
            every = round_.every_play(seat)
            assert round_.legal_plays(seat) == one_a_pattern(every), story
            for play in rng.sample(every, min(len(every), 50)):
                rank = play.phoenix_rank or None
                assert round_.check_play(seat, play.cards, phoenix_rank=rank) == play, story
            rank_wished = RANK_MASKS[round_.wish] if round_.wish else 0
            bound = any(play.cards & rank_wished for play in every)
            free = seat == round_.turn and round_.table is not None and not bound
            assert round_.may_pass(seat) == free, story

"""Cards and combinations of the bot library, by hand and against the referee's rules."""

import itertools
import random

import pytest

from referee.rules.cards import card_numbers
from referee.rules.combinations import Combination, readings
from referee.rules.hands import bombs, hand_has_bomb
from tichu_bot import cards
from tichu_bot.cards import Kind, Play, parse

SEED = 20240607
PACK = [card for card in cards._NAMES if card < cards.SECOND_PACK]


def test_names_are_read_back() -> None:
    for card in cards._NAMES:
        assert parse(cards.name(card)) == (card,)
    assert cards.name(99 + 64) == "?163"


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(ValueError, match="'1j'"):
        parse("2j 1j")


def test_a_pack_has_56_cards_and_100_points() -> None:
    assert len(PACK) == 56
    assert cards.points(PACK) == 100


@pytest.mark.parametrize(
    ("text", "kind", "halves"),
    [
        ("Ph", Kind.SINGLE, 3),
        ("Mj", Kind.SINGLE, 2),
        ("9j 9s", Kind.PAIR, 18),
        ("9j 9s Ph", Kind.TRIPLE, 18),
        ("9j 9s 9p 4j 4s", Kind.FULL_HOUSE, 18),
        ("9j 9s 4j 4s Ph", Kind.FULL_HOUSE, 18),
        ("Mj 2j 3s 4j 5j", Kind.STRAIGHT, 10),
        ("3j 4s 5j 6j Ph", Kind.STRAIGHT, 14),
        ("Jj Qs Kj Aj Ph", Kind.STRAIGHT, 28),
        ("3j 3s 4j 4s", Kind.STAIRS, 8),
        ("3j 3s 4j Ph", Kind.STAIRS, 8),
        ("7j 7s 7p 7r", Kind.BOMB, 14),
        ("3j 4j 5j 6j 7j", Kind.BOMB, 14),
        ("3j 4j 5j 6j Ph", Kind.STRAIGHT, 14),
    ],
)
def test_combinations_by_hand(text: str, kind: Kind, halves: int) -> None:
    read = cards.readings(parse(text))[0]
    assert (read.kind, read.rank_halves) == (kind, halves)


@pytest.mark.parametrize("text", ["Mj Ph", "7j 7s 7p Ph 7r", "7j 8s 9p Tr", "Dg 2j", "2j 2s 4j 4s"])
def test_no_combination_by_hand(text: str) -> None:
    assert cards.readings(parse(text)) == []


def test_readings_agree_with_the_rules_core() -> None:
    dice = random.Random(SEED)
    for _ in range(4_000):
        low = dice.randint(2, 12)
        near = [card for card in PACK if cards.rank(card) in range(low, low + dice.randint(1, 6))]
        held = sorted(dice.sample([*near, cards.PHOENIX], min(len(near), dice.randint(1, 7))))
        ours = [(int(p.kind), p.phoenix_rank or 0) for p in cards.readings(held)]
        theirs = [(int(c.kind), c.phoenix_rank) for c in readings(cards.as_mask(held))]
        assert sorted(ours) == sorted(theirs), (SEED, cards.show(held))


def test_bombs_agree_with_the_rules_core() -> None:
    dice = random.Random(SEED)
    for _ in range(200):
        near = [card for card in PACK if cards.rank(card) in range(3, 9)]
        hand = dice.sample(near, 13)
        mask = cards.as_mask(hand)
        expected = {
            frozenset(found)
            for size in (4, 5, 6)
            for found in itertools.combinations(hand, size)
            if any(int(c.kind) == Kind.BOMB for c in bomb_readings(found))
        }
        found_bombs = {frozenset(bomb.cards) for bomb in cards.find_bombs(hand)}
        assert found_bombs == expected, (SEED, cards.show(hand))
        assert cards.holds_bomb(hand) == hand_has_bomb(mask) == bool(expected)


def bomb_readings(held: tuple[int, ...]) -> list[Combination]:
    """Readings of what could be a bomb at all: one rank, or one suit."""
    if len({cards.rank(card) for card in held}) > 1 and len({card & 3 for card in held}) > 1:
        return []
    return readings(cards.as_mask(held))


TWO_PACKS = [*PACK, *(c + cards.SECOND_PACK for c in PACK if c not in (cards.DOG, cards.MAH_JONG))]


@pytest.mark.parametrize(
    ("text", "kind", "halves"),
    [
        ("9j 9j'", Kind.PAIR, 18),
        ("9j 9j' 9s", Kind.TRIPLE, 18),
        ("9j 9s' 9p 9r'", Kind.BOMB, 18),
        ("3j 4j' 5j 6j' 7j", Kind.BOMB, 14),
        ("3j 4j' 5j 6s' 7j", Kind.STRAIGHT, 14),
        ("3j 3j' 4s 4s'", Kind.STAIRS, 8),
        ("9j 9j' Ph'", Kind.TRIPLE, 18),
        ("Dr'", Kind.SINGLE, 32),
        ("Ph'", Kind.SINGLE, 3),
    ],
)
def test_combinations_of_two_packs_by_hand(text: str, kind: Kind, halves: int) -> None:
    read = cards.readings(parse(text))[0]
    assert (read.kind, read.rank_halves) == (kind, halves)


@pytest.mark.parametrize(
    "text", ["9j 9j' 9s 9s'", "9j 9j' 9s 9s' 9p", "Dr Dr'", "Ph Ph'", "9j Ph Ph'", "Mj Ph'"]
)
def test_no_combination_of_two_packs_by_hand(text: str) -> None:
    """I5: a bomb has four suits, five of a rank are no full house, two Phoenixes do not mix."""
    assert cards.readings(parse(text)) == []


def test_two_phoenixes_stand_for_two_ranks_where_the_option_allows_it() -> None:
    (read,) = cards.readings(parse("9j Ph Ph'"), two_phoenixes=True)
    assert (read.kind, read.phoenix_rank, read.second_phoenix_rank) == (Kind.TRIPLE, 9, 9)
    assert cards.readings(parse("Ph Ph'"), two_phoenixes=True) == []


@pytest.mark.parametrize("two_phoenixes", [False, True])
def test_readings_of_two_packs_agree_with_the_rules_core(two_phoenixes: bool) -> None:
    dice = random.Random(SEED)
    phoenixes = [cards.PHOENIX, cards.PHOENIX + cards.SECOND_PACK]
    for _ in range(4_000):
        low = dice.randint(2, 12)
        ranks = range(low, low + dice.randint(1, 6))
        near = [card for card in TWO_PACKS if cards.rank(card) in ranks] + phoenixes
        held = sorted(dice.sample(near, min(len(near), dice.randint(1, 8))))
        ours = cards.readings(held, two_phoenixes=two_phoenixes)
        theirs = readings(sum(1 << card for card in held), two_phoenixes=two_phoenixes)
        assert sorted(map(read_here, ours)) == sorted(map(read_there, theirs)), (
            SEED,
            cards.show(held),
        )


def read_here(play: Play) -> tuple[int, int, int, int]:
    ranks = play.phoenix_rank or 0, play.second_phoenix_rank or 0
    return (int(play.kind), play.rank_halves, *ranks)


def read_there(play: Combination) -> tuple[int, int, int, int]:
    return (int(play.kind), play.rank2, play.phoenix_rank, play.second_phoenix_rank)


def test_bombs_of_two_packs_agree_with_the_rules_core() -> None:
    dice = random.Random(SEED)
    for _ in range(300):
        near = [card for card in TWO_PACKS if cards.rank(card) in range(3, 9)]
        hand = dice.sample(near, 13)
        mask = sum(1 << card for card in hand)
        expected = {(play.length, play.rank2, suits(play)) for play in bombs(mask)}
        found = cards.find_bombs(hand)
        assert {(len(b.cards), b.rank_halves, suits(b)) for b in found} == expected, (
            SEED,
            cards.show(hand),
        )
        assert all(set(bomb.cards) <= set(hand) for bomb in found)
        assert cards.holds_bomb(hand) == bool(found)


def suits(play: Play | Combination) -> int:
    """The suit of a bomb of one suit; -1 for four of a rank."""
    held = play.cards if isinstance(play, Play) else card_numbers(play.cards)
    return -1 if len(held) == 4 else held[0] & 3


@pytest.mark.parametrize(
    ("play", "table", "expected"),
    [
        ("9j", "8j", True),
        ("9j", "9s", False),
        ("Ph", "Aj", True),
        ("Ph", "Dr", False),
        ("Dr", "Aj", True),
        ("Dg", "Mj", False),
        ("9j 9s", "8j", False),
        ("2j 2s 2p 2r", "Dr", True),
        ("2j 2s 2p 2r", "3j 3s 3p 3r", False),
        ("3j 4j 5j 6j 7j", "Aj As Ap Ar", True),
        ("5j 6s 7p 8r 9j", "3j 4s 5p 6r 7j 8s", False),
        ("Dr'", "Dr", True),
        ("Dr", "Dr'", True),
        ("Ph'", "Ph", True),
        ("Ph'", "Dr", False),
        ("2j'", "Ph'", True),
        ("9j'", "9j", False),
        ("9j 9j'", "8j 8s", True),
    ],
)
def test_what_beats_what(play: str, table: str, expected: bool) -> None:
    assert cards.beats(highest(play), highest(table)) == expected


def highest(text: str) -> Play:
    return cards.readings(parse(text))[0]

"""A1: the cards, their numbers and points."""

import pytest

from referee.rules.cards import (
    DOG,
    DRAGON,
    DUPLICATE,
    MAHJONG,
    NATURALS,
    ONE_PACK,
    PHOENIX,
    card_numbers,
    card_points,
    count,
    is_card,
    mask_of,
    pack,
    rank_of,
)
from referee.rules.errors import NotationError
from referee.rules.notation import parse_cards
from referee.rules.options import DEFAULT_OPTIONS


def test_the_pack_has_56_cards_worth_100() -> None:
    assert len(pack(DEFAULT_OPTIONS)) == count(ONE_PACK) == 56
    assert card_points(ONE_PACK) == 100
    assert pack(DEFAULT_OPTIONS) == [1, 2, 3, 4, *range(8, 60)]


@pytest.mark.parametrize(
    ("cards", "points"),
    [("5j", 5), ("Ts", 10), ("Kr", 10), ("Dr", 25), ("Ph", -25), ("Aj Qj Mj Dg 2p", 0)],
)
def test_card_points(cards: str, points: int) -> None:
    assert card_points(parse_cards(cards)) == points


def test_bit_numbers_are_four_times_the_rank_plus_the_suit() -> None:
    assert card_numbers(parse_cards("2j 2s 2p 2r Ar")) == [8, 9, 10, 11, 59]
    assert card_numbers(DOG | PHOENIX | DRAGON | MAHJONG) == [1, 2, 3, 4]


def test_ranks() -> None:
    assert [rank_of(number) for number in (1, 2, 3, 4, 8, 59)] == [0, 0, 0, 1, 2, 14]
    assert [rank_of(64 + number) for number in (2, 8, 59)] == [0, 2, 14]


def test_a_card_named_twice_is_held_by_no_hand() -> None:
    twice = mask_of([8, 9, 8])
    assert twice == 1 << 8 | 1 << 9 | DUPLICATE
    assert twice & ~ONE_PACK


def test_only_the_mah_jong_among_the_specials_is_natural() -> None:
    assert count(NATURALS) == 53
    assert NATURALS & MAHJONG
    assert not NATURALS & (DOG | PHOENIX | DRAGON)


@pytest.mark.parametrize("number", [-1, 0, 5, 6, 7, 60, 63, 64, 65, 68, 124, 128, 1 << 40])
def test_what_is_no_card(number: int) -> None:
    assert not is_card(number)
    with pytest.raises(NotationError, match=str(number)):
        mask_of([number])


def test_the_second_pack_has_neither_dog_nor_mah_jong() -> None:
    assert [n - 64 for n in range(64, 128) if is_card(n)] == [2, 3, *range(8, 60)]

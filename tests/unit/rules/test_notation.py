"""Cards, plays and ranks as text, by hand."""

import pytest

from referee.rules.cards import DUPLICATE, MAHJONG, PHOENIX
from referee.rules.combinations import readings
from referee.rules.errors import NotationError
from referee.rules.notation import (
    format_cards,
    format_play,
    format_rank,
    parse_cards,
    parse_play,
    parse_rank,
)


def test_cards_by_hand() -> None:
    assert parse_cards("Mj Ph 2j Ar") == MAHJONG | PHOENIX | 1 << 8 | 1 << 59
    assert parse_cards("") == 0
    assert parse_cards("  7s   Td ".replace("d", "j")) == 1 << 29 | 1 << 40
    assert parse_cards("7j'") == 1 << 28 + 64


def test_cards_are_written_in_ascending_order() -> None:
    assert format_cards(parse_cards("Ar 2j Dr Ph Dg Mj Ts")) == "Dg Ph Dr Mj 2j Ts Ar"
    assert format_cards(parse_cards("Ph' Dr' 2j'")) == "Ph' Dr' 2j'"


def test_a_card_twice_is_marked() -> None:
    assert parse_cards("7j 7j") == 1 << 28 | DUPLICATE


@pytest.mark.parametrize("text", ["7", "7x", "1j", "10j", "MJ", "mj", "7j,8j", "Ph=7", "Mj'", "é"])
def test_no_card_is_named_in_the_message(text: str) -> None:
    with pytest.raises(NotationError) as wrong:
        parse_cards(f"2j {text}")
    assert repr(text) in str(wrong.value)


def test_a_play_names_the_rank_of_its_phoenix() -> None:
    assert parse_play("2j Ph=2") == (PHOENIX | 1 << 8, 2)
    assert parse_play("2j Ph") == (PHOENIX | 1 << 8, None)
    assert parse_play("Ph=1") == (PHOENIX, 1)
    assert parse_play("Ph=A 2j")[1] == 14


@pytest.mark.parametrize("text", ["7j=7", "Ph=", "Ph=Z", "Ph=10", "Ph=0", "Ph=Mj", "=7", "Ph==7"])
def test_no_play(text: str) -> None:
    with pytest.raises(NotationError):
        parse_play(text)


def test_plays_are_written_with_the_rank_of_the_phoenix() -> None:
    both = readings(parse_cards("Ph 5j 6s 7p 8s"))
    assert [format_play(play) for play in both] == ["Ph=9 5j 6s 7p 8s", "Ph=4 5j 6s 7p 8s"]
    assert format_play(readings(PHOENIX)[0]) == "Ph"


def test_ranks() -> None:
    assert [parse_rank(text) for text in "23456789TJQKA"] == list(range(2, 15))
    assert [format_rank(rank) for rank in range(2, 15)] == list("23456789TJQKA")


@pytest.mark.parametrize("text", ["", "1", "0", "10", "a", "Mj", "TJ"])
def test_no_rank(text: str) -> None:
    with pytest.raises(NotationError):
        parse_rank(text)


@pytest.mark.parametrize("rank", [-1, 0, 1, 15])
def test_no_rank_is_written(rank: int) -> None:
    with pytest.raises(NotationError):
        format_rank(rank)

"""B1 to B8: readings and what beats what, by hand."""

import pytest

from referee.rules.combinations import Combination, Kind, beats, read, readings
from referee.rules.every import every_lead
from referee.rules.hands import hand_has_bomb
from referee.rules.legal import leads
from referee.rules.notation import format_play, parse_cards, parse_play
from referee.rules.refusals import Refusal


def play(text: str) -> Combination:
    cards, phoenix_rank = parse_play(text)
    found = read(cards, phoenix_rank)
    assert isinstance(found, Combination), (text, found)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "length", "rank2", "phoenix_rank"),
    [
        ("Dg", Kind.SINGLE, 1, 0, 0),
        ("Mj", Kind.SINGLE, 1, 2, 0),
        ("Ph", Kind.SINGLE, 1, 3, 0),
        ("2j", Kind.SINGLE, 1, 4, 0),
        ("Ar", Kind.SINGLE, 1, 28, 0),
        ("Dr", Kind.SINGLE, 1, 32, 0),
        ("7j 7s", Kind.PAIR, 2, 14, 0),
        ("7j Ph", Kind.PAIR, 2, 14, 7),
        ("7j 7s 7r", Kind.TRIPLE, 3, 14, 0),
        ("7j 7s Ph", Kind.TRIPLE, 3, 14, 7),
        ("7j 7s 7p 7r", Kind.BOMB, 4, 14, 0),
        ("7j 7s 7p 3j 3s", Kind.FULL_HOUSE, 5, 14, 0),
        ("7j 7s 3p 3j 3s", Kind.FULL_HOUSE, 5, 6, 0),
        ("7j 7s 7p 3j Ph", Kind.FULL_HOUSE, 5, 14, 3),
        ("3j 3s 3p 7j Ph", Kind.FULL_HOUSE, 5, 6, 7),
        ("7j 7s 3p 3j Ph", Kind.FULL_HOUSE, 5, 14, 7),
        ("7j 7s 3p 3j Ph=3", Kind.FULL_HOUSE, 5, 6, 3),
        ("Mj 2j 3s 4p 5r", Kind.STRAIGHT, 5, 10, 0),
        ("Mj 2j 3j 4j 5j", Kind.STRAIGHT, 5, 10, 0),
        ("Mj 2j 3s 4p Ph", Kind.STRAIGHT, 5, 10, 5),
        ("Mj 3s 4p 5r Ph", Kind.STRAIGHT, 5, 10, 2),
        ("2j 3j 4j 5j 6j", Kind.BOMB, 5, 12, 0),
        ("2j 3j 4j 5j Ph", Kind.STRAIGHT, 5, 12, 6),
        ("Tr Jr Qr Kr Ar", Kind.BOMB, 5, 28, 0),
        ("Ts Jr Qr Kr Ar", Kind.STRAIGHT, 5, 28, 0),
        ("Jr Qr Kr Ar Ph", Kind.STRAIGHT, 5, 28, 10),
        ("2j 2s 3j 3s", Kind.STAIRS, 4, 6, 0),
        ("2j 2s 3j Ph", Kind.STAIRS, 4, 6, 3),
        ("2j Ph 3j 3s", Kind.STAIRS, 4, 6, 2),
        ("Qj Qs Kj Ks Aj As", Kind.STAIRS, 6, 28, 0),
        ("2j 2s 3j 3s 4j 4s 5j 5s 6j 6s 7j 7s 8j 8s", Kind.STAIRS, 14, 16, 0),
    ],
)
def test_reading(text: str, kind: Kind, length: int, rank2: int, phoenix_rank: int) -> None:
    found = play(text)
    assert (found.kind, found.length, found.rank2) == (kind, length, rank2)
    assert found.phoenix_rank == phoenix_rank
    assert found.is_bomb == (kind is Kind.BOMB)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mj Ph",
        "Dr Ph",
        "Dg Ph",
        "7j 8j",
        "7j 7s 7p 8j",
        "7j 7s 7p Ph",
        "7j 7s 7p 7r Ph",
        "7j 7s 7p 7r 8j",
        "7j 7s 7p 8j 8s 8p",
        "7j 7s 7p 8j 8s Ph",
        "7j 7s 8j 8s 9p Ph Dr",
        "7j 7s 8j 8s 9j 9s Ph",
        "7j 7s 8j 8s 9j 9s 9p",
        "6j 7s 8p 9r",
        "6j 7s 8p Ph",
        "6j 7s 9p Tr Ph Js Ks",
        "Aj 2j 3s 4p 5r",
        "Mj Mj",
        "Mj 2j 2s 3j",
        "Mj Ph 2j 2s",
        "Dg 2j 3s 4p 5r",
        "2j 3j 4j 5j 6j Dr",
        "2j 3s 4p 5r 6j 7s 8p 9r Tj Js Qp Kr Aj Ph",
    ],
)
def test_no_combination(text: str) -> None:
    cards = parse_cards(text)
    assert readings(cards) == []
    assert read(cards) is Refusal.NOT_A_COMBINATION
    assert read(cards, 7) is Refusal.NOT_A_COMBINATION


@pytest.mark.parametrize(
    ("text", "all_readings"),
    [
        ("Ph 5j 6s 7p 8s", ["Ph=9 5j 6s 7p 8s", "Ph=4 5j 6s 7p 8s"]),
        ("Ph 2j 3s 4p 5r", ["Ph=6 2j 3s 4p 5r"]),
        ("Ph Jj Qs Kp Ar", ["Ph=T Jj Qs Kp Ar"]),
        ("Ph 7j 7s 9j 9s", ["Ph=9 7j 7s 9j 9s", "Ph=7 7j 7s 9j 9s"]),
        (
            "Ph 3s 4p 5r 6j 7s 8p 9r Tj Js Qp Kr Aj",
            ["Ph=2 3s 4p 5r 6j 7s 8p 9r Tj Js Qp Kr Aj"],
        ),
    ],
)
def test_all_readings_highest_first(text: str, all_readings: list[str]) -> None:
    assert [format_play(found) for found in readings(parse_cards(text))] == all_readings


@pytest.mark.parametrize(
    "text", ["Ph=4 7j", "Ph=7", "Ph=1 2j 3s 4p 5r", "Ph=A Jj Qs Kp Ar", "Ph=7 7j 7s 7p 3j"]
)
def test_an_impossible_reading_is_told_apart_from_no_combination(text: str) -> None:
    assert read(*parse_play(text)) is Refusal.PHOENIX_RANK


def test_a_rank_named_without_the_phoenix_is_refused() -> None:
    assert read(parse_cards("7j 7s"), 7) is Refusal.PHOENIX_RANK
    assert read(parse_cards("7j 7s"), 0) is Refusal.PHOENIX_RANK


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("2j", "Mj"),
        ("Ph", "Mj"),
        ("Ph", "Aj"),
        ("Dr", "Aj"),
        ("8j 8s", "7j 7s"),
        ("8j Ph", "7j 7s"),
        ("3j 3s 3p 2j 2s", "2p 2r 2j Aj As"),
        ("6j 7s 8p 9r Tj", "5j 6s 7p 8r 9j"),
        ("2j 2s 2p 2r", "Dr"),
        ("2j 3j 4j 5j 6j", "Aj As Ap Ar"),
        ("2j 3j 4j 5j 6j 7j", "Ts Js Qs Ks As"),
        ("3j 3s 3p 3r", "2j 2s 2p 2r"),
    ],
)
def test_beats(higher: str, lower: str) -> None:
    assert beats(play(higher), play(lower))
    assert not beats(play(lower), play(higher)) or higher == "Ph"


@pytest.mark.parametrize(
    ("cards", "table"),
    [
        ("7j", "7s"),
        ("7j 7s", "6j"),
        ("7j 7s 7p", "6j 6s"),
        ("6j 7s 8p 9r Tj Js", "5j 6s 7p 8r 9j"),
        ("Aj As Kj Ks", "3j 3s 4j 4s 5j 5s"),
        ("6p 7r 8j 9s Tj Js", "3j 3s 4j 4s 5j 5s"),
        ("Dr", "2j 2s 2p 2r"),
        ("Ph", "2j 2s 2p 2r"),
        ("2j 3j 4j 5j 6j", "2s 3s 4s 5s 6s"),
        ("Aj As Ap Ar", "2s 3s 4s 5s 6s"),
        ("Dg", "Mj"),
    ],
)
def test_does_not_beat(cards: str, table: str) -> None:
    assert not beats(play(cards), play(table))


def test_the_single_phoenix_never_beats_the_dragon() -> None:
    """The trap of half steps: 32 + 1 > 32."""
    assert not beats(play("Ph"), play("Dr"))


@pytest.mark.parametrize(
    ("hand", "patterns"),
    [
        # 13 singles and the Phoenix, 13 pairs, 45 straights of naturals, 345 places of the Phoenix
        ("2j 3s 4p 5r 6j 7s 8p 9r Tj Js Qp Kr Aj Ph", 417),
        ("Mj 2j 3s 4p 5r 6j 7s 8p 9r Tj Js Qp Kr Aj", 14 + 55),
        ("3j 3s 3p 4j 4s", 2 + 2 + 1 + 1 + 1),
        ("Dg Ph Dr Mj", 4),
        ("7j 7s 7p 7r", 1 + 1 + 1 + 1),
        # one suit: nine cards give 5+4+3+2+1 bombs and no straight at all
        ("2j 3j 4j 5j 6j 7j 8j 9j Tj", 9 + 15),
    ],
)
def test_number_of_patterns_a_hand_can_lead(hand: str, patterns: int) -> None:
    found = leads(parse_cards(hand))
    assert len(found) == len(set(found)) == patterns


@pytest.mark.parametrize(
    ("hand", "sets"),
    [
        ("Ts Tp Jj Js Jp Jr Qj Qs Qp Qr Kj Ks Kp Ph", 1857),  # the most of all hands of 14
        ("3j 3s 3p 4j 4s", 14),
        ("Ph 7j 7s 8j 8s", 20),
    ],
)
def test_number_of_sets_and_readings_a_hand_can_lead(hand: str, sets: int) -> None:
    found = every_lead(parse_cards(hand))
    assert len(found) == len(set(found)) == sets


def test_a_pattern_is_shown_by_the_lowest_cards_that_form_no_bomb() -> None:
    shown = [format_play(found) for found in leads(parse_cards("5j 6j 7j 8j 9j 9s 7s"))]
    # 5 to 9 in jade is a bomb; the highest rank with another card changes
    assert shown[-2:] == ["5j 6j 7j 8j 9j", "5j 6j 7j 8j 9s"]


def test_of_several_other_cards_the_lowest_changes_the_suit() -> None:
    shown = [format_play(found) for found in leads(parse_cards("5j 6j 7j 8j 9j 9p 9r"))]
    assert shown[-2:] == ["5j 6j 7j 8j 9j", "5j 6j 7j 8j 9p"]


def test_the_mah_jong_and_four_cards_of_a_suit_are_no_bomb_in_the_hand() -> None:
    assert not hand_has_bomb(parse_cards("Mj 2j 3j 4j 5j"))
    assert not hand_has_bomb(parse_cards("Dg 2s 3s 4s 5s Ph 2p 3p 4p 5p Dr 2r 3r 4r 5r"))
    assert hand_has_bomb(parse_cards("2j 3j 4j 5j 6j"))
    assert hand_has_bomb(parse_cards("Ar Kr Qr Jr Tr"))
    assert hand_has_bomb(parse_cards("2j 2s 2p 2r"))


def test_a_straight_that_can_only_be_a_bomb_is_listed_once() -> None:
    shown = [format_play(found) for found in leads(parse_cards("5j 6j 7j 8j 9j"))]
    assert shown == ["5j", "6j", "7j", "8j", "9j", "5j 6j 7j 8j 9j"]


def test_canonical_order_is_fewer_cards_then_lower_rank_then_lower_numbers() -> None:
    shown = [format_play(found) for found in leads(parse_cards("Dg Mj Ph Dr 3s 3j 4p 4j"))]
    assert shown == [
        *("Dg", "Mj", "Ph", "3j", "4j", "Dr"),
        *("Ph=3 3j", "3j 3s", "Ph=4 4j", "4j 4p"),
        *("Ph=3 3j 3s", "Ph=4 4j 4p"),
        *("Ph=4 3j 3s 4j", "Ph=3 3j 4j 4p", "3j 3s 4j 4p"),
        *("Ph=3 3j 3s 4j 4p", "Ph=4 3j 3s 4j 4p"),
    ]

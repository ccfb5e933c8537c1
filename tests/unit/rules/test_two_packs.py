"""I1 and I5 by hand: what two packs change in combinations, bombs and heights."""

import pytest

from referee.rules.cards import count, pack
from referee.rules.combinations import Combination, Kind, beats, lying_on, read, readings
from referee.rules.hands import bombs, hand_has_bomb
from referee.rules.legal import follows, leads
from referee.rules.notation import format_play, parse_cards, parse_play
from referee.rules.option_values import GsDog, Variant
from referee.rules.options import RuleOptions
from referee.rules.refusals import Refusal
from referee.rules.shuffle import shuffle
from referee.rules.wish import can_bomb_with, can_fulfil


def play(text: str, *, two_phoenixes: bool = False) -> Combination:
    cards, phoenix_rank = parse_play(text)
    found = read(cards, phoenix_rank, two_phoenixes=two_phoenixes)
    assert isinstance(found, Combination), (text, found)
    return found


def shown(plays: tuple[Combination, ...] | list[Combination]) -> list[str]:
    return [format_play(found) for found in plays]


@pytest.mark.parametrize(
    ("text", "kind", "rank2", "phoenix_rank"),
    [
        ("Ph'", Kind.SINGLE, 3, 0),
        ("Dr'", Kind.SINGLE, 32, 0),
        ("7j'", Kind.SINGLE, 14, 0),
        ("7j 7j'", Kind.PAIR, 14, 0),
        ("7j' Ph'", Kind.PAIR, 14, 7),
        ("7j 7j' 7s", Kind.TRIPLE, 14, 0),
        ("7j 7j' Ph'", Kind.TRIPLE, 14, 7),
        ("7j 7j' 7s 8s 8s'", Kind.FULL_HOUSE, 14, 0),
        ("7j 7j' 8s 8s' Ph'", Kind.FULL_HOUSE, 16, 8),
        ("7j 7j' 8s 8s' Ph=7", Kind.FULL_HOUSE, 14, 7),
        ("7j 7j' 8s 8s'", Kind.STAIRS, 16, 0),
        ("7j 7j' 8s Ph'", Kind.STAIRS, 16, 8),
        ("Mj 2j' 3j 4j 5j", Kind.STRAIGHT, 10, 0),
        ("4j 5j' 6j 7j' 8j", Kind.BOMB, 16, 0),
        ("4j 5j' 6s 7j' 8j", Kind.STRAIGHT, 16, 0),
        ("4j 5j' 6j 7j' Ph'", Kind.STRAIGHT, 16, 8),
        ("7j 7s' 7p 7r'", Kind.BOMB, 14, 0),
    ],
)
def test_reading(text: str, kind: Kind, rank2: int, phoenix_rank: int) -> None:
    found = play(text)
    assert (found.kind, found.length, found.rank2) == (kind, count(found.cards), rank2)
    assert (found.phoenix_rank, found.second_phoenix_rank) == (phoenix_rank, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Dr Dr'",
        "Ph Ph'",
        "Ph Ph' 7j",
        "Ph Ph' 7j 7s",
        "Ph Dr'",
        "Mj Ph'",
        "7j 7j' 7s 7p",
        "7j 7j' 7s 7s'",
        "7j 7s 7p Ph'",
        "7j 7s 7p 7r Ph'",
        "7j 7j' 7s 7s' 7p",
        "7j 7j' 7s 7p 7r",
        "7j 7j' 7s 7p 8r",
        "7j 7j' 7s 7s' 8j 8s",
        "7j 7j' 8s 9s 9s'",
        "4j 5j' 6j 7j' 7j",
        "4j 4j' 5j 6j 7j 8j",
        "Ph Ph' 4j 5s 6j 7j",
        "Dg 7j' 8j 9j Tj Jj",
    ],
)
def test_no_combination(text: str) -> None:
    assert readings(parse_cards(text)) == []
    assert read(parse_cards(text)) is Refusal.NOT_A_COMBINATION


def test_of_two_dragons_the_later_beats_the_earlier() -> None:
    first, second = play("Dr"), play("Dr'")
    for later, earlier in ((first, second), (second, first)):
        assert beats(later, earlier)
        lies = lying_on(later, earlier)
        assert lies.rank2 == 33
        assert not beats(earlier, lies)
        assert follows(later.cards, earlier) == [lies]
        assert not beats(play("Ph'"), lies)
        assert not beats(play("Ph'"), earlier)
        assert follows(parse_cards("Ph Ph' Aj Aj'"), lies) == []
    assert lying_on(first, play("Aj")) == first


def test_of_two_phoenixes_the_later_beats_the_earlier_and_the_next_rank_both() -> None:
    eight = play("8j")
    for first, second in (("Ph", "Ph'"), ("Ph'", "Ph")):
        earlier = lying_on(play(first), eight)
        assert earlier.rank2 == 17
        assert beats(play(second), earlier)
        later = lying_on(play(second), earlier)
        assert later.rank2 == 17
        for table in (earlier, later):
            assert not beats(play("8s'"), table)
            assert beats(play("9s'"), table)
        assert shown(follows(parse_cards(f"8s' 9s' {second}"), earlier)) == [second, "9s'"]


def test_of_two_led_phoenixes_a_two_beats_both_and_the_mah_jong_none() -> None:
    later = lying_on(play("Ph'"), play("Ph"))
    assert later.rank2 == 3
    assert beats(play("2j'"), later)
    assert not beats(play("Mj"), later)


def test_an_equal_play_of_the_other_pack_does_not_beat() -> None:
    assert not beats(play("7j' 7s' 7p' 7r'"), play("7j 7s 7p 7r"))
    assert not beats(play("7j'"), play("7j"))
    assert not beats(play("4j' 5j' 6j' 7j' 8j'"), play("4s 5s 6s 7s 8s"))


def test_leads_are_shown_by_the_first_pack_where_it_is_held() -> None:
    assert shown(leads(parse_cards("7j 7j' 8s' Dr Dr' Ph Ph' Mj"))) == [
        *("Mj", "Ph", "7j", "8s'", "Dr"),
        *("Ph=7 7j", "7j 7j'", "Ph=8 8s'"),
        "Ph=7 7j 7j'",
        "Ph=8 7j 7j' 8s'",
    ]


def test_bombs_of_four_are_one_for_each_rank_and_of_rows_one_for_each_suit() -> None:
    hand = parse_cards("7j 7j' 7s 7p 7r' 7r 4j 5j' 6j 8j 8j'")
    assert shown(bombs(hand)) == ["7j 7s 7p 7r", "4j 6j 7j 8j 5j'"]
    assert hand_has_bomb(hand)
    assert not hand_has_bomb(parse_cards("7j 7j' 7s 7s' 7p 7p' Mj 2j 3j' 4j 5j"))


def test_a_straight_is_shown_by_the_lowest_cards_that_form_no_bomb() -> None:
    hand = parse_cards("4j 5j' 6j 7j' 8j 6s' 5s'")
    # 5s' for 5j' or 6s' for 6j: the first leaves 4j 6j 8j as they are
    assert shown(leads(hand))[-2:] == ["4j 6j 8j 5j' 7j'", "4j 6j 8j 5s' 7j'"]
    only = parse_cards("4j 5j' 6j 7j' 8j 8j'")
    assert [p.kind for p in leads(only) if p.length == 5] == [Kind.BOMB]


def test_the_wish_binds_by_cards_of_either_pack() -> None:
    assert can_fulfil(parse_cards("7j' 7s"), play("6j 6s"), 7)
    assert can_fulfil(parse_cards("7j' 7s' 7p' 7r"), play("Dr'"), 7)
    assert can_bomb_with(parse_cards("7j' 7s' 7p' 7r"), play("Dr'"), 7)
    assert not can_fulfil(parse_cards("7j 7j' 7s 7s'"), play("Dr'"), 7)
    assert can_fulfil(parse_cards("7j'"), None, 7)


TWO_PHOENIXES = [
    ("Ph=7 Ph'=7 7j", Kind.TRIPLE, 14),
    ("Ph=7 Ph'=8 7j 8j", Kind.STAIRS, 16),
    ("Ph=8 Ph'=9 5j 6s 7p", Kind.STRAIGHT, 18),
    ("Ph=4 Ph'=8 5j 6s 7p", Kind.STRAIGHT, 16),
    ("Ph=3 Ph'=4 5j 6s 7p", Kind.STRAIGHT, 14),
    ("Ph=K Ph'=Q Qj Ks Kp", Kind.FULL_HOUSE, 26),
    ("Ph=Q Ph'=Q Qj Ks Kp", Kind.FULL_HOUSE, 24),
    ("Ph=K Ph'=K Qj Qs Kp", Kind.FULL_HOUSE, 26),
    ("Ph=Q Ph'=K Qj Qs Kp", Kind.FULL_HOUSE, 24),
]


@pytest.mark.parametrize(("text", "kind", "rank2"), TWO_PHOENIXES)
def test_two_phoenixes_in_a_combination_with_the_option(text: str, kind: Kind, rank2: int) -> None:
    found = play(text, two_phoenixes=True)
    assert (found.kind, found.rank2) == (kind, rank2)
    assert set(format_play(found).split()) == set(text.split())
    assert parse_play(format_play(found)) == (found.cards, found.phoenix_rank)
    swapped = text.replace("Ph'=", "Ph!=").replace("Ph=", "Ph'=").replace("Ph!=", "Ph=")
    assert play(swapped, two_phoenixes=True) == found
    assert read(found.cards) is Refusal.NOT_A_COMBINATION


@pytest.mark.parametrize(
    "text",
    [
        "Ph Ph'",  # a pair of Phoenixes (I5)
        "Ph Ph' 7j 7s 7p",  # the pair of the full house
        "Ph Ph' 5j 5s 7p 7r",  # the middle of stairs
        "Ph Ph' 7j 7s",  # four of a kind (B6)
        "Ph Ph' Mj",
        "Ph Ph' Dr' 7j",
    ],
)
def test_two_phoenixes_are_no_pair_and_no_bomb_with_the_option(text: str) -> None:
    assert readings(parse_cards(text), two_phoenixes=True) == []


@pytest.mark.parametrize("text", ["Ph=3 Ph'=9 5j 6s 7p", "Ph=8 Ph' 5j 6s 7p", "Ph=7 Ph'=1 7j 8j"])
def test_ranks_that_no_reading_has_together_are_refused(text: str) -> None:
    assert read(*parse_play(text), two_phoenixes=True) is Refusal.PHOENIX_RANK


def test_two_phoenixes_fulfil_a_wish_only_with_the_option() -> None:
    hand, table = parse_cards("Ph Ph' 7j'"), play("6j 6s 6p")
    assert not can_fulfil(hand, table, 7)
    assert can_fulfil(hand, table, 7, two_phoenixes=True)
    assert shown(follows(hand, table, two_phoenixes=True)) == ["Ph=7 Ph'=7 7j'"]


@pytest.mark.parametrize(
    ("seats", "dog", "cards"),
    [
        (5, GsDog.REMOVED, 55),
        (6, GsDog.REMOVED, 55),
        (7, GsDog.REMOVED, 109),
        (12, GsDog.REMOVED, 109),
        (7, GsDog.ONE, 110),
    ],
)
def test_the_cards_of_grand_seigneur(seats: int, dog: GsDog, cards: int) -> None:
    all_cards = pack(RuleOptions(variant=Variant.GRAND_SEIGNEUR, seats=seats, gs_dog=dog))
    assert len(all_cards) == cards
    assert (1 in all_cards) == (dog is GsDog.ONE)
    assert 4 in all_cards
    assert 65 not in all_cards
    assert 68 not in all_cards
    order = shuffle(b"seed", all_cards)
    assert sorted(order) == all_cards != order

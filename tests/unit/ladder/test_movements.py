"""Movements: everybody meets everybody, as evenly as can be."""

from collections import Counter

import pytest

from referee.ladder.movement_search import starter_found
from referee.ladder.movement_tables import ROUNDS, STARTERS
from referee.ladder.movements import (
    MOST_ENTRANTS,
    Entry,
    Evenness,
    Movement,
    Table,
    evenness,
    full_rounds,
    movement,
)
from referee.rules.errors import ConfigError

SINGLE, PAIR = Entry.SINGLE, Entry.PAIR
PERFECT = [n for n in range(4, 42) if n % 4 < 2]  # 4k and 4k + 1
NEAR = [n for n in range(4, 42) if n % 4 >= 2]


def is_sound(one: Movement) -> bool:
    """Everybody is at one table or sits out, in every round."""
    everybody = list(range(one.entrants))
    return all(
        sorted([e for table in r.tables for e in table.entrants] + list(r.byes)) == everybody
        for r in one.rounds
    )


def test_eight_meet_by_hand() -> None:
    first = movement(SINGLE, 8).rounds[0]
    assert first.byes == ()
    assert first.tables == (Table((6, 4), (3, 2)), Table((0, 7), (1, 5)))


@pytest.mark.parametrize("entrants", PERFECT)
def test_a_whist_movement_has_everybody_once_as_partner_and_twice_as_opponent(
    entrants: int,
) -> None:
    made = movement(SINGLE, entrants)
    byes = entrants % 4
    assert is_sound(made)
    assert len(made.rounds) == full_rounds(SINGLE, entrants)
    assert evenness(made) == Evenness((1, 1), (2, 2), (byes, byes))


@pytest.mark.parametrize("entrants", NEAR)
def test_other_numbers_come_as_near_to_that_as_their_rounds_allow(entrants: int) -> None:
    made = movement(SINGLE, entrants)
    byes = entrants % 4
    most_partners = 2 if entrants in (14, 22, 30, 38) else 1
    assert is_sound(made)
    assert evenness(made) == Evenness((0, most_partners), (1, 2), (byes, byes))


@pytest.mark.parametrize("entrants", range(4, 42))
def test_what_a_movement_left_uneven_is_not_made_worse_when_it_is_played_over(
    entrants: int,
) -> None:
    once = evenness(movement(SINGLE, entrants))
    twice = evenness(movement(SINGLE, entrants, 2 * full_rounds(SINGLE, entrants)))
    for before, after in zip(once, twice, strict=True):
        assert after[1] - after[0] <= 2 * (before[1] - before[0])
    if entrants in PERFECT:
        assert twice == Evenness((2, 2), (4, 4), (2 * once.byes[0],) * 2)


@pytest.mark.parametrize("entry", Entry)
@pytest.mark.parametrize("entrants", range(4, 42))
def test_nobody_sits_out_twice_before_all_have_once(entry: Entry, entrants: int) -> None:
    made = movement(entry, entrants, 2 * full_rounds(entry, entrants))
    out = Counter(dict.fromkeys(range(entrants), 0))
    for one in made.rounds:
        out.update(one.byes)
        assert max(out.values()) - min(out.values()) <= 1


@pytest.mark.parametrize("pairs", range(2, 42))
def test_pairs_meet_each_other_pair_once(pairs: int) -> None:
    made = movement(PAIR, pairs)
    byes = pairs % 2
    assert is_sound(made)
    assert evenness(made) == Evenness((0, 0), (1, 1), (byes, byes))


@pytest.mark.parametrize("entry", Entry)
@pytest.mark.parametrize("entrants", [8, 9, 16, 17, 40, 41])
def test_everybody_has_both_sides_about_as_often(entry: Entry, entrants: int) -> None:
    made = movement(entry, entrants)
    first = Counter(e for one in made.rounds for table in one.tables for e in table.first)
    second = Counter(e for one in made.rounds for table in one.tables for e in table.second)
    most = 1 if entry is PAIR else 4
    assert all(abs(first[e] - second[e]) <= most for e in range(entrants))


@pytest.mark.parametrize("entrants", [8, 10, 11, 16, 40])
def test_a_short_movement_is_the_beginning_of_a_longer_one(entrants: int) -> None:
    long = movement(SINGLE, entrants, 2 * full_rounds(SINGLE, entrants)).rounds
    for rounds in (1, 3, full_rounds(SINGLE, entrants) + 1):
        assert movement(SINGLE, entrants, rounds).rounds == long[:rounds]


def test_in_a_short_movement_of_forty_nobody_meets_anybody_three_times() -> None:
    found = evenness(movement(SINGLE, 40, 10))
    assert found.partner == (0, 1)
    assert found.opponent == (0, 2)


@pytest.mark.slow
@pytest.mark.parametrize("entrants", [63, 64, 65, 66, MOST_ENTRANTS])
def test_numbers_without_a_table_are_searched_for_and_are_close(entrants: int) -> None:
    assert entrants not in STARTERS
    assert entrants not in ROUNDS
    made = movement(SINGLE, entrants)
    assert is_sound(made)
    found = evenness(made)
    assert found.byes == (entrants % 4,) * 2
    assert found.partner[1] <= 2
    assert found.opponent[1] <= 4


def test_a_search_always_finds_the_same() -> None:
    assert starter_found(12) == starter_found(12)
    assert sorted(starter_found(11)) == list(range(3, 11))


@pytest.mark.parametrize(
    ("entry", "entrants", "rounds", "said"),
    [
        (SINGLE, 3, None, "3 single entries: a tournament has 4 to 128"),
        (PAIR, 1, None, "1 pairs: a tournament has 2 to 128"),
        (SINGLE, 129, None, "129 single entries"),
        (SINGLE, 8, 0, "rounds = 0: with 8 entrants write 1 to 14; a full movement has 7"),
        (SINGLE, 8, 15, "rounds = 15"),
    ],
)
def test_what_cannot_be_is_refused(
    entry: Entry, entrants: int, rounds: int | None, said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        movement(entry, entrants, rounds)
    assert str(refused.value).startswith(said)

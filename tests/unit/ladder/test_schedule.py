"""What is played next, by hand."""

from collections.abc import Sequence

import pytest

from referee.ladder.boards import resolve
from referee.ladder.rulings import decide
from referee.ladder.schedule import (
    BoardPlan,
    Schedule,
    ScheduleKind,
    boards_left,
    check_schedule,
    next_boards,
)
from referee.ladder.values import Deals, LegResult, Ruling, RulingKind
from referee.rules.errors import ConfigError
from tests.unit.ladder.legs import all_played, board, deal, leg, owners_of, played, ruling, void

ABCD = owners_of("abcd")


def orders(
    schedule: Schedule,
    results: Sequence[LegResult] = (),
    *rulings: Ruling,
    owners: dict[str, str] = ABCD,
    running: Sequence[BoardPlan] = (),
    wanted: int = 99,
    at_once: int = 99,
) -> list[BoardPlan]:
    return list(
        next_boards(
            schedule,
            owners=owners,
            decided=decide(rulings),
            resolved=resolve(results, rulings, owners=owners),
            running=running,
            wanted=wanted,
            at_once=at_once,
        )
    )


def words(plans: Sequence[BoardPlan]) -> str:
    return " ".join(f"{plan.pairing}/{plan.board}/{plan.attempt}" for plan in plans)


ROUND_ROBIN = Schedule(boards=2)


def test_a_board_has_two_legs_with_the_seats_exchanged() -> None:
    (plan,) = orders(ROUND_ROBIN, owners=owners_of("ab"), wanted=1)
    assert plan == board("a~b", 1)
    assert plan.tables == (("a", "b"), ("b", "a"))
    assert plan.entries == {"a", "b"}


def test_round_robin_goes_around_the_circle() -> None:
    """Whoever may play at once plays at once: two boards have no entry in common."""
    assert words(orders(ROUND_ROBIN, wanted=7)) == (
        "a~d/1/1 b~c/1/1 a~b/1/1 c~d/1/1 a~c/1/1 b~d/1/1 a~d/2/1"
    )


def test_no_entry_is_at_too_many_boards() -> None:
    assert words(orders(ROUND_ROBIN, at_once=1)) == "a~d/1/1 b~c/1/1"
    running = [board("a~b", 1)]
    assert words(orders(ROUND_ROBIN, running=running, at_once=1)) == "c~d/1/1"
    assert orders(ROUND_ROBIN, running=running, wanted=0) == []


def test_void_boards_come_first_as_their_next_attempt() -> None:
    results = played(board("a~d", 1)) + void(board("c~d", 1)) + void(board("b~c", 2))
    assert words(orders(ROUND_ROBIN, results, wanted=4)) == "c~d/1/2 b~c/2/2 a~b/1/1 a~c/1/1"


def test_a_board_that_runs_is_not_ordered_even_if_it_was_void_before() -> None:
    owners = owners_of("ab")
    running = [board("a~b", 1, attempt=2)]
    results = void(board("a~b", 1))
    assert words(orders(ROUND_ROBIN, results, owners=owners, running=running)) == "a~b/2/1"


def test_a_running_board_whose_result_is_in_counts_once() -> None:
    owners, plan = owners_of("ab"), board("a~b", 1)
    assert words(orders(ROUND_ROBIN, played(plan), owners=owners, running=[plan])) == "a~b/2/1"
    assert words(orders(ROUND_ROBIN, played(plan)[:1], owners=owners, running=[plan])) == "a~b/2/1"


def test_a_number_that_left_no_result_is_ordered_as_it_was() -> None:
    """Board 2 was killed before it began, board 3 had ended."""
    results = all_played([board("a~b", 1), board("a~b", 3)])
    assert words(orders(Schedule(boards=4), results, owners=owners_of("ab"))) == "a~b/2/1 a~b/4/1"


def test_an_annulled_board_is_ordered_again() -> None:
    results = all_played([board("a~b", 1), board("a~b", 2)])
    annul = ruling(RulingKind.ANNUL, "a~b/1")
    assert words(orders(ROUND_ROBIN, results, annul, owners=owners_of("ab"))) == "a~b/1/2"


def test_without_a_number_there_is_no_end() -> None:
    endless = Schedule()
    owners = owners_of("ab")
    results = all_played([board("a~b", number) for number in range(1, 51)])
    assert words(orders(endless, results, owners=owners, wanted=2)) == "a~b/51/1 a~b/52/1"
    assert (
        boards_left(
            endless,
            owners=owners,
            decided=decide(()),
            resolved=resolve(results, (), owners=owners),
            running=(),
        )
        is None
    )


def test_entries_of_one_owner_are_never_paired() -> None:
    owners = ABCD | {"b": ABCD["a"]}
    assert "a~b" not in words(orders(ROUND_ROBIN, owners=owners))


@pytest.mark.parametrize(
    "kind", [RulingKind.WITHDRAW, RulingKind.QUARANTINE, RulingKind.DISQUALIFY]
)
def test_who_plays_no_more_gets_no_board_and_owes_none(kind: RulingKind) -> None:
    results = void(board("a~d", 1))
    plans = orders(Schedule(boards=1), results, ruling(kind, "d"))
    assert words(plans) == "b~c/1/1 a~b/1/1 a~c/1/1"


def test_in_a_frozen_ladder_nothing_is_ordered() -> None:
    assert orders(ROUND_ROBIN, void(board("a~b", 1)), ruling(RulingKind.FREEZE)) == []


def test_after_a_replacement_board_numbers_go_on() -> None:
    owners = owners_of("ab")
    results = all_played([board("a~b", 1)]) + void(board("a~b", 2))
    new = ruling(RulingKind.REPLACE, "b", version="v2")
    assert words(orders(ROUND_ROBIN, results, new, owners=owners)) == "a~b/3/1 a~b/4/1"
    plan = board("a~b", 3)
    results += [leg(plan, 1, versions=("v1", "v2")), leg(plan, 2, versions=("v2", "v1"))]
    assert words(orders(ROUND_ROBIN, results, new, owners=owners)) == "a~b/4/1"


def test_a_gauntlet_is_played_by_its_hero() -> None:
    schedule = Schedule(kind=ScheduleKind.GAUNTLET, boards=1, hero="c")
    assert words(orders(schedule)) == "b~c/1/1 c~d/1/1 a~c/1/1"


# --- the most uncertain pair


def test_the_most_uncertain_pair_is_next_once_all_have_two_boards() -> None:
    """a is far ahead; b and c are close."""
    schedule = Schedule(kind=ScheduleKind.UNCERTAIN, boards=5)
    owners = owners_of("abc")
    results = [
        result
        for number, margin in ((1, 90), (2, 110))
        for pairing, sign in (("a~b", 1), ("a~c", 1), ("b~c", 0))
        for result in played(board(pairing, number), sign * margin + number)
    ]
    assert words(orders(schedule, results, owners=owners, wanted=3)) == "b~c/3/1 b~c/4/1 b~c/5/1"
    assert len(orders(schedule, results, owners=owners)) == 3 * 5 - 6


def test_boards_that_run_make_a_pair_surer() -> None:
    """b and c are closest, but when they play enough boards another pair has its turn."""
    schedule = Schedule(kind=ScheduleKind.UNCERTAIN)
    owners = owners_of("abc")
    results = [
        result
        for number, noise in ((1, 40), (2, -40))
        for pairing, margin in (("a~b", 30), ("a~c", 40), ("b~c", 10))
        for result in played(board(pairing, number), margin + noise)
    ]
    first = orders(schedule, results, owners=owners, wanted=1)
    assert words(first) == "b~c/3/1"
    running = [board("b~c", number) for number in range(3, 93)]
    assert orders(schedule, results, owners=owners, wanted=1, running=running)[0].pairing == "a~b"


# --- Swiss

SWISS = Schedule(kind=ScheduleKind.SWISS, boards=2, rounds=3)


def rounds_of(*plans: tuple[str, int, int]) -> list[LegResult]:
    """Pairing, round from 1, margin: both boards of it."""
    return [
        result
        for pairing, number, margin in plans
        for at in (2 * number - 1, 2 * number)
        for result in played(board(pairing, at), margin)
    ]


def test_a_swiss_round_waits_for_the_one_before() -> None:
    first = "a~b/1/1 c~d/1/1 a~b/2/1 c~d/2/1"
    assert words(orders(SWISS)) == first
    results = rounds_of(("a~b", 1, 10)) + played(board("c~d", 1))
    assert words(orders(SWISS, results)) == "c~d/2/1"
    assert words(orders(SWISS, results, running=[board("c~d", 2)])) == ""


def test_in_the_next_round_winners_meet_and_the_board_number_says_which_round() -> None:
    results = rounds_of(("a~b", 1, -10), ("c~d", 1, -20))
    assert words(orders(SWISS, results)) == "a~c/3/1 b~d/3/1 a~c/4/1 b~d/4/1"
    results += rounds_of(("a~c", 2, 0), ("b~d", 2, 0))
    assert words(orders(SWISS, results)) == "a~d/5/1 b~c/5/1 a~d/6/1 b~c/6/1"
    results += rounds_of(("a~d", 3, 0), ("b~c", 3, 0))
    assert orders(SWISS, results) == []


def test_an_annulled_board_of_an_earlier_round_is_played_again_and_later_pairs_stay() -> None:
    """With other scores round 2 would have been paired otherwise."""
    results = rounds_of(("a~b", 1, -10), ("c~d", 1, -20)) + played(board("b~d", 3))
    annul = ruling(RulingKind.ANNUL, "c~d/1")
    assert words(orders(SWISS, results, annul)) == "c~d/1/2 b~d/4/1"
    results += played(board("c~d", 1, 2), 500)
    assert words(orders(SWISS, results, annul)) == "a~c/3/1 a~c/4/1 b~d/4/1"


def test_who_joins_a_swiss_plays_from_the_round_that_is_on() -> None:
    """Of the three who are free one who played the first round sits out, not the newcomer."""
    results = rounds_of(("a~b", 1, 10)) + played(board("a~c", 3))
    owners = owners_of("abcde")
    plans = orders(SWISS, results + rounds_of(("c~d", 1, 10)), owners=owners)
    assert words(plans) == "b~e/3/1 a~c/4/1 b~e/4/1"


def test_the_opponent_of_one_that_withdrew_sits_out_the_rest_of_the_round() -> None:
    results = played(board("a~b", 1)) + rounds_of(("c~d", 1, 10))
    gone = ruling(RulingKind.WITHDRAW, "b")
    assert words(orders(SWISS, results, gone)) == "a~c/3/1 a~c/4/1"


# --- a field

FIELD_SCHEDULE = Schedule(deals=Deals.FIELD, boards=1)


def test_a_field_sits_down_at_all_tables_of_a_deal() -> None:
    assert orders(FIELD_SCHEDULE) == [
        deal(1, ("a", "d"), ("b", "c")),
        deal(2, ("a", "b"), ("c", "d")),
        deal(3, ("c", "a"), ("d", "b")),
    ]


def test_a_void_table_is_made_up_by_a_new_deal() -> None:
    results = all_played(orders(FIELD_SCHEDULE)[:2])
    broken = orders(FIELD_SCHEDULE)[2]
    assert orders(FIELD_SCHEDULE, results + void(broken)) == [
        deal(4, ("c", "a"), ("d", "b")),
    ]


def test_all_of_a_field_are_busy_with_a_deal() -> None:
    running = orders(FIELD_SCHEDULE, wanted=1)
    assert orders(FIELD_SCHEDULE, running=running, at_once=1) == []
    assert [plan.board for plan in orders(FIELD_SCHEDULE, running=running, at_once=2)] == [2]


# --- three at a board

TRIOS = Schedule(boards=2, sides=3)


def test_every_three_meet_and_everybody_sits_on_each_side_once() -> None:
    plans = orders(TRIOS, wanted=100, at_once=100)
    assert sorted({plan.pairing for plan in plans}) == ["a~b~c", "a~b~d", "a~c~d", "b~c~d"]
    assert len(plans) == 8
    for plan in plans:
        assert all(len(set(side)) == 3 for side in zip(*plan.tables, strict=True))
    turns = {plan.board: plan.tables[0] for plan in plans if plan.pairing == "a~b~c"}
    assert turns == {1: ("a", "b", "c"), 2: ("c", "b", "a")}  # who sits behind whom


# --- what cannot be played


@pytest.mark.parametrize(
    ("schedule", "owners", "says"),
    [
        (Schedule(boards=0), ABCD, "boards = 0: give 1 or more"),
        (Schedule(kind=ScheduleKind.SWISS, boards=2), ABCD, "needs boards .* and rounds"),
        (Schedule(kind=ScheduleKind.SWISS, rounds=2), ABCD, "needs boards .* and rounds"),
        (Schedule(kind=ScheduleKind.GAUNTLET, hero="x"), ABCD, "hero = 'x'"),
        (
            Schedule(kind=ScheduleKind.GAUNTLET, hero="a"),
            dict.fromkeys("ab", "one"),
            "two owners are needed",
        ),
        (Schedule(), {}, "two owners are needed"),
        (TRIOS, dict.fromkeys("abc", "one") | {"d": "two"}, "three owners are needed"),
        (Schedule(sides=3, deals=Deals.FIELD, boards=2), ABCD, "round_robin or gauntlet"),
        (Schedule(sides=3, kind=ScheduleKind.UNCERTAIN), ABCD, "round_robin or gauntlet"),
        (Schedule(deals=Deals.FIELD), owners_of("abc"), "need 4 entries, here are 3"),
        (Schedule(deals=Deals.FIELD, boards=1), ABCD, "each two need 2 tables or more"),
        (
            Schedule(deals=Deals.FIELD, kind=ScheduleKind.UNCERTAIN),
            ABCD,
            "go with kind round_robin, not uncertain",
        ),
    ],
)
def test_a_schedule_that_cannot_be_played_is_refused(
    schedule: Schedule, owners: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        check_schedule(schedule, owners)


@pytest.mark.parametrize("schedule", [ROUND_ROBIN, SWISS, Schedule(deals=Deals.FIELD, boards=2)])
def test_a_schedule_that_can_be_played_is_not_refused(schedule: Schedule) -> None:
    check_schedule(schedule, ABCD)

"""What counts of results: valid attempts, void ones, and what rulings take out."""

from random import Random

import msgspec
import pytest

from referee.ladder.attempts import UNKNOWN_LEGS
from referee.ladder.boards import MOST_VOID, Fate, Resolved, annul_subject, resolve
from referee.ladder.plans import BoardPlan
from referee.ladder.rulings import Decided
from referee.ladder.values import LegResult, Ruling, RulingKind, Side
from referee.ladder.verdicts import Court
from referee.rules.errors import ConfigError
from tests.unit.ladder.legs import (
    all_played,
    board,
    deal,
    leg,
    match_id,
    owners_of,
    played,
    ruling,
    side,
    stopped,
    void,
)

OWNERS = owners_of(("adam", "eve", "zoe"))


def resolved(results: list[LegResult], *rulings: Ruling) -> Resolved:
    return resolve(results, rulings, owners=OWNERS)


def attempts(found: Resolved) -> list[tuple[str, int, int]]:
    return [(one.pairing, one.board, one.attempt) for one in found.boards]


# --- valid attempts


def test_a_board_is_the_difference_of_both_legs_in_points_a_round() -> None:
    """60 points in 2 rounds as team 0, then 30 in 1 round as team 1."""
    plan = board("adam~zoe", 1)
    legs = [leg(plan, 1, (100, 40), rounds=2), leg(plan, 2, (35, 65))]
    (rated,) = resolved(legs).boards
    assert (rated.first, rated.second, rated.margin, rated.rounds) == ("adam", "zoe", 90, 3)
    assert rated.difference == 30
    assert list(rated.legs) == legs


def test_the_valid_attempt_is_the_lowest_whose_legs_are_all_rated() -> None:
    first, second, third = (board("adam~zoe", 4, attempt) for attempt in (1, 2, 3))
    found = resolved(void(first) + played(second, 10) + played(third, 99))
    assert attempts(found) == [("adam~zoe", 4, 2)]
    assert found.histories["adam~zoe", 4].fate is Fate.RATED
    assert found.void == {"adam": 1, "zoe": 1}


def test_one_leg_alone_is_a_void_attempt() -> None:
    found = resolved(played(board("adam~zoe", 1))[:1])
    assert not found.boards
    assert found.histories["adam~zoe", 1].fate is Fate.OPEN
    assert found.next_attempt("adam~zoe", 1) == 2
    assert found.next_attempt("adam~zoe", 2) == 1


def test_a_leg_that_a_bot_failed_counts() -> None:
    plan = board("adam~zoe", 1)
    failed = leg(plan, 2, (400, -400), blame="bot", ending="crashed", faulty=("adam",))
    (rated,) = resolved([leg(plan, 1), failed]).boards
    assert rated.difference == -400


def test_the_order_of_results_is_of_no_account() -> None:
    results = all_played([board("adam~zoe", n) for n in (1, 2, 3)])
    results += void(board("adam~eve", 1)) + played(board("adam~eve", 1, 2), 7)
    results += played(deal(1, ("zoe", "adam"), ("eve", "bob")))
    for seed in range(20):
        mixed = results.copy()
        Random(seed).shuffle(mixed)
        assert msgspec.to_builtins(resolved(mixed).boards) == msgspec.to_builtins(
            resolved(results).boards
        ), f"{seed=}"
        assert resolved(mixed) == resolved(results), f"{seed=}"


def test_a_board_that_is_void_too_often_is_given_up() -> None:
    tried = [board("adam~zoe", 1, attempt) for attempt in range(1, MOST_VOID + 1)]
    results = [result for plan in tried for result in void(plan)]
    assert resolved(results).histories["adam~zoe", 1].fate is Fate.GIVEN_UP
    assert resolved(results[:-2]).histories["adam~zoe", 1].fate is Fate.OPEN


def test_boards_that_were_stopped_are_not_given_up() -> None:
    tried = [board("adam~zoe", 1, attempt) for attempt in range(1, 2 * MOST_VOID)]
    results = [result for plan in tried for result in stopped(plan)]
    assert resolved(results).histories["adam~zoe", 1].fate is Fate.OPEN


def test_one_owner_is_never_rated() -> None:
    found = resolve(played(board("adam~zoe", 1)), (), owners=dict.fromkeys(("adam", "zoe"), "both"))
    assert not found.boards
    assert not found.void
    assert found.histories["adam~zoe", 1].fate is Fate.CLOSED


def test_an_entry_that_left_the_file_keeps_the_owner_of_its_results() -> None:
    results = played(board("adam~zoe", 1))
    assert resolve(results, (), owners={}).boards
    assert not resolve(results, (), owners={"zoe": "owner of adam"}).boards


# --- results that no ladder wrote


def wrong(result: LegResult, **changes: object) -> LegResult:
    place = msgspec.structs.replace(result.place, **changes)
    return msgspec.structs.replace(result, place=place)


def sides(*names: str) -> tuple[Side, ...]:
    return tuple(leg(board(f"{name}~zzz", 1)).place.sides[0] for name in names)


@pytest.mark.parametrize(
    "changes",
    [
        {"leg": 3},
        {"leg": 2},  # teams as in leg 1
        {"board": 0},
        {"attempt": 0},
        {"pairing": "adam~eve"},
        {"pairing": "field"},
        {"sides": sides("adam", "adam")},
    ],
)
def test_a_result_that_fits_no_board_is_refused_by_its_match(changes: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"match adam~zoe\.1\.1\.1 cannot be leg"):
        resolved([wrong(leg(board("adam~zoe", 1)), **changes)])


def test_two_matches_of_one_leg_are_refused_by_name() -> None:
    one = leg(board("adam~zoe", 1))
    with pytest.raises(ConfigError, match="and copy are both leg 1 of adam~zoe board 1 attempt 1"):
        resolved([one, msgspec.structs.replace(one, match_id="copy")])


# --- annulments


@pytest.mark.parametrize(
    "subject", ["adam~zoe/1", "adam~zoe/1/1", "adam~zoe.1.1.1", "adam~zoe.1.1.2"]
)
def test_an_annulled_board_is_played_again_as_the_next_attempt(subject: str) -> None:
    results = all_played([board("adam~zoe", 1), board("adam~zoe", 2)])
    found = resolved(results, ruling(RulingKind.ANNUL, subject))
    assert attempts(found) == [("adam~zoe", 2, 1)]
    assert found.histories["adam~zoe", 1].fate is Fate.OPEN
    assert found.next_attempt("adam~zoe", 1) == 2
    assert not found.void
    results += played(board("adam~zoe", 1, 2))
    found = resolved(results, ruling(RulingKind.ANNUL, subject))
    assert attempts(found) == [("adam~zoe", 1, 2), ("adam~zoe", 2, 1)]


def test_a_ruling_on_a_board_takes_out_the_attempt_that_counted() -> None:
    """The first is void, the second counted, the third is its replay."""
    results = void(board("adam~zoe", 1)) + all_played(
        [board("adam~zoe", 1, attempt) for attempt in (2, 3)]
    )
    assert attempts(resolved(results, ruling(RulingKind.ANNUL, "adam~zoe/1"))) == [
        ("adam~zoe", 1, 3)
    ]


def test_two_rulings_on_a_board_take_out_two_attempts() -> None:
    rulings = [ruling(RulingKind.ANNUL, "adam~zoe/1", number=number) for number in (1, 2)]
    results = all_played([board("adam~zoe", 1, attempt) for attempt in (1, 2, 3)])
    assert attempts(resolved(results, *rulings)) == [("adam~zoe", 1, 3)]


def test_a_board_and_then_one_of_its_matches_are_one_attempt() -> None:
    rulings = [
        ruling(RulingKind.ANNUL, "adam~zoe/1", number=1),
        ruling(RulingKind.ANNUL, "adam~zoe.1.1.2", number=2),
    ]
    results = all_played([board("adam~zoe", 1, attempt) for attempt in (1, 2)])
    assert attempts(resolved(results, *rulings)) == [("adam~zoe", 1, 2)]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("adam~zoe/2", "adam~zoe/2/1"),
        ("zoe~adam/2", "adam~zoe/2/1"),
        ("adam~zoe/1", "adam~zoe/1/2"),
        ("adam~zoe.2.1.2", "adam~zoe/2/1"),
        ("field/1", "field/1/1"),
        ("field.1.1.2", "field.1.1.2"),
    ],
)
def test_what_an_operator_names_becomes_the_attempt_that_counts(text: str, subject: str) -> None:
    results = void(board("adam~zoe", 1)) + played(board("adam~zoe", 1, 2))
    results += played(board("adam~zoe", 2)) + played(deal(1, ("a", "b"), ("c", "d")))
    found = resolved(results)
    assert annul_subject(found, text) == subject
    counted = len(found.boards) + len(found.field_legs)
    after = resolved(results, ruling(RulingKind.ANNUL, subject))
    assert len(after.boards) + len(after.field_legs) < counted


@pytest.mark.parametrize("gone", [1, 2])
def test_an_annulled_board_is_not_void_where_the_record_of_a_leg_was_lost(gone: int) -> None:
    whole = all_played([board("adam~zoe", 1), board("adam~zoe", 2)])
    subject = annul_subject(resolved(whole), f"adam~zoe.1.1.{gone}")
    rule = ruling(RulingKind.ANNUL, subject)
    left = [one for one in whole if one.match_id != f"adam~zoe.1.1.{gone}"]
    found = resolved(left, rule)
    assert attempts(found) == [("adam~zoe", 2, 1)]
    assert not found.void
    assert not found.failed


def test_cards_of_an_annulled_board_do_not_come_again_where_all_its_records_were_lost() -> None:
    found = resolved(played(board("adam~zoe", 2)), ruling(RulingKind.ANNUL, "adam~zoe/1/3"))
    assert found.next_attempt("adam~zoe", 1) == 4


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("adam~zoe/9", "of adam~zoe there count 1-3, 5$"),
        ("adam~eve/1", "there are boards of adam~zoe$"),
        ("0123", "name one as its record is named, without .jsonl, or a board as ENTRY~ENTRY/"),
    ],
)
def test_who_names_a_board_that_is_not_there_is_told_what_there_is(text: str, cure: str) -> None:
    found = resolved(all_played([board("adam~zoe", number) for number in (1, 2, 3, 5)]))
    with pytest.raises(ConfigError, match=cure):
        annul_subject(found, text)


@pytest.mark.parametrize("text", ["adam~zoe/3", "adam~zoe/1/2", "nothing", "field/1"])
def test_what_does_not_count_cannot_be_annulled(text: str) -> None:
    with pytest.raises(ConfigError, match="counts in this ladder"):
        annul_subject(resolved(played(board("adam~zoe", 1))), text)


# --- entries that are out, or replaced


def test_a_disqualified_entry_has_no_boards() -> None:
    results = all_played([board("adam~zoe", 1), board("adam~eve", 1), board("eve~zoe", 1)])
    results += void(board("eve~zoe", 2))
    found = resolved(results, ruling(RulingKind.DISQUALIFY, "zoe"))
    assert attempts(found) == [("adam~eve", 1, 1)]
    assert found.histories["eve~zoe", 2].fate is Fate.CLOSED
    assert not found.void


@pytest.mark.parametrize("kind", [RulingKind.WITHDRAW, RulingKind.QUARANTINE, RulingKind.FREEZE])
def test_boards_of_an_entry_that_plays_no_more_count(kind: RulingKind) -> None:
    results = played(board("adam~zoe", 1))
    assert attempts(resolved(results, ruling(kind, "zoe"))) == [("adam~zoe", 1, 1)]


def version(plan_number: int, of_zoe: str, attempt: int = 1) -> list[LegResult]:
    plan = board("adam~zoe", plan_number, attempt)
    return [
        leg(plan, 1, versions=("v1", of_zoe)),
        leg(plan, 2, versions=(of_zoe, "v1")),
    ]


def test_after_a_replacement_only_the_new_version_counts() -> None:
    results = version(1, "v1") + version(2, "v2") + version(3, "v1")[:1]
    rule = ruling(RulingKind.REPLACE, "zoe", version="v2")
    found = resolved(results, rule)
    assert attempts(found) == [("adam~zoe", 2, 1)]
    assert [found.histories["adam~zoe", n].fate for n in (1, 2, 3)] == [
        Fate.CLOSED,
        Fate.RATED,
        Fate.CLOSED,
    ]
    assert not found.void


def test_back_at_an_earlier_version_its_boards_count_again() -> None:
    results = version(1, "v1") + version(2, "v2")
    rules = [
        ruling(RulingKind.REPLACE, "zoe", number=1, version="v2"),
        ruling(RulingKind.REPLACE, "zoe", number=2, version="v1"),
    ]
    assert attempts(resolved(results, *rules)) == [("adam~zoe", 1, 1)]


def test_a_replay_with_the_new_version_counts_at_its_old_number() -> None:
    results = version(1, "v1")[:1] + version(1, "v2", attempt=2)
    rule = ruling(RulingKind.REPLACE, "zoe", version="v2")
    assert attempts(resolved(results, rule)) == [("adam~zoe", 1, 2)]


# --- nobody knows who


def unknown(number: int, missing: str = "zoe") -> list[LegResult]:
    plan = board("adam~zoe", number)
    return [leg(plan, 1), leg(plan, 2, blame="unknown", faulty=(missing,))]


def test_unknown_legs_are_void_and_counted_by_who_was_missing() -> None:
    found = resolved(unknown(1) + unknown(2))
    assert not found.boards
    assert (found.unknown, found.charged) == ({"zoe": 2}, ())


def test_many_unknown_legs_count_as_the_worst_rounds_of_who_was_missing() -> None:
    found = resolved([result for n in range(1, UNKNOWN_LEGS + 1) for result in unknown(n)])
    assert found.charged == ("zoe",)
    assert [one.difference for one in found.boards] == [400.0] * UNKNOWN_LEGS


def test_one_unknown_leg_in_a_hundred_counts_against_nobody() -> None:
    """Three of 300 legs are 1 %, and not more."""
    missing = [result for n in (1, 2, 3) for result in unknown(n)]
    found = resolved(missing + all_played([board("adam~zoe", n) for n in range(4, 151)]))
    assert (found.unknown, found.charged) == ({"zoe": 3}, ())
    assert resolved(missing + all_played([board("adam~zoe", n) for n in range(4, 150)])).charged


def test_an_unknown_leg_of_tientsin_is_lost_by_a_triple_victory() -> None:
    court = Court(decided=Decided(), owners={}, charged=frozenset({"zoe"}))
    lost = leg(board("adam~zoe", 1), blame="unknown", ending="disconnected", faulty=("zoe",))
    assert court.seen(lost).points == (400, -400)
    three = tuple(
        msgspec.structs.replace(one, players=one.players[:1] * 3) for one in lost.place.sides
    )
    place = msgspec.structs.replace(lost.place, sides=three)
    assert court.seen(msgspec.structs.replace(lost, place=place)).points == (500, -600)


def test_a_board_of_three_compares_each_two_over_all_its_legs_and_is_one_board() -> None:
    tables = (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b"))
    plan = BoardPlan(pairing="a~b~c", board=1, attempt=1, tables=tables)
    points = {"a": 30, "b": 20, "c": -10}
    legs = [trio_leg(plan, number, points) for number in (1, 2, 3)]
    found = resolve(legs, (), owners=owners_of("abc"))
    margins = {(one.first, one.second): (one.margin, one.rounds) for one in found.boards}
    assert margins == {("a", "b"): (30, 9), ("a", "c"): (120, 9), ("b", "c"): (90, 9)}
    assert found.rated_boards == 1
    assert resolve(legs[:2], (), owners=owners_of("abc")).boards == ()
    one_owner = {**owners_of("abc"), "b": "owner of a"}
    assert resolve(legs, (), owners=one_owner).boards == ()
    place = msgspec.structs.replace(legs[0].place, leg=2)
    wrong = msgspec.structs.replace(legs[0], place=place)
    with pytest.raises(ConfigError, match="cannot be leg 2"):
        resolve([wrong], (), owners=owners_of("abc"))


def trio_leg(plan: BoardPlan, number: int, points: dict[str, int]) -> LegResult:
    """A leg of Trichu: three rounds, with these points for its entries."""
    names = plan.tables[number - 1]
    sides = tuple(
        msgspec.structs.replace(side(name), players=side(name).players[:1]) for name in names
    )
    place = leg(board("a~b", 1)).place
    return msgspec.structs.replace(
        leg(board("a~b", 1)),
        place=msgspec.structs.replace(place, pairing=plan.pairing, leg=number, sides=sides),
        match_id=f"m{number}",
        points=tuple(points[name] for name in names),
        rounds=3,
    )


def test_of_two_entries_that_were_missing_none_is_charged_with_the_leg() -> None:
    plans = [board("adam~zoe", n) for n in (1, 2, 3)]
    both = [leg(plan, 2, blame="unknown", faulty=("adam", "zoe")) for plan in plans]
    found = resolved([*(leg(plan, 1) for plan in plans), *both])
    assert not found.boards
    assert found.unknown == {"adam": 3, "zoe": 3}


# --- a field


def test_a_field_counts_by_table() -> None:
    plan = deal(1, ("a", "b"), ("d", "c"), ("e", "f"))
    found = resolved([leg(plan, 1, (30, 10)), leg(plan, 2, (0, 5)), *void(plan)[2:]])
    assert [(one.table, one.first, one.second, one.difference) for one in found.field_legs] == [
        (1, "a", "b", 20),
        (2, "d", "c", -5),
    ]
    assert found.void == {"e": 1, "f": 1}
    assert found.failed == {"e~f": 1}
    assert found.histories["field", 1].fate is Fate.RATED


def test_a_deal_with_one_rated_table_counts_for_nobody() -> None:
    found = resolved(void(deal(1, ("a", "b"), ("c", "d"))))
    assert not found.field_legs
    assert found.histories["field", 1].fate is Fate.CLOSED
    assert found.void == dict.fromkeys("abcd", 1)


def test_an_annulled_table_goes_alone_an_annulled_deal_whole() -> None:
    plan = deal(1, ("a", "b"), ("c", "d"), ("e", "f"))
    one = resolved(played(plan), ruling(RulingKind.ANNUL, match_id(plan, 2)))
    assert [table.table for table in one.field_legs] == [1, 3]
    assert not one.void
    assert not resolved(played(plan), ruling(RulingKind.ANNUL, "field/1")).field_legs

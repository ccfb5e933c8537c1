from collections.abc import Sequence

import numpy as np
import pytest

from referee.ladder.boards import BoardHistory, Fate, RatedBoard, Resolved
from referee.ladder.bradley_terry import ANCHORS
from referee.ladder.standings import standings
from referee.ladder.table import Column, Interval, Row, Standings, hundredths
from referee.ladder.values import Ruling, RulingKind, Unit
from referee.rules.errors import RefereeBug
from tests.unit.ladder.rated import Entry, boards_of, everyone, field_of, rated_board, resolved

SEED = 25
TWO = [
    rated_board("ann", "bob", 1, margins=(0, 20)),
    rated_board("ann", "bob", 2, margins=(30, 30)),
]


def entries(*names: str) -> list[Entry]:
    return [Entry(name=name, owner=f"owner of {name}") for name in names]


def ruling(kind: RulingKind, subject: str, number: int = 1, reason: str = "why") -> Ruling:
    at = "2026-01-31T12:00:00Z"
    return Ruling(number=number, event="e", kind=kind, subject=subject, reason=reason, at=at)


def table_of(
    boards: Sequence[RatedBoard],
    names: Sequence[str],
    rulings: Sequence[Ruling] = (),
    columns: Sequence[Column] = (),
) -> Standings:
    return standings(resolved(boards), entries(*names), rulings, unit=Unit.BOARD, columns=columns)


def row(table: Standings, name: str) -> Row:
    return next(row for row in table.rows if row.entry == name)


def test_a_table_by_hand() -> None:
    """ann was 20 points a round better over two boards: 10 above the mean of both."""
    table = table_of(TWO, ["bob", "ann"])
    ann, bob = table.rows
    assert (ann.rank, ann.entry, ann.owner, ann.boards) == (1, "ann", "owner of ann", 2)
    assert ann.points == Interval(value=1000, low=-5353, high=7353)
    assert (ann.best, ann.worst, bob.best, bob.worst) == (1, 2, 1, 2)
    assert (ann.wins, ann.ties, ann.losses) == (3, 1, 0)
    assert (bob.wins, bob.ties, bob.losses) == (0, 1, 3)
    assert bob.points == Interval(value=-1000, low=-7353, high=5353)
    assert table.notes == ()
    assert table.pairs == ()
    assert (ann.elo, ann.bootstrap) == (None, None)


def test_equal_points_share_a_rank_and_are_in_the_order_of_names() -> None:
    boards = [
        rated_board(*pair, number, margins=(size, size))
        for pair in (("a", "b"), ("a", "c"), ("b", "c"))
        for number, size in ((1, -8), (2, 8))
    ]
    assert [(row.rank, row.entry) for row in table_of(boards, "cba").rows] == [
        (1, "a"), (1, "b"), (1, "c"),
    ]  # fmt: skip


def test_who_has_not_played_stands_last_without_a_rank() -> None:
    table = table_of(TWO, ["aaa", "ann", "bob"])
    assert [(row.entry, row.rank) for row in table.rows] == [("ann", 1), ("bob", 2), ("aaa", None)]
    assert row(table, "aaa").points is None
    assert (row(table, "aaa").best, row(table, "aaa").worst) == (None, None)
    assert row(table, "ann").worst == 2  # the ranks are those of entries that played


def test_no_boards_at_all() -> None:
    table = table_of([], ["b", "a"], columns=list(Column))
    assert [row.entry for row in table.rows] == ["a", "b"]
    assert (table.notes, table.pairs, table.elo_anchors) == ((), (), ())


def test_a_disqualified_entry_is_in_the_notes_alone() -> None:
    ruled = ruling(RulingKind.DISQUALIFY, "eve", reason="shared hands")
    table = table_of(TWO, ["ann", "bob", "eve"], [ruled])
    assert [row.entry for row in table.rows] == ["ann", "bob"]
    assert table.notes == (
        "Ruling 1 (2026-01-31T12:00:00Z): eve disqualified. Reason: shared hands",
    )


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (RulingKind.WITHDRAW, "withdrawn"),
        (RulingKind.QUARANTINE, "quarantined"),
        (RulingKind.REPLACE, ""),
    ],
)
def test_who_plays_no_more_stays_in_the_table(kind: RulingKind, state: str) -> None:
    table = table_of(TWO, ["ann", "bob"], [ruling(kind, "bob")])
    assert (row(table, "bob").state, row(table, "ann").state) == (state, "")
    assert row(table, "bob").boards == 2


def test_rulings_are_noted_in_the_order_of_their_numbers() -> None:
    rulings = [ruling(RulingKind.FREEZE, "", 2), ruling(RulingKind.ANNUL, "ann~bob/3", 1)]
    assert table_of(TWO, ["ann", "bob"], rulings).notes == (
        "Ruling 1 (2026-01-31T12:00:00Z): ann~bob/3 annulled. Reason: why",
        "Ruling 2 (2026-01-31T12:00:00Z): the ladder frozen. Reason: why",
    )


def test_a_rated_board_of_nobody_is_our_bug() -> None:
    with pytest.raises(RefereeBug, match="bob"):
        table_of(TWO, ["ann"])


def test_parts_that_did_not_meet_are_named_and_not_compared() -> None:
    boards = [
        rated_board(*pair, number, margins=(size + number, size))
        for pair, size in ((("a", "b"), 500), (("c", "d"), 100))
        for number in range(1, 20)
    ]
    table = table_of(boards, "abcd")
    assert [row.entry for row in table.rows] == ["a", "c", "d", "b"]
    assert table.notes[0].startswith("Not connected: a, b | c, d.")
    assert [(row.best, row.worst) for row in table.rows] == [(1, 3), (1, 3), (2, 4), (2, 4)]


def test_where_no_interval_can_be_told_there_is_none_and_a_note() -> None:
    table = table_of(TWO[:1], ["ann", "bob"])
    assert row(table, "ann").points == Interval(value=500)
    assert table.notes[0].startswith("No interval: ann, bob.")


def test_void_faults_and_unknown_legs_are_counted() -> None:
    boards = [rated_board("ann", "bob", 1, margins=(0, 20), faulty=("bob",)), TWO[1]]
    history = BoardHistory(
        pairing="ann~bob", board=3, attempts=20, fate=Fate.GIVEN_UP, entries=("ann", "bob")
    )
    counted = Resolved(
        boards=tuple(boards),
        histories={("ann~bob", 3): history},
        void={"ann": 20, "bob": 20},
        unknown={"bob": 3},
        charged=("bob",),
    )
    table = standings(counted, entries("ann", "bob"), [], unit=Unit.BOARD)
    ann, bob = table.rows
    assert (ann.faults, bob.faults, ann.void, bob.void) == (0, 1, 20, 20)
    assert (ann.unknown, ann.charged, bob.unknown, bob.charged) == (0, False, 3, True)
    assert table.notes == (
        "Given up: 1 board, void at every attempt.",
        "bob: 3 legs ended and nobody knows by whom; so many count against it.",
    )


def test_remarks_come_first() -> None:
    table = standings(
        resolved(TWO), entries("ann", "bob"), [ruling(RulingKind.FREEZE, "")],
        unit=Unit.BOARD, remarks=["Practice."],
    )  # fmt: skip
    assert table.notes[0] == "Practice."


def test_columns_that_were_asked_for() -> None:
    strengths = {"a": 20.0, "b": 0.0, "c": -20.0}
    boards = boards_of(strengths, everyone("abc", 30), np.random.default_rng(SEED))
    table = table_of(boards, "abc", columns=[Column.BOOTSTRAP, Column.PAIRS, Column.ELO])
    assert table.columns == (Column.ELO, Column.PAIRS, Column.BOOTSTRAP)
    assert [(pair.first, pair.second, pair.boards) for pair in table.pairs] == [
        ("a", "b", 30), ("a", "c", 30), ("b", "c", 30),
    ]  # fmt: skip
    for one in table.rows:
        for interval in (one.points, one.elo, one.bootstrap):
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            assert interval.low < interval.value < interval.high
    assert sum(one.elo.value for one in table.rows if one.elo) == pytest.approx(0, abs=2)


def house(name: str, bot: str) -> Entry:
    return Entry(name=name, bots=(bot, bot), house=True)


def test_elo_is_anchored_at_house_bots_that_play_alone() -> None:
    boards = boards_of(dict.fromkeys("abcd", 0.0), everyone("abcd", 9), np.random.default_rng(SEED))
    players = [
        house("a", "greedy"),
        house("b", "random"),
        Entry(name="c", bots=("greedy", "random"), house=True),
        Entry(name="d", bots=("greedy", "greedy")),  # somebody's own bot of that name
    ]
    table = standings(resolved(boards), players, [], unit=Unit.BOARD, columns=[Column.ELO])
    assert table.elo_anchors == (("a", ANCHORS["greedy"]), ("b", ANCHORS["random"]))
    anchors = [one.elo.value for one in table.rows if one.entry in "ab" and one.elo]
    assert sum(anchors) == pytest.approx(100 * ANCHORS["greedy"], abs=2)


def test_anchors_are_of_legs_of_one_round() -> None:
    """The better bot wins far more matches than rounds: their Elo is on another scale."""
    boards = boards_of(dict.fromkeys("ab", 0.0), everyone("ab", 9), np.random.default_rng(SEED))
    players = [house("a", "greedy"), house("b", "random")]
    table = standings(resolved(boards), players, [], unit=Unit.MATCH, columns=[Column.ELO])
    assert table.elo_anchors == ()
    assert sum(one.elo.value for one in table.rows if one.elo) == pytest.approx(0, abs=2)


def test_a_field() -> None:
    strengths = {name: 30.0 * at for at, name in enumerate("abcdef")}
    legs = field_of(strengths, 200, np.random.default_rng(SEED))
    table = standings(
        resolved((), legs), entries(*"abcdef"), [], unit=Unit.BOARD, columns=list(Column)
    )
    assert [one.entry for one in table.rows] == list("fedcba")
    assert {one.boards for one in table.rows} == {200}
    assert table.pairs == ()  # a deal that was met once does not tell them from luck


@pytest.mark.parametrize(
    ("value", "shown"), [(1.234, 123), (-1.236, -124), (0.005, 1), (-0.005, -1), (-0.001, 0)]
)
def test_numbers_are_rounded_to_hundredths_halves_outward(value: float, shown: int) -> None:
    assert hundredths(value) == shown

"""What a table brings, and who is placed where."""

import msgspec
import pytest

from referee.ladder.tournament_scores import (
    VICTORY_ROWS,
    Scale,
    TableResult,
    sat_out,
    scored,
    victory_rows,
)
from referee.ladder.tournament_standings import Placed, RoundScores, TieBreak, placed, scores_of
from referee.rules.errors import ConfigError

TICHU = Scale()
VICTORY = Scale(rows=victory_rows(VICTORY_ROWS))


def table(
    first: int, second: int, *, names: str = "abcd", number: int = 1, **special: object
) -> TableResult:
    """A table of a and c's side against b and d's: `names` by sides."""
    whole = TableResult(
        round=number,
        sides=((names[0], names[1]), (names[2], names[3])),
        points=(first, second),
        finished=(first, second),
        deals=4,
    )
    return msgspec.structs.replace(whole, **special)


def brought(result: TableResult, scale: Scale) -> dict[str, int]:
    return {one.entrant: one.score for one in scored(result, scale)}


def test_tichu_points_are_the_difference_of_a_table() -> None:
    assert brought(table(520, 180), TICHU) == {"a": 340, "b": 340, "c": -340, "d": -340}


@pytest.mark.parametrize(
    ("difference", "winner", "loser"),
    [
        (0, 10, 10),
        (49, 10, 10),
        (50, 11, 9),
        (340, 15, 5),
        (849, 19, 1),
        (850, 20, 0),
        (3200, 20, 0),
    ],
)
def test_the_default_of_victory_points_by_difference(
    difference: int, winner: int, loser: int
) -> None:
    assert VICTORY.score(difference) == winner
    assert VICTORY.score(-difference) == loser


def test_default_rows_always_share_out_twenty() -> None:
    assert all(row.winner + row.loser == 20 for row in VICTORY.rows)


@pytest.mark.parametrize(("scale", "even"), [(TICHU, 0), (VICTORY, 10)])
def test_sitting_out_brings_what_a_tie_does(scale: Scale, even: int) -> None:
    assert sat_out("a", 3, scale).score == even
    assert brought(table(200, 200), scale) == dict.fromkeys("abcd", even)


def test_an_innocent_partner_loses_what_was_lost_by_then_and_wins_nothing() -> None:
    ended = table(-1600, 1600, finished=(100, 300), at_fault=("a",))
    assert brought(ended, TICHU) == {"a": -3200, "b": -200, "c": 3200, "d": 3200}
    ahead = msgspec.structs.replace(ended, finished=(300, 100))
    assert brought(ahead, TICHU)["b"] == 0
    assert brought(ahead, VICTORY) == {"a": 0, "b": 10, "c": 20, "d": 20}
    both = msgspec.structs.replace(ended, at_fault=("a", "b"))
    assert brought(both, TICHU)["b"] == -3200


def test_a_table_that_was_given_up_is_a_tie_for_those_who_were_there() -> None:
    gone = table(0, 0, at_fault=("d",), given_up=True)
    assert brought(gone, TICHU) == {"a": 0, "b": 0, "c": 0, "d": -1600}
    assert brought(gone, VICTORY) == {"a": 10, "b": 10, "c": 10, "d": 0}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "the first row is for a difference of 0"),
        (["10 1:0"], "the first row is for a difference of 0"),
        (["0 3:1"], "the first row is for a difference of 0"),
        (["0 1:1", "many"], "'many' is no row"),
        (["0 1:1", "100 2:0", "100 3:0"], '"100 3:0": differences grow'),
        (["0 1:1", "100 3:0", "200 2:0"], '"200 2:0": a larger difference brings'),
        (["0 1:1", "100 2:2"], '"100 2:2": a larger difference brings'),
    ],
)
def test_rows_that_make_no_sense_are_refused(rows: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        victory_rows(rows)
    assert str(refused.value).startswith(said)


# --- standings


def standings(
    *tables: TableResult, scale: Scale = TICHU, lots: dict[str, str] | None = None
) -> list[tuple[int, str, TieBreak | None]]:
    rounds = [RoundScores(number=at, tables=(one,)) for at, one in enumerate(tables, 1)]
    names = sorted({name for one in tables for side in one.sides for name in side})
    lines = placed(scores_of(names, rounds, scale), lots)
    return [(line.rank, line.entrant, line.by) for line in lines]


def test_more_points_stand_first() -> None:
    found = standings(table(300, 100, names="abcd"), table(200, 190, names="acbd"))
    assert [(rank, name) for rank, name, _ in found] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_a_tie_is_parted_by_direct_meetings_first() -> None:
    # b beats a by 100, and loses as much to others; a wins more tables, which comes later
    found = standings(
        table(200, 300, names="acbd"),
        table(150, 100, names="aefg"),
        table(150, 100, names="aefg"),
        table(100, 200, names="bhij"),
    )
    both = [(name, by) for _, name, by in found if name in "ab"]
    assert both == [("b", None), ("a", TieBreak.DIRECT)]


def test_those_who_did_not_meet_are_parted_by_tables_won() -> None:
    # a: +100 +100 -100; b: +100 in one table, two ties
    found = standings(
        table(200, 100, names="acde"),
        table(200, 100, names="acde"),
        table(100, 200, names="acde"),
        table(200, 100, names="bfgh"),
        table(150, 150, names="bfgh"),
        table(150, 150, names="bfgh"),
    )
    order = [name for _, name, _ in found]
    assert order[:4] == ["a", "c", "b", "f"]
    assert {name: by for _, name, by in found}["b"] is TieBreak.WINS


def test_a_lot_parts_those_whom_nothing_else_does_and_without_one_they_share_a_rank() -> None:
    one = table(200, 100)
    assert standings(one) == [(1, "a", None), (1, "b", None), (3, "c", None), (3, "d", None)]
    lots = {"a": "f", "b": "0", "c": "1", "d": "2"}
    assert standings(one, lots=lots) == [
        (1, "b", None),
        (2, "a", TieBreak.LOT),
        (3, "c", None),
        (4, "d", TieBreak.LOT),
    ]


def test_victory_points_are_parted_by_the_difference() -> None:
    found = standings(
        table(310, 10, names="acde"), table(300, 0, names="bfgh"), scale=VICTORY, lots={}
    )
    assert found[0][0] == found[1][0] == 1
    closer = standings(
        table(310, 10, names="acde"), table(310, 0, names="bfgh"), scale=VICTORY, lots={}
    )
    assert [name for _, name, _ in closer][:2] == ["b", "f"]
    assert closer[2][1:] == ("a", TieBreak.DIFFERENCE)


def test_rounds_that_were_sat_out_count_as_ties() -> None:
    rounds = [RoundScores(number=1, tables=(table(200, 100),), byes=("e",))]
    lines = placed(scores_of("abcde", rounds, VICTORY))
    e = next(line for line in lines if line.entrant == "e")
    assert e == Placed(
        rank=3, entrant="e", score=10, won=0, tied=0, lost=0, out=1, difference=0, made=0, faults=0
    )

"""The table of a tournament and its rounds, as they are printed."""

import json

import msgspec
import pytest

from referee.formats.tournament_text import TableFormat, TournamentReport, report_lines
from referee.ladder.movements import Entry
from referee.ladder.tournament_scores import VICTORY_ROWS, Scale, TableResult, victory_rows
from referee.ladder.tournament_standings import RoundScores
from referee.ladder.tournaments import Tournament

NAMES = ("ann", "bob", "cid", "dot", "eve")
VICTORY = Scale(rows=victory_rows(VICTORY_ROWS))
TABLE = TableResult(
    round=1,
    sides=(("ann", "bob"), ("cid", "dot")),
    points=(340, 60),
    finished=(340, 60),
    deals=4,
)
REPORT = TournamentReport(
    tournament=Tournament(event="cup", entry=Entry.SINGLE, entrants=NAMES, scale=VICTORY),
    rounds=(RoundScores(number=1, tables=(TABLE,), byes=("eve",)),),
    lots={"ann": "1", "bob": "0", "cid": "2", "dot": "3", "eve": "4"},
    remarks=("Practice.",),
)


def text(
    report: TournamentReport, form: TableFormat = TableFormat.TEXT, number: int | None = None
) -> str:
    return "\n".join(report_lines(report, form, number))


def test_the_table_by_hand() -> None:
    assert (
        text(REPORT)
        == """\
cup: after 1 round of 5
rank  entrant  points  W-T-L  difference  out  tie
   1  bob          14  1-0-0        +280    0
   2  ann          14  1-0-0        +280    0  lot
   3  eve          10  0-0-0          +0    1
   4  cid           6  0-0-1        -280    0
   5  dot           6  0-0-1        -280    0  lot

Victory points: 10 each for a tie, 20:0 from a difference of 850 on; who sits
out gets 10.
Ties, in this order: direct meetings, tables won, difference, Tichu points made,
by lot from the event secret.
Practice."""
    )


def test_a_round_by_hand() -> None:
    assert (
        text(REPORT, number=1)
        == """\
cup: round 1 of 5
table  seat  entrant  made  difference  points
    1     0  ann       340        +280      14
    1     2  bob       340        +280      14
    1     1  cid        60        -280       6
    1     3  dot        60        -280       6
    -     -  eve         -          +0      10

Victory points: 10 each for a tie, 20:0 from a difference of 850 on; who sits
out gets 10.
Practice."""
    )


def test_tichu_points_have_their_sign_and_no_second_column_of_it() -> None:
    report = msgspec.structs.replace(
        REPORT, tournament=msgspec.structs.replace(REPORT.tournament, scale=Scale())
    )
    lines = text(report).splitlines()
    assert lines[1] == "rank  entrant  points  W-T-L  out  tie"
    assert lines[2] == "   1  bob        +280  1-0-0    0"


@pytest.mark.parametrize("number", [None, 1])
def test_the_longest_names_are_cut_to_eighty_columns(number: int | None) -> None:
    long = tuple(f"{name}{'x' * 29}" for name in NAMES)
    table = msgspec.structs.replace(
        TABLE, sides=(long[:2], long[2:4]), at_fault=(long[0],), points=(-99999, 99999)
    )
    report = msgspec.structs.replace(
        REPORT,
        tournament=msgspec.structs.replace(REPORT.tournament, entrants=long),
        rounds=(RoundScores(number=1, tables=(table,), byes=long[4:]),),
        lots={},
    )
    shown = text(report, number=number)
    assert max(map(len, shown.splitlines())) <= 80
    assert long[0] in text(report, TableFormat.CSV, number)


def test_csv_has_a_head_line_and_whole_numbers() -> None:
    lines = text(REPORT, TableFormat.CSV).splitlines()
    assert lines[0] == "rank,entrant,points,W-T-L,difference,out,tie"
    assert lines[1] == "1,bob,14,1-0-0,280,0,"


def test_markdown_is_a_table_of_it() -> None:
    lines = text(REPORT, TableFormat.MD).splitlines()
    assert lines[:5] == [
        "# cup: after 1 round of 5",
        "",
        "| rank | entrant | points | W-T-L | difference | out | tie |",
        "| ---: | --- | ---: | ---: | ---: | ---: | --- |",
        "| 1 | bob | 14 | 1-0-0 | +280 | 0 |  |",
    ]
    assert lines[-1] == "- Practice."


def test_json_has_every_table_and_everybodys_score() -> None:
    told = json.loads(text(REPORT, TableFormat.JSON))
    assert (told["event"], told["over"], told["rounds"]) == ("cup", 1, 5)
    assert told["standings"][1]["by"] == "lot"
    assert told["tables"][0]["scores"][0] == {
        "entrant": "ann",
        "round": 1,
        "partner": "bob",
        "opponents": ["cid", "dot"],
        "difference": 280,
        "made": 340,
        "score": 14,
        "at_fault": False,
    }
    assert told["byes"] == {"1": ["eve"]}


def test_names_of_strangers_move_no_cursor() -> None:
    report = msgspec.structs.replace(REPORT, remarks=("a\x1b[2Jb",))
    for form in TableFormat:
        assert "\x1b" not in text(report, form)


def test_tables_that_were_given_up_are_counted() -> None:
    table = msgspec.structs.replace(TABLE, given_up=True)
    rounds = (RoundScores(number=1, tables=(table,), byes=("eve",)),)
    assert "1 table was void time and again" in text(
        msgspec.structs.replace(REPORT, rounds=rounds)
    ).replace("\n", " ")

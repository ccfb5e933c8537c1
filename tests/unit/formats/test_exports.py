"""A ladder as table, JSON, CSV and Markdown."""

import csv
import io
import json

import msgspec
import pytest

from referee.formats.columns import EXPORTED_MEANINGS, elo_note
from referee.formats.export import ExportFormat, exported_files
from referee.formats.exported import Exported
from referee.formats.standings_text import EMPTY, table_lines
from referee.ladder.table import Interval
from tests.unit.formats.exports import NASTY, exported, match, row, side


def files(form: ExportFormat, what: Exported) -> dict[str, str]:
    return dict(exported_files(form, what))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# --- terminal


def test_the_table_is_aligned_whatever_names_say() -> None:
    lines = list(table_lines(exported().standings))
    head, *body = lines[: len(NASTY) + 1]
    assert all(line.isprintable() for line in lines)
    at = head.index("owner")
    assert all(line[at:].startswith("owner of ") for line in body)


def test_columns_that_nobody_asked_for_are_not_there() -> None:
    plain = msgspec.structs.replace(exported().standings, columns=())
    text = "\n".join(table_lines(plain))
    assert not [word for word in ("Elo", "bootstrap", "effect") if word in text]
    assert "+12.34  -0.50 .. +25.18" in text


def test_what_says_nothing_in_any_row_has_no_column() -> None:
    one = msgspec.structs.replace(row("a", 1), bots=("a", "a"), state="")
    plain = msgspec.structs.replace(exported().standings, rows=(one,), columns=())
    (head, *_) = table_lines(plain)
    assert not [word for word in ("bots", "state", "unknown") if word in head]


def test_legs_that_count_against_an_entry_are_marked() -> None:
    plain = msgspec.structs.replace(exported().standings, rows=(row("a", 1, charged=True),))
    assert "2!" in "\n".join(table_lines(plain))


def test_without_an_interval_there_is_a_dash() -> None:
    one = msgspec.structs.replace(row("a", 1), points=Interval(value=0))
    none = msgspec.structs.replace(
        one, entry="b", rank=None, best=None, worst=None, points=None, elo=None
    )
    plain = msgspec.structs.replace(exported().standings, rows=(one, none), columns=())
    _, first, second, *_ = table_lines(plain)
    assert first.split()[:5] == ["1", "1-2", "a", "0.00", "-"]
    assert second.split()[:5] == ["-", "-", "b", "-", "-"]


def test_an_empty_table_says_so() -> None:
    assert EMPTY in list(table_lines(exported([]).standings))


def test_of_several_anchors_the_mean_is_said_to_be_met() -> None:
    table = msgspec.structs.replace(
        exported().standings, elo_anchors=(("greedy", 367), ("random", 0))
    )
    assert elo_note(table) == (
        "Elo is anchored at greedy = 367, random = 0: "
        "the mean of the anchors that play is met, not each."
    )


# --- JSON


def test_json_has_everything_that_is_known() -> None:
    what = exported(practice=True)
    told = json.loads(files(ExportFormat.JSON, what)["ladder.json"])
    assert (told["event"], told["when"], told["practice"]) == (what.event, what.when, True)
    assert [one["entry"] for one in told["rows"]] == list(NASTY)
    first = told["rows"][0]
    assert first["points"] == {"value": 12.34, "low": -0.5, "high": 25.18}
    assert first["elo"]["value"] == 100.5
    assert told["pairs"][0]["effect"] == {"value": 0.05, "low": -0.1, "high": 0.2}
    assert told["notes"] == list(what.standings.notes)
    assert len(told["results"]) == len(what.matches)
    assert told["results"][0]["points"] == [120, -20]


def test_a_match_that_is_named_twice_counts_once() -> None:
    what = exported()
    twice = msgspec.structs.replace(what, matches=what.matches[::-1] + what.matches)
    for form in ExportFormat:
        assert files(form, twice) == files(form, what)


# --- CSV


def test_csv_is_read_back_as_it_was() -> None:
    what = exported(["a,b", 'say "hi"', "c"])
    told = files(ExportFormat.CSV, what)
    assert set(told) == {"standings.csv", "pairs.csv", "results.csv", "notes.txt"}
    table = rows(told["standings.csv"])
    assert [one["entry"] for one in table] == ["a,b", 'say "hi"', "c"]
    assert (table[0]["points"], table[0]["points_low"]) == ("12.34", "-0.50")
    assert (table[0]["charged"], table[0]["bot_1"]) == ("false", "a,b too")
    results = rows(told["results.csv"])
    assert {one["team_0"] for one in results} == {"a,b", 'say "hi"'}
    assert (results[0]["points_0"], results[0]["points_1"]) == ("120", "-20")
    assert (rows(told["pairs.csv"])[0]["effect_low"]) == "-0.10"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1+1", "@x", "-2|cmd"])
def test_no_name_is_a_formula(name: str) -> None:
    told = files(ExportFormat.CSV, exported([name, "b"]))
    assert rows(told["standings.csv"])[0]["entry"] == f"'{name}"


def test_a_line_break_in_a_name_breaks_no_line() -> None:
    told = files(ExportFormat.CSV, exported())
    assert len(told["standings.csv"].splitlines()) == len(NASTY) + 1
    assert len(told["notes.txt"].splitlines()) == len(NASTY) + 2 + len(EXPORTED_MEANINGS)


def test_columns_that_do_not_speak_for_themselves_are_explained() -> None:
    notes = files(ExportFormat.CSV, exported())["notes.txt"]
    told = json.loads(files(ExportFormat.JSON, exported())["ladder.json"])
    heads = {*told["rows"][0], *told["results"][0]}
    for name, meaning in EXPORTED_MEANINGS:
        assert name in heads
        assert f"{name}: {meaning}\n" in notes
        assert told["meanings"][name] == meaning


# --- Markdown


def test_markdown_shows_names_as_they_are() -> None:
    text = files(ExportFormat.MD, exported())["standings.md"]
    assert "\\<script\\>" in text
    assert text.count("<script") == text.count("\\<script") > 5
    assert "=1+1\\|x" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = {line.replace("\\|", "").count("|") for line in lines[: len(NASTY) + 2]}
    assert len(cells) == 1


def test_markdown_makes_no_link_of_a_name() -> None:
    text = files(ExportFormat.MD, exported(["www.x.example", "[a](http://b)"]))["standings.md"]
    assert "www\\.x.example" in text
    assert "\\[a\\](http\\://b)" in text


def test_practice_is_said_in_every_format() -> None:
    for form in ExportFormat:
        told = "".join(files(form, exported(practice=True)).values())
        silent = "".join(files(form, exported(practice=False)).values())
        assert "ractice" in told
        assert told != silent


def test_one_leg_without_a_result_is_no_result() -> None:
    lone = msgspec.structs.replace(match(side("a"), side("b")), leg=None)
    what = msgspec.structs.replace(exported(["a", "b"]), matches=(lone,))
    assert json.loads(files(ExportFormat.JSON, what)["ladder.json"])["results"] == []

"""Which legs count, and what is said of the others."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from referee.formats.bot_report import report_on
from referee.formats.bot_report_text import not_counted_text, report_lines
from referee.formats.counting import Counting, WhyNot, counting
from referee.formats.export import ExportFormat, exported_files
from referee.formats.exported import Exported
from referee.formats.site_frame import BOTS, ENTRIES, path_of
from referee.formats.summary import MatchSummary
from referee.ladder.attempts import UNKNOWN_LEGS
from referee.ladder.boards import resolve
from referee.ladder.values import LegResult, Ruling, RulingKind
from tests.unit.formats.exports import exported, match
from tests.unit.ladder.legs import (
    all_played,
    board,
    deal,
    leg,
    match_id,
    owners_of,
    played,
    ruling,
    stopped,
    void,
)

NAMES = ("adam", "eve", "zoe")
OWNERS = owners_of(NAMES)
FIRST, SECOND = board("adam~zoe", 1), board("adam~zoe", 1, 2)


def said(results: Sequence[LegResult], *rulings: Ruling) -> dict[str, str]:
    """What is said of each leg, by its match id."""
    found = counting(results, rulings, owners=OWNERS)
    return {result.match_id: found.says(result.match_id) for result in results}


@pytest.mark.parametrize("subject", ["adam~zoe/1", "adam~zoe/1/1", match_id(FIRST, 2)])
def test_both_legs_of_an_annulled_board_do_not_count(subject: str) -> None:
    told = said(played(FIRST) + played(SECOND), ruling(RulingKind.ANNUL, subject, number=4))
    assert list(told.values()) == ["no: annulled by ruling 4"] * 2 + ["yes"] * 2


def test_a_leg_is_annulled_by_the_first_ruling_that_took_it_out() -> None:
    rulings = [
        ruling(RulingKind.ANNUL, subject, number=number)
        for number, subject in enumerate(("adam~eve/1", "adam~zoe/1", "adam~zoe/1"), 1)
    ]
    told = said(played(FIRST) + played(SECOND), *rulings[::-1])
    assert (
        list(told.values()) == ["no: annulled by ruling 2"] * 2 + ["no: annulled by ruling 3"] * 2
    )


def test_the_lone_leg_of_a_void_board_does_not_count() -> None:
    (text,) = said(played(FIRST)[:1]).values()
    assert text == "no: void board, the other leg was not finished"


def test_both_legs_of_a_void_board_say_why() -> None:
    assert list(said(void(FIRST)).values()) == [
        "no: void board, the other leg is not rated",
        "no: void board, blame referee",
    ]


def test_what_disqualified_and_replaced_entries_played_does_not_count() -> None:
    out = ruling(RulingKind.DISQUALIFY, "zoe", number=2)
    anew = ruling(RulingKind.REPLACE, "adam", number=3, version="v2")
    assert set(said(played(FIRST), out).values()) == {"no: zoe disqualified by ruling 2"}
    assert set(said(played(FIRST), anew).values()) == {"no: version of adam replaced by ruling 3"}
    assert set(said(played(FIRST), ruling(RulingKind.WITHDRAW, "zoe")).values()) == {"yes"}


def test_two_entries_of_one_owner_do_not_count() -> None:
    found = counting(played(FIRST), (), owners=dict.fromkeys(NAMES, "both"))
    assert {one.why for one in found.others.values()} == {WhyNot.ONE_OWNER}


def test_of_two_valid_attempts_the_later_says_which_counts() -> None:
    told = said(played(FIRST) + played(SECOND))
    assert list(told.values()) == ["yes", "yes", "no: attempt 1 counts", "no: attempt 1 counts"]


def test_the_only_rated_table_of_a_deal_does_not_count() -> None:
    told = said(void(deal(1, ("adam", "zoe"), ("eve", "bob"))))
    assert list(told.values()) == [
        "no: void board, no other table of the deal counts",
        "no: void board, blame referee",
    ]


def unknown_legs() -> list[LegResult]:
    """Boards of which nobody knows who ended the first leg; zoe was missing."""
    plans = [board("adam~zoe", number) for number in range(1, UNKNOWN_LEGS + 1)]
    return [
        result
        for plan in plans
        for result in (
            leg(plan, 1, blame="unknown", ending="disconnected", faulty=("zoe",)),
            leg(plan, 2),
        )
    ]


def test_legs_that_are_charged_count_with_the_points_that_they_count() -> None:
    results = unknown_legs()
    found = counting(results, (), owners=OWNERS)
    assert not found.others
    assert found.counted[results[0].match_id].points == (400, -400)


def test_each_leg_counts_as_the_table_has_it_or_says_why_not() -> None:
    pool = all_played([board(pair, n) for pair in ("adam~zoe", "adam~eve") for n in (1, 2, 3)])
    pool += void(board("adam~zoe", 4)) + stopped(board("adam~eve", 5)) + played(SECOND)
    pool += played(deal(1, ("zoe", "adam"), ("eve", "bob"))) + unknown_legs()[6:]
    kinds = [RulingKind.ANNUL, RulingKind.DISQUALIFY, RulingKind.REPLACE, RulingKind.WITHDRAW]
    for seed in range(100):
        random = Random(seed)
        results = [result for result in pool if random.random() < 0.9]
        random.shuffle(results)
        rulings = [
            ruling(
                kind,
                random.choice(["adam~zoe/1", "adam~eve/2/1", "field/1", pool[0].match_id])
                if kind is RulingKind.ANNUL
                else random.choice(NAMES),
                number=number,
                version=random.choice(["v1", "v2"]) if kind is RulingKind.REPLACE else "",
            )
            for number, kind in enumerate(random.choices(kinds, k=random.randrange(4)), 1)
        ]
        found = counting(results, rulings, owners=OWNERS)
        table = resolve(results, rulings, owners=OWNERS)
        legs = [one for rated in table.boards for one in rated.legs]
        legs += [one.leg for one in table.field_legs]
        assert {one.match_id for one in legs} == set(found.counted), f"{seed=}"
        assert set(found.counted) ^ set(found.others) == {one.match_id for one in results}, (
            f"{seed=}"
        )


# --- what the outputs say


def summaries(results: Sequence[LegResult]) -> tuple[MatchSummary, ...]:
    return tuple(
        msgspec.structs.replace(
            match(*result.place.sides), match_id=result.match_id, place=result.place, leg=result
        )
        for result in results
    )


def annulled() -> tuple[tuple[MatchSummary, ...], Counting]:
    results = played(FIRST, 40) + played(SECOND, 10)
    rulings = [ruling(RulingKind.ANNUL, "adam~zoe/1")]
    return summaries(results), counting(results, rulings, owners=OWNERS)


def ladder() -> Exported:
    matches, found = annulled()
    return msgspec.structs.replace(exported(NAMES), matches=matches, counting=found)


def test_points_of_a_bot_are_those_of_legs_that_count() -> None:
    matches, found = annulled()
    report = report_on("adam", matches, found)
    assert report is not None
    ((_, score),) = report.entries
    assert (report.matches, score.legs, score.points) == (4, 2, 1000)
    assert "not counted: 2 legs (annulled)" in list(report_lines(report))


def test_a_charged_leg_brings_a_bot_the_points_that_count() -> None:
    results = unknown_legs()
    report = report_on("zoe", summaries(results), counting(results, (), owners=OWNERS))
    assert report is not None
    ((_, score),) = report.entries
    assert (score.legs, score.margin) == (2 * UNKNOWN_LEGS, -800 * UNKNOWN_LEGS)
    assert (report.void, not_counted_text(report)) == ((), "")


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSON, ExportFormat.HTML])
def test_every_export_says_that_an_annulled_leg_does_not_count(form: ExportFormat) -> None:
    told = "".join(dict(exported_files(form, ladder())).values())
    again = msgspec.structs.replace(
        ladder(), counting=counting([one.leg for one in ladder().matches if one.leg], (), owners={})
    )
    assert "annulled by ruling 1" in told
    assert "annulled by ruling 1" not in "".join(dict(exported_files(form, again)).values())


def test_pages_of_annulled_legs_say_no() -> None:
    pages = dict(exported_files(ExportFormat.HTML, ladder()))
    entry, bot = pages[path_of(ENTRIES, "adam")], pages[path_of(BOTS, "adam")]
    assert entry.count("no: annulled by ruling 1") == 2
    assert "Not counted: 2 legs (annulled)." in bot
    told = [text for path, text in pages.items() if path.startswith("matches/")]
    assert sum("no: annulled by ruling 1" in text for text in told) == 2

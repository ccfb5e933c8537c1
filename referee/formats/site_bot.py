"""The page of a bot: what `referee bot report` prints, with links."""

from collections.abc import Iterator

from referee.formats.bot_report import BotReport, NotedFault, VoidBoard
from referee.formats.bot_report_text import (
    CALL_TITLES,
    FAULT_TITLES,
    LESS_LUCK,
    SCORE_TITLES,
    SILENCE,
    TIME_TITLES,
    VOID_TITLES,
    call_cells,
    defaults_text,
    fault_cells,
    knows_luck,
    not_counted_text,
    score_cells,
    time_cells,
    void_cells,
)
from referee.formats.exported import Exported
from referee.formats.html_parts import EMPTY, Html, headings, link, said, table, tag
from referee.formats.site_frame import (
    ENTRIES,
    MATCHES,
    UP,
    described,
    link_to,
    page,
    path_of,
    section,
)
from referee.formats.words import counted

_WORDS = ("match", "board", "kind", "why", "ending", "blame")
TIME_MEANINGS = (
    ("thinking", "From the ask to its answer, less what the link took."),
    ("network", "The lag of the link that was granted, as far as it was used."),
    ("referee", "From the answer to its effect: bomb windows, the pace, others who still think."),
    ("charged", "What left the bank."),
    ("ran out", f"Asks whose time ran out. {SILENCE}"),
)


def bot_page(exported: Exported, report: BotReport) -> str:
    """Return the page of a bot."""
    return page(
        exported,
        report.bot,
        tag("p", said(f"A bot in {counted(report.matches, 'leg')}.")),
        described((f"version {n}", said(text)) for n, text in enumerate(report.versions, 1)),
        tag("p", said(f"{not_counted_text(report).capitalize()}."))
        if report.not_counted
        else EMPTY,
        _points(report),
        _bets(report),
        section("Time", *_times(report)) if report.times else EMPTY,
        _faults(report),
        _void(report),
    )


def _points(report: BotReport) -> Html:
    if not report.entries:
        return EMPTY
    entries = [
        [link_to(ENTRIES, name), *map(said, score_cells(score))] for name, score in report.entries
    ]
    seats = [
        [said(str(seat)), *map(said, score_cells(score))] for seat, score in enumerate(report.seats)
    ]
    return section(
        "Points",
        table(
            "Points a round by entry", headings(("entry", *SCORE_TITLES), texts=["entry"]), entries
        ),
        table("Points a round by seat", headings(("seat", *SCORE_TITLES), texts=["seat"]), seats),
        tag("p", said(LESS_LUCK.capitalize() + ".")) if knows_luck(report) else EMPTY,
    )


def _bets(report: BotReport) -> Html:
    if not report.calls:
        return EMPTY
    rows = [list(map(said, call_cells(call))) for call in report.calls]
    return section("Bets", table("Bets", headings(CALL_TITLES, texts=["call"]), rows))


def _times(report: BotReport) -> Iterator[Html]:
    rows = [list(map(said, time_cells(bill))) for bill in report.times]
    yield table("Time by kind of ask", headings(TIME_TITLES, texts=["ask"]), rows)
    yield described((name, said(text)) for name, text in TIME_MEANINGS)


def _faults(report: BotReport) -> Html:
    told = f"{counted(len(report.faults), 'fault')}, {counted(report.refused, 'refused answer')}."
    if report.answers.defaults:
        told += f" {defaults_text(report.answers)}."
    if not report.faults:
        return section("Faults", tag("p", said(told)))
    rows = [_fault(fault) for fault in report.faults]
    heads = headings(FAULT_TITLES, texts=_WORDS)
    return section("Faults", tag("p", said(told)), table("Faults", heads, rows))


def _fault(fault: NotedFault) -> list[Html]:
    _, *rest = fault_cells(fault)
    return [_match(fault.match_id), *map(said, rest)]


def _void(report: BotReport) -> Html:
    if not report.void:
        return EMPTY
    heads = headings(VOID_TITLES, texts=_WORDS)
    rows = [_void_row(void) for void in report.void]
    return section("Void boards", table("Boards that counted for nothing", heads, rows))


def _void_row(void: VoidBoard) -> list[Html]:
    board, _, *rest = void_cells(void)
    return [said(board), _match(void.match_id), *map(said, rest)]


def _match(match_id: str) -> Html:
    return link(UP + path_of(MATCHES, match_id), match_id)

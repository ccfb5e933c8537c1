"""The page of a match: who sat where, what each round brought, faults, bets and times."""

from collections.abc import Iterator

from referee.formats.bot_report import bots_of, has_luck
from referee.formats.bot_report_text import (
    CALL_TITLES,
    FAULT_TITLES,
    TIME_TITLES,
    board_text,
    call_cells,
    note_cells,
    time_cells,
)
from referee.formats.exported import Exported
from referee.formats.html_parts import EMPTY, Heading, Html, headings, said, table, tag
from referee.formats.site_bot import TIME_MEANINGS
from referee.formats.site_frame import BOTS, ENTRIES, described, link_to, page, section
from referee.formats.summary import MatchSummary
from referee.ladder.seats import side_at
from referee.ladder.values import LegPlace

_SEAT = "seat"


def match_page(exported: Exported, match: MatchSummary, place: LegPlace) -> str:
    """Return the page of a match."""
    return page(
        exported,
        f"Match {match.match_id}",
        described(_facts(exported, match, place)),
        _seats(place),
        _rounds(match, place),
        _faults(match),
        _bets(match),
        _times(match),
    )


def _facts(exported: Exported, match: MatchSummary, place: LegPlace) -> Iterator[tuple[str, Html]]:
    yield "board", said(board_text(place))
    yield "isolation", said(match.isolation or "not stated")
    leg = match.leg
    if leg is None:
        return
    yield "points", said(" : ".join(map(str, leg.points)))
    yield "ended", said(leg.ending.replace("_", " "))
    yield "blame", said(leg.blame)
    yield "counts", said(exported.counting.says(match.match_id))
    if leg.faulty:
        yield "at fault", said(", ".join(leg.faulty))


def _seats(place: LegPlace) -> Html:
    heads = headings((_SEAT, "entry", "bot"), texts=("entry", "bot"))
    rows = [
        [said(str(seat)), link_to(ENTRIES, place.sides[side].entry), link_to(BOTS, bot)]
        for seat, bot in enumerate(bots_of(place))
        if (side := side_at(len(place.sides), seat)) is not None
    ]
    return section("Seats", table("Who sat where", heads, rows))


def _rounds(match: MatchSummary, place: LegPlace) -> Html:
    if not match.rounds:
        return section("Rounds", tag("p", said("No round was finished.")))
    first = place.sides[0].entry
    heads = [Heading(title=title) for title in ("round", *_columns(match, place))]
    rows = [list(map(said, map(str, (one.round, *one.points)))) for one in match.rounds]
    luck = EMPTY
    if has_luck(place):
        heads.append(Heading(title="luck"))
        for row, one in zip(rows, match.rounds, strict=True):
            row.append(said(f"{one.luck:+.0f}"))
        text = f"Luck: points by which the dealt cards favour {first}, whatever was played."
        luck = tag("p", said(text))
    return section("Rounds", table("Points of each round", heads, rows), luck)


def _columns(match: MatchSummary, place: LegPlace) -> Iterator[str]:
    """Yield whose the columns of points are: of the entries, in Trichu of the Tisch too."""
    if len(match.rounds[0].points) == len(place.sides):
        yield from (side.entry for side in place.sides)
        return
    for seat, name in enumerate(match.players):
        side = side_at(len(place.sides), seat)
        yield name if side is None else place.sides[side].entry


def _faults(match: MatchSummary) -> Html:
    if not match.faults:
        return section("Faults", tag("p", said("None.")))
    heads = headings(FAULT_TITLES[2:], texts=("kind", "why"))
    rows = [list(map(said, note_cells(note))) for note in match.faults]
    return section("Faults", table("Faults in order", heads, rows))


def _bets(match: MatchSummary) -> Html:
    if not match.calls:
        return EMPTY
    heads = headings((_SEAT, *CALL_TITLES), texts=("call",))
    rows = [list(map(said, (str(call.seat), *call_cells(call)))) for call in match.calls]
    return section("Bets", table("Bets of finished rounds", heads, rows))


def _times(match: MatchSummary) -> Html:
    if not match.times:
        return EMPTY
    heads = headings((_SEAT, *TIME_TITLES), texts=("ask",))
    rows = [list(map(said, (str(bill.seat), *time_cells(bill)))) for bill in match.times]
    meanings = described((name, said(text)) for name, text in TIME_MEANINGS)
    return section("Time", table("Time by seat and kind of ask", heads, rows), meanings)

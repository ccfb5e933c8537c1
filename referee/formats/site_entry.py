"""The page of an entry: who it is, where it stands, and all of its legs."""

from collections.abc import Sequence

import msgspec

from referee.formats.columns import columns_of
from referee.formats.exported import Exported
from referee.formats.html_parts import Html, headings, link, said, table, tag
from referee.formats.leg_places import seats_text
from referee.formats.site_frame import (
    BOTS,
    ENTRIES,
    MATCHES,
    UP,
    described,
    link_to,
    page,
    path_of,
    section,
)
from referee.formats.summary import MatchSummary
from referee.ladder.table import Row
from referee.ladder.values import LegPlace, Side

_LEG_TITLES = (
    "match", "board", "attempt", "leg", "against", "seats", "points", "rounds", "ended", "counts",
)  # fmt: skip
_LEG_TEXTS = ("match", "against", "seats", "points", "ended", "counts")


class Leg(msgspec.Struct, frozen=True, kw_only=True):
    """A leg from the side of an entry: `team` is its own."""

    match: MatchSummary
    place: LegPlace
    team: int

    @property
    def own(self) -> Side:
        """The entry itself, with its bots."""
        return self.place.sides[self.team]

    @property
    def others(self) -> tuple[Side, ...]:
        """The entries that it met: one, in Trichu two."""
        return tuple(side for team, side in enumerate(self.place.sides) if team != self.team)


def entry_page(exported: Exported, name: str, legs: Sequence[Leg]) -> str:
    """Return the page of an entry with its legs in order."""
    row = next((row for row in exported.standings.rows if row.entry == name), None)
    standing = _standing(exported, row) if row else tag("p", said("It is not in the table."))
    return page(exported, name, standing, *(_played(exported, legs) if legs else ()))


def _played(exported: Exported, legs: Sequence[Leg]) -> tuple[Html, Html]:
    heads = headings(_LEG_TITLES, texts=_LEG_TEXTS)
    rows = [_cells(exported, leg) for leg in legs]
    return section("Bots", _bots(legs)), section("Legs", table("Legs of all boards", heads, rows))


def _standing(exported: Exported, row: Row) -> Html:
    shown = [column for column in columns_of(exported.standings) if column.title != "entry"]
    names = {"#": "rank"}
    return described(
        (names.get(column.title, column.title), said(column.cell(row) or "-")) for column in shown
    )


def _bots(legs: Sequence[Leg]) -> Html:
    """Every bot with the versions that played, the newest last."""
    versions: dict[str, dict[str, None]] = {}
    for leg in legs:
        for player in leg.own.players:
            versions.setdefault(player.bot, {})[player.version] = None
    return tag(
        "ul",
        *(
            tag("li", link_to(BOTS, bot), said(": " + ", ".join(known)))
            for bot, known in versions.items()
        ),
    )


def _linked(entries: Sequence[str]) -> Html:
    first, *more = [link_to(ENTRIES, entry) for entry in entries]
    return Html("".join((first, *(said(", ") + one for one in more))))


def _cells(exported: Exported, leg: Leg) -> list[Html]:
    place, result = leg.place, leg.match.leg
    points, rounds, ended = "- : -", "-", "-"
    if result is not None:
        rest = [one for team, one in enumerate(result.points) if team != leg.team]
        points = " : ".join(map(str, (result.points[leg.team], *rest)))
        rounds, ended = str(result.rounds), result.ending
    return [
        link(UP + path_of(MATCHES, leg.match.match_id), leg.match.match_id),
        said(str(place.board)),
        said(str(place.attempt)),
        said(str(place.leg)),
        _linked([side.entry for side in leg.others]),
        said(seats_text(place, leg.team)),
        said(points),
        said(rounds),
        said(ended.replace("_", " ")),
        said(exported.counting.says(leg.match.match_id)),
    ]

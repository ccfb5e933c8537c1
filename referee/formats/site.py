"""A ladder as a static site: opens from the disk, has no script, and fetches nothing.

`index.html` has the table; every entry, bot and match has a page of its own. All links are
relative. A page keeps its address when the site is written anew.
"""

from collections.abc import Iterator

from referee.formats.bot_report import bots_of, in_order, report_on
from referee.formats.exported import Exported
from referee.formats.site_bot import bot_page
from referee.formats.site_entry import Leg, entry_page
from referee.formats.site_frame import BOTS, ENTRIES, INDEX, MATCHES, STYLE_FILE, path_of
from referee.formats.site_index import index_page
from referee.formats.site_match import match_page
from referee.formats.site_style import STYLE
from referee.formats.summary import MatchSummary


def site_files(exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield the pages and the style sheet: path in the folder, and text."""
    matches = in_order(exported.matches)
    legs: dict[str, list[Leg]] = {row.entry: [] for row in exported.standings.rows}
    for pair in exported.standings.pairs:
        legs.setdefault(pair.first, [])
        legs.setdefault(pair.second, [])
    by_bot: dict[str, list[MatchSummary]] = {}
    for match, place in matches:
        for team, side in enumerate(place.sides):
            legs.setdefault(side.entry, []).append(Leg(match=match, place=place, team=team))
        for bot in set(bots_of(place)):
            by_bot.setdefault(bot, []).append(match)
    yield STYLE_FILE, STYLE
    yield INDEX, index_page(exported, sorted(by_bot))
    for name in sorted(legs):
        yield path_of(ENTRIES, name), entry_page(exported, name, legs[name])
    for bot in sorted(by_bot):
        report = report_on(bot, by_bot[bot], exported.counting)
        if report is not None:
            yield path_of(BOTS, bot), bot_page(exported, report)
    for match, place in matches:
        yield path_of(MATCHES, match.match_id), match_page(exported, match, place)

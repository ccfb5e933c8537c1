"""Summaries of matches that the tests play in virtual time."""

from collections.abc import Sequence

import msgspec

from referee.formats.records import header_line, read_record
from referee.formats.summary import MatchSummary, TimeBill
from referee.formats.summing import summarise
from referee.ladder.values import Deals, LegPlace, Player, Side, Unit
from referee.match.facts import encode_fact
from referee.match.values import AskKind
from tests.simulation.table import Table
from tests.unit.formats.recorded import chained


def side(entry: str) -> Side:
    players = (Player(bot=f"{entry}.a", version="v1"), Player(bot=f"{entry}.b", version="v1"))
    return Side(entry=entry, owner=f"owner of {entry}", players=players)


PLACE = LegPlace(
    event="cup",
    pairing="adam~zoe",
    board=3,
    attempt=1,
    leg=1,
    unit=Unit.BOARD,
    deals=Deals.BOARD,
    sides=(side("adam"), side("zoe")),
)


def lines_of(table: Table, place: LegPlace | None = PLACE) -> list[bytes]:
    header = header_line(table.config, practice=False, isolation="ISOLATED", place=place)
    return chained([header, *map(encode_fact, table.facts)])


def summed(table: Table, place: LegPlace | None = PLACE) -> MatchSummary:
    """What a match brought that is over. Its bots may have said what no frame could bring."""
    header = header_line(table.config, practice=False, isolation="ISOLATED", place=place)
    record = read_record(chained([header]))
    return summarise(msgspec.structs.replace(record, facts=tuple(table.facts)))


def bill(times: Sequence[TimeBill], seat: int, kind: AskKind) -> TimeBill:
    return next(one for one in times if (one.seat, one.kind) == (seat, kind.value))

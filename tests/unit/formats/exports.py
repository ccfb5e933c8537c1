"""Ladders that nobody played, for tests of how they are written."""

from collections.abc import Sequence
from itertools import pairwise

from referee.formats.counting import Counting, NotCounted, WhyNot
from referee.formats.exported import Exported
from referee.formats.summary import FaultNote, MatchSummary, RoundPoints
from referee.ladder.table import Column, Interval, PairRow, Row, Standings
from referee.ladder.values import (
    Deals,
    LegPlace,
    LegResult,
    Player,
    Side,
    Unit,
)

EVENT, WHEN = "cup", "2026-03-01 18:00 UTC"
HOSTILE = "<script>alert(1)</script>&\"'"
NASTY = (HOSTILE, "../../etc/passwd", "=1+1|x", "a\x1b[31mb\nc,d", "Zoe", "zoe", "..", "con")


def side(entry: str, *, bots: tuple[str, str] | None = None) -> Side:
    first, second = bots or (entry, entry)
    players = (Player(bot=first, version="sha256:1"), Player(bot=second, version="sha256:1"))
    return Side(entry=entry, owner=f"owner of {entry}", players=players)


def match(
    first: Side,
    second: Side,
    *,
    board: int = 1,
    leg: int = 1,
    points: tuple[int, int] = (120, -20),
    rated: bool = True,
    blame: str = "none",
    luck: float = 30.0,
    faults: Sequence[FaultNote] = (),
    match_id: str | None = None,
) -> MatchSummary:
    """A match in which `first` has seats 0 and 2."""
    match_id = match_id or f"{first.entry}-{second.entry}-{board}-{leg}"
    place = LegPlace(
        event=EVENT,
        pairing=f"{first.entry}~{second.entry}" if leg == 1 else f"{second.entry}~{first.entry}",
        board=board,
        attempt=1,
        leg=leg,
        unit=Unit.BOARD,
        deals=Deals.BOARD,
        sides=(first, second),
    )
    result = LegResult(
        place=place,
        match_id=match_id,
        points=points,
        rounds=1,
        ending="completed" if rated else "disconnected",
        blame=blame,
        rated=rated,
    )
    return MatchSummary(
        match_id=match_id,
        practice=False,
        isolation="ISOLATED",
        players=tuple(f"player {seat}" for seat in range(4)),
        place=place,
        leg=result,
        rounds=(RoundPoints(round=1, points=points, luck=luck),) if rated else (),
        faults=tuple(faults),
        times=(),
        calls=(),
        refused=(1, 0, 0, 0),
    )


def all_count(matches: Sequence[MatchSummary]) -> Counting:
    """Say that every rated leg counts; boards need not have both legs."""
    legs = [one.leg for one in matches if one.leg is not None]
    return Counting(
        counted={leg.match_id: leg for leg in legs if leg.rated},
        others={
            leg.match_id: NotCounted(why=WhyNot.VOID, text=f"void board, blame {leg.blame}")
            for leg in legs
            if not leg.rated
        },
    )


def row(entry: str, rank: int, *, charged: bool = False) -> Row:
    return Row(
        rank=rank,
        best=1,
        worst=2,
        entry=entry,
        owner=f"owner of {entry}",
        bots=(entry, f"{entry} too"),
        boards=4,
        points=Interval(value=1234, low=-50, high=2518),
        wins=5,
        ties=1,
        losses=2,
        void=0,
        faults=1,
        unknown=2 if charged else 0,
        charged=charged,
        state="withdrawn",
        elo=Interval(value=10050, low=9000, high=11100),
        bootstrap=Interval(value=1234, low=-60, high=2500),
    )


def exported(names: Sequence[str] = NASTY, *, practice: bool = False) -> Exported:
    """A ladder of entries with these names, in which each met the next."""
    effect = Interval(value=5, low=-10, high=20)
    pairs = list(pairwise(names))
    table = Standings(
        unit=Unit.BOARD,
        columns=tuple(Column),
        rows=tuple(row(name, rank) for rank, name in enumerate(names, 1)),
        pairs=tuple(
            PairRow(first=a, second=b, boards=4, difference=7, expected=2, effect=effect)
            for a, b in pairs
        ),
        notes=tuple(f"Ruling 1: {name} withdrawn." for name in names),
    )
    fault = FaultNote(seat=1, round=1, at_ms=1500, ask=7, kind="act", why=HOSTILE)
    matches = tuple(
        match(side(a, bots=(a, f"{a} too")), side(b), leg=leg, faults=[fault])
        for a, b in pairs
        for leg in (1, 2)
    )
    return Exported(
        event=names[0] if names else EVENT,
        when=WHEN,
        practice=practice,
        deals=Deals.BOARD,
        standings=table,
        counting=all_count(matches),
        matches=matches,
    )

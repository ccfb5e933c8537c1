"""The golden texts of a ladder: its table, its exports, its site and a report, from played matches.

    .venv/bin/python -m tests.golden.ladder.texts

writes the files in `files/` anew; read the difference before it is committed. The matches are
played in virtual time between four entries, one of them a pair; some of them end by faults.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from referee.formats.bot_report import report_on
from referee.formats.bot_report_text import report_lines
from referee.formats.counting import Counting, counting
from referee.formats.export import Exported, ExportFormat, exported_files
from referee.formats.standings_text import table_lines
from referee.formats.summary import MatchSummary
from referee.ladder.boards import resolve
from referee.ladder.standings import standings
from referee.ladder.table import Column, Standings
from referee.ladder.values import (
    Deals,
    LegPlace,
    Player,
    Ruling,
    RulingKind,
    Side,
    Unit,
    pairing_of,
)
from referee.match.inputs import Fault, Faults
from referee.match.values import Blame, Ending, Pace
from referee.ports.ladder import StoredEntry
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.golden.playthroughs import Dice, _next_input
from tests.golden.playthroughs import Player as Dicer
from tests.simulation.table import Table, settings
from tests.unit.formats.summed import summed

FOLDER = Path(__file__).parent / "files"
COMMAND = ".venv/bin/python -m tests.golden.ladder.texts"
EVENT, WHEN = "spring-cup", "2026-03-01 18:00 UTC"
ENTRIES = (
    StoredEntry(event=EVENT, name="duo", owner="kim", bots=("bold", "calm")),
    StoredEntry(event=EVENT, name="greedy", owner="house", bots=("greedy", "greedy"), house=True),
    StoredEntry(event=EVENT, name="luna.v2", owner="ada", bots=("luna.v2", "luna.v2")),
    StoredEntry(event=EVENT, name="random", owner="house 2", bots=("random", "random"), house=True),
)
BOARDS = 3
ALL_COLUMNS = tuple(Column)
FAULTS = {  # by pairing, board, attempt and leg: who failed, and how
    ("duo~greedy", 2, 1, 2): Fault(seat=Seat(1), ending=Ending.CRASHED),
    ("greedy~random", 1, 1, 1): Fault(
        seat=Seat(3), ending=Ending.DISCONNECTED, blame=Blame.NETWORK
    ),
    ("duo~luna.v2", 3, 1, 1): Fault(seat=Seat(2), ending=Ending.RESIGNED),
}
AGAIN = [("greedy~random", 1, 2)]  # played once more, since the first attempt was void
RULINGS = (
    Ruling(
        number=1,
        event=EVENT,
        kind=RulingKind.ANNUL,
        subject="luna.v2~random/2",
        reason="the machine was shared",
        at="2026-02-28T09:00:00Z",
    ),
    Ruling(
        number=2,
        event=EVENT,
        kind=RulingKind.WITHDRAW,
        subject="random",
        reason="owner's wish",
        at="2026-02-28T10:00:00Z",
    ),
)


def side(entry: StoredEntry) -> Side:
    first, second = (Player(bot=bot, version=f"sha256:{bot}") for bot in entry.bots)
    return Side(entry=entry.name, owner=entry.owner, players=(first, second))


def places() -> Iterator[LegPlace]:
    """Every leg of a round robin, and what is played again."""
    for place, first in enumerate(ENTRIES):
        for second in ENTRIES[place + 1 :]:
            pairing = pairing_of(first.name, second.name)
            numbers = [(board, 1) for board in range(1, BOARDS + 1)]
            numbers += [(board, again) for name, board, again in AGAIN if name == pairing]
            for board, attempt in numbers:
                for leg in (1, 2):
                    sides = (side(first), side(second))
                    yield LegPlace(
                        event=EVENT,
                        pairing=pairing,
                        board=board,
                        attempt=attempt,
                        leg=leg,
                        unit=Unit.BOARD,
                        deals=Deals.BOARD,
                        sides=sides if leg == 1 else (sides[1], sides[0]),
                    )


def match_of(place: LegPlace) -> MatchSummary:
    """Play a leg."""
    deal = f"{place.pairing} {place.board} {place.attempt}"
    what = settings(pace=Pace.FAST if place.board % 2 else Pace.FAIR, rules=RuleOptions(rounds=1))
    match_id = f"{place.pairing}-{place.board}-{place.attempt}-{place.leg}".replace("~", "-")
    table = Table(what, seed=f"golden ladder {deal}", match_id=match_id)
    dice = Dice(f"{deal} {place.leg}")
    player = Dicer(dice)
    table.start()
    fault = FAULTS.get((place.pairing, place.board, place.attempt, place.leg))
    count = 0
    while not table.machine.over:
        count += 1
        if fault is not None and count == 40:
            table.step(Faults(faults=(fault,)))
        else:
            _next_input(table, player, dice)
    return summed(table, place)


@cache
def matches() -> tuple[MatchSummary, ...]:
    """All matches of the ladder."""
    return tuple(match_of(place) for place in places())


def table(columns: Sequence[Column] = ()) -> Standings:
    """The table."""
    results = [match.leg for match in matches() if match.leg is not None]
    owners = {entry.name: entry.owner for entry in ENTRIES}
    resolved = resolve(results, RULINGS, owners=owners)
    return standings(resolved, ENTRIES, RULINGS, unit=Unit.BOARD, columns=columns)


def counted() -> Counting:
    """Which legs count."""
    results = [match.leg for match in matches() if match.leg is not None]
    return counting(results, RULINGS, owners={entry.name: entry.owner for entry in ENTRIES})


def exported(columns: Sequence[Column] = ALL_COLUMNS, *, practice: bool = False) -> Exported:
    """The ladder as it is exported."""
    return Exported(
        event=EVENT,
        when=WHEN,
        practice=practice,
        deals=Deals.BOARD,
        standings=table(columns),
        counting=counted(),
        matches=matches(),
    )


def texts() -> dict[str, str]:
    """The golden files by their names; of the site one page of each kind."""
    files = {
        "table.txt": _lines(table_lines(table())),
        "table.all.txt": _lines(table_lines(table(ALL_COLUMNS))),
        "report.duo-calm.txt": _report("calm"),
        "report.greedy.txt": _report("greedy"),
    }
    for form in (ExportFormat.JSON, ExportFormat.CSV, ExportFormat.MD):
        files |= dict(exported_files(form, exported()))
    kinds: set[str] = set()
    for path, text in exported_files(ExportFormat.HTML, exported(practice=True)):
        kind = path.partition("/")[0] if "/" in path else path
        if kind not in kinds:
            kinds.add(kind)
            files[f"site.{kind.removesuffix('.html')}.html" if "css" not in kind else kind] = text
    return files


def _report(bot: str) -> str:
    report = report_on(bot, matches(), counted())
    assert report is not None
    return _lines(report_lines(report))


def _lines(lines: Iterator[str]) -> str:
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in texts().items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="")
        print(f"wrote {file}")

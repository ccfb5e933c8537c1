"""A look at the entries of a ladder before it begins: one board each, of which nothing stays."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.app.season_news import Notice, NoticeKind, Progress
from referee.bootstrap.ladder_plan import (
    RECORDS,
    BotPlan,
    CheckedEntry,
    EntryPlan,
    LadderPlan,
    SchedulePlan,
    StopPlan,
)
from referee.bootstrap.ladder_records import summaries_of
from referee.bootstrap.ladder_run import LadderRun, Tell
from referee.bootstrap.ladder_versions import versions_of
from referee.formats.summary import FaultNote, MatchSummary
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals
from referee.match.values import Ending

_OPPONENT = "the-opponent-of-a-check"  # as an entry; no ladder file would call one so
_OWNER = "the owner of a check"
_TOLD = (NoticeKind.FAULT, NoticeKind.VOID)


async def check(plan: LadderPlan, against: BotPlan, tell: Tell) -> tuple[CheckedEntry, ...]:
    """Start the bots of every entry, and play one board of each against a bot of ours.

    Nothing of the ladder is touched. Bots that dial in are not started, and so not checked. Raises
    `ConfigError` where an artefact cannot be read, or nothing can be played at all.
    """
    versions = versions_of(plan)
    found = []
    for entry in plan.entries:
        if entry.dials_in:
            line = "dials in: it says its version itself, and was not checked"
            found.append(_checked(entry, versions[entry.name], True, [line]))
            continue
        found.append(await _check(plan, entry, versions[entry.name], against, tell))
    return tuple(found)


async def _check(
    plan: LadderPlan, entry: EntryPlan, versions: tuple[str, str], against: BotPlan, tell: Tell
) -> CheckedEntry:
    lines: list[str] = []

    def hear(news: Progress | Notice) -> None:
        if isinstance(news, Notice) and news.kind in _TOLD:
            lines.append(news.text)
        elif isinstance(news, Notice):
            tell(news)

    with tempfile.TemporaryDirectory(prefix="tichu-check-") as name:
        one = _one_board(plan, entry, against, Path(name))
        outcome = await LadderRun(one, hear).run()
        summaries = await summaries_of(one.folder / RECORDS, plan.event)
        lines += [line for summary in summaries for line in _faults(entry.name, summary)]
        played = [leg for leg in (summary.leg for summary in summaries) if leg is not None]
        completed = all(leg.ending == Ending.COMPLETED for leg in played)
    return _checked(entry, versions, completed and outcome.boards == 1 and not lines, lines)


def _one_board(plan: LadderPlan, entry: EntryPlan, against: BotPlan, folder: Path) -> LadderPlan:
    opponent = EntryPlan(name=_OPPONENT, owner=_OWNER, bots=(against, against))
    return msgspec.structs.replace(
        plan,
        entries=(entry, opponent),
        schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=1),
        deals=Deals.BOARD,
        stop=StopPlan(),
        folder=folder,
        database=f"sqlite:///{folder / 'ladder.db'}",
        parallel=1,
        boards_an_entry=1,
        listen=(),
        tls_cert=None,
        tls_key=None,
        metrics_port=None,
    )


def _faults(entry: str, summary: MatchSummary) -> list[str]:
    """Return what an entry's bots did wrong in a leg, a line each."""
    if summary.place is None:
        return []
    team = [side.entry for side in summary.place.sides].index(entry)
    seats = range(team, len(summary.players), 2)
    return [_fault_line(summary, note) for note in summary.faults if note.seat in seats]


def _fault_line(summary: MatchSummary, note: FaultNote) -> str:
    assert summary.place is not None
    ask = f" at ask {note.ask} ({note.kind})" if note.ask else ""
    return (
        f"leg {summary.place.leg}, round {note.round}, {note.at_ms} ms: "
        f"{summary.players[note.seat]} in seat {note.seat}: {note.why}{ask}"
    )


def _checked(
    entry: EntryPlan, versions: tuple[str, str], ok: bool, lines: Sequence[str]
) -> CheckedEntry:
    return CheckedEntry(entry=entry.name, versions=versions, ok=ok, lines=tuple(lines))

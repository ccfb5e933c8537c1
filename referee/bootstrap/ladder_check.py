"""A look at the entries of a ladder before it begins: one board each, of which nothing stays."""

import tempfile
from collections.abc import Callable, Sequence
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
    Verdict,
)
from referee.bootstrap.ladder_records import summaries_of
from referee.bootstrap.ladder_run import LadderRun, Tell
from referee.bootstrap.ladder_versions import entry_versions
from referee.formats.bot_report_text import defaults_text
from referee.formats.summary import FaultNote, MatchSummary
from referee.formats.words import counted
from referee.ladder.habits import Defaults, defaults_by_entry
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals, LegResult
from referee.match.values import Ending
from referee.rules.errors import ConfigError

_OPPONENT = "the-opponent-of-a-check"  # as an entry; no ladder file would call one so
_OWNER = "the owner of a check"
_DIALS_IN = "dials in: its owner starts it, and it says its version itself"
_SHOWN_FAULTS = 5  # the sixth of its kind tells nothing new
_TOLD = (NoticeKind.FAULT, NoticeKind.VOID)


async def check(
    plan: LadderPlan,
    against: BotPlan,
    tell: Tell,
    *,
    found: Callable[[CheckedEntry], None] = lambda one: None,
) -> tuple[CheckedEntry, ...]:
    """Start the bots of every entry, and play one board of each against a bot of ours.

    `found` is called with each as soon as it is known. Nothing of the ladder is touched. Bots that
    dial in are not started, and so not checked; one that is not there has failed. Raises
    `ConfigError` where nothing can be played at all.
    """
    all_found = []
    for entry in plan.entries:
        one = await _look_at(plan, entry, against, tell)
        found(one)
        all_found.append(one)
    return tuple(all_found)


async def _look_at(
    plan: LadderPlan, entry: EntryPlan, against: BotPlan, tell: Tell
) -> CheckedEntry:
    try:
        versions = entry_versions(plan, entry)
    except ConfigError as error:
        return _checked(entry, ("", ""), Verdict.FAILED, [str(error)])
    if entry.dials_in:
        return _checked(entry, versions, Verdict.UNCHECKED, [_DIALS_IN])
    return await _check(plan, entry, versions, against, tell)


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
        faults = [line for summary in summaries for line in _faults(entry.name, summary)]
        played = [leg for leg in (summary.leg for summary in summaries) if leg is not None]
        completed = all(leg.ending == Ending.COMPLETED for leg in played)
    lines += _by_default(entry.name, played)
    if completed and outcome.boards == 1 and not lines and not faults:
        return _checked(entry, versions, Verdict.OK, [])
    lines += faults[:_SHOWN_FAULTS]
    lines.append(_verdict_line(len(faults), played))
    return _checked(entry, versions, Verdict.FAILED, lines)


def _by_default(entry: str, played: Sequence[LegResult]) -> list[str]:
    """Return that an entry left many answers to the substitute action, if it did."""
    answers = defaults_by_entry(played).get(entry, Defaults())
    return [defaults_text(answers)] if answers.are_many else []


def _verdict_line(faults: int, played: Sequence[LegResult]) -> str:
    """Return the sum of what went wrong, so that nobody need count lines."""
    legs = sorted((leg.place.leg, leg.ending) for leg in played)
    ended = ", ".join(f"leg {number} {ending.replace('_', ' ')}" for number, ending in legs)
    more = f", of which the first {_SHOWN_FAULTS} are above" if faults > _SHOWN_FAULTS else ""
    return f"failed with {counted(faults, 'fault')}{more}; {ended or 'no leg was played'}"


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
    entry: EntryPlan, versions: tuple[str, str], verdict: Verdict, lines: Sequence[str]
) -> CheckedEntry:
    return CheckedEntry(entry=entry.name, versions=versions, verdict=verdict, lines=tuple(lines))

"""A look at the entries of a ladder before it begins: one board each, of which nothing stays."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from referee.app.season_news import Notice, NoticeKind, Progress
from referee.bootstrap.ladder_check_logs import (
    PREFIX,
    CheckLogs,
    said_last,
    traceback_lines,
    without_logs,
)
from referee.bootstrap.ladder_doors import check_doors
from referee.bootstrap.ladder_plan import (
    LOGS,
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
from referee.bootstrap.ladder_versions import entry_versions, with_cure
from referee.formats.bot_report_text import defaults_text
from referee.formats.summary import FaultNote, MatchSummary
from referee.formats.words import counted
from referee.ladder.habits import Defaults, defaults_by_entry
from referee.ladder.schedule import ScheduleKind
from referee.ladder.seats import side_at
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
    check_doors(plan)
    all_found, logs = [], CheckLogs()
    for entry in plan.entries:
        one = await _look_at(plan, entry, against, tell, logs)
        found(one)
        all_found.append(one)
    return tuple(all_found)


async def _look_at(
    plan: LadderPlan, entry: EntryPlan, against: BotPlan, tell: Tell, logs: CheckLogs
) -> CheckedEntry:
    try:
        versions = entry_versions(plan, entry)
    except ConfigError as error:
        said = str(with_cure(plan, entry.name, error))
        return _checked(entry, ("",) * plan.places, Verdict.FAILED, [said])
    if entry.dials_in:
        return _checked(entry, versions, Verdict.UNCHECKED, [_DIALS_IN])
    heard = _Heard(tell)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        one = _one_board(plan, entry, against, Path(name))
        outcome = await LadderRun(one, heard).run()
        summaries = await summaries_of(one.folder / RECORDS, plan.event)
        faults = [line for summary in summaries for line in _faults(entry.name, summary)]
        played = [leg for leg in (summary.leg for summary in summaries) if leg is not None]
        completed = all(leg.ending == Ending.COMPLETED for leg in played)
        lines = [without_logs(line, one.folder) for line in heard.lines] + faults[:_SHOWN_FAULTS]
        by_default = _by_default(entry.name, played)
        if completed and outcome.boards == 1 and not lines and not by_default:
            return _checked(entry, versions, Verdict.OK, [])
        told = [*_each_once(lines), *by_default, *_said(one.folder / LOGS, entry.name, lines)]
        kept = logs.keep(one.folder / LOGS, entry.name)
    told.append(_verdict_line(len(faults), played))
    return _checked(entry, versions, Verdict.FAILED, [*told, kept] if kept else told)


class _Heard:
    """What a run says of faults, in order, but for what the faults of its legs say again."""

    def __init__(self, tell: Tell) -> None:
        """`tell` is called with notices of any other kind."""
        self._tell = tell
        self.lines: list[str] = []

    def __call__(self, news: Progress | Notice) -> None:
        if not isinstance(news, Notice):
            return
        if news.kind not in _TOLD:
            self._tell(news)
        elif news.kind is NoticeKind.VOID:
            self.lines.append(re.sub(rf"\S*{_OPPONENT}\S*", "of the check", news.text))
        elif _OPPONENT not in news.text:
            self.lines.append(news.text)


def _each_once(lines: Sequence[str]) -> list[str]:
    """Return lines in their order, each once and with how often it came."""
    return [
        line if times == 1 else f"{line} ({times} times)" for line, times in Counter(lines).items()
    ]


def _said(logs: Path, entry: str, told: Sequence[str]) -> list[str]:
    """Return what an entry's processes printed, as far as what was told does not say it."""
    lines = traceback_lines(logs, entry)
    if not lines and not any("it printed last" in line for line in told):
        lines = said_last(logs, entry)
    if not lines or any(lines[-1].strip() in line for line in told):
        return []
    return ["it printed:", *(f"  {line}" for line in lines)]


def _by_default(entry: str, played: Sequence[LegResult]) -> list[str]:
    """Return that an entry left many answers to the substitute action, if it did."""
    answers = defaults_by_entry(played).get(entry, Defaults())
    return [defaults_text(answers)] if answers.are_many else []


def _verdict_line(faults: int, played: Sequence[LegResult]) -> str:
    """Return the sum of what went wrong, so that nobody need count lines."""
    legs = sorted((leg.place.leg, leg.ending) for leg in played)
    ended = ", ".join(f"leg {number} {ending.replace('_', ' ')}" for number, ending in legs)
    more = f", of which the first {_SHOWN_FAULTS} are above" if faults > _SHOWN_FAULTS else ""
    with_what = f"with {counted(faults, 'fault')}{more}" if faults else "without a fault"
    return f"failed {with_what}; {ended or 'no leg was played'}"


def _one_board(plan: LadderPlan, entry: EntryPlan, against: BotPlan, folder: Path) -> LadderPlan:
    opponents = [
        EntryPlan(
            name=f"{_OPPONENT}{number or ''}",
            owner=f"{_OWNER}{number or ''}",
            bots=(against,) * plan.places,
        )
        for number in range(plan.sides - 1)
    ]
    return msgspec.structs.replace(
        plan,
        entries=(entry, *opponents),
        schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=1),
        deals=Deals.BOARD,
        stop=StopPlan(),
        final=None,
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
    sides = [side.entry for side in summary.place.sides]
    own = sides.index(entry)
    return [
        _fault_line(summary, note)
        for note in summary.faults
        if side_at(len(sides), note.seat) == own
    ]


def _fault_line(summary: MatchSummary, note: FaultNote) -> str:
    assert summary.place is not None
    ask = f" at ask {note.ask} ({note.kind})" if note.ask else ""
    why = note.why.replace("_", " ") if note.ended_match else note.why
    return (
        f"leg {summary.place.leg}, round {note.round}, {note.at_ms} ms: "
        f"{summary.players[note.seat]} in seat {note.seat}: {why}{ask}"
    )


def _checked(
    entry: EntryPlan, versions: tuple[str, ...], verdict: Verdict, lines: Sequence[str]
) -> CheckedEntry:
    return CheckedEntry(entry=entry.name, versions=versions, verdict=verdict, lines=tuple(lines))

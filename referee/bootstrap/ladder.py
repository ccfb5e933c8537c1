"""Ladders: from a plan to results, in runs that go on where the last one ended."""

from referee.app.season_news import LadderOutcome, Notice, NoticeKind, OutcomeKind, Progress
from referee.bootstrap.ladder_check import check
from referee.bootstrap.ladder_folder import LadderFolder
from referee.bootstrap.ladder_plan import (
    BotPlan,
    CheckedEntry,
    EntryPlan,
    LadderPlan,
    SchedulePlan,
    StopPlan,
    Verdict,
    schedule_of,
)
from referee.bootstrap.ladder_rebuild import rebuild
from referee.bootstrap.ladder_run import LadderRun
from referee.bootstrap.ladder_versions import versions_of

__all__ = [
    "BotPlan",
    "CheckedEntry",
    "EntryPlan",
    "LadderFolder",
    "LadderOutcome",
    "LadderPlan",
    "LadderRun",
    "Notice",
    "NoticeKind",
    "OutcomeKind",
    "Progress",
    "SchedulePlan",
    "StopPlan",
    "Verdict",
    "check",
    "rebuild",
    "schedule_of",
    "versions_of",
]

"""`referee ladder run --dry-run`: what a ladder will cost and tell, before it is played."""

import math
from collections.abc import Iterator

from referee.bootstrap.arena_roles import bot_of, roles_of
from referee.bootstrap.ladder import LadderFolder, schedule_of
from referee.bootstrap.ladder_advice import command
from referee.bootstrap.ladder_doors import check_doors
from referee.bootstrap.ladder_journal import written_rulings
from referee.bootstrap.ladder_plan import FINAL_PLAYED, PLAYED, RECORDS, LadderPlan
from referee.bootstrap.ladder_records import record_files
from referee.bootstrap.ladder_versions import refuse_missing
from referee.cli.ladder_progress import duration_words, rate_words
from referee.cli.ladder_table import Known
from referee.formats.words import counted
from referee.ladder.boards import Resolved
from referee.ladder.final import (
    FinalRule,
    boards_words,
    final_left,
    have_sat,
    hours_words,
    leaders,
    without_final,
)
from referee.ladder.forecast import BOARD_SIGMA, TIENTSIN_SIGMA, TRICHU_SIGMA, Forecast, forecast
from referee.ladder.rulings import Decided, decide
from referee.ladder.schedule import Schedule, ScheduleKind, boards_left
from referee.ladder.values import Deals, Unit
from referee.match.values import Pace
from referee.rules.option_values import Variant

HOUSE_RATE = 600.0  # boards a minute of house bots in pace fast, side by side on two cores
# Measured: 24 processes of house bots and the command itself take 5.4 s of a core before the first
# board, so each is ready after half of 0.3 s where two start side by side.
START_S = 0.15

_SIGMAS = {Variant.TIENTSIN: TIENTSIN_SIGMA, Variant.TRICHU: TRICHU_SIGMA}
_KNOWN = "as in earlier runs, starts of processes included"
_WINDOWS_A_ROUND = 40  # of house bots, measured; in pace fair each takes its whole length
_POINTS_A_ROUND = 100  # and two teams share it, bets aside: a target takes somewhat longer
_NS_A_SECOND = 1_000_000_000
_NS_A_MINUTE = 60_000_000_000
_MINUTE_S = 60.0
_HOUR_S = 3600.0


def forecast_lines(plan: LadderPlan, known: Known | None, *, rate: float | None) -> Iterator[str]:
    """Yield the forecast, a fact a line. `rate` is boards a minute; None: as far as is known.

    Raises `ConfigError` where the folder cannot be read.
    """
    owners = {entry.name: entry.owner for entry in plan.entries}
    decided = decide(written_rulings(plan) if known is None else known.rulings)
    schedule, resolved = schedule_of(plan), Resolved() if known is None else known.resolved()
    refuse_missing(plan, decided)
    check_doors(plan)
    used, whence = _rate(plan, resolved, rate)
    told = forecast(
        schedule, owners=owners, decided=decided, sigma=_sigma(plan), boards_a_minute=used
    )
    if not told.pairings:
        yield f"nothing to play: {_why_nothing(decided)}"
        return
    left = boards_left(
        schedule, owners=owners, decided=decided, resolved=without_final(resolved), running=()
    )
    yield f"entries   {told.entries}, which meet in {counted(told.pairings, 'pairing')}"
    yield f"schedule  {_schedule_words(plan, schedule)}"
    what = "deals" if plan.deals is Deals.FIELD else "boards"
    yield f"{what:<9} {_board_words(told, left)}"
    at = f"at {rate_words(used)} boards a minute ({whence})"
    processes = 0 if whence is _KNOWN or not left else _processes(plan, decided, left)
    start_s = processes * START_S
    yield f"time      {_time_words(plan, left, used, start_s)}, {at}{_start_words(processes)}"
    yield f"interval  {_interval_words(plan, told)}"
    if plan.final is not None:
        yield f"final     {_final_words(plan, plan.final, decided, resolved, used)}"


def _final_words(
    plan: LadderPlan,
    rule: FinalRule,
    decided: Decided,
    resolved: Resolved,
    rate: float,
) -> str:
    """Return who will be in the final at most, and how much it may take beside the ladder."""
    owners = {entry.name: entry.owner for entry in plan.entries}
    playing = [entry for entry in owners if decided.plays(entry)]
    sat = have_sat(resolved)
    most = len(playing) if rule.entries is None else min(len(playing), rule.entries)
    players = leaders(rule, owners=owners, decided=decided, resolved=resolved) if sat else ()
    who = ", ".join(players) if sat else f"up to {most} entries"
    times_s: list[float] = []
    said = f"{who}, until {_places_words(rule)}"
    if rule.boards is not None:
        boards = rule.boards * math.comb(most, 2)
        if sat:
            boards = final_left(rule.boards, players, resolved)
        times_s.append(boards / rate * _MINUTE_S)
        more = " more" if sat else ""
        said += f" or {boards_words(rule)} are played, at most {boards}{more}"
    if rule.hours is not None:
        played_ns = LadderFolder(plan).final_ns() if (plan.folder / FINAL_PLAYED).exists() else 0
        times_s.append(max(0.0, rule.hours * _HOUR_S - played_ns / _NS_A_SECOND))
        said += f" or {hours_words(rule)} are over"
    return f"{said}; {duration_words(min(times_s))} at most"


def _places_words(rule: FinalRule) -> str:
    if rule.places == 1:
        return "the first place is surely apart"
    return f"{rule.places} first places are surely apart"


def _why_nothing(decided: Decided) -> str:
    if decided.frozen:
        return "a ruling froze this ladder"
    return "fewer entries of different owners play than meet at a board"


def unknown_records(plan: LadderPlan, known: Known | None) -> str:
    """Return that the database lacks results of records, which the forecast then is without."""
    ids = {leg.match_id for leg in known.results} if known is not None else set()
    count = sum(1 for _ in record_files(plan.folder / RECORDS, but=ids))
    if not count:
        return ""
    return (
        f"this is without {counted(count, 'record')} of which the database has no result: "
        f"{command(plan, 'rebuild')} adds them, and so does a run"
    )


def _sigma(plan: LadderPlan) -> float:
    return _SIGMAS.get(plan.settings.rules.variant, BOARD_SIGMA)


def _rate(plan: LadderPlan, resolved: Resolved, rate: float | None) -> tuple[float, str]:
    """Return boards a minute, and how they are known."""
    if rate is not None:
        return rate, "as you say"
    played_ns = LadderFolder(plan).played_ns() if (plan.folder / PLAYED).exists() else 0
    boards = resolved.rated_boards or len({leg.board for leg in resolved.field_legs})
    if played_ns and boards:
        return boards * _NS_A_MINUTE / played_ns, _KNOWN
    if plan.settings.pace is Pace.FAIR:
        windows_ns = _WINDOWS_A_ROUND * plan.settings.window_ns
        fair = min(HOUSE_RATE, plan.parallel * _NS_A_MINUTE / windows_ns)
        whence = f"as {_WINDOWS_A_ROUND} windows a round take; --rate N says otherwise"
        return fair / _rounds(plan), whence
    return HOUSE_RATE / _rounds(plan), "of house bots on two cores; --rate N says otherwise"


def _rounds(plan: LadderPlan) -> float:
    """Return about how many rounds a leg has."""
    rules = plan.settings.rules
    return rules.rounds or max(1.0, rules.target / _POINTS_A_ROUND)


def _schedule_words(plan: LadderPlan, schedule: Schedule) -> str:
    kind = "field" if schedule.deals is Deals.FIELD else schedule.kind.value
    hero = f" of {schedule.hero}" if schedule.hero else ""
    boards = "boards without end"
    if schedule.boards is not None:
        boards = f"{counted(schedule.boards, 'board')} a pairing"
    if schedule.kind is ScheduleKind.SWISS:
        boards = f"{schedule.rounds} rounds of {boards}"
    return f"{kind}{hero}, {boards}{''.join(_stop_words(plan))}"


def _stop_words(plan: LadderPlan) -> Iterator[str]:
    if plan.stop.hours is not None:
        yield f", at most {plan.stop.hours:g} h"
    if plan.stop.separated is not None:
        yield f", until {plan.stop.separated} first places are surely apart"


def _board_words(told: Forecast, left: int | None) -> str:
    if told.boards is None or left is None:
        return "nobody knows before a rule to stop says so"
    return f"{told.boards}, {told.legs} legs; {left} to play"


def _processes(plan: LadderPlan, decided: Decided, left: int) -> int:
    """Return about how many processes will be started: one a role, more for boards at once."""
    roles = [
        role
        for entry in plan.entries
        if decided.plays(entry.name)
        for role in roles_of(plan, entry.name)
        if bot_of(plan, role).argv is not None
    ]
    seats = plan.sides**2 * plan.places * min(plan.parallel, left)  # all legs of a board
    return max(len(roles), min(seats, len(roles) * plan.boards_an_entry))


def _start_words(processes: int) -> str:
    if not processes:
        return ""
    used = duration_words(max(1.0, processes * START_S))
    return f"; {used} of it to start {processes} processes"


def _time_words(plan: LadderPlan, left: int | None, rate: float, start_s: float) -> str:
    if left is None and plan.stop.hours is None:
        return "no end is known"
    limit_s = None if plan.stop.hours is None else plan.stop.hours * _HOUR_S
    needed_s = None if left is None else left / rate * _MINUTE_S + start_s
    return duration_words(min(time for time in (limit_s, needed_s) if time is not None))


def _interval_words(plan: LadderPlan, told: Forecast) -> str:
    if told.half_width is None or told.between is None:
        return "cannot be told" if told.boards is None else "none: too few boards to compare all"
    words = (
        f"+-{told.half_width:.1f} points a round for an entry, +-{told.between:.1f} between two "
        "(95 %), for bots of like strength"
    )
    return f"{words} and a round a leg; matches are narrower" if plan.unit is Unit.MATCH else words

"""`referee ladder run --dry-run`: what a ladder will cost and tell, before it is played."""

from collections.abc import Iterator

from referee.app.season_state import SeasonState
from referee.bootstrap.arena_roles import bot_of, roles_of
from referee.bootstrap.ladder import schedule_of
from referee.bootstrap.ladder_advice import command
from referee.bootstrap.ladder_doors import check_doors
from referee.bootstrap.ladder_journal import written_rulings
from referee.bootstrap.ladder_plan import FINAL_PLAYED, PLAYED, RECORDS, LadderPlan
from referee.bootstrap.ladder_records import record_files
from referee.bootstrap.ladder_versions import refuse_missing
from referee.cli.ladder_final_forecast import final_words, places_words, seconds_of
from referee.cli.ladder_progress import duration_words, rate_words
from referee.cli.ladder_table import Known
from referee.formats.words import counted
from referee.ladder.boards import Resolved
from referee.ladder.forecast import BOARD_SIGMA, TIENTSIN_SIGMA, TRICHU_SIGMA, Forecast, forecast
from referee.ladder.rulings import Decided
from referee.ladder.schedule import Schedule, ScheduleKind, boards_left
from referee.ladder.stopping import StopRule
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
_NS_A_MINUTE = 60_000_000_000
_MINUTE_S = 60.0
_HOUR_S = 3600.0


def forecast_lines(plan: LadderPlan, known: Known | None, *, rate: float | None) -> Iterator[str]:
    """Yield the forecast, a fact a line. `rate` is boards a minute; None: as far as is known.

    Raises `ConfigError` where the folder cannot be read.
    """
    state = _state_of(plan, known)
    enough = state.enough(seconds_of(plan, PLAYED), final_s=seconds_of(plan, FINAL_PLAYED))
    decided, schedule = state.decided, schedule_of(plan)
    refuse_missing(plan, decided)
    check_doors(plan)
    used, whence = _rate(plan, state.resolved, rate)
    owners = {entry.name: entry.owner for entry in plan.entries}
    told = forecast(
        schedule, owners=owners, decided=decided, sigma=_sigma(plan), boards_a_minute=used
    )
    final = state.final if state.somebody_plays and not decided.frozen else None
    if not told.pairings:
        yield f"nothing to play{_why_nothing(schedule, decided, has_final=final is not None)}"
    else:
        is_over = state.in_final(()) if state.final is not None else enough is not None
        yield from _of_ladder(plan, state, told, used, whence, is_over=is_over)
    if final is not None:
        yield f"final     {final_words(plan, final, state, used)}"


def _state_of(plan: LadderPlan, known: Known | None) -> SeasonState:
    """Return what a run would begin with: what is still to be played is asked of the same."""
    state = SeasonState(
        {entry.name: entry.owner for entry in plan.entries},
        schedule_of(plan),
        StopRule(hours=plan.stop.hours, separated=plan.stop.separated),
        plan.final,
    )
    if known is None:
        state.begin((), written_rulings(plan))
    else:
        state.begin(known.results, known.rulings)
    return state


def _of_ladder(
    plan: LadderPlan,
    state: SeasonState,
    told: Forecast,
    rate: float,
    whence: str,
    *,
    is_over: bool,
) -> Iterator[str]:
    """Yield what is said of the ladder's own boards."""
    schedule = schedule_of(plan)
    played_s = max(0.0, seconds_of(plan, PLAYED) - seconds_of(plan, FINAL_PLAYED))
    left = boards_left(
        schedule,
        owners={entry.name: entry.owner for entry in plan.entries},
        decided=state.decided,
        resolved=state.of_ladder,
        running=(),
    )
    ended = is_over and left != 0
    yield f"entries   {told.entries}, which meet in {counted(told.pairings, 'pairing')}"
    yield f"schedule  {_schedule_words(plan, schedule)}"
    what = "deals" if plan.deals is Deals.FIELD else "boards"
    yield f"{what:<9} {_board_words(told, left, ended=ended)}"
    left = 0 if ended else left
    at = f"at {rate_words(rate)} boards a minute ({whence})"
    processes = 0 if whence is _KNOWN or not left else _processes(plan, state.decided, left)
    start_s = processes * START_S
    told_s = _time_words(plan, left, rate, start_s, played_s=played_s)
    yield f"time      {told_s}, {at}{_start_words(processes)}"
    yield f"interval  {_interval_words(plan, told)}"


def _why_nothing(schedule: Schedule, decided: Decided, *, has_final: bool) -> str:
    if decided.frozen:
        return ": a ruling froze this ladder"
    if has_final:
        hero = f": {schedule.hero}, whom all meet, plays no more" if schedule.hero else ""
        return f" before the final{hero}"
    return ": fewer entries of different owners play than meet at a board"


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
    played_s = seconds_of(plan, PLAYED)
    boards = resolved.rated_boards or len({leg.board for leg in resolved.field_legs})
    if played_s and boards:
        return boards * _MINUTE_S / played_s, _KNOWN
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
        yield f", until {places_words(plan.stop.separated)}"


def _board_words(told: Forecast, left: int | None, *, ended: bool) -> str:
    if ended:
        planned = "" if told.boards is None else f"{told.boards}, {told.legs} legs; "
        return f"{planned}0 to play: a rule to stop ended it"
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


def _time_words(
    plan: LadderPlan, left: int | None, rate: float, start_s: float, *, played_s: float
) -> str:
    """Return how long it takes yet; `played_s` was played of its hours."""
    if left is None and plan.stop.hours is None:
        return "no end is known"
    limit_s = None if plan.stop.hours is None else max(0.0, plan.stop.hours * _HOUR_S - played_s)
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

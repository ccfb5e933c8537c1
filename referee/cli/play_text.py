"""The lines of `referee play`, and its JSON objects."""

import shlex
from collections.abc import Sequence

import msgspec

from referee.cli.play_setup import PlayPlan
from referee.cli.timing import BASE_FIELDS, lag_text
from referee.formats.conduct import Conduct, grouped, grouped_strikes
from referee.formats.option_text import option_texts
from referee.formats.printable import printable
from referee.formats.tally import CallResult, RoundSummary
from referee.formats.times_text import clock_text, time_text
from referee.formats.words import counted
from referee.match.values import Blame, Clock, Ending
from referee.rules.options import team_of
from referee.rules.seat import Seat

_CALL_NAMES = {"tichu": "Tichu", "grand": "Grand Tichu", "great_grand": "Great Grand Tichu"}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a match went. `winner` is a team, None for a draw or no winner."""

    match_id: str
    ending: Ending
    totals: tuple[int, ...]
    rounds: int
    winner: int | None = None
    seat: Seat | None = None  # whose fault ended it
    blame: Blame = Blame.NONE
    failed: tuple[Seat, ...] = ()  # every seat at fault, where it is more than one
    awarded: tuple[int, ...] = ()  # what counts by team, where bots of one team failed
    record: str | None = None  # path, where there is one
    conduct: tuple[Conduct, ...] = ()  # by seat; () when nothing was played


def head_line(plan: PlayPlan) -> str:
    """Return who plays whom, for what, under which clock."""
    rules = plan.settings.rules
    sides = []
    for team, name in enumerate(plan.teams):
        seats = [s for s in range(len(plan.bots)) if team_of(rules, Seat(s)) == team]
        sides.append(f"{name} (seats {', '.join(map(str, seats))})")
    goal = _rounds(rules.rounds) if rules.rounds else f"to {counted(rules.target, 'point')}"
    changed = [
        f"{key}={value}"
        for key, value in option_texts(rules).items()
        if key not in ("rounds", "target")
    ]
    limits = [goal, f"clock {clock_text(plan.settings.clock)}", *_added_times(plan.settings.clock)]
    limits.append(f"pace {plan.settings.pace}")
    return ", ".join([" against ".join(sides), *limits, *changed])


def _added_times(clock: Clock | None) -> list[str]:
    """Return longer base times, and a lag credit that is not the usual one."""
    if clock is None:
        return []
    bases = {kind: clock.base_of(kind) for kind in BASE_FIELDS}
    told = [f"{kind} {time_text(base)}" for kind, base in bases.items() if base != clock.base_ns]
    usual = Clock()
    if (clock.lag_cap_ns, clock.lag_quota_ns) != (usual.lag_cap_ns, usual.lag_quota_ns):
        told.append(f"lag {lag_text(clock)}")
    return told


def round_line(plan: PlayPlan, summary: RoundSummary) -> str:
    """Return the score of a round with everything out of the ordinary."""
    line = f"round {summary.round:>2}  {_score(summary.points)}   total {_score(summary.totals)}"
    notes = "; ".join(_notes(plan, summary))
    return f"{line}   {notes}".rstrip()


def _notes(plan: PlayPlan, summary: RoundSummary) -> list[str]:
    notes = [_call_text(plan, call) for call in summary.calls]
    if summary.double_victory and summary.out:
        team = team_of(plan.settings.rules, summary.out[0])
        notes.append(f"double victory of {plan.teams[team]}")
    bombs = [f"{count} by {who(plan, seat)}" for seat, count in enumerate(summary.bombs) if count]
    if bombs:
        notes.append(f"bombs: {', '.join(bombs)}")
    for seat, reasons in grouped_strikes(summary.strikes).items():
        notes.append(f"strike for {who(plan, seat)}: {reasons}")
    return notes


def _call_text(plan: PlayPlan, call: CallResult) -> str:
    name = _CALL_NAMES.get(call.call, call.call)
    return f"{name} of {who(plan, call.seat)} {'won' if call.won else 'lost'} {call.points:+}"


def who(plan: PlayPlan, seat: int) -> str:
    """Return a seat with its bot's label."""
    return f"{plan.bots[seat].label}/{seat}"


def _score(points: Sequence[int]) -> str:
    return " : ".join(f"{value:>5}" for value in points)


def outcome_line(plan: PlayPlan, outcome: Outcome) -> str:
    """Return how the match ended."""
    score = " : ".join(map(str, outcome.totals)) or "no score"
    rounds = _rounds(outcome.rounds)
    if outcome.ending is not Ending.COMPLETED:
        blame = "" if outcome.blame is Blame.NONE else f" (blame: {outcome.blame})"
        ended = f"ended: {outcome.ending}{_by_whom(plan, outcome)}{blame}"
        return f"{ended}, {score} after {rounds}{_what_counts(plan, outcome)}"
    if outcome.winner is None:
        return f"draw {score} after {rounds}"
    return f"{plan.teams[outcome.winner]} won {score} after {rounds}"


def _by_whom(plan: PlayPlan, outcome: Outcome) -> str:
    if outcome.seat is None:
        return ""
    *others, last = [who(plan, seat) for seat in outcome.failed or (outcome.seat,)]
    return f" by {', '.join(others)} and {last}" if others else f" by {last}"


def _what_counts(plan: PlayPlan, outcome: Outcome) -> str:
    """Return who won by a fault and what counts; nobody and nothing, where both teams failed."""
    if outcome.awarded:
        won = f"; {plan.teams[outcome.winner]} won" if outcome.winner is not None else ""
        return f"{won}; counts {' : '.join(map(str, outcome.awarded))}"
    failed = {team_of(plan.settings.rules, seat) for seat in outcome.failed}
    return "; both teams failed: it counts for nothing" if len(failed) > 1 else ""


def _rounds(count: int) -> str:
    return counted(count, "round")


def conduct_line(plan: PlayPlan, seat: int, conduct: Conduct) -> str:
    """Return what a bot did out of the ordinary. It may be on purpose: it is no error."""
    told = []
    if conduct.defaults:
        told.append(f"{counted(conduct.defaults, 'ask')} answered by default")
    if conduct.refused:
        told.append(f"{counted(conduct.refused, 'answer')} refused")
    if conduct.strikes:
        reasons = printable(grouped(conduct.strikes))
        told.append(f"{counted(len(conduct.strikes), 'strike')} ({reasons})")
    return f"{who(plan, seat)}: {', '.join(told)}"


def record_line(outcome: Outcome) -> str:
    """Return where the record is; "" when there is none."""
    return "" if outcome.record is None else f"record: {outcome.record}"


def look_at(outcome: Outcome) -> str:
    """Return the command that shows why a seat ended the match or was out of line; "" for none."""
    if outcome.record is None:
        return ""
    odd = [seat for seat, conduct in enumerate(outcome.conduct) if not conduct.is_ordinary]
    seat = outcome.seat if outcome.seat is not None else next(iter(odd), None)
    if seat is None:
        return ""
    return shlex.join(["referee", "record", "show", outcome.record, "--seat", str(seat)])


def round_json(summary: RoundSummary) -> bytes:
    """Return a round as one line of JSON."""
    return _json({"type": "round", **msgspec.structs.asdict(summary)})


def outcome_json(plan: PlayPlan, outcome: Outcome) -> bytes:
    """Return the match as one line of JSON."""
    return _json(
        {
            "type": "match",
            **msgspec.structs.asdict(outcome),
            "teams": plan.teams,
            "players": [bot.label for bot in plan.bots],
            "seed": plan.seed,
            "again": plan.again,
        }
    )


def _json(value: dict[str, object]) -> bytes:
    return msgspec.json.encode(value)

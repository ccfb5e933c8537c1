"""The lines of `referee play`, and its JSON objects."""

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from referee.cli.play_seats import team_seats
from referee.cli.play_setup import PlayPlan
from referee.cli.timing import BASE_FIELDS, lag_text
from referee.formats.conduct import Conduct, grouped, grouped_strikes
from referee.formats.option_text import option_texts
from referee.formats.printable import printable
from referee.formats.tally import CallResult, RoundSummary
from referee.formats.times_text import clock_text, time_text
from referee.formats.words import counted
from referee.match.values import Blame, Clock, Ending
from referee.rules.match_score import soloist_of
from referee.rules.option_values import GsGoal, Variant
from referee.rules.options import RuleOptions, has_fixed_teams, match_rounds, team_of
from referee.rules.seat import Seat
from referee.rules.seating import seating

_CALL_NAMES = {"tichu": "Tichu", "grand": "Grand Tichu", "great_grand": "Great Grand Tichu"}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a match went. `winner` is a team, in Trichu a seat, None for a draw or no winner."""

    match_id: str
    ending: Ending
    totals: tuple[int, ...]
    rounds: int
    winner: int | None = None
    seat: Seat | None = None  # whose fault ended it
    blame: Blame = Blame.NONE
    failed: tuple[Seat, ...] = ()  # every seat at fault, where it is more than one
    awarded: tuple[int, ...] = ()  # what counts by column, where bots of one team failed
    record: str | None = None  # path, where there is one
    conduct: tuple[Conduct, ...] = ()  # by seat; () when nothing was played
    ranks: tuple[Seat, ...] = ()  # of the last round, in Grand Seigneur


def head_lines(plan: PlayPlan) -> Iterator[str]:
    """Yield who plays whom, for what, under which clock; then whose the score columns are.

    Where teams are fixed the columns are those of the first line, and nothing more is said.
    """
    yield head_line(plan)
    if plan.columns and not has_fixed_teams(plan.rules):
        yield f"columns: {' : '.join(_every_hand(plan))}"


def head_line(plan: PlayPlan) -> str:
    """Return who plays whom, for what, under which clock."""
    rules = plan.rules
    changed = [
        f"{key}={value}"
        for key, value in option_texts(rules).items()
        if key not in ("rounds", "target", "seats")
    ]
    limits = [_goal(rules), f"clock {clock_text(plan.settings.clock)}"]
    limits += [*_added_times(plan.settings.clock), f"pace {plan.settings.pace}"]
    return ", ".join([_sides(plan), *limits, *changed])


def _sides(plan: PlayPlan) -> str:
    if not has_fixed_teams(plan.rules):
        *others, last = [f"{plan.names[seat]} (seat {seat})" for seat in plan.seats]
        return f"{', '.join(others)} and {last}, each for itself"
    sides = []
    for team, name in enumerate(plan.columns):
        sides.append(f"{name} (seats {', '.join(map(str, team_seats(plan.rules, team)))})")
    return " against ".join(sides)


def _goal(rules: RuleOptions) -> str:
    if rules.gs_goal is GsGoal.FIRST_AGAIN:
        return "until the first is first again"
    number = match_rounds(rules)
    return f"to {counted(rules.target, 'point')}" if number is None else _rounds(number)


def _every_hand(plan: PlayPlan) -> list[str]:
    return [who(plan, seat) for seat in range(len(plan.names))]


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
    """Return the score of a round, or its order, with everything out of the ordinary."""
    if summary.ranks:
        came = f"order {_listed(plan, summary.ranks)}"
    else:
        came = f"{_score(summary.points)}   total {_score(summary.totals)}"
    notes = "; ".join(_notes(plan, summary))
    return f"round {summary.round:>2}  {came}   {notes}".rstrip()


def _listed(plan: PlayPlan, seats: Sequence[int]) -> str:
    return ", ".join(who(plan, seat) for seat in seats)


def _notes(plan: PlayPlan, summary: RoundSummary) -> list[str]:
    notes = []
    if plan.rules.variant is Variant.TRICHU:
        notes.append(f"soloist {who(plan, soloist_of(summary.round - 1))}")
    notes += [_call_text(plan, call) for call in summary.calls]
    if summary.refused is not None:
        notes.append(f"the call of {who(plan, summary.refused)} was refused")
    if summary.double_victory and summary.out:
        count = "triple" if plan.rules.variant is Variant.TIENTSIN else "double"
        notes.append(f"{count} victory of {_winners(plan, summary)}")
    bombs = [f"{count} by {who(plan, seat)}" for seat, count in enumerate(summary.bombs) if count]
    if bombs:
        notes.append(f"bombs: {', '.join(bombs)}")
    for seat, reasons in grouped_strikes(summary.strikes).items():
        notes.append(f"strike for {who(plan, seat)}: {reasons}")
    return notes


def _winners(plan: PlayPlan, summary: RoundSummary) -> str:
    """Return the team of the first out; in Trichu it is a team of this round only (G1)."""
    if has_fixed_teams(plan.rules):
        return plan.columns[team_of(plan.rules, summary.out[0])]
    teams = seating(plan.rules, dealer=soloist_of(summary.round - 1)).teams
    winners = [seat for seat, team in enumerate(teams) if team == teams[summary.out[0]]]
    return " + ".join(plan.names[seat] for seat in winners)


def _call_text(plan: PlayPlan, call: CallResult) -> str:
    name = _CALL_NAMES.get(call.call, call.call)
    return f"{name} of {who(plan, call.seat)} {'won' if call.won else 'lost'} {call.points:+}"


def who(plan: PlayPlan, seat: int) -> str:
    """Return a seat with its bot's label."""
    return f"{plan.names[seat]}/{seat}"


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
    if not plan.columns:
        ranks = f", the last in order {_listed(plan, outcome.ranks)}" if outcome.ranks else ""
        return f"over after {rounds}{ranks}"
    if outcome.winner is None:
        return f"draw {score} after {rounds}"
    return f"{plan.columns[outcome.winner]} won {score} after {rounds}"


def _by_whom(plan: PlayPlan, outcome: Outcome) -> str:
    if outcome.seat is None:
        return ""
    *others, last = [who(plan, seat) for seat in outcome.failed or (outcome.seat,)]
    return f" by {', '.join(others)} and {last}" if others else f" by {last}"


def _what_counts(plan: PlayPlan, outcome: Outcome) -> str:
    """Return who won by a fault and what counts; nobody and nothing, where several sides failed."""
    if outcome.awarded:
        won = f"; {plan.columns[outcome.winner]} won" if outcome.winner is not None else ""
        return f"{won}; counts {' : '.join(map(str, outcome.awarded))}"
    if not has_fixed_teams(plan.rules):
        return "; it counts for nothing" if outcome.seat is not None else ""
    failed = {team_of(plan.rules, seat) for seat in outcome.failed}
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
            "teams": plan.columns if has_fixed_teams(plan.rules) else (),
            "players": plan.names,
            "seed": plan.seed,
            "again": plan.again,
        }
    )


def _json(value: dict[str, object]) -> bytes:
    return msgspec.json.encode(value)

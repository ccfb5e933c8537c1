"""The numbers of a gate, in words."""

from collections.abc import Iterator

from referee.ladder.gate import LEAST_BOARDS, GateTerms, Walk
from referee.ladder.gate_forecast import GateForecast
from referee.ladder.gate_outcome import GateOutcome, GateVerdict

VERDICTS = {
    GateVerdict.ACCEPT: "accepted",
    GateVerdict.REJECT: "rejected",
    GateVerdict.UNDECIDED: "undecided",
    GateVerdict.CANDIDATE_FAULTY: "candidate faulty",
    GateVerdict.BASELINE_FAULTY: "baseline faulty",
    GateVerdict.MACHINE: "not judged",
    GateVerdict.STOPPED: "stopped",
}


def time_words(seconds: float) -> str:
    """Return a length of time in its two largest units.

    >>> time_words(8.2), time_words(95), time_words(3 * 3600 + 7 * 60), time_words(0.5)
    ('8 s', '1 min 35 s', '3 h 7 min', '0.5 s')
    """
    whole = round(seconds)
    if seconds < 1:
        return f"{seconds:.1g} s"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def walk_words(walk: Walk) -> str:
    """Return where a walk is between its bounds.

    >>> walk_words(Walk(GateTerms()))
    '+0.0 points a round, 0.00 on the way from -3.04 to +3.04'
    """
    low, high = walk.terms.lower, walk.terms.upper
    return (
        f"{walk.mean:+.1f} points a round, {_signed(walk.llr)} on the way from {low:.2f} to "
        f"{high:+.2f}"
    )


def _signed(value: float) -> str:
    value = round(value, 2)
    return f"{value:+.2f}" if value else "0.00"


def hypotheses_words(terms: GateTerms) -> str:
    """Return what is tested.

    >>> hypotheses_words(GateTerms())
    '0 or +5 points a round, alpha 0.05, beta 0.05'
    """
    points0, points1 = _points(terms.points0), _points(terms.points1)
    return f"{points0} or {points1} points a round, alpha {terms.alpha:g}, beta {terms.beta:g}"


def _points(value: float) -> str:
    return f"{value:+g}" if value else "0"


def forecast_lines(terms: GateTerms, forecast: GateForecast) -> Iterator[str]:
    """Yield what a gate still takes, and what its budget can decide."""
    left = max(0, forecast.expected - forecast.boards)
    yield (
        f"after {forecast.boards} boards: spread {forecast.sigma:.0f} points a round, "
        f"{forecast.rate:.0f} boards a minute"
    )
    yield (
        f"boards that a verdict takes on average: {forecast.if_points0} if it is "
        f"{_points(terms.points0)}, {forecast.if_points1} if it is {_points(terms.points1)} "
        f"({time_words(left * 60 / forecast.rate)} to go), {forecast.if_middle} between the two, "
        f"{forecast.if_mean} if it is {forecast.mean:+.1f} as so far"
    )
    yield budget_words(terms, forecast)


def budget_words(terms: GateTerms, forecast: GateForecast) -> str:
    """Return what fits into the budget, and what that can decide."""
    limit, more = "the budget: about {} boards fit", "a longer --budget"
    if forecast.affordable >= terms.max_boards:
        limit, more = "--max-boards: {} boards fit into the budget", "more --max-boards"
    fit = limit.format(forecast.affordable)
    if forecast.affordable < LEAST_BOARDS:
        return f"{fit}, too short for the {LEAST_BOARDS} that a verdict needs"
    if forecast.decidable is None:
        return (
            f"{fit}; what they can tell apart cannot be said, with {forecast.unequal} of "
            f"{forecast.boards} boards unequal"
        )
    able = f"{fit}, enough to tell what is {forecast.decidable:.1f} points a round apart"
    if forecast.decidable <= terms.width:
        return f"{able}; asked for are {terms.width:g}"
    return (
        f"{able}, but not the {terms.width:g} that are asked for: unless it is farther off, expect "
        f"no verdict; {more} or hypotheses farther apart would help"
    )


def result_words(outcome: GateOutcome) -> str:
    """Return the mean with its interval."""
    mean, ends = f"{outcome.mean:+.2f} points a round", outcome.interval
    return mean if ends is None else f"{mean} (95 %: {ends[0]:+.2f} .. {ends[1]:+.2f})"


def headline(outcome: GateOutcome) -> str:
    """Return the verdict and why, in one line."""
    return f"{VERDICTS[outcome.verdict]}: {outcome.why}"


def repeat_words(outcome: GateOutcome) -> str:
    """Return the seed, and what it is."""
    if outcome.practice:
        return f"{outcome.seed} (chosen by somebody: practice)"
    return f"{outcome.seed} (drawn for this gate; --seed repeats its cards)"

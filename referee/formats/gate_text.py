"""What a gate brought, as text for people."""

from collections.abc import Iterator

from referee.formats.gate_words import (
    budget_words,
    headline,
    hypotheses_words,
    repeat_words,
    result_words,
    time_words,
)
from referee.formats.printable import printable
from referee.formats.words import counted
from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateBot, GateOutcome, GateVerdict

_SHOWN_FAULTS = 5
_NOTABLE = 0.10  # of the processor time, stolen


def gate_text(outcome: GateOutcome) -> str:
    """Return the verdict, its numbers, and what is to be known of them."""
    return "".join(f"{printable(line)}\n" for line in _lines(outcome))


def _lines(outcome: GateOutcome) -> Iterator[str]:
    yield headline(outcome)
    for name, text in gate_rows(outcome):
        yield f"  {name:<11}{text}"
    for line in gate_remarks(outcome):
        yield f"  {line}"


def gate_rows(outcome: GateOutcome) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a gate, each with what it is. They hold text of strangers."""
    yield CANDIDATE, bot_words(outcome.candidate)
    yield BASELINE, bot_words(outcome.baseline)
    yield "tested", hypotheses_words(outcome.terms)
    if outcome.boards:
        yield "difference", result_words(outcome)
        yield "boards", boards_words(outcome)
        low, high = outcome.terms.lower, outcome.terms.upper
        yield "ratio", f"{outcome.llr:+.2f}, rejects at {low:.2f}, accepts at {high:+.2f}"
    yield "time", _time(outcome)
    yield "seed", repeat_words(outcome)


def bot_words(bot: GateBot) -> str:
    """Return a bot with what it was written as and the beginning of its version."""
    version = f", {bot.version[:20]}" if bot.version else ""
    written = f" ({bot.written})" if bot.written != bot.name else ""
    return f"{bot.name}{written}{version}"


def boards_words(outcome: GateOutcome) -> str:
    """Return how many boards there were, and how the candidate came off."""
    void = f", {outcome.void} void" if outcome.void else ""
    return f"{outcome.boards}: {outcome.won} won, {outcome.tied} equal, {outcome.lost} lost{void}"


def _time(outcome: GateOutcome) -> str:
    rate = "" if outcome.rate is None else f", {outcome.rate:.0f} boards a minute"
    return f"{time_words(outcome.elapsed_s)}{rate}"


def gate_remarks(outcome: GateOutcome) -> Iterator[str]:
    """Yield what a reader has to know beside the numbers. They hold text of strangers."""
    yield from outcome.notes
    for fault in outcome.faults[:_SHOWN_FAULTS]:
        yield f"{fault.entry}: {fault.ending} in board {fault.board} leg {fault.leg}"
    if len(outcome.faults) > _SHOWN_FAULTS:
        more = counted(len(outcome.faults) - _SHOWN_FAULTS, "more leg")
        yield f"and {more} that ended by a fault"
    yield from outcome.said
    if outcome.late:
        yield f"{outcome.late} answers came too late; the referee acted for their bots"
    if outcome.stolen > _NOTABLE:
        yield f"{outcome.stolen:.0%} of the processor time was stolen from this machine"
    forecast = outcome.forecast
    if outcome.verdict is GateVerdict.UNDECIDED and forecast is not None:
        yield f"after {forecast.boards} boards: {budget_words(outcome.terms, forecast)}"

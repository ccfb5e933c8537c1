"""What the replay of a round found, and the lines that say so."""

import enum

import msgspec


class Outcome(enum.StrEnum):
    """How a logged round fared. The values are the words of the last line."""

    OK = "ok"
    ILLEGAL = "illegal"  # an action that the rules refuse, or a log that cannot be a round
    SCORE = "score"  # every action is legal, the logged points do not follow
    UNFINISHED = "unfinished"  # the log stops before the result


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing in a round that the rules do not allow."""

    line: int
    clause: str
    text: str
    missing: bool = False  # a part of the log is not there: no fault where the log just stops
    cut_short: bool = False  # no fault if the file ends in this very line, which may lack its rest


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Where a round stands in its file, and what came of it.

    `logged` and `ours` are set for OK and SCORE, `fault` for ILLEGAL.
    """

    game: int
    number: int
    outcome: Outcome
    logged: tuple[int, int] | None = None
    ours: tuple[int, int] | None = None
    fault: Fault | None = None


def _points(scores: tuple[int, int] | None) -> str:
    return "?" if scores is None else f"{scores[0]}/{scores[1]}"


def verdict_text(verdict: Verdict) -> str:
    """Return the line for a round, without the file's name.

    >>> verdict_text(Verdict(game=1, number=2, outcome=Outcome.UNFINISHED))
    'game 1 round 2: UNFINISHED'
    """
    head = f"game {verdict.game} round {verdict.number}:"
    if verdict.outcome is Outcome.OK:
        return f"{head} ok {_points(verdict.ours)}"
    if verdict.outcome is Outcome.SCORE:
        return f"{head} SCORE logged {_points(verdict.logged)}, ours {_points(verdict.ours)}"
    if verdict.fault is not None:
        fault = verdict.fault
        return f"{head} ILLEGAL line {fault.line} {fault.clause}: {fault.text}"
    return f"{head} UNFINISHED"


class Tally:
    """Counts verdicts by outcome."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(Outcome, 0)

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self._counts[verdict.outcome] += 1

    @property
    def failed(self) -> bool:
        """True when a round is ILLEGAL or SCORE; an unfinished one is no failure."""
        return self._counts[Outcome.ILLEGAL] + self._counts[Outcome.SCORE] > 0

    def text(self) -> str:
        """Return the last line: `N rounds: N ok, N illegal, N score, N unfinished`."""
        counts = ", ".join(f"{count} {outcome}" for outcome, count in self._counts.items())
        return f"{sum(self._counts.values())} rounds: {counts}"

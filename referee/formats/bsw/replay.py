"""A logged round through the rules core to its verdict."""

from collections.abc import Sequence
from itertools import product

import msgspec

from referee.formats.bsw.acts import Act
from referee.formats.bsw.deal import deal, exchange, make_calls
from referee.formats.bsw.events import LoggedRound, Result
from referee.formats.bsw.play import PlayThrough
from referee.formats.bsw.verdicts import Fault, Outcome, Verdict
from referee.rules.options import RuleOptions
from referee.rules.round import Round

# Each doubles the replays of a round, and a real one hardly ever has two.
_MOST_OPEN_POINTS = 4
_FAILED = (Outcome.ILLEGAL, Outcome.SCORE)


def replay(logged: LoggedRound, options: RuleOptions) -> Verdict:
    """Return the verdict on one round. Nothing that a log may say makes it raise.

    Where the log is open to two readings (`PlayThrough`), the round is replayed in the server's,
    and in the others only when that one fails.
    """
    return replay_acts(logged, options)[0]


def replay_acts(logged: LoggedRound, options: RuleOptions) -> tuple[Verdict, Sequence[Act]]:
    """Return the verdict, and what happened from the first lead on in the reading that it is of."""
    round_ = _begun(logged, options)
    if isinstance(round_, Fault):
        return _illegal(logged, round_), ()
    through = PlayThrough(round_.copy(), logged.events)
    verdict = _verdict(logged, through)
    open_points = min(len(through.open_points), _MOST_OPEN_POINTS)
    if open_points and verdict.outcome in _FAILED:
        for on_trick in product((False, True), repeat=open_points):
            again = PlayThrough(round_.copy(), logged.events, on_trick=on_trick)
            other = _verdict(logged, again)
            if other.outcome not in _FAILED:
                return other, again.acts
    return verdict, through.acts


def _begun(logged: LoggedRound, options: RuleOptions) -> Round | Fault:
    """Return the round at its first lead."""
    round_ = deal(logged, options)
    if isinstance(round_, Fault):
        return round_
    return make_calls(round_, logged) or exchange(round_, logged) or round_


def _verdict(logged: LoggedRound, through: PlayThrough) -> Verdict:
    fault = through.run()
    if fault is not None:
        return _illegal(logged, fault)
    result, ours = logged.result, through.scores
    if result is None or ours is None or _is_cut_result(logged, result, ours):
        return _judged(logged, Outcome.UNFINISHED)
    outcome = Outcome.OK if ours == result.scores else Outcome.SCORE
    return msgspec.structs.replace(_judged(logged, outcome), logged=result.scores, ours=ours)


def _judged(logged: LoggedRound, outcome: Outcome) -> Verdict:
    return Verdict(game=logged.game, number=logged.number, outcome=outcome)


def _illegal(logged: LoggedRound, fault: Fault) -> Verdict:
    """Return the verdict for a fault, which may only say that the file was cut."""
    cut = fault.cut_short and fault.line == logged.cut_line
    if cut or (fault.missing and not logged.events):
        return _judged(logged, Outcome.UNFINISHED)
    lost = logged.unread_line
    # a lost move shows in what follows, a lost part of the deal where the round begins
    if lost and (fault.missing or lost < fault.line):
        text = f"this line cannot be read, and without it {fault.text}"
        fault = Fault(line=lost, clause=fault.clause, text=text)
    return msgspec.structs.replace(_judged(logged, Outcome.ILLEGAL), fault=fault)


def _is_cut_result(logged: LoggedRound, result: Result, ours: tuple[int, int]) -> bool:
    """True when the file ends within the last number of a result that so far agrees with ours."""
    first, second = result.scores
    at_the_end = result.line == logged.cut_line and first == ours[0]
    return at_the_end and second != ours[1] and str(ours[1]).startswith(str(second))

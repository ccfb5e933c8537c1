"""The last step of a match that the referee or its store failed."""

from collections.abc import Sequence

import msgspec
import structlog

from referee.app.running import RunningMatch
from referee.match.facts import Faulted, MatchEnded, RoundEnded
from referee.match.inputs import Fault
from referee.match.step import Ack, Step
from referee.match.values import AckStatus, Blame, Ending

_log = structlog.get_logger("referee.dispatcher")


def last_step(match: RunningMatch, ending: Ending) -> Step:
    """Return the step that ends a match by our fault; the failure is an input, so it replays.

    Rounds count whose end is on record, or on its way there, whatever the machine has scored since.
    """
    step = _by_machine(match, ending) or _by_hand(match, ending)
    last, (totals, rounds) = step.events[-1], _score(match)
    if isinstance(last, MatchEnded) and (last.totals, last.rounds) != (totals, rounds):
        step.events[-1] = told = msgspec.structs.replace(last, totals=totals, rounds=rounds)
        step.facts[-1] = told
    return step


def _score(match: RunningMatch) -> tuple[tuple[int, ...], int]:
    """Return totals and rounds by the facts that are kept."""
    facts = [fact for step in match.steps for fact in step.facts if isinstance(fact, RoundEnded)]
    return (facts[-1].totals, facts[-1].round) if facts else match.score


def _by_machine(match: RunningMatch, ending: Ending) -> Step | None:
    try:
        step = match.machine.step(Fault(seat=None, ending=ending), match.last)
    except Exception as error:  # the first failure is in the log; this one says why we go on so
        _log.error("a machine cannot end", match=match.id, error=type(error).__name__)
        return None
    return step if step.over and step.events else None


def _by_hand(match: RunningMatch, ending: Ending) -> Step:
    machine, at = match.machine, match.last
    blame = Blame.NONE if ending is Ending.CANCELLED else Blame.REFEREE
    ended = MatchEnded(
        at=at,
        ending=ending,
        totals=machine.totals,
        rounds=machine.rounds_played,
        banks=machine.banks,
        blame=blame,
    )
    step = Step(match.log.next)
    step.over = True
    step.facts += [Faulted(at=at, ending=ending, blame=blame), ended]
    step.events.append(ended)
    return step


def forget(unkept: Sequence[Step], last: Step) -> None:
    """Have the last step know that the facts of the steps before it were not kept.

    Answers and requests are told STALE, once each. What was asked in those steps nobody hears of.
    """
    heard = [(ack.seat, ack.ask_id, ack.request_id) for step in unkept for ack in step.acks]
    last.acks += [
        Ack(seat=seat, status=AckStatus.STALE, ask_id=ask_id, request_id=request_id)
        for seat, ask_id, request_id in dict.fromkeys(heard)
    ]
    unasked = {(ask.seat, ask.id) for step in unkept for ask in step.asks}
    if unasked:
        last.cancelled = [one for one in last.cancelled if (one.seat, one.ask_id) not in unasked]

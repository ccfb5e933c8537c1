"""The last step of a match that the referee or its store failed."""

from collections.abc import Sequence

import structlog

from referee.app.running import RunningMatch
from referee.match.facts import Faulted, MatchEnded
from referee.match.inputs import Fault
from referee.match.step import Ack, Step
from referee.match.values import AckStatus, Blame, Ending

_log = structlog.get_logger("referee.dispatcher")


def last_step(match: RunningMatch, ending: Ending) -> Step:
    """Return the step that ends a match by our fault; the failure is an input, so it replays."""
    machine, at = match.machine, match.last
    try:
        step = machine.step(Fault(seat=None, ending=ending), at)
        if step.over and step.events:
            return step
    except Exception as error:  # the first failure is in the log; this one says why we go on so
        _log.error("a machine cannot end", match=match.id, error=type(error).__name__)
    ended = MatchEnded(
        at=at,
        ending=ending,
        totals=machine.totals,
        rounds=machine.rounds_played,
        banks=machine.banks,
        blame=Blame.REFEREE,
    )
    step = Step(match.log.next)
    step.over = True
    step.facts += [Faulted(at=at, ending=ending, blame=Blame.REFEREE), ended]
    step.events.append(ended)
    return step


def came_to_nothing(steps: Sequence[Step]) -> list[Ack]:
    """Return what answers and requests are told whose facts were not kept: once each, STALE."""
    heard = [(ack.seat, ack.ask_id, ack.request_id) for step in steps for ack in step.acks]
    return [
        Ack(seat=seat, status=AckStatus.STALE, ask_id=ask_id, request_id=request_id)
        for seat, ask_id, request_id in dict.fromkeys(heard)
    ]

"""How a match ends that we failed: by its machine, without it, or silently."""

import traceback
from collections.abc import Callable

import structlog

from referee.app.keeping import Keeping
from referee.app.last_step import forget, last_step
from referee.app.running import RunningMatch
from referee.match.step import Step
from referee.match.values import Ending

_log = structlog.get_logger("referee.dispatcher")
_LAST_TRY = 2  # failures of one match after which its seats are told nothing more


class Failures:
    """Ends matches by our fault. `took` takes the step that ends one."""

    def __init__(self, keeping: Keeping, took: Callable[[RunningMatch, Step, int], None]) -> None:
        self._keeping = keeping
        self._took = took

    def failed(self, match: RunningMatch, error: Exception) -> None:
        """End a match that we failed.

        The error's text may name cards, so it is not logged: the record repeats the failure.
        """
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        name = type(error).__name__
        _log.error("the referee failed a match", match=match.id, error=name, where=where)
        self.end_by(match, Ending.REFEREE_FAILED)

    def unstored(self, match: RunningMatch, ending: Ending) -> None:
        """What is not kept nobody hears of, but for the end of the match.

        What was answered in it came to nothing, and its seats are told just that.
        """
        if not match.stored:
            return
        match.stored = False
        self._keeping.owe_end(match, ending)
        unkept = match.drop_unkept()
        match.final = match.ended
        before = len(match.steps)
        self.end_by(match, ending)
        if len(match.steps) > before:
            forget(unkept, match.steps[-1])

    def end_by(self, match: RunningMatch, ending: Ending) -> None:
        """End a match in whatever state it is: by its machine, else without it, else silently.

        A match ends once: where its last fact is on its way, only the telling is tried again.
        """
        if match.ended is not None or (match.final is not None and match.steps):
            return
        match.failures += 1
        if match.final is None:
            self._took(match, last_step(match, ending), match.last)
        elif match.failures > _LAST_TRY:
            match.ended = match.final
        else:
            step = Step(match.log.next)
            step.events.append(match.final)
            self._took(match, step, match.last)

"""How long a match keeps its seats waiting: from the last answer that was due to the next ask."""

from array import array
from collections.abc import Sequence

from referee.match.inputs import Answer, Handed, Input
from referee.match.machine import Machine
from referee.match.step import Step


class NextAsks:
    """Measures inside the referee: from the stamp of an answer to the hand-over of the next ask.

    The stamp is when the frame was read; handed over is an ask whose frame went to the transport.
    In between lie the machine, the store, the encoding and the pacing of frames.
    """

    def __init__(self) -> None:
        self.waits_ns = array("q")
        self._answered: dict[int, int] = {}  # match time of the last answer, by machine

    def put_in(self) -> None:
        """Measure from now on, in every machine of this process."""
        step, hand_over = Machine.step, Machine.hand_over

        def timed_step(machine: Machine, what: Input, now: int) -> Step:
            kind = type(what)
            if kind is Answer:
                self._answered[id(machine)] = now
            elif kind is Handed:
                self._note(machine, now)
            return step(machine, what, now)

        def timed_hand_over(
            machine: Machine, seats: Sequence[int], now: int, lags: Sequence[int] = ()
        ) -> int | None:
            self._note(machine, now)
            return hand_over(machine, seats, now, lags)  # type: ignore[arg-type]

        setattr(Machine, "step", timed_step)  # noqa: B010 (mypy knows it as a method)
        setattr(Machine, "hand_over", timed_hand_over)  # noqa: B010

    def _note(self, machine: Machine, now: int) -> None:
        answered = self._answered.pop(id(machine), None)
        if answered is not None:
            self.waits_ns.append(now - answered)

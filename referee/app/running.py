"""A running match as the dispatcher sees it: the machine, and what one pass made of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from referee.app.event_log import EventLog
from referee.app.timers import Alarm
from referee.match.facts import MatchEnded
from referee.match.inputs import Fault
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import Blame, MatchConfig
from referee.ports import Audience
from referee.rules.seat import Seat

if TYPE_CHECKING:
    from referee.app.holding import Holding


class Reported(msgspec.Struct, frozen=True):
    """A fault, and who says at the end of the pass whose it is; None: the usual."""

    fault: Fault
    blame: Callable[[], Blame] | None

    def judged(self) -> Fault:
        """Return the fault with its blame."""
        if self.blame is None:
            return self.fault
        return msgspec.structs.replace(self.fault, blame=self.blame())


class RunningMatch:
    """One match. Clock times are of the process, match times begin at 0 when it starts."""

    __slots__ = (
        "__weakref__",
        "alarm",
        "audience",
        "began",
        "due_at",
        "ended",
        "failing",
        "failures",
        "faults",
        "final",
        "handed",
        "holdings",
        "last",
        "log",
        "machine",
        "next_fact",
        "on_over",
        "pending",
        "record_path",
        "score",
        "steps",
        "stored",
        "touched",
        "untold",
    )

    alarm: Alarm

    def __init__(self, config: MatchConfig, *, began: int, audience: Audience | None) -> None:
        self.machine = Machine(config)
        self.began = began
        self.last = 0  # match time of the last step
        self.audience = audience
        self.holdings: list[Holding] = []  # by seat
        self.steps: list[Step] = []  # of this pass, not yet told
        self.handed: list[Seat] = []  # asks of these seats go out in this pass
        self.faults: list[Reported] = []  # of this pass, not yet fed
        self.failing: set[Seat | None] = set()  # whose they are
        self.due_at = 0  # clock time at the end of this pass, as far as it is known
        self.pending = False  # it is on the dispatcher's list for the end of the pass
        self.touched = False  # it is on the dispatcher's list of this pass
        self.stored = True  # False once the store failed it
        self.untold = len(config.players)  # seats that still hold it
        self.failures = 0  # of ours
        self.next_fact = 0
        self.score = (self.machine.totals, self.machine.rounds_played)  # by what was stored
        self.log = EventLog()
        self.record_path: str | None = None
        self.final: MatchEnded | None = None  # the last fact, from when it is on its way
        self.ended: MatchEnded | None = None  # from when it is told
        self.on_over: list[Callable[[MatchEnded], None]] = []  # called when all have been told

    @property
    def id(self) -> str:
        """The match's name in records and logs."""
        return self.machine.config.match_id

    @property
    def config(self) -> MatchConfig:
        """What the match is made of."""
        return self.machine.config

    @property
    def names(self) -> list[str]:
        """Whose token each seat brought, by seat; of a bot without one the name in its Hello."""
        return [holding.session.identity for holding in self.holdings]

    def told_end(self, holding: "Holding") -> None:
        """One seat has been told the end, or is not there to be told; after the last, let go."""
        holding.session.holdings.pop(holding.number, None)
        self.untold -= 1
        if self.untold == 0:
            self.holdings.clear()

    def match_time(self, clock_ns: int) -> int:
        """Return match time, which never runs back."""
        now = clock_ns - self.began
        return now if now > self.last else self.last

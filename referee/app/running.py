"""A running match as the dispatcher sees it: the machine, and what one pass made of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.app.event_log import EventLog
from referee.app.timers import Alarm
from referee.match.facts import MatchEnded
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import MatchConfig
from referee.ports import Audience
from referee.rules.seat import Seat

if TYPE_CHECKING:
    from referee.app.holding import Holding


class RunningMatch:
    """One match. Clock times are of the process, match times begin at 0 when it starts."""

    __slots__ = (
        "alarm",
        "audience",
        "began",
        "ended",
        "failures",
        "final",
        "handed",
        "holdings",
        "last",
        "log",
        "machine",
        "next_fact",
        "on_over",
        "record_path",
        "steps",
        "stored",
        "touched",
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
        self.touched = False  # it is on the dispatcher's list of this pass
        self.stored = True  # False once the store failed it
        self.failures = 0  # of ours
        self.next_fact = 0
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

    def match_time(self, clock_ns: int) -> int:
        """Return match time, which never runs back."""
        now = clock_ns - self.began
        return now if now > self.last else self.last

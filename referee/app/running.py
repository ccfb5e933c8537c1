"""A running match as the dispatcher sees it: the machine, and what one pass made of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from referee.app.event_log import EventLog
from referee.app.timers import Alarm
from referee.app.watching import Gallery
from referee.ladder.values import LegPlace
from referee.match.facts import MatchEnded, encode_fact
from referee.match.inputs import Fault
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import Blame, MatchConfig
from referee.ports import Audience, Batch, DecisionMeter
from referee.rules.options import player_seats
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
        "encoded",
        "ended",
        "failing",
        "failures",
        "faults",
        "final",
        "gallery",
        "halted",
        "handed",
        "held",
        "holdings",
        "kept",
        "last",
        "let_go",
        "lines",
        "log",
        "machine",
        "next_fact",
        "on_over",
        "pending",
        "place",
        "record_path",
        "score",
        "since",
        "steps",
        "stored",
        "touched",
        "untold",
        "waiting",
    )

    alarm: Alarm

    def __init__(
        self,
        config: MatchConfig,
        *,
        began: int,
        audience: Audience | None,
        machine: Machine | None = None,
        place: LegPlace | None = None,
    ) -> None:
        """Begin a match, or go on with one whose `machine` stands where it stood.

        `place` is the one that it has in a ladder.
        """
        self.machine = machine or Machine(config)
        self.began = began
        self.since = began  # clock time from which it has run without standing still
        self.last = 0  # match time of the last step
        self.audience = audience
        self.gallery: Gallery | None = None  # of those who only watch, where anybody may
        self.place = place
        self.held: DecisionMeter | None = None  # counts what happens in it while it is sealed
        self.holdings: dict[Seat, Holding] = {}  # by the seats that players sit at, ascending
        self.halted: int | None = None  # the clock time at which its time stands still
        self.waiting = False  # for its seats to come back after a restart: nobody hears of it
        self.steps: list[Step] = []  # not yet told: of this pass, and of an outage of the store
        self.lines: list[bytes] = []  # their facts, as far as they are encoded and not kept
        self.encoded = 0  # steps whose facts are encoded
        self.kept = 0  # steps whose facts are kept
        self.handed: list[Seat] = []  # asks of these seats go out in this pass
        self.faults: list[Reported] = []  # of this pass, not yet fed
        self.failing: set[Seat | None] = set()  # whose they are
        self.due_at = 0  # clock time at the end of this pass, as far as it is known
        self.pending = False  # it is on the dispatcher's list for the end of the pass
        self.touched = False  # it is on the dispatcher's list of this pass
        self.stored = True  # False once the store failed it
        self.untold = len(player_seats(config.settings.rules))  # seats that still hold it
        self.failures = 0  # of ours
        self.next_fact = 0
        self.score = (self.machine.totals, self.machine.rounds_played)  # by what was stored
        self.log = EventLog()
        self.record_path: str | None = None
        self.final: MatchEnded | None = None  # the last fact, from when it is on its way
        self.ended: MatchEnded | None = None  # from when it is told
        self.on_over: list[Callable[[MatchEnded], None]] = []  # called when all have been told
        self.let_go: Callable[[str], None] = _nothing  # called when no seat holds it any more

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
        """Whose token each seat brought, by seat; of a bot without one the name in its Hello.

        A hand without a player of its own has its name in the match.
        """
        names = [player.name for player in self.config.players]
        for seat, holding in self.holdings.items():
            names[seat] = holding.session.identity
        return names

    def told_end(self, holding: "Holding") -> None:
        """One seat has been told the end, or is not there to be told; after the last, let go."""
        holding.session.holdings.pop(holding.number, None)
        self.untold -= 1
        if self.untold == 0:
            self.holdings.clear()
            self.let_go(self.id)

    # --- its time

    def match_time(self, clock_ns: int) -> int:
        """Return match time, which never runs back."""
        if self.halted is not None and clock_ns > self.halted:
            clock_ns = self.halted
        now = clock_ns - self.began
        return now if now > self.last else self.last

    def halt(self, clock_ns: int) -> None:
        """Let its time stand still from here on: nothing falls due."""
        self.halted = clock_ns
        self.alarm.set(None)

    def go_on(self, clock_ns: int) -> None:
        """Let its time go on as if none had passed since it stood still."""
        if self.halted is not None:
            self.began += clock_ns - self.halted
            self.since = clock_ns
            self.halted = None
            self.wake(self.machine.due)

    def wake(self, due: int | None) -> None:
        """Ring when something is due, at a match time; not while time stands still."""
        stands = due is None or self.halted is not None
        self.alarm.set(None if stands or due is None else self.began + due)

    # --- its facts on their way to the store

    def batch(self) -> Batch | None:
        """Return the facts that are not kept yet; None without any. Each is encoded once."""
        for step in self.steps[self.encoded :]:
            self.lines += [encode_fact(fact) for fact in step.facts]
        self.encoded = len(self.steps)
        if not self.lines:
            return None
        last = self.final is not None
        return Batch(match_id=self.id, first_seq=self.next_fact, lines=self.lines, last=last)

    def note_kept(self) -> None:
        """What `batch` returned is kept."""
        self.next_fact += len(self.lines)
        self.lines = []
        self.kept = self.encoded

    def take_steps(self) -> list[Step]:
        """Return the steps that wait to be told; they are not handed out again."""
        steps, self.steps = self.steps, []
        self.encoded = self.kept = 0
        return steps

    def drop_unkept(self) -> list[Step]:
        """Forget the steps whose facts are not kept, and return them."""
        unkept = self.steps[self.kept :]
        del self.steps[self.kept :]
        self.encoded, self.lines = self.kept, []
        return unkept


def _nothing(match_id: str) -> None:
    """What follows where nobody keeps the match."""

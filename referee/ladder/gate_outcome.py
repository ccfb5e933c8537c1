"""What a gate brought, for people and for programs."""

import enum
import math

import msgspec

from referee.ladder.estimates import TAIL
from referee.ladder.gate import GateTerms
from referee.ladder.gate_forecast import GateForecast
from referee.ladder.quantiles import t_critical

CANDIDATE, BASELINE = "candidate", "baseline"  # as entries of the boards


class GateVerdict(enum.StrEnum):
    """How a gate ended. Values are written in files."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    CANDIDATE_FAULTY = "candidate_faulty"
    BASELINE_FAULTY = "baseline_faulty"
    MACHINE = "machine"  # the referee or the machine: it says nothing about the bots
    STOPPED = "stopped"  # by order


class GateBot(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two. `written` is what the operator wrote, `version` what its files are."""

    name: str
    written: str
    version: str


class GateFault(msgspec.Struct, frozen=True, kw_only=True):
    """A leg that a bot ended by its fault. `entry` is `CANDIDATE` or `BASELINE`."""

    entry: str
    board: int
    leg: int
    ending: str


class GateOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a gate brought. `why` says the verdict in one line.

    `mean`, `sigma` and the numbers of boards are of the boards that were looked at, in points a
    round. `won`, `tied` and `lost` are boards of the candidate. `late` are answers that came too
    late, of both bots; `stolen` is the share of processor time that the machine's host took away,
    0 to 1. `faults` are all faults of these boards, and of void ones. `said` are the last words of
    processes that failed: text of strangers.
    """

    verdict: GateVerdict
    why: str
    terms: GateTerms
    candidate: GateBot
    baseline: GateBot
    seed: str
    practice: bool
    same_play: bool
    boards: int
    won: int
    tied: int
    lost: int
    mean: float
    sigma: float
    llr: float
    void: int
    late: int
    stolen: float
    elapsed_s: float
    rate: float | None
    forecast: GateForecast | None
    faults: tuple[GateFault, ...] = ()
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, as if so many boards had been planned; None below 2."""
        if self.boards < 2:
            return None
        half = t_critical(TAIL, self.boards - 1) * self.sigma / math.sqrt(self.boards)
        return self.mean - half, self.mean + half

    def faults_of(self, entry: str) -> int:
        """Return how many legs an entry ended by its faults."""
        return sum(fault.entry == entry for fault in self.faults)

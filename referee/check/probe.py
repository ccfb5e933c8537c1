"""What a probe is: one demand on a bot, what shows that it is met, and the cure."""

import enum
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

import msgspec

from referee.check.exam import Exam
from referee.check.stream import Failed
from referee.match.values import MS, Clock, Pace, Settings
from referee.rules.options import parse_options

Run = Callable[[Exam], Awaitable[None]]
PROTOCOL_PAGE = "docs/PROTOCOL.md"


class Company(enum.Enum):
    """Whether other probes may run beside one."""

    ANY = enum.auto()
    ALONE = enum.auto()  # it measures times, or takes all of the machine


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """One demand. `id` is contract: scripts and files of failed probes name it."""

    id: str
    level: int
    title: str  # what a good bot does, in a few words
    demand: str  # what is demanded, a sentence
    place: str  # anchor in the page of the protocol
    cure: str
    run: Run
    limit_s: float
    company: Company = Company.ANY


class Register:
    """Collects the probes of a module in their order."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.probes: list[Probe] = []

    def __call__(
        self,
        name: str,
        title: str,
        *,
        demand: str,
        place: str,
        cure: str,
        limit_s: float = 60.0,
        company: Company = Company.ANY,
    ) -> Callable[[Run], Run]:
        """Make a probe of a function."""

        def add(run: Run) -> Run:
            self.add(
                Probe(
                    id=name,
                    level=self.level,
                    title=title,
                    demand=demand,
                    place=place,
                    cure=cure,
                    run=run,
                    limit_s=limit_s,
                    company=company,
                )
            )
            return run

        return add

    def add(self, probe: Probe) -> None:
        """Take a probe that is made already."""
        self.probes.append(probe)


def demand(fulfilled: object, what: str, *, cure: str = "") -> None:
    """Raise `Failed` with what the bot did, unless a demand is fulfilled.

    `cure`: where that of the probe is not the right one.
    """
    if not fulfilled:
        raise Failed(what, cure=cure)


def settings(
    options: Mapping[str, object] = MappingProxyType({}),
    *,
    pace: Pace = Pace.FAST,
    clock: Clock | None = None,
    window_ms: int = 50,
    **more: object,
) -> Settings:
    """Settings of a match of one round, unless the options (and `more` of them) say more."""
    given = {**options, **more}
    length = {} if "rounds" in given or "target" in given else {"rounds": 1}
    rules = parse_options({**length, **given})
    return Settings(rules=rules, pace=pace, clock=clock, window_ns=window_ms * MS)

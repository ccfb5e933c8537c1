"""Sealed matches: legs of a deal that is not over, of which nothing gets out (PROTOCOL 1).

Whoever meets the deal once more must not learn about it from what somebody else has played. So
there is no record of a sealed match, its log lines name no score, and what is counted by kind,
code or reason is added to the measures only when it is unsealed. Who sat in it counts as playing
and is seated nowhere else until then: that would tell when it was over.
"""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import structlog

from referee.app.instances import Instance
from referee.app.running import RunningMatch
from referee.ladder.values import LegPlace
from referee.match.facts import MatchEnded
from referee.match.values import AckStatus, AskKind
from referee.ports import DecisionMeter

_log = structlog.get_logger("referee.sealing")


class HeldMeter:
    """A `DecisionMeter` that counts into another one, later."""

    def __init__(self, meter: DecisionMeter) -> None:
        self._meter = meter
        self._held: list[Callable[[], None]] = []

    def asked(self, kind: AskKind) -> None:
        """Hold an ask back."""
        self._held.append(partial(self._meter.asked, kind))

    def answered(self, kind: AskKind, status: AckStatus, duration_ns: int) -> None:
        """Hold an answer back."""
        self._held.append(partial(self._meter.answered, kind, status, duration_ns))

    def refused(self, code: str) -> None:
        """Hold a refusal back."""
        self._held.append(partial(self._meter.refused, code))

    def lag_credited(self, duration_ns: int) -> None:
        """Hold a credit back."""
        self._held.append(partial(self._meter.lag_credited, duration_ns))

    def struck(self, why: str) -> None:
        """Hold a strike back."""
        self._held.append(partial(self._meter.struck, why))

    def release(self) -> None:
        """Count all that was held back, and nothing of it twice."""
        held, self._held = self._held, []
        for count in held:
            count()


class _Sealed(msgspec.Struct):
    """What is left of a sealed match once it is over. `instances` are by seat."""

    place: LegPlace
    meter: HeldMeter
    instances: tuple[Instance, ...]
    ended: MatchEnded | None = None
    strikes: tuple[int, ...] = ()


class Seals:
    """The matches that are sealed, running or over."""

    def __init__(self, meter: DecisionMeter) -> None:
        self._meter = meter
        self._sealed: dict[str, _Sealed] = {}

    def __len__(self) -> int:
        return len(self._sealed)

    def all(self) -> list[str]:
        """Return the names of the sealed matches in the order in which they began."""
        return list(self._sealed)

    def seal(self, match: RunningMatch, place: LegPlace) -> None:
        """Seal a match with its seats taken, before anything happens in it."""
        meter = HeldMeter(self._meter)
        match.held = meter
        seated = tuple(holding.session.instance for holding in match.holdings.values())
        sealed = self._sealed[match.id] = _Sealed(place, meter, seated)

        def over(ended: MatchEnded) -> None:
            sealed.ended, sealed.strikes = ended, tuple(match.machine.strikes)
            for instance in seated:
                instance.sealed.append(match.id)

        match.on_over.append(over)

    def place(self, match_id: str) -> LegPlace | None:
        """Return the place of a sealed match; None of any other."""
        sealed = self._sealed.get(match_id)
        return None if sealed is None else sealed.place

    def unseal(self, match_id: str) -> Sequence[Instance]:
        """Let out what was held back of a match that is over; return who sat in it, by seat."""
        sealed = self._sealed.pop(match_id, None)
        if sealed is None:
            return ()
        sealed.meter.release()
        for instance in sealed.instances:
            if match_id in instance.sealed:
                instance.sealed.remove(match_id)
        ended = sealed.ended
        if ended is not None:
            _log.info(
                "match unsealed",
                match=match_id,
                awarded=list(ended.awarded),
                totals=list(ended.totals),
                rounds=ended.rounds,
                strikes=list(sealed.strikes),
            )
        return sealed.instances

"""What the bench counts inside the referee process, beside what the referee counts itself."""

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from referee.match.facts import MatchEnded, Passed, PublicFact, RoundEnded, Strike
from referee.match.values import AckStatus, AskKind
from referee.metrics.meter import PrometheusMeter
from referee.wire.codec import WireCodec
from tests.bench.virtual_match import ACTIONS

_ACTIONS = frozenset(ACTIONS)
_PLAYING = frozenset((AskKind.ACT, AskKind.BOMB, AskKind.CHOOSE_SEAT))
_SAMPLED = 8  # answers to a duration that is kept
_TAKEN = frozenset((AckStatus.APPLIED, AckStatus.RECEIVED))


class Counts(NamedTuple):
    """Counted since the probe was put in."""

    actions: int
    forced: int  # passes by the referee for a seat without a legal play
    asks: int
    answers: int
    frames: int
    bytes_out: int
    bytes_in: int
    strikes: int


class Probe:
    """An `Audience` that counts actions, and counters behind a few methods of meter and codec.

    Each costs an addition or two; the referee keeps its own counts as ever.
    """

    def __init__(self) -> None:
        self.actions = 0
        self.forced = 0
        self.asks = 0
        self.answers = 0
        self.frames = 0
        self.bytes_out = 0
        self.bytes_in = 0
        self.strikes = 0
        # From an ask's hand-over to its answer's stamp, one in `_SAMPLED`: all of them would weigh
        # a good part of what the matches do, in the process whose memory is measured.
        self.durations_ns = array("q")
        self.appends_ns = array("q")  # one commit of the store each
        self._in_round: Counter[str] = Counter()  # actions by match
        self._rounds = 0
        self._in_rounds = 0  # actions in rounds that ended

    def counts(self) -> Counts:
        """Return the counts of this moment."""
        return Counts(*(getattr(self, name) for name in Counts._fields))

    def actions_a_round(self) -> float:
        """Return the mean over all rounds that ended.

        Rounds a second follow from it: matches that began together end their rounds together, so
        counting ends in a few seconds says little.
        """
        return self._in_rounds / max(1, self._rounds)

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Count what happened."""
        for fact in facts:
            kind = type(fact)
            if kind in _ACTIONS:
                self.actions += 1
                self._in_round[match_id] += 1
                self.forced += isinstance(fact, Passed) and fact.forced
            elif kind is RoundEnded:
                self._rounds += 1
                self._in_rounds += self._in_round.pop(match_id)
            elif kind is Strike:
                self.strikes += 1
            elif kind is MatchEnded:
                self._in_round.pop(match_id, None)

    def put_in(self) -> None:
        """Count from now on, in every meter and codec of this process."""
        asked, answered = PrometheusMeter.asked, PrometheusMeter.answered
        written, decode = PrometheusMeter.frame_written, WireCodec.decode
        appended = PrometheusMeter.appended

        def count_asked(meter: PrometheusMeter, kind: AskKind) -> None:
            self.asks += 1
            asked(meter, kind)

        def count_answered(
            meter: PrometheusMeter, kind: AskKind, status: AckStatus, duration_ns: int
        ) -> None:
            self.answers += 1
            if kind in _PLAYING and status in _TAKEN and self.answers % _SAMPLED == 0:
                self.durations_ns.append(duration_ns)
            answered(meter, kind, status, duration_ns)

        def count_appended(meter: PrometheusMeter, facts: int, duration_ns: int) -> None:
            self.appends_ns.append(duration_ns)
            appended(meter, facts, duration_ns)

        def count_written(meter: PrometheusMeter, updates: int, size: int) -> None:
            self.frames += 1
            self.bytes_out += size
            written(meter, updates, size)

        def count_decoded(codec: WireCodec, data: bytes, most_items: int) -> object:
            self.bytes_in += len(data)
            return decode(codec, data, most_items)

        for owner, name, method in (
            (PrometheusMeter, "asked", count_asked),
            (PrometheusMeter, "answered", count_answered),
            (PrometheusMeter, "appended", count_appended),
            (PrometheusMeter, "frame_written", count_written),
            (WireCodec, "decode", count_decoded),
        ):
            setattr(owner, name, method)

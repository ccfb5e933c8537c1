"""A match as its kept facts tell it: after a restart, or where the referee knows more than is kept.

Replaying the facts gives the machine, and with it the events of the running round; those of earlier
rounds only count, since a snapshot does not show them.
"""

from collections.abc import Sequence

import msgspec

from referee.app.event_log import EventLog
from referee.match.facts import Fact, MatchEnded, RoundEnded, decode_fact, encode_fact
from referee.match.inputs import Fault
from referee.match.machine import Machine
from referee.match.replay import Difference, Replayed, replay
from referee.match.step import RoundStarted, Step
from referee.match.values import Ending, MatchConfig
from referee.ports import Codec


class Rebuilt:
    """A match up to its last kept fact. Where `broken` says why not, the machine is a new one."""

    def __init__(self, config: MatchConfig, lines: Sequence[bytes]) -> None:
        self.config = config
        self.machine = Machine(config)
        self.facts: list[Fact] = []  # as far as they can be read
        self.asked = [0] * len(config.players)  # by seat of a player: the highest number of an ask
        self.broken = ""
        self._round: list[Step] = []  # steps with events since the round began
        try:
            self.facts += map(decode_fact, lines)
            self._replay()
        except Exception as error:  # whatever is wrong with it concerns this match alone
            self._break(type(error).__name__)  # its text may name cards

    def _replay(self) -> None:
        for one in replay(self.config, self.facts):
            if isinstance(one, Difference):
                self._break(f"fact {one.index} does not replay: {one.why}")
                return
            self._took(one)

    def _break(self, why: str) -> None:
        self.broken = why
        self.machine = Machine(self.config)
        self._round.clear()

    def _took(self, one: Replayed) -> None:
        self.machine, step = one.machine, one.step
        for ask in step.asks:
            self.asked[ask.to] = max(self.asked[ask.to], ask.id)
        if step.events:
            if type(step.events[0]) is RoundStarted:
                self._round.clear()
            self._round.append(step)

    @property
    def last(self) -> int:
        """Match time of the last fact that can be read."""
        return self.facts[-1].at if self.facts else 0

    @property
    def ended(self) -> MatchEnded | None:
        """The last fact, if it is the last of the match."""
        last = self.facts[-1] if self.facts else None
        return last if isinstance(last, MatchEnded) else None

    @property
    def score(self) -> tuple[tuple[int, ...], int]:
        """Totals and rounds by the facts."""
        for fact in reversed(self.facts):
            if isinstance(fact, RoundEnded):
                return (fact.totals, fact.round)
        fresh = Machine(self.config)
        return (fresh.totals, fresh.rounds_played)

    def fill(self, log: EventLog, codec: Codec) -> None:
        """Put the events of the running round into an empty log, under their old numbers."""
        seats = len(self.config.players)
        if self._round:
            log.start_at(self._round[0].first_event)
        for step in self._round:
            log.add(codec.events(log.next, step.events, seats))
        if self.broken and self.ended is not None:  # it is over all the same
            log.add(codec.events(log.next, [self.ended], seats))

    def end_lines(self, ending: Ending) -> list[bytes]:
        """Return the facts of an end by our fault behind the kept ones; none if it has an end."""
        if self.ended is not None:
            return []
        step = self.machine.step(Fault(seat=None, ending=ending), self.last)
        last, (totals, rounds) = step.facts[-1], self.score
        if isinstance(last, MatchEnded):  # of a broken one the machine is new
            step.facts[-1] = msgspec.structs.replace(last, totals=totals, rounds=rounds)
        return [encode_fact(fact) for fact in step.facts]

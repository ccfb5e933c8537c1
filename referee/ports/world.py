"""Time, randomness, spectators and measures."""

from collections.abc import Callable, Sequence
from typing import Protocol

from referee.match.facts import MatchEnded, PublicFact, Strike
from referee.match.values import AckStatus, AskKind, Ending
from referee.ports.talk import Status
from referee.rules.cards import Seat


class Timer(Protocol):
    """A callback that waits for its time."""

    def cancel(self) -> None:
        """Forget the callback; harmless when it has run."""


class Clock(Protocol):
    """Monotonic time, and the turns of the loop that everything runs in."""

    def now(self) -> int:
        """Return the time in nanoseconds."""

    def stamp(self) -> int:
        """Return the time to stamp frames with that are read now.

        Earlier than `now` after the loop was blocked: they may have waited since then.
        """

    def idle(self) -> int:
        """Return how long the loop has waited for something to happen, in all, nanoseconds."""

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        """Call back once at a time, or as soon as possible after it."""

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back after everything that is ready now."""

    async def sleep(self, duration_ns: int) -> None:
        """Return after a time."""


class SeedSource(Protocol):
    """Where the cards of a match and the bots' own random numbers come from."""

    def deal_seed(self, match_id: str, round_number: int, *, deal: str | None = None) -> bytes:
        """Return the 32 bytes that decide the cards of a round.

        The same in all legs of a deal, whatever the matches are called.
        """

    def bot_seed(self, match_id: str, seat: Seat, *, board: str | None = None) -> bytes:
        """Return 32 bytes for a bot; they say nothing about the cards.

        The same in a seat of both legs of a board, whatever the matches are called.
        """


class Audience(Protocol):
    """Somebody who watches a match: live progress, spectators. Called once facts are durable."""

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Take what everybody may know, in order of happening. The last is a `MatchEnded`."""


class DecisionMeter(Protocol):
    """Counts what happens in a match, by kinds that tell of its cards."""

    def asked(self, kind: AskKind) -> None:
        """Count an ask."""

    def answered(self, kind: AskKind, status: AckStatus, duration_ns: int) -> None:
        """Count an answer by what became of it; the duration runs from the ask to its stamp."""

    def refused(self, code: str) -> None:
        """Count a refusal."""

    def lag_credited(self, duration_ns: int) -> None:
        """Count time of an answer that was put down to its link."""

    def struck(self, why: str) -> None:
        """Count a strike by its reason."""


class Meter(DecisionMeter, Protocol):
    """Counts and measures, in the words of the domain. Called in the hot path: never waits."""

    def match_started(self) -> None:
        """Count a match."""

    def match_ended(self, ended: MatchEnded) -> None:
        """Count an ending."""

    def fault(self, ending: Ending) -> None:
        """Count a fault that a session reports to its matches."""

    def stream_opened(self) -> None:
        """Count an open stream."""

    def stream_closed(self, status: Status) -> None:
        """Count a stream that ended."""

    def frame_read(self, items: int) -> None:
        """Count a frame of a bot with so many answers and requests."""

    def frame_written(self, updates: int, size: int) -> None:
        """Count a frame to a bot."""

    def appended(self, facts: int, duration_ns: int) -> None:
        """Measure one commit of the store."""

    def loop_blocked(self, duration_ns: int) -> None:
        """Measure how long one pass kept the loop."""

    def link_lag(self, duration_ns: int) -> None:
        """Measure the time from a ping to its pong."""

    def stalled(self, blocked_ns: int) -> None:
        """Count a block of the loop after which a match had to ask anew."""

    def throttled(self, duration_ns: int) -> None:
        """Count time for which a bot over its frame rate is not read."""

    def ready(self, ready: bool) -> None:
        """Note whether facts can be kept, so that the referee does its work."""

    def store_away(self, duration_ns: int) -> None:
        """Count time for which the store could keep nothing."""

    def resumed(self, matches: int) -> None:
        """Count matches that an earlier process left and this one goes on with."""

"""What those who only watch may see of a match: the events that every seat was told.

A gallery holds them from the first one on, and each who watches reads it at a pace of its own: a
slow one costs no memory. How far behind it is kept is counted in tricks.
"""

from collections.abc import Callable, Sequence

from referee.match.facts import (
    CallMade,
    DragonGiven,
    LeadHanded,
    MatchEnded,
    Passed,
    RoundEnded,
    TrickTaken,
    WentOut,
)
from referee.match.step import Event, HandShown, PlayedEvent, RoundStarted
from referee.ports import EventBytes

# An allowlist: a new event is private until somebody says else. Of these too only what is the same
# for every seat is shown.
_PUBLIC = frozenset(
    (
        RoundStarted,
        CallMade,
        PlayedEvent,
        Passed,
        TrickTaken,
        DragonGiven,
        LeadHanded,
        WentOut,
        HandShown,
        RoundEnded,
        MatchEnded,
    )
)


class Gallery:
    """Implements `referee.ports.services.PublicView` for one match."""

    __slots__ = ("_callbacks", "_events", "_tricks", "over")

    def __init__(self) -> None:
        self._events: list[bytes] = []
        self._tricks: list[int] = []  # for each trick that was taken: how many events there were
        self._callbacks: list[Callable[[], None]] = []
        self.over = False

    def add(self, events: Sequence[Event], encoded: Sequence[EventBytes]) -> None:
        """Take events that every seat may be told now; what is of one seat is left out."""
        for event, data in zip(events, encoded, strict=True):
            if type(event) in _PUBLIC and isinstance(data, bytes):
                self._events.append(data)
                if type(event) is TrickTaken:
                    self._tricks.append(len(self._events))
        self._tell()

    def close(self) -> None:
        """Nothing is added any more, and everything is shown."""
        self.over = True
        self._tell()

    def shown(self, delay: int) -> int:
        """Return how many events may be shown: up to the end of the last trick but `delay` - 1."""
        if self.over or delay == 0:
            return len(self._events)
        return self._tricks[-delay] if len(self._tricks) >= delay else 0

    def part(self, first: int, end: int) -> Sequence[bytes]:
        """Return the events at these places."""
        return self._events[first:end]

    def on_news(self, callback: Callable[[], None]) -> None:
        """Call back whenever there may be more to show."""
        self._callbacks.append(callback)

    def off_news(self, callback: Callable[[], None]) -> None:
        """Call back no more."""
        if callback in self._callbacks:
            self._callbacks.remove(callback)

    def _tell(self) -> None:
        for callback in list(self._callbacks):
            callback()

"""The events of one match as bytes: one list for all seats, which each reads at its own pace."""

from collections.abc import Sequence
from typing import cast

from referee.ports import EventBytes
from referee.rules.errors import RefereeBug
from referee.rules.seat import Seat


class EventLog:
    """Events by number, from 1. Old rounds are forgotten once every seat has been told."""

    __slots__ = ("_events", "_first", "_private", "_round", "next")

    def __init__(self) -> None:
        self._events: list[EventBytes] = []
        self._first = 1  # number of the first that is kept
        self._private = 0  # number of the last that is not the same for all
        self._round = 1  # number of the running round's first
        self.next = 1  # number of the next event

    def add(self, events: Sequence[EventBytes]) -> None:
        """Append events."""
        for number, event in enumerate(events, self.next):
            if type(event) is not bytes:
                self._private = number
        self._events += events
        self.next += len(events)

    def start_at(self, number: int) -> None:
        """Begin an empty log with the event of this number, the first of a round."""
        self._first = self._round = self.next = number

    def begin_round(self, *, told: int) -> None:
        """A round begins with the next event; every seat was told what lies before `told`."""
        self._round = self.next
        gone = min(told, self._round) - self._first
        if gone > 0:
            del self._events[:gone]
            self._first += gone

    def since(self, number: int, seat: Seat) -> list[bytes]:
        """Return the events from a number on as a seat may see them."""
        if number < self._first:
            raise RefereeBug(f"event {number} is forgotten; {self._first} is the first kept")
        events = self._events[number - self._first :]
        if number > self._private:  # nearly always: the private ones begin a round
            return cast(list[bytes], events)
        return [event if isinstance(event, bytes) else event[seat] for event in events]

    def of_round(self, seat: Seat) -> list[bytes]:
        """Return the events of the running round as a seat may see them."""
        return self.since(self._round, seat)

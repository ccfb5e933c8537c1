"""The asks of a match: which are open, and what became of the last closed ones.

They are kept by player, who may hold two hands: `seat` is here the one that is asked (`Ask.to`).
"""

from operator import attrgetter

import msgspec

from referee.match.inputs import Decision
from referee.match.step import Ask
from referee.match.values import AckStatus, AskKind
from referee.rules.seat import Seat

_PLAYER = attrgetter("to")
REMEMBERED = 16  # closed asks kept a seat, to tell a repeat from a late answer


class ClosedAsk(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an ask: `decision` is the accepted answer, None where there was none."""

    kind: AskKind
    status: AckStatus
    decision: Decision | None


class AskBook:
    """Open and lately closed asks, by player. Numbers count from 1 for each."""

    __slots__ = ("_closed", "_next", "_open", "_seats")

    def __init__(self, seats: int) -> None:
        self._next = [1] * seats
        self._seats = seats
        self._open: dict[int, Ask] = {}  # by `id * seats + seat`; seldom more than one or two
        self._closed: list[dict[int, ClosedAsk]] = [{} for _ in range(seats)]

    def number(self, seat: Seat) -> int:
        """The number of the next ask of `seat`."""
        return self._next[seat]

    def add(self, ask: Ask) -> None:
        """Open an ask that was made with `number`."""
        self._next[ask.to] = ask.id + 1
        self._open[ask.id * self._seats + ask.to] = ask

    def get(self, seat: Seat, ask_id: int) -> Ask | None:
        """The open ask of that number, or None."""
        return self._open.get(ask_id * self._seats + seat)

    def was_asked(self, seat: Seat, ask_id: int) -> bool:
        """True if an ask of that number was ever put to `seat`."""
        return 1 <= ask_id < self._next[seat]

    def closed(self, seat: Seat, ask_id: int) -> ClosedAsk | None:
        """What became of a closed ask, as long as it is remembered."""
        return self._closed[seat].get(ask_id)

    def close(self, ask: Ask, status: AckStatus) -> None:
        """Close an open ask."""
        del self._open[ask.id * self._seats + ask.to]
        memory = self._closed[ask.to]
        memory[ask.id] = ClosedAsk(kind=ask.kind, status=status, decision=ask.answer)
        if len(memory) > REMEMBERED:
            del memory[next(iter(memory))]

    def of(self, seat: Seat) -> list[Ask]:
        """The open asks of a player, for whichever hand, oldest first."""
        return [ask for ask in self._open.values() if ask.to == seat]

    def of_hand(self, hand: Seat) -> list[Ask]:
        """The open asks about a hand, oldest first."""
        return [ask for ask in self._open.values() if ask.seat == hand]

    def all(self) -> list[Ask]:
        """Every open ask, by player and age."""
        asks = list(self._open.values())
        if len(asks) > 1:
            asks.sort(key=_PLAYER)  # stable: each seat's in the order of their numbers
        return asks

    def close_kind(self, kind: AskKind, status: AckStatus) -> None:
        """Close every open ask of one kind."""
        for ask in self.all():
            if ask.kind is kind:
                self.close(ask, status)

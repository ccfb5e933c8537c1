"""What a Brettspielwelt log says, as values: the events of a round and the round as logged.

Every value keeps the number of the line it was read from, since a verdict names lines.
"""

import enum

import msgspec

from referee.rules.cards import Seat

# A round has at most 56 plays, each with a handful of passes; what comes after so many events
# is noise, and a damaged file must not fill the memory.
MOST_EVENTS = 4096


class LoggedCall(enum.Enum):
    """A call as the log names it; the refusals to call are not logged."""

    TICHU = "Tichu"
    GRAND = "Grosses Tichu"


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """Cards played, in the order printed: the Phoenix stands where the player put it."""

    line: int
    seat: Seat
    cards: tuple[int, ...]


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """A pass, or the owner's click that collects the trick."""

    line: int
    seat: Seat


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """The rank wished with a Mah Jong, 2..14; 0 when the log names none that exists."""

    line: int
    rank: int


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """A call of either kind."""

    line: int
    seat: Seat
    call: LoggedCall


class Gift(msgspec.Struct, frozen=True, kw_only=True):
    """The seat that receives the Dragon's trick."""

    line: int
    to: Seat


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The points of seats 0, 2 and of seats 1, 3, calls included."""

    line: int
    scores: tuple[int, int]


Event = Play | Pass | Wish | Called | Gift | Result


class LoggedCards(msgspec.Struct, frozen=True, kw_only=True):
    """Cards listed for a seat: a hand, or what it gives to the seats +1, +2, +3.

    `name` is the player's name in that line. It identifies nobody: names change within a game.
    """

    line: int
    name: str
    cards: tuple[int, ...]


class LoggedRound(msgspec.Struct, kw_only=True):
    """One round as logged, complete or not. Filled by the reader, then left alone."""

    game: int  # from 1; games without rounds do not count
    number: int  # of the round in its game, from 1
    line: int  # where it begins
    first: dict[Seat, LoggedCards] = msgspec.field(default_factory=dict)  # the eight first cards
    dealt: dict[Seat, LoggedCards] = msgspec.field(default_factory=dict)  # all fourteen
    given: dict[Seat, LoggedCards] = msgspec.field(default_factory=dict)
    early_calls: list[Called] = msgspec.field(default_factory=list)  # before the exchange
    events: list[Event] = msgspec.field(default_factory=list)
    result: Result | None = None  # the first one; also among the events
    unread_line: int = 0  # the first that begins with a seat and was not understood; 0 = none
    cut_line: int = 0  # the file's last line, if it lacks its line end and may be cut; 0 = not

    def add_call(self, call: Called, *, early: bool) -> None:
        """Append a call, early if it stands before the exchange."""
        if not early:
            self.add(call)
        elif len(self.early_calls) < MOST_EVENTS:
            self.early_calls.append(call)

    def add(self, event: Event) -> None:
        """Append an event in the order of the log, a second result and endless noise left out."""
        if isinstance(event, Result):
            if self.result is not None:
                return
            self.result = event
        elif len(self.events) >= MOST_EVENTS:
            return
        self.events.append(event)

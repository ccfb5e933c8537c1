"""The bomb window as a state machine: its transition table, and who lands (PROTOCOL 4).

Theory. A window is the time after an applied play or pass in which seats may bomb out of turn. It
is HANDING from the moment its asks exist until all of them were handed to the writers, OPEN from
then on the half-open interval [opened, opened + length), and SHUT otherwise. Six things can
happen to it:

- HANDED: the last of its asks was handed over. The interval begins, and with it the timer.
- ATTEMPT: a legal bomb came in. It is kept; it can still lose to a stronger one.
- DECLINE: a seat threw no bomb, or stood down.
- ALL_IN: every asked seat has answered. Pace `fast` closes here; pace `fair` never feeds this
  input, since the time of the close would tell who was quick.
- DUE: the closing instant is reached. A bomb stamped at it is late.
- STALLED: the referee was blocked, or was started again, and asks that were open are handed over
  anew. Nobody can say how much of the interval their seats had, so the window goes back to HANDING
  and a whole interval follows the new hand-over. ATTEMPTs that were made stand.

A close has one outcome (`Outcome`): a bomb LANDS if there was an attempt; else what waited for the
close goes on. An input that is not in the table is a bug of the referee, never of a bot: answers
after the close are sorted out before they get here.

An answer can arrive before HANDED: frames are written one after the other, and the first reader
may be quick. So ATTEMPT and DECLINE are legal while HANDING; only the timer is not running yet.
"""

import enum
from collections.abc import Sequence

from referee.match.values import AskId
from referee.rules.combinations import Combination
from referee.rules.errors import RefereeBug
from referee.rules.option_values import BombArbitration
from referee.rules.seat import Seat


class WindowState(enum.Enum):
    """Where a window stands."""

    SHUT = "shut"
    HANDING = "handing"
    OPEN = "open"


SHUT, HANDING, OPEN = WindowState.SHUT, WindowState.HANDING, WindowState.OPEN


class WindowInput(enum.Enum):
    """What can happen to a window."""

    ASKED = "asked"
    HANDED = "handed"
    ATTEMPT = "attempt"
    DECLINE = "decline"
    ALL_IN = "all_in"
    DUE = "due"
    STALLED = "stalled"
    ABORT = "abort"  # the match ended


TRANSITIONS: dict[tuple[WindowState, WindowInput], WindowState] = {
    (WindowState.SHUT, WindowInput.ASKED): WindowState.HANDING,
    (WindowState.HANDING, WindowInput.HANDED): WindowState.OPEN,
    (WindowState.HANDING, WindowInput.ATTEMPT): WindowState.HANDING,
    (WindowState.HANDING, WindowInput.DECLINE): WindowState.HANDING,
    (WindowState.HANDING, WindowInput.ALL_IN): WindowState.SHUT,
    (WindowState.HANDING, WindowInput.STALLED): WindowState.HANDING,
    (WindowState.OPEN, WindowInput.ATTEMPT): WindowState.OPEN,
    (WindowState.OPEN, WindowInput.DECLINE): WindowState.OPEN,
    (WindowState.OPEN, WindowInput.ALL_IN): WindowState.SHUT,
    (WindowState.OPEN, WindowInput.DUE): WindowState.SHUT,
    (WindowState.OPEN, WindowInput.STALLED): WindowState.HANDING,
    (WindowState.SHUT, WindowInput.ABORT): WindowState.SHUT,
    (WindowState.HANDING, WindowInput.ABORT): WindowState.SHUT,
    (WindowState.OPEN, WindowInput.ABORT): WindowState.SHUT,
}


class Attempt(tuple[Seat, Combination, AskId]):
    """A bomb that competes in a window: its seat, the bomb, and the ask that it answered."""

    __slots__ = ()

    @property
    def seat(self) -> Seat:
        """Who throws it."""
        return self[0]

    @property
    def bomb(self) -> Combination:
        """What is thrown."""
        return self[1]

    @property
    def ask_id(self) -> AskId:
        """The answered ask of the seat: a bomb ask, or its own act ask."""
        return self[2]


class Window:
    """The bomb window of a match. One object, reused; state changes only through `feed`."""

    __slots__ = ("attempts", "opened", "state", "waiting")

    def __init__(self) -> None:
        self.state = WindowState.SHUT
        self.opened = -1  # match time of HANDED; -1 before
        self.waiting: set[Seat] = set()  # asked seats that have not answered
        self.attempts: list[Attempt] = []

    def feed(self, what: WindowInput) -> None:
        """Take one input; an input without a transition is our bug."""
        following = TRANSITIONS.get((self.state, what))
        if following is None:
            raise RefereeBug(f"a window that is {self.state.value} got {what.value}")
        self.state = following

    def ask(self, seats: Sequence[Seat]) -> None:
        """Open for `seats`; nobody has answered yet."""
        self.feed(WindowInput.ASKED)
        self.opened = -1
        self.waiting = set(seats)
        self.attempts = []

    def begin_anew(self) -> None:
        """Asks of the open window are handed over anew, and its interval begins with that."""
        self.feed(WindowInput.STALLED)
        self.opened = -1

    def shut(self) -> bool:
        """True when no window is open."""
        return self.state is SHUT

    def closes(self, length_ns: int) -> int | None:
        """The closing instant, once the window has opened."""
        return self.opened + length_ns if self.state is OPEN else None


def strongest(
    attempts: Sequence[Attempt], *, order: Sequence[Seat], arbitration: BombArbitration
) -> Attempt:
    """The attempt that lands (D5): never the one that merely arrived first.

    The strongest bomb, of equal ones the first seat in `order`, next(owner) ... owner; with
    arbitration `seat_order` that order alone decides. A seat that threw two (an owner who may
    overtake himself) is judged by its stronger, then by the later ask.
    """

    def rank(attempt: Attempt) -> tuple[int, ...]:
        place = -order.index(attempt.seat)
        strength = (attempt.bomb.length, attempt.bomb.rank2)
        if arbitration is BombArbitration.SEAT_ORDER:
            return (place, *strength, attempt.ask_id)
        return (*strength, place, attempt.ask_id)

    return max(attempts, key=rank)

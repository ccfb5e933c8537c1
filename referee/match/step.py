"""What comes out of one step of the machine: facts, and what each seat is to be told."""

import msgspec

from referee.match.facts import Fact, PublicFact
from referee.match.inputs import Decision
from referee.match.values import AckStatus, AskKind, CancelReason, ChooseReason
from referee.rules.combinations import Combination
from referee.rules.phases import CallKind
from referee.rules.seat import Seat


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that was checked: what it means in the position. One field is set by kind.

    `play` None in an act ask is a pass, in a bomb ask a decline.
    """

    play: Combination | None = None
    wish: int = 0
    tichu: bool = False
    call: CallKind | None = None
    cards: tuple[int, ...] = ()  # masks by slot of the exchange
    seat: Seat | None = None


class Ask(msgspec.Struct, kw_only=True):
    """A decision that a seat owes, with what it needs to decide.

    The machine changes the fields from `sent` on, and takes `may_call_tichu` back once the seat
    cannot call any more; everybody else only reads. Times are match
    nanoseconds; `base_ns` None means no clock, `bank_ns` None no bank (the time ends with the
    base).
    """

    seat: Seat
    id: int
    kind: AskKind
    provisional: bool = False
    base_ns: int | None = None
    bank_ns: int | None = None
    choices: tuple[CallKind, ...] = ()
    slots: tuple[tuple[Seat, int], ...] = ()  # recipient, number of cards
    standing: tuple[tuple[Seat, tuple[int, ...]], ...] = ()  # recipient, card numbers
    plays: list[Combination] = []
    may_pass: bool = False
    leading: bool = False
    wish: int = 0
    wish_required: bool = False
    may_call_tichu: bool = False
    why: ChooseReason | None = None
    seats: tuple[Seat, ...] = ()
    window_ns: int | None = None  # bomb asks: length of the window, None without a fixed end
    sent: int = -1  # when the clock started; -1: not handed to the writers yet
    refusals: int = 0
    answer: Decision | None = None  # a decision that waits to take effect
    choice: Choice | None = None  # the same, checked
    stamp: int = -1  # when it arrived
    lag: int = 0  # of the link, granted when the clock started; not thought
    charged: int = -1  # what left the bank for it; -1: not settled


class RoundStarted(msgspec.Struct, frozen=True, kw_only=True):
    """Event: a round begins. `commitment` is 32 bytes."""

    round: int
    dealer: Seat
    commitment: bytes
    totals: tuple[int, ...]


class CardsDealt(msgspec.Struct, frozen=True, kw_only=True):
    """Private event: the cards dealt now, by seat as masks. A seat gets its own entry only."""

    hands: tuple[int, ...]
    complete: bool


class CardsExchanged(msgspec.Struct, frozen=True, kw_only=True):
    """Private event: (giver, recipient, mask) of every card that moved.

    A seat gets the entries that name it only.
    """

    gifts: tuple[tuple[Seat, Seat, int], ...]


class PlayedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Public event: a play with its reading. `wish` 0 means none."""

    seat: Seat
    play: Combination
    wish: int
    cards_left: int


Event = RoundStarted | CardsDealt | CardsExchanged | PlayedEvent | PublicFact


class Ack(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an answer (`ask_id`) or a request (`request_id`). Times in nanoseconds."""

    seat: Seat
    status: AckStatus
    ask_id: int | None = None
    request_id: int | None = None
    used_ns: int | None = None
    charged_ns: int | None = None
    network_ns: int | None = None
    bank_ns: int | None = None


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why an answer or request was refused. `code` is a Refusal or WireRefusal value."""

    seat: Seat
    code: str
    clause: str
    text: str
    ask_id: int | None = None
    request_id: int | None = None
    resends_left: int = 0


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """An ask is no longer open."""

    seat: Seat
    ask_id: int
    reason: CancelReason


class Step:
    """The result of one input. Lists are in order of happening.

    `events` are for every seat; the first has number `first_event`, the next one more, and so on.
    `needs_deal`: the machine waits for a `Deal`. `due` is when a `Tick` is wanted, or None.
    """

    __slots__ = (
        "acks",
        "asks",
        "cancelled",
        "due",
        "events",
        "facts",
        "first_event",
        "needs_deal",
        "over",
        "refused",
    )

    def __init__(self, first_event: int) -> None:
        self.facts: list[Fact] = []
        self.first_event = first_event
        self.events: list[Event] = []
        self.asks: list[Ask] = []
        self.cancelled: list[Cancelled] = []
        self.acks: list[Ack] = []
        self.refused: list[Refused] = []
        self.due: int | None = None
        self.needs_deal = False
        self.over = False

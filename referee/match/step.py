"""What comes out of one step of the machine: facts, and what each seat is to be told."""

import msgspec

from referee.match.facts import Fact, PublicFact
from referee.match.inputs import Decision
from referee.match.values import AckStatus, AskKind, CancelReason, ChooseReason
from referee.rules.combinations import Combination
from referee.rules.exchanges import Forced
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
    """A decision that a hand owes, with what its player needs to decide.

    `seat` is the hand and `to` the seat of its player, who is asked: another one only where the
    soloist of Trichu plays the Tisch (G5). Numbers count by player.

    The machine changes the fields from `sent` on, and takes `may_call_tichu` back once the hand
    cannot call any more; everybody else only reads. Times are match nanoseconds; `base_ns` None
    means no clock, `bank_ns` None no bank (the time ends with the base).
    """

    seat: Seat
    to: Seat
    id: int
    kind: AskKind
    provisional: bool = False
    base_ns: int | None = None
    bank_ns: int | None = None
    choices: tuple[CallKind, ...] = ()
    judged: Seat | None = None  # whose call it is about, where that may be refused
    slots: tuple[tuple[Seat, int, Forced], ...] = ()  # recipient, number of cards, which ones
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
    """Event: a round begins. `commitment` is 32 bytes; who sits where is told in any case."""

    round: int
    dealer: Seat
    commitment: bytes
    totals: tuple[int, ...]
    order: tuple[Seat, ...]  # turn order
    teams: tuple[int, ...]  # by seat; () without teams
    ranks: tuple[Seat, ...] = ()  # of the round before, first to last (I2)
    soloist: Seat | None = None  # of Trichu (G1)
    tisch: Seat | None = None  # the hand that the soloist plays too


class CardsDealt(msgspec.Struct, frozen=True, kw_only=True):
    """Private event: the cards dealt now, by seat as masks. A seat gets what `seen_by` says.

    `soloist` and `tisch` as in `RoundStarted`. The Tisch's cards are in no event but the last
    deal of a round, which holds them all (G3).
    """

    hands: tuple[int, ...]
    complete: bool
    soloist: Seat | None = None
    tisch: Seat | None = None

    def seen_by(self, seat: Seat) -> tuple[tuple[Seat, int], ...]:
        """(seat, mask) of hands that a player is told of: its own, at last all it plays (G3)."""
        hands = _played_by(self, seat) if self.complete else (seat,)
        return tuple((hand, self.hands[hand]) for hand in hands)


class CardsExchanged(msgspec.Struct, frozen=True, kw_only=True):
    """Private event: (giver, recipient, mask) of every gift that moved.

    A seat gets what `seen_by` says; `soloist` and `tisch` as in `RoundStarted`.
    """

    gifts: tuple[tuple[Seat, Seat, int], ...]
    soloist: Seat | None = None
    tisch: Seat | None = None

    def hands_of(self, seat: Seat) -> tuple[Seat, ...]:
        """The hands that a player plays: its own first."""
        return _played_by(self, seat)

    def seen_by(self, seat: Seat) -> tuple[tuple[Seat, Seat, int], ...]:
        """The gifts that a player gave or got, with each hand that it plays."""
        hands = _played_by(self, seat)
        return tuple(gift for gift in self.gifts if gift[0] in hands or gift[1] in hands)


def _played_by(event: CardsDealt | CardsExchanged, seat: Seat) -> tuple[Seat, ...]:
    if event.tisch is None or seat != event.soloist:
        return (seat,)
    return (seat, event.tisch)


class HandShown(msgspec.Struct, frozen=True, kw_only=True):
    """Public event: a hand lies open from now on, the Tisch's (G5). `cards` is a mask."""

    seat: Seat
    cards: int


class BidsShown(msgspec.Struct, frozen=True, kw_only=True):
    """Private event: all have bid (`chaos`); (seat, bid). A seat gets what `seen_by` says."""

    bids: tuple[tuple[Seat, CallKind], ...]
    teams: tuple[int, ...]

    def seen_by(self, seat: Seat) -> tuple[tuple[Seat, CallKind], ...]:
        """The bids of a seat and of its partners."""
        team = self.teams[seat]
        return tuple((bidder, bid) for bidder, bid in self.bids if self.teams[bidder] == team)


class PlayedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Public event: a play with its reading. `wish` 0 means none."""

    seat: Seat
    play: Combination
    wish: int
    cards_left: int


Event = (
    RoundStarted | CardsDealt | BidsShown | CardsExchanged | HandShown | PlayedEvent | PublicFact
)


class Ack(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an answer (`ask_id`) or a request (`request_id`). Times in nanoseconds.

    `seat` is the player's; `bank_ns` is what is left for the hand that was asked.
    """

    seat: Seat
    status: AckStatus
    ask_id: int | None = None
    request_id: int | None = None
    used_ns: int | None = None
    charged_ns: int | None = None
    network_ns: int | None = None
    bank_ns: int | None = None


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why an answer or request of a player was refused.

    `code` is a Refusal or WireRefusal value.
    """

    seat: Seat
    code: str
    clause: str
    text: str
    ask_id: int | None = None
    request_id: int | None = None
    resends_left: int = 0


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """An ask of a player is no longer open."""

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

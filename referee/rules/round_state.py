"""The state of a round and how one begins. The door is `referee.rules.round`."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Self

from referee.rules.cards import MAHJONG, Seat
from referee.rules.combinations import Combination
from referee.rules.errors import NotationError, RefereeBug
from referee.rules.exchanges import Slots, exchange_slots
from referee.rules.hands import hand_has_bomb
from referee.rules.option_values import TientsinDealStart, TrichuGrand, Variant
from referee.rules.options import RuleOptions, columns
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.seating import Seating, seating

PLAY, CLOSING, ROUND_OVER = Phase.PLAY, Phase.CLOSING, Phase.ROUND_OVER

# How many cards are seen when Grand is decided (A3, H2).
FIRST_CARDS = {
    Variant.TICHU: 8,
    Variant.TRICHU: 8,
    Variant.TIENTSIN: 6,
    Variant.GRAND_SEIGNEUR: 0,
}


def grand_deciders(options: RuleOptions, seats: Seating) -> tuple[Seat, ...]:
    """Return who decides on Grand, and on Great Grand where that is played (A3, G2, I)."""
    if not options.grand_allowed or options.variant is Variant.GRAND_SEIGNEUR:
        return ()
    if seats.soloist is None:
        return seats.order
    return () if options.trichu_grand is TrichuGrand.NOBODY else seats.opponents[seats.soloist]


class RoundState:
    """What is true between two actions. Read it freely; only the actions of `Round` change it."""

    __slots__ = (
        "answers",
        "bids",
        "bomb_seats",
        "calls",
        "dealer",
        "dealt_first",
        "exchange_choices",
        "grand_decided",
        "great_grand_decided",
        "hands",
        "has_played",
        "interrupted",
        "judged",
        "lead_given",
        "may_rechoose",
        "n",
        "options",
        "out",
        "owner",
        "passes",
        "phase",
        "ranks",
        "received",
        "refused",
        "scores_before",
        "seating",
        "slots",
        "table",
        "trick",
        "turn",
        "upheld",
        "wish",
        "won",
    )

    options: RuleOptions
    seating: Seating  # turn order and teams of this round
    n: int  # hands that play
    ranks: tuple[Seat, ...]  # of the round before, first to last (I2); () = none
    slots: tuple[Slots, ...]  # by seat what it owes in the exchange
    dealer: Seat
    phase: Phase
    turn: Seat | None  # who owes the next action; the giver in phases dragon and dog
    table: Combination | None  # the play on top of the trick
    owner: Seat | None  # whose play that is
    hands: list[int]  # masks as held now, in every phase
    dealt_first: list[int]  # the cards seen at the Grand decision
    won: list[int]  # masks captured; the transfers at the end are not in it (F2)
    trick: int  # mask of all cards lying in the current trick
    out: list[Seat]
    calls: list[CallKind | None]  # TICHU, GRAND or GREAT_GRAND
    grand_decided: list[bool]
    great_grand_decided: list[bool]
    bids: tuple[int | None, ...]  # 0..3 by seat, None = none yet (`chaos`)
    judged: Seat | None  # whose call may be refused now; None but in phase refusal
    answers: tuple[bool | None, ...]  # by seat whether it refuses that call, None = not said yet
    upheld: tuple[bool, ...]  # by seat whether its call can be refused no more
    interrupted: Phase | None  # where a refusal came in; None but in it, and where it was the end
    refused: Seat | None  # whose call all opponents refused, which ended the round
    has_played: list[bool]
    wish: int  # open wish 2..14, 0 = none
    passes: int  # in a row since the last play
    exchange_choices: list[tuple[int, ...] | None]  # masks by slot, None = not given yet
    may_rechoose: list[bool]  # after a call of another seat (A7)
    received: list[tuple[tuple[Seat, int], ...]]  # (giver, mask) after the exchange
    bomb_seats: tuple[Seat, ...]  # who held a bomb when play began; a hand never grows
    lead_given: Seat | None  # a position may say who leads; None = the holder of the Mah Jong
    scores_before: tuple[int, ...]

    @classmethod
    def deal(
        cls,
        order: Sequence[int],
        *,
        dealer: Seat,
        options: RuleOptions,
        turn_order: Sequence[Seat] | None = None,
        ranks: Sequence[Seat] = (),
    ) -> Self:
        """Return a round at its first decision; cards go round one at a time, dealer first (A2).

        `order` holds the numbers of the shuffled pack. `turn_order` and the `ranks` of the round
        before are those of `MatchScore`; only Grand Seigneur has any. In Trichu the dealer is the
        soloist (G1).
        """
        seats = seating(options, dealer, turn_order)
        hands, dealt_first = [0] * seats.n, [0] * seats.n
        places = _dealing_order(options, seats, dealer)
        first = FIRST_CARDS[options.variant] * seats.n
        for place, number in enumerate(order):
            seat = places[place % seats.n]
            hands[seat] |= 1 << number
            if place < first:
                dealt_first[seat] |= 1 << number
        if reduce(or_, hands).bit_count() != len(order):
            raise RefereeBug("a card was dealt twice")
        dealt = cls._blank(options, seats, dealer, tuple(ranks))
        dealt.hands, dealt.dealt_first = hands, dealt_first
        dealt.phase = Phase.GREAT_GRAND if options.great_grand else Phase.GRAND
        dealt._leave_decided_phases()
        return dealt

    @classmethod
    def from_position(cls, position: Position) -> Self:
        """Return the round of a position. Raises `NotationError` that names every fault."""
        faults = position.faults()
        if faults:
            raise NotationError("; ".join(faults))
        started = cls._blank(position.options, position.seating, position.dealer, position.ranks)
        started._fill(position)
        started._leave_decided_phases()
        if started.phase is PLAY:
            started._begin_play()
        return started

    @classmethod
    def _blank(
        cls, options: RuleOptions, seats: Seating, dealer: Seat, ranks: tuple[Seat, ...]
    ) -> Self:
        blank = cls.__new__(cls)
        n = seats.n
        blank.options, blank.seating, blank.n, blank.dealer = options, seats, n, dealer
        blank.ranks, blank.slots = ranks, exchange_slots(options, seats, ranks)
        blank.phase, blank.turn, blank.table, blank.owner = PLAY, None, None, None
        blank.hands, blank.dealt_first, blank.won = [0] * n, [0] * n, [0] * n
        blank.trick, blank.out, blank.wish, blank.passes = 0, [], 0, 0
        blank.calls = [None] * n
        deciders = grand_deciders(options, seats)
        blank.grand_decided = [seat not in deciders for seat in range(n)]
        great = deciders if options.great_grand else ()
        blank.great_grand_decided = [seat not in great for seat in range(n)]
        blank.bids = blank.answers = (None,) * n
        blank.upheld = (False,) * n
        blank.judged = blank.interrupted = blank.refused = None
        blank.has_played = [False] * n
        blank.exchange_choices, blank.may_rechoose = [None] * n, [False] * n
        blank.received = [()] * n
        blank.lead_given, blank.bomb_seats = None, ()
        blank.scores_before = (0,) * columns(options)
        return blank

    def _fill(self, position: Position) -> None:
        self.phase = position.phase
        self.hands = list(position.hands)
        self.dealt_first = list(position.dealt_first or position.hands)
        self.won = list(position.won) or self.won
        self.out = list(position.out)
        self.lead_given = position.lead
        self.wish = position.wish
        self.scores_before = position.scores or self.scores_before
        for seat in (*position.played, *position.out):
            self.has_played[seat] = True
        for seat, call in position.calls:
            self.calls[seat] = call
            self.grand_decided[seat] = True
            self.great_grand_decided[seat] = True
        self.upheld = tuple([call is not None for call in self.calls])

    def _leave_decided_phases(self) -> None:
        """Go on where nobody owes a decision any more: all have decided, or none may call."""
        if self.phase is Phase.GREAT_GRAND and all(self.great_grand_decided):
            if self._put_to_refusal():
                return
            self.phase = Phase.GRAND
        if self.phase is Phase.GRAND and all(self.grand_decided):
            if self.options.chaos:
                self._name_callers()
            if self._put_to_refusal():
                return
            self.phase = Phase.EXCHANGE
        if self.phase is Phase.EXCHANGE and not any(self.slots):
            self._begin_play()

    def _name_callers(self) -> None:
        """In each team the highest bidder calls Grand; of equal ones the first to the dealer."""
        for team in sorted(set(self.seating.teams)):
            members = [s for s in self._from_dealer() if self.seating.teams[s] == team]
            if all(self.calls[seat] is None for seat in members):
                self.calls[max(members, key=self._bid)] = CallKind.GRAND

    def _bid(self, seat: Seat) -> int:
        bid = self.bids[seat]
        return -1 if bid is None else bid

    def _put_to_refusal(self) -> bool:
        """Let the opponents of the next caller decide; False when no call is left to refuse."""
        if not self.options.refuse_call:
            return False
        for caller in self._from_dealer():
            if self.calls[caller] is not None and not self.upheld[caller]:
                self.judged, self.answers = caller, (None,) * self.n
                self.phase, self.interrupted, self.turn = Phase.REFUSAL, self.phase, None
                return True
        return False

    def _from_dealer(self) -> tuple[Seat, ...]:
        return (self.dealer, *self.seating.others[self.dealer])

    def _begin_play(self) -> None:
        """Give the first lead to the holder of the Mah Jong (A8)."""
        self.phase = PLAY
        self.bomb_seats = tuple(
            [Seat(seat) for seat, hand in enumerate(self.hands) if hand_has_bomb(hand)]
        )
        if self.lead_given is not None:
            self.turn = self.lead_given
            return
        for seat, hand in enumerate(self.hands):
            if hand & MAHJONG:
                self.turn = Seat(seat)
                return
        self.turn = self.first_holder(self.dealer)  # a partial position without the Mah Jong

    def copy(self) -> Self:
        """Return an independent round in the same state, for look-ahead."""
        # Written out: once a trick, and three times as fast as a loop over names.
        twin = self.__class__.__new__(self.__class__)
        twin.options, twin.n, twin.dealer = self.options, self.n, self.dealer
        twin.seating, twin.ranks, twin.slots = self.seating, self.ranks, self.slots
        twin.bids, twin.answers, twin.upheld = self.bids, self.answers, self.upheld
        twin.judged, twin.interrupted, twin.refused = self.judged, self.interrupted, self.refused
        twin.phase, twin.turn, twin.table, twin.owner = (
            self.phase,
            self.turn,
            self.table,
            self.owner,
        )
        twin.trick, twin.wish, twin.passes = self.trick, self.wish, self.passes
        twin.bomb_seats, twin.lead_given = self.bomb_seats, self.lead_given
        twin.scores_before = self.scores_before
        twin.hands, twin.dealt_first = self.hands.copy(), self.dealt_first.copy()
        twin.won, twin.out, twin.calls = self.won.copy(), self.out.copy(), self.calls.copy()
        twin.grand_decided = self.grand_decided.copy()
        twin.great_grand_decided = self.great_grand_decided.copy()
        twin.has_played = self.has_played.copy()
        twin.exchange_choices = self.exchange_choices.copy()
        twin.may_rechoose, twin.received = self.may_rechoose.copy(), self.received.copy()
        return twin

    def state(self) -> tuple[object, ...]:
        """Return everything the round consists of as one comparable value."""
        shared = tuple([getattr(self, name) for name in _SHARED])
        return shared + tuple([tuple(getattr(self, name)) for name in _LISTS])

    # Turn order

    def first_holder(self, seat: Seat) -> Seat:
        """Return the first seat with cards in turn order, beginning with `seat` itself."""
        return seat if self.hands[seat] else self.next_holder(seat)

    def next_holder(self, seat: Seat) -> Seat:
        """Return next(seat) of the rules: the next in turn order that still holds cards.

        That is the seat itself when nobody else holds any.
        """
        hands = self.hands
        for candidate in self.seating.after[seat]:
            if hands[candidate]:
                return candidate
        raise RefereeBug("nobody holds cards")

    def passes_required(self) -> int:
        """Return how many passes in a row close the trick: all others with cards (C2)."""
        holders = self.n - len(self.out)
        return holders - 1 if self.owner is not None and self.hands[self.owner] else holders

    def exchange_slots(self, seat: Seat) -> Slots:
        """Return what a seat owes in the exchange, in the order of its slots; () = nothing (A7)."""
        return self.slots[seat]

    # What has been dealt

    @property
    def stage(self) -> Phase:
        """The phase, or the one that a refusal interrupts: it says which cards are dealt."""
        return self.interrupted or self.phase

    @property
    def dealt_hands(self) -> list[int]:
        """The cards that have left the pack, as they are held: none, the first ones, all (A2)."""
        stage = self.stage
        if stage is Phase.GREAT_GRAND:
            return [0] * self.n
        return self.dealt_first if stage is Phase.GRAND else self.hands


_LISTS = (
    "calls",
    "dealt_first",
    "exchange_choices",
    "grand_decided",
    "great_grand_decided",
    "hands",
    "has_played",
    "may_rechoose",
    "out",
    "received",
    "won",
)
_SHARED = tuple(name for name in RoundState.__slots__ if name not in _LISTS)


def _dealing_order(options: RuleOptions, seats: Seating, dealer: Seat) -> tuple[Seat, ...]:
    """Return the seats in the order in which they take their cards (A2, H1)."""
    if options.tientsin_deal_start is TientsinDealStart.AFTER_DEALER:
        return seats.after[dealer]
    return (dealer, *seats.others[dealer])

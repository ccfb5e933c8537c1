"""The state of a round and how one begins. The door is `referee.rules.round`."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Self

from referee.rules.cards import MAHJONG, Seat, card_points
from referee.rules.combinations import Combination
from referee.rules.errors import NotationError, RefereeBug
from referee.rules.hands import hand_has_bomb
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, others_of, seats, teams
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.scoring import (
    call_points,
    card_points_by_team,
    is_double_victory,
)

PLAY, CLOSING, ROUND_OVER = Phase.PLAY, Phase.CLOSING, Phase.ROUND_OVER

# How many cards are seen when Grand is decided (A3, H2).
# TURN_ORDER[n][seat]: all n seats from a seat on; seat n is seat 0, so next(s) starts at s + 1
TURN_ORDER = tuple(
    tuple(tuple(Seat((start + step) % n) for step in range(n)) for start in range(n + 1))
    for n in range(13)
)

FIRST_CARDS = {Variant.TICHU: 8, Variant.TRICHU: 8, Variant.TIENTSIN: 6}


class RoundState:
    """What is true between two actions. Read it freely; only the actions of `Round` change it."""

    __slots__ = (
        "bomb_seats",
        "calls",
        "dealer",
        "dealt_first",
        "exchange_choices",
        "grand_decided",
        "great_grand_decided",
        "hands",
        "has_played",
        "lead_given",
        "may_rechoose",
        "n",
        "options",
        "out",
        "owner",
        "passes",
        "phase",
        "received",
        "scores_before",
        "table",
        "trick",
        "turn",
        "wish",
        "won",
    )

    options: RuleOptions
    n: int  # hands that play
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
    def deal(cls, order: Sequence[int], *, dealer: Seat, options: RuleOptions) -> Self:
        """Return a round at its first decision; cards go round one at a time, dealer first (A2).

        `order` holds the numbers of the shuffled pack.
        """
        n = seats(options)
        first = FIRST_CARDS[options.variant] * n
        hands, dealt_first = [0] * n, [0] * n
        for place, number in enumerate(order):
            seat = (dealer + place) % n
            hands[seat] |= 1 << number
            if place < first:
                dealt_first[seat] |= 1 << number
        if reduce(or_, hands).bit_count() != len(order):
            raise RefereeBug("a card was dealt twice")
        dealt = cls._blank(options, dealer)
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
        started = cls._blank(position.options, position.dealer)
        started._fill(position)
        started._leave_decided_phases()
        if started.phase is PLAY:
            started._begin_play()
        return started

    @classmethod
    def _blank(cls, options: RuleOptions, dealer: Seat) -> Self:
        blank = cls.__new__(cls)
        n = seats(options)
        blank.options, blank.n, blank.dealer = options, n, dealer
        blank.phase, blank.turn, blank.table, blank.owner = PLAY, None, None, None
        blank.hands, blank.dealt_first, blank.won = [0] * n, [0] * n, [0] * n
        blank.trick, blank.out, blank.wish, blank.passes = 0, [], 0, 0
        blank.calls = [None] * n
        blank.grand_decided = [not options.grand_allowed] * n
        blank.great_grand_decided = [not options.great_grand] * n
        blank.has_played = [False] * n
        blank.exchange_choices, blank.may_rechoose = [None] * n, [False] * n
        blank.received = [()] * n
        blank.lead_given, blank.bomb_seats = None, ()
        blank.scores_before = (0,) * teams(options)
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

    def _leave_decided_phases(self) -> None:
        """Go on where nobody owes a decision any more: all have decided, or none may call."""
        if self.phase is Phase.GREAT_GRAND and all(self.great_grand_decided):
            self.phase = Phase.GRAND
        if self.phase is Phase.GRAND and all(self.grand_decided):
            self.phase = Phase.EXCHANGE

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
        self.turn = self._holder_from(self.dealer)  # a partial position without the Mah Jong

    def copy(self) -> Self:
        """Return an independent round in the same state, for look-ahead."""
        # Written out: once a trick, and three times as fast as a loop over names.
        twin = self.__class__.__new__(self.__class__)
        twin.options, twin.n, twin.dealer = self.options, self.n, self.dealer
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

    def _holder_from(self, seat: int) -> Seat:
        """Return the first seat with cards, beginning with `seat` itself."""
        hands = self.hands
        for candidate in TURN_ORDER[self.n][seat]:
            if hands[candidate]:
                return candidate
        raise RefereeBug("nobody holds cards")

    def next_holder(self, seat: Seat) -> Seat:
        """Return next(seat) of the rules: the next in turn order that still holds cards."""
        return self._holder_from(seat + 1)

    def passes_required(self) -> int:
        """Return how many passes in a row close the trick: all others with cards (C2)."""
        holders = self.n - len(self.out)
        return holders - 1 if self.owner is not None and self.hands[self.owner] else holders

    def exchange_slots(self, seat: Seat) -> tuple[Seat, ...]:
        """Return who gets a card of a seat, in the order of the slots (A7)."""
        return others_of(self.options, seat)

    # Results

    @property
    def first_out(self) -> Seat | None:
        """The winner of the round, who deals the next one (A2); None before anybody is out."""
        return self.out[0] if self.out else None

    @property
    def double_victory(self) -> bool:
        """True when partners went out first and second (F1)."""
        return is_double_victory(self.out, self.options)

    def won_points(self, seat: Seat) -> int:
        """Return the points a seat has captured so far."""
        return card_points(self.won[seat])

    @property
    def card_points(self) -> tuple[int, ...]:
        """Card points by team after the transfers (F2), 0 : 0 on a double victory; once over."""
        self._require_over()
        return card_points_by_team(self.hands, self.won, self.out, self.options)

    @property
    def round_score(self) -> tuple[int, ...]:
        """Points of the round by team, calls included (F3); once over."""
        points = list(self.card_points)
        if self.double_victory:
            points[self.out[0] % teams(self.options)] = self.options.double_victory_points
        calls = call_points(self.calls, self.out[0], self.options)
        return tuple([a + b for a, b in zip(points, calls, strict=True)])

    @property
    def scores(self) -> tuple[int, ...]:
        """Match score by team; includes this round once it is over."""
        if self.phase is not ROUND_OVER:
            return self.scores_before
        pairs = zip(self.scores_before, self.round_score, strict=True)
        return tuple([before + now for before, now in pairs])

    @property
    def call_results(self) -> tuple[tuple[CallKind | None, bool], ...]:
        """For each seat the call and whether it was won; once over (F3)."""
        self._require_over()
        first = self.out[0]
        return tuple([(call, call is not None and s == first) for s, call in enumerate(self.calls)])

    def _require_over(self) -> None:
        if self.phase is not ROUND_OVER:
            raise RefereeBug(f"the round is not over but in phase {self.phase}")


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

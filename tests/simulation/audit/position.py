"""Where a match stands, as its auditor makes it out from the public events and the cards."""

import copy
import enum
from dataclasses import dataclass, field

from tests.simulation.audit.combos import Reading
from tests.simulation.audit.seats import FOUR, Seats

UNKNOWN = -1  # a hand that no seat with a link was told, in a match without a record


class Phase(enum.IntEnum):
    """What the round waits for, as in the message `Phase`."""

    GREAT_GRAND = 1
    GRAND = 2
    EXCHANGE = 3
    PLAY = 4
    CLOSING = 5
    DRAGON = 6
    DOG = 7
    OVER = 8
    REFUSAL = 9


@dataclass(slots=True)
class Position:
    """A round and the score before it. Hands are card masks, `UNKNOWN` where nobody knows."""

    round: int = 0
    dealer: int = 0
    seats: Seats = FOUR
    ranks: tuple[int, ...] = ()  # of the round before, first to last (I2)
    phase: Phase = Phase.OVER
    hands: list[int] = field(default_factory=lambda: [0] * 4)
    counts: list[int] = field(default_factory=lambda: [0] * 4)
    bets: dict[int, int] = field(default_factory=dict)  # seat: CallKind that is a bet
    decided: set[int] = field(default_factory=set)  # seats that took the present decision
    played: set[int] = field(default_factory=set)  # seats that have played a card
    bids: dict[int, int] = field(default_factory=dict)  # seat: bid, of those that were told
    grands_due: set[int] | None = None  # who has to call by the bids; None where nobody knows
    judged: int | None = None  # whose call may be refused now
    stage: Phase = Phase.OVER  # the phase that this holds up
    answers: dict[int, int] = field(default_factory=dict)  # seat: ACCEPT or REFUSE
    upheld: set[int] = field(default_factory=set)  # callers whose calls stand
    refused: int | None = None  # whose call was refused, which ends the round
    table: Reading | None = None
    table_mask: int = 0
    owner: int | None = None
    trick: int = 0
    turn: int | None = None
    passes: int = 0
    wish: int = 0
    out: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=lambda: [0] * 4)  # cards of tricks by seat
    totals: list[int] = field(default_factory=lambda: [0, 0])
    rounds_played: int = 0
    first_out: int | None = None  # of the last round that somebody won
    last_ranks: tuple[int, ...] = ()  # of the last round, and of the one before it
    ranks_before: tuple[int, ...] = ()
    gift_due: bool = False  # TrickTaken under the Dragon, DragonGiven has to follow
    lead_due: int | None = None  # the Dog's player, LeadHanded has to follow
    out_due: int | None = None  # WentOut has to follow
    show_due: bool = False  # the Tisch's hand has to be shown
    over: bool = False  # the round can take no play any more
    match_over: bool = False
    actions: int = 0  # plays, passes and gifts of the round

    def copy(self) -> "Position":
        twin = copy.copy(self)
        twin.hands, twin.counts, twin.won = self.hands[:], self.counts[:], self.won[:]
        twin.bets, twin.decided = dict(self.bets), set(self.decided)
        twin.out, twin.totals = self.out[:], self.totals[:]
        twin.played = set(self.played)
        if self.phase in (Phase.GRAND, Phase.REFUSAL):
            twin.bids, twin.answers = dict(self.bids), dict(self.answers)
            twin.upheld = set(self.upheld)
            twin.grands_due = None if self.grands_due is None else set(self.grands_due)
        return twin

    def next_seat(self, seat: int) -> int:
        """The first seat after this one that has cards."""
        for other in self.seats.after[seat]:
            if self.counts[other]:
                return other
        return seat

    @property
    def leader(self) -> int | None:
        """Who leads when the trick on the table is closed."""
        if self.owner is None:
            return self.turn
        return self.owner if self.counts[self.owner] else self.next_seat(self.owner)

    @property
    def active(self) -> list[int]:
        """Seats with cards."""
        return [seat for seat, count in enumerate(self.counts) if count]

    @property
    def one_is_left(self) -> bool:
        """Whether all seats but one are out (F1, H7, I4)."""
        return len(self.out) >= len(self.counts) - 1

    @property
    def double(self) -> bool:
        """Whether a whole team went out before all others (F1, H7)."""
        teams, size = self.seats.teams, self.seats.team_size
        if not size or len(self.out) < size:
            return False
        return len({teams[seat] for seat in self.out[:size]}) == 1

    @property
    def team_is_out(self) -> bool:
        """Whether a whole team is out, in whatever places."""
        sides = [self.seats.teams[seat] for seat in self.out] if self.seats.teams else []
        return any(sides.count(side) == self.seats.team_size for side in set(sides))

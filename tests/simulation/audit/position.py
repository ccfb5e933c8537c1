"""Where a match stands, as its auditor makes it out from the public events and the cards."""

import copy
import enum
from dataclasses import dataclass, field

from tests.simulation.audit.combos import Reading

UNKNOWN = -1  # a hand that no seat with a link was told, in a match without a record


class Phase(enum.IntEnum):
    """What the round waits for, as in the message `Phase`."""

    GREAT_GRAND = 1
    GRAND = 2
    EXCHANGE = 3
    PLAY = 4
    CLOSING = 5
    DRAGON = 6
    OVER = 8


@dataclass(slots=True)
class Position:
    """A round and the score before it. Hands are card masks, `UNKNOWN` where nobody knows."""

    round: int = 0
    dealer: int = 0
    phase: Phase = Phase.OVER
    hands: list[int] = field(default_factory=lambda: [0] * 4)
    counts: list[int] = field(default_factory=lambda: [0] * 4)
    bets: dict[int, int] = field(default_factory=dict)  # seat: CallKind that is a bet
    decided: set[int] = field(default_factory=set)  # seats that took the present decision
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
    first_out: int | None = None  # of the last round
    gift_due: bool = False  # TrickTaken under the Dragon, DragonGiven has to follow
    lead_due: int | None = None  # the Dog's player, LeadHanded has to follow
    out_due: int | None = None  # WentOut has to follow
    over: bool = False  # the round can take no play any more
    match_over: bool = False
    actions: int = 0  # plays, passes and gifts of the round

    def copy(self) -> "Position":
        twin = copy.copy(self)
        twin.hands, twin.counts, twin.won = self.hands[:], self.counts[:], self.won[:]
        twin.bets, twin.decided = dict(self.bets), set(self.decided)
        twin.out, twin.totals = self.out[:], self.totals[:]
        return twin

    def next_seat(self, seat: int) -> int:
        """The first seat after this one that has cards."""
        for step in (1, 2, 3):
            if self.counts[(seat + step) % 4]:
                return (seat + step) % 4
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
        return [seat for seat in range(4) if self.counts[seat]]

    @property
    def is_over(self) -> bool:
        """Whether the round ends here (F1)."""
        return len(self.out) >= 3 or self.double

    @property
    def double(self) -> bool:
        """Whether a team went out first and second."""
        return len(self.out) >= 2 and self.out[0] % 2 == self.out[1] % 2

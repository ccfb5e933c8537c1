"""The actions by which seats speak: calls, bids, and the refusal of a call."""

from typing import TypeVar

from referee.rules.errors import RefereeBug
from referee.rules.phases import (
    ANSWERS,
    BIDS,
    GRAND_DECISIONS,
    GREAT_GRAND_DECISIONS,
    MADE_CALLS,
    CallKind,
    Phase,
)
from referee.rules.refusals import Refusal
from referee.rules.round_checks import RoundChecks
from referee.rules.round_state import PLAY, ROUND_OVER
from referee.rules.seat import Seat

_T = TypeVar("_T")


class RoundCalls(RoundChecks):
    """What is said before and in the play."""

    __slots__ = ()

    def call(self, seat: Seat, call: CallKind) -> Refusal | None:
        """Make or decline a call (A3 to A6), bid (`chaos`), or answer a call (`refuse_call`)."""
        refusal = self.check_call(seat, call)
        if refusal is not None:
            return refusal
        if call in ANSWERS:
            self._answer(seat, refuses=call is CallKind.REFUSE)
            return None
        if call in MADE_CALLS:
            self.calls[seat] = call
        if call in GREAT_GRAND_DECISIONS:
            self.great_grand_decided[seat] = True
            # who called it owes no Grand decision (A6)
            self.grand_decided[seat] |= call is CallKind.GREAT_GRAND
        elif call in GRAND_DECISIONS:
            self.grand_decided[seat] = True
        elif call in BIDS:
            self.grand_decided[seat] = True
            self.bids = _with(self.bids, seat, BIDS.index(call))
        else:
            self._called_tichu(seat)
        if self.phase in (Phase.GREAT_GRAND, Phase.GRAND):
            self._leave_decided_phases()
        return None

    def _called_tichu(self, caller: Seat) -> None:
        """A7: every other player who had given may replace his choice."""
        if self.stage is Phase.EXCHANGE:
            for seat, choice in enumerate(self.exchange_choices):
                if choice is not None and seat != caller:
                    self.may_rechoose[seat] = True
        if self.phase is not Phase.REFUSAL:  # else it waits until the call before it is decided
            self._put_to_refusal()

    def _answer(self, seat: Seat, *, refuses: bool) -> None:
        """Keep an answer; the last one decides: the call stands, or the round is over at once."""
        if self.judged is None or self.interrupted is None:
            raise RefereeBug("no call is there to be refused")
        self.answers = _with(self.answers, seat, refuses)
        if self.decisions_owed():
            return
        caller, self.judged = self.judged, None
        refused = all(self.answers[s] for s in self.seating.opponents[caller])
        if refused:  # `interrupted` stays: it says what was dealt
            self.refused, self.phase = caller, ROUND_OVER
            return
        self.phase, self.interrupted = self.interrupted, None
        self.upheld = _with(self.upheld, caller, True)
        if self._put_to_refusal():
            return
        if self.phase is PLAY:
            self._begin_play()
        else:
            self._leave_decided_phases()


def _with(by_seat: tuple[_T, ...], seat: Seat, value: _T) -> tuple[_T, ...]:
    return (*by_seat[:seat], value, *by_seat[seat + 1 :])

"""What a seat may say: calls, bids, and the refusal of a call. Nothing changes."""

from referee.rules.option_values import GrandOrder, HopelessCall, Variant
from referee.rules.phases import (
    ANSWERS,
    BIDS,
    GREAT_GRAND_DECISIONS,
    MADE_CALLS,
    TICHU,
    CallKind,
    Phase,
)
from referee.rules.refusals import Refusal
from referee.rules.round_results import RoundResults
from referee.rules.round_state import ROUND_OVER, grand_deciders
from referee.rules.seat import Seat


class CallChecks(RoundResults):
    """Every question "may I say that?"."""

    __slots__ = ()

    def check_call(self, seat: Seat, call: CallKind) -> Refusal | None:
        """Return why a seat may not make or decline a call, bid, or answer one now (A3 to A6)."""
        if self.phase is ROUND_OVER or self.stage in _NO_PLACE[call]:
            return Refusal.WRONG_PHASE
        if call in ANSWERS:
            return self._check_answer(seat)
        if self._call_is_barred(seat, call):
            return Refusal.CALL_NOT_ALLOWED
        if self.calls[seat] is not None:
            return Refusal.ALREADY_CALLED
        if self._call_is_late(seat, call):
            return Refusal.CALL_TOO_LATE
        return None

    def _check_answer(self, seat: Seat) -> Refusal | None:
        """All opponents of a caller say whether they refuse the call, each once."""
        if self.phase is not Phase.REFUSAL or self.judged is None:
            return Refusal.WRONG_PHASE
        if seat not in self.seating.opponents[self.judged]:
            return Refusal.CALL_NOT_ALLOWED
        return None if self.answers[seat] is None else Refusal.CALL_TOO_LATE

    def _call_is_barred(self, seat: Seat, call: CallKind) -> bool:
        options = self.options
        if options.variant is Variant.GRAND_SEIGNEUR:
            return True
        if call is TICHU:
            barred = (not options.call_before_exchange and self.stage is Phase.EXCHANGE) or (
                bool(self.out) and options.hopeless_call is HopelessCall.REJECTED
            )
        elif call in GREAT_GRAND_DECISIONS:
            barred = not options.great_grand or seat not in grand_deciders(options, self.seating)
        elif (call in BIDS) is not options.chaos:
            barred = True
        else:
            barred = seat not in grand_deciders(
                options, self.seating
            ) or self._decides_before_its_turn(seat)
        if barred or options.both_partners_may_call or call not in MADE_CALLS:
            return barred
        return any(self.calls[partner] is not None for partner in self.seating.partners[seat])

    def _decides_before_its_turn(self, seat: Seat) -> bool:
        return (
            self.phase is Phase.GRAND
            and not self.grand_decided[seat]
            and seat not in self.decisions_owed()
        )

    def _call_is_late(self, seat: Seat, call: CallKind) -> bool:
        if call is TICHU:
            # a call that can be refused ends with the first lead: what was played is kept
            led = self.options.refuse_call and any(self.has_played)
            return led or self.has_played[seat]
        if call in GREAT_GRAND_DECISIONS:
            return self.phase is not Phase.GREAT_GRAND or self.great_grand_decided[seat]
        return self.phase is not Phase.GRAND or self.grand_decided[seat]

    def decisions_owed(self) -> tuple[Seat, ...]:
        """Return who may decide on a call now, in turn order from the dealer.

        On Great Grand or Grand (with `chaos` the bids), and in phase refusal on the call of
        `judged`. One seat at a time for Grand with `grand_order` by_seat; empty in other phases.
        """
        order = self._from_dealer()
        if self.phase is Phase.REFUSAL and self.judged is not None:
            opponents = self.seating.opponents[self.judged]
            return tuple([s for s in order if s in opponents and self.answers[s] is None])
        if self.phase is Phase.GREAT_GRAND:
            decided = self.great_grand_decided
        elif self.phase is Phase.GRAND:
            decided = self.grand_decided
        else:
            return ()
        owed = tuple([seat for seat in order if not decided[seat]])
        one_by_one = self.phase is Phase.GRAND and self.options.grand_order is GrandOrder.BY_SEAT
        return owed[:1] if one_by_one else owed


_NO_PLACE: dict[CallKind, tuple[Phase, ...]] = {
    CallKind.TICHU: (Phase.GREAT_GRAND, Phase.GRAND),  # every card must be dealt (A4)
    CallKind.GRAND: (Phase.GREAT_GRAND,),
    CallKind.NO_GRAND: (Phase.GREAT_GRAND,),
    CallKind.GREAT_GRAND: (),
    CallKind.NO_GREAT_GRAND: (),
    **dict.fromkeys(BIDS, (Phase.GREAT_GRAND,)),
    **dict.fromkeys(ANSWERS, ()),
}

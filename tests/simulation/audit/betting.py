"""The rules of calls: bets, bids, and calls that opponents may refuse (RULES A3 to A6, G2, J)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.position import Phase, Position
from tests.simulation.audit.rulebook import Rulebook

Say = Callable[[F, str], None]
_BEFORE_EXCHANGE = (Phase.GREAT_GRAND, Phase.GRAND)


class Betting(ABC):
    """Follows what seats say and says what is against the rules."""

    def __init__(self, rules: Rulebook, say: Say) -> None:
        self.rules, self._say = rules, say
        self.at = Position()

    def deciders(self, at: Position | None = None) -> list[int]:
        """Who decides on Grand and on Great Grand, in turn order from the dealer (A3, G2)."""
        at, rules = at or self.at, self.rules
        if not rules.has_teams or not rules.on("grand_allowed"):
            return []
        order = at.seats.from_seat(at.dealer)
        if at.seats.soloist is None:
            return list(order)
        if rules.says("trichu_grand", "nobody"):
            return []
        return [seat for seat in order if seat in at.seats.opponents[at.seats.soloist]]

    def owed(self, at: Position | None = None) -> list[int]:
        """Who owes a decision, a bid or an answer, in turn order from the dealer."""
        at = at or self.at
        if at.phase is Phase.REFUSAL and at.judged is not None:
            order = at.seats.from_seat(at.dealer)
            opponents = at.seats.opponents[at.judged]
            return [seat for seat in order if seat in opponents and seat not in at.answers]
        if at.phase not in _BEFORE_EXCHANGE:
            return []
        owed = [seat for seat in self.deciders(at) if seat not in at.decided]
        one = at.phase is Phase.GRAND and self.rules.says("grand_order", "by_seat")
        return owed[:1] if one else owed

    def choices(self, seat: int, at: Position) -> set[int]:
        """What a seat may say of what it owes."""
        if at.phase is Phase.REFUSAL:
            return set(r.ANSWERS)
        if at.phase is Phase.GRAND and self.rules.on("chaos"):
            return set(r.BIDS)
        great = at.phase is Phase.GREAT_GRAND
        yes, no = (r.GREAT_GRAND, r.NO_GREAT_GRAND) if great else (r.GRAND, r.NO_GRAND)
        return {no} if self._partner_called(seat, at) else {yes, no}

    # -- what is said -------------------------------------------------------------------------

    def _call_made(self, made: match_pb2.CallMade) -> None:
        if why := self._call_fault(made.seat, made.call):
            self._say(F.CALL, f"call {made.call} of seat {made.seat}: {why}")
        at = self.at
        if made.call in r.ANSWERS:
            at.answers[made.seat] = made.call
            self._answered()
            return
        if made.call in r.VALUE_OF_BET:
            at.bets[made.seat] = made.call
        if made.call == r.TICHU:
            if at.phase is not Phase.REFUSAL:
                self._put_to_refusal()
            return
        at.decided.add(made.seat)
        if at.grands_due is not None:
            at.grands_due.discard(made.seat)
        elif at.phase in _BEFORE_EXCHANGE and not self.owed():
            self._put_to_refusal()

    def _call_fault(self, seat: int, call: int) -> str:
        at = self.at
        if call in r.ANSWERS:
            owed = at.phase is Phase.REFUSAL and seat in self.owed()
            return "" if owed else "no call of an opponent is judged"
        if call != r.TICHU:
            return self._decision_fault(seat, call)
        if not self.may_call(seat):
            return "no time for it"
        return "after the end" if at.match_over else ""

    def _decision_fault(self, seat: int, call: int) -> str:
        at = self.at
        phase = Phase.GRAND if call in (r.GRAND, r.NO_GRAND) else Phase.GREAT_GRAND
        if phase is Phase.GRAND and self.rules.on("chaos"):
            due = at.grands_due
            return "" if call == r.GRAND and due and seat in due else "not by the bids"
        if at.phase is not phase or seat not in self.deciders() or seat in at.decided:
            return "no such decision is owed"
        if call in r.VALUE_OF_BET and self._partner_called(seat, at):
            return "the partner has called"
        one = phase is Phase.GRAND and self.rules.says("grand_order", "by_seat")
        owed = self.owed()
        if not one:
            owed.sort()
        return "" if owed[0] == seat else f"before seat {owed[0]}"

    def _partner_called(self, seat: int, at: Position) -> bool:
        if self.rules.on("both_partners_may_call"):
            return False
        return any(partner in at.bets for partner in at.seats.partners[seat])

    def may_call(self, seat: int, at: Position | None = None) -> bool:
        """Whether a Tichu of this hand is in time (A4, A5, G6)."""
        at, rules = at or self.at, self.rules
        phase = at.stage if at.phase is Phase.REFUSAL else at.phase
        if phase in _BEFORE_EXCHANGE or not rules.has_teams or at.over or at.phase is Phase.OVER:
            return False
        if not at.counts[seat] or seat in at.played or seat in at.bets:
            return False
        if phase is Phase.EXCHANGE and not rules.on("call_before_exchange"):
            return False
        if at.played and rules.on("refuse_call"):
            return False
        if at.out and rules.says("hopeless_call", "rejected"):
            return False
        return not self._partner_called(seat, at)

    # -- bids (chaos) ---------------------------------------------------------------------------

    def _bids_shown(self, told: Sequence[match_pb2.BidsShown | None]) -> None:
        at = self.at
        if not self.rules.on("chaos") or at.phase is not Phase.GRAND or at.grands_due is not None:
            self._say(F.CALL, "bids are shown that nobody made")
        for seat, shown in enumerate(told):
            if shown is None:
                continue
            team = {seat, *at.seats.partners[seat]}
            if [bid.seat for bid in shown.bids] != sorted(team):
                seats = [bid.seat for bid in shown.bids]
                self._say(F.PRIVATE_EVENT, f"seat {seat} is told the bids of seats {seats}")
            for bid in shown.bids:
                level = bid.bid - r.BIDS[0]
                if not 0 <= level <= 3 or at.bids.setdefault(bid.seat, level) != level:
                    self._say(F.CALL, f"the bid of seat {bid.seat} is told as {bid.bid}")
        at.grands_due = self._callers_by_bids()

    def _callers_by_bids(self) -> set[int]:
        """The higher bidder of each team, of equal ones the first from the dealer; of a team of
        which nobody was told, all."""
        at, due = self.at, set()
        for team in set(at.seats.teams):
            order = [s for s in at.seats.from_seat(at.dealer) if at.seats.teams[s] == team]
            if all(seat in at.bids for seat in order):
                due.add(max(order, key=lambda seat: at.bids[seat]))  # the first of equal ones
            else:
                due.update(order)
        return due

    # -- refusals -------------------------------------------------------------------------------

    def _put_to_refusal(self) -> None:
        """The next call that nobody has judged waits for its opponents (J, `refuse_call`)."""
        at = self.at
        if not self.rules.on("refuse_call"):
            return
        for caller in at.seats.from_seat(at.dealer):
            if caller in at.bets and caller not in at.upheld:
                at.stage = at.stage if at.phase is Phase.REFUSAL else at.phase
                at.judged, at.answers, at.phase, at.turn = caller, {}, Phase.REFUSAL, None
                return

    def _answered(self) -> None:
        at = self.at
        if at.judged is None or self.owed():
            return
        caller, at.judged = at.judged, None
        if all(answer == r.REFUSE for answer in at.answers.values()):
            at.refused, at.over = caller, True
            return
        at.upheld = {*at.upheld, caller}
        self._put_to_refusal()
        if at.judged is None:
            at.phase = at.stage
            if at.phase is Phase.PLAY:
                self._begin_play()

    @abstractmethod
    def _begin_play(self) -> None:
        """The exchange is over, or was not owed."""

    # -- the deal goes on -----------------------------------------------------------------------

    def _deal_in_time(self, *, complete: bool) -> None:
        """Cards come when what is owed before them was said."""
        at = self.at
        if at.phase is Phase.REFUSAL:
            self._say(F.DEAL, f"cards are dealt before the call of seat {at.judged} is judged")
            return
        if at.grands_due and len(at.bids) == len(at.seats.teams):
            self._say(F.CALL, f"seats {at.grands_due} had to call by their bids")
        if not complete and at.phase is Phase.GREAT_GRAND and self.owed():
            self._say(F.DEAL, f"cards are dealt before seats {self.owed()} have decided")
        bids = self.rules.on("chaos") and at.phase is Phase.GRAND
        if complete and (self.owed() if not bids else at.grands_due is None):
            self._say(F.DEAL, f"cards are dealt before seats {self.owed()} have decided")

    def _dealt(self, *, complete: bool) -> None:
        at = self.at
        at.phase = Phase.EXCHANGE if complete else Phase.GRAND
        at.decided = set() if complete else {s for s, k in at.bets.items() if k == r.GREAT_GRAND}
        at.grands_due = None

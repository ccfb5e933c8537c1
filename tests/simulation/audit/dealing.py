"""The rules up to the first lead: deal, calls, exchange (RULES A)."""

from collections.abc import Callable, Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.cards import MAH_JONG, PACK, mask_of, text_of
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.rulebook import Rulebook

Say = Callable[[F, str], None]


class Dealing:
    """Follows a round to its first lead and says what is against the rules."""

    def __init__(self, rules: Rulebook, say: Say) -> None:
        self.rules, self._say = rules, say
        self.at = Position()
        self.dealt: list[tuple[list[int], list[int]] | None] = []  # by round, where a record tells
        self.gifts: list[list[tuple[int, int, int]]] = []  # likewise: giver, taker, card
        self._part = 0  # of the deal: what comes next

    # -- the deal ---------------------------------------------------------------------------

    def _round_started(self, started: match_pb2.RoundStarted) -> None:
        before = self.at
        if before.phase is not Phase.OVER or before.match_over:
            self._say(F.ROUND_END, f"round {started.round} begins before the last one ended")
        if started.round != before.rounds_played + 1:
            self._say(F.DEAL, f"round {started.round} after {before.rounds_played}")
        dealer = before.first_out if before.first_out is not None else 0
        if started.dealer != dealer:
            self._say(F.DEAL, f"seat {started.dealer} deals, not {dealer}")
        if list(started.totals) != before.totals:
            self._say(F.SCORE, f"totals {list(started.totals)} at a start, not {before.totals}")
        self.at = Position(
            round=started.round,
            dealer=started.dealer,
            phase=Phase.GREAT_GRAND if self.rules.on("great_grand") else Phase.GRAND,
            totals=before.totals[:],
            rounds_played=before.rounds_played,
            first_out=before.first_out,
        )
        self._part = 0

    def _cards_dealt(self, told: Sequence[match_pb2.CardsDealt | None]) -> None:
        at, complete = self.at, any(dealt and dealt.complete for dealt in told)
        masks = [self._dealt_to(seat, dealt) for seat, dealt in enumerate(told)]
        known = self.dealt[at.round - 1] if 0 < at.round <= len(self.dealt) else None
        whole = complete and self._part == 0
        if known is not None:
            should = [a | b for a, b in zip(*known, strict=True)] if whole else known[self._part]
            for seat, mask in enumerate(masks):
                if mask not in (should[seat], UNKNOWN):
                    self._say(F.DEAL, f"seat {seat} got {text_of(mask)}, not what the seed says")
            masks = should
        self._take(masks, complete=complete, size=14 if whole else (8, 6)[self._part])
        self._part = 1
        at.phase = Phase.EXCHANGE if complete else Phase.GRAND
        at.decided = set() if complete else {s for s, k in at.bets.items() if k == r.GREAT_GRAND}

    def _dealt_to(self, seat: int, dealt: match_pb2.CardsDealt | None) -> int:
        if dealt is None:
            return UNKNOWN
        if [gift.seat for gift in dealt.hands] != [seat]:
            self._say(F.PRIVATE_EVENT, f"seat {seat} was dealt another hand than its own")
            return UNKNOWN
        mask = mask_of(dealt.hands[0].cards)
        if mask == -1:
            self._say(F.DEAL, f"seat {seat} was dealt {list(dealt.hands[0].cards)}")
        return mask

    def _take(self, masks: Sequence[int], *, complete: bool, size: int) -> None:
        at = self.at
        for seat, mask in enumerate(masks):
            at.counts[seat] += size
            if mask == UNKNOWN or at.hands[seat] == UNKNOWN:
                at.hands[seat] = UNKNOWN
            else:
                if mask.bit_count() != size or mask & at.hands[seat]:
                    self._say(F.DEAL, f"seat {seat} was dealt {text_of(mask)}")
                at.hands[seat] |= mask
        known = [hand for hand in at.hands if hand != UNKNOWN]
        union = 0
        for hand in known:
            if union & hand:
                self._say(F.DEAL, f"{text_of(union & hand)} twice")
            union |= hand
        if complete and len(known) == 3:
            at.hands[at.hands.index(UNKNOWN)] = PACK & ~union

    # -- calls and the exchange ---------------------------------------------------------------

    def _call_made(self, made: match_pb2.CallMade) -> None:
        if why := self._call_fault(made.seat, made.call):
            self._say(F.CALL, f"call {made.call} of seat {made.seat}: {why}")
        at = self.at
        if made.call in r.VALUE_OF_BET:
            at.bets[made.seat] = made.call
        if made.call != r.TICHU:
            at.decided.add(made.seat)

    def _call_fault(self, seat: int, call: int) -> str:
        at = self.at
        if call != r.TICHU:
            return self._decision_fault(seat, call)
        if not self.may_call(seat):
            return "no time for it"
        return "after the end" if at.match_over else ""

    def _decision_fault(self, seat: int, call: int) -> str:
        at = self.at
        phase = Phase.GRAND if call in (r.GRAND, r.NO_GRAND) else Phase.GREAT_GRAND
        if at.phase is not phase or seat in at.decided:
            return "no such decision is owed"
        if call in r.VALUE_OF_BET and self._partner_called(seat):
            return "the partner has called"
        owed = [s for s in self._decision_order() if s not in at.decided]
        return "" if owed[0] == seat else f"before seat {owed[0]}"

    def _decision_order(self) -> list[int]:
        by_seat = self.at.phase is Phase.GRAND and self.rules.says("grand_order", "by_seat")
        return [(i + (self.at.dealer if by_seat else 0)) % 4 for i in range(4)]

    def _partner_called(self, seat: int) -> bool:
        return not self.rules.on("both_partners_may_call") and (seat + 2) % 4 in self.at.bets

    def may_call(self, seat: int, at: Position | None = None) -> bool:
        """Whether a Tichu of this seat is in time (A4, A5)."""
        at, rules = at or self.at, self.rules
        if at.phase < Phase.EXCHANGE or at.over or at.counts[seat] != 14 or seat in at.bets:
            return False
        if at.phase is Phase.EXCHANGE and not rules.on("call_before_exchange"):
            return False
        if at.out and rules.says("hopeless_call", "rejected"):
            return False
        return rules.on("both_partners_may_call") or (seat + 2) % 4 not in at.bets

    def _cards_exchanged(self, told: Sequence[match_pb2.CardsExchanged | None]) -> None:
        at = self.at
        if at.phase is not Phase.EXCHANGE:
            self._say(F.EXCHANGE, "cards move, but no exchange is owed")
        moved: dict[tuple[int, int], int] = {}
        if len(self.gifts) >= at.round > 0:
            moved = {(giver, taker): mask for giver, taker, mask in self.gifts[at.round - 1]}
        for seat, exchanged in enumerate(told):
            if exchanged is not None:
                self._note_gifts(seat, exchanged, moved)
        self._move(moved)
        at.phase = Phase.PLAY
        holders = [seat for seat in range(4) if at.hands[seat] >> MAH_JONG & 1]
        at.turn = holders[0] if holders and UNKNOWN not in at.hands else None

    def _note_gifts(
        self, seat: int, exchanged: match_pb2.CardsExchanged, moved: dict[tuple[int, int], int]
    ) -> None:
        if [hand.seat for hand in exchanged.hands] != [seat]:
            self._say(F.PRIVATE_EVENT, f"seat {seat} was told another hand's exchange")
            return
        hand = exchanged.hands[0]
        gifts = [((seat, gift.seat), gift.cards) for gift in hand.gave]
        gifts += [((gift.seat, seat), gift.cards) for gift in hand.received]
        others = sorted((seat + step) % 4 for step in (1, 2, 3))
        for side in (hand.gave, hand.received):
            if sorted(gift.seat for gift in side) != others:
                self._say(F.EXCHANGE, f"seat {seat} exchanged with other seats than the three")
        for way, cards in gifts:
            mask = mask_of(cards)
            if mask.bit_count() != 1 or mask == -1 or moved.setdefault(way, mask) != mask:
                self._say(F.EXCHANGE, f"{way} gave {list(cards)}: told differently or not one card")

    def _move(self, moved: dict[tuple[int, int], int]) -> None:
        at = self.at
        hands = at.hands[:]
        for seat in range(4):
            gave = [moved.get((seat, other)) for other in range(4) if other != seat]
            got = [moved.get((other, seat)) for other in range(4) if other != seat]
            if None in gave or None in got or at.hands[seat] == UNKNOWN:
                hands[seat] = UNKNOWN
                continue
            for mask in gave:
                if mask is not None and not hands[seat] & mask:
                    self._say(
                        F.EXCHANGE, f"seat {seat} gave {text_of(mask)}, which it did not hold"
                    )
                hands[seat] &= ~(mask or 0)
            for mask in got:
                hands[seat] |= mask or 0
        at.hands = hands

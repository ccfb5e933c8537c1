"""The rules up to the first lead: deal, calls, exchange (RULES A, G1 to G5, H1 to H3, I1 to I3)."""

from collections.abc import Callable, Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.betting import Betting
from tests.simulation.audit.cards import (
    DOG,
    MAH_JONG,
    NUMBERS,
    SECOND,
    mask_of,
    text_of,
)
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.gifts import Slot, fits, slots_of
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.rulebook import Rulebook
from tests.simulation.audit.seats import SOLOISTS, order_by_ranks, seats_of

Say = Callable[[F, str], None]
_Moved = dict[tuple[int, int], int]


def pack_of(rules: Rulebook) -> list[int]:
    """The cards of the game (A1, I1)."""
    if rules.variant != "grand_seigneur":
        return list(NUMBERS)
    cards = [card for card in NUMBERS if card != DOG]
    if rules.two_packs:
        cards += [SECOND + card for card in cards if card != MAH_JONG]
        if rules.says("gs_dog", "one"):
            cards.append(DOG)
    return cards


def dealt_first(rules: Rulebook, dealer: int, order: Sequence[int]) -> list[int]:
    """The seats in the order in which they get their cards (A2, H1)."""
    place = list(order).index(dealer) if dealer in order else 0
    place += rules.says("tientsin_deal_start", "after_dealer")
    return [*order[place:], *order[:place]]


class Dealing(Betting):
    """Follows a round to its first lead and says what is against the rules."""

    def __init__(self, rules: Rulebook, say: Say) -> None:
        super().__init__(rules, say)
        n = rules.seats
        self.at = Position(hands=[0] * n, counts=[0] * n, won=[0] * n, totals=[0] * rules.columns)
        self.at.seats = seats_of(rules.variant, n, 0, ())
        self.dealt: list[tuple[list[int], list[int]] | None] = []  # by round, where a record tells
        self.gifts: dict[int, list[tuple[int, int, int]]] = {}  # likewise: giver, taker, cards
        self._cards = len(pack_of(rules))

    # -- the deal ---------------------------------------------------------------------------

    def _round_started(self, started: match_pb2.RoundStarted) -> None:
        before, rules = self.at, self.rules
        if before.phase is not Phase.OVER or before.match_over:
            self._say(F.ROUND_END, f"round {started.round} begins before the last one ended")
        if started.round != before.rounds_played + 1:
            self._say(F.DEAL, f"round {started.round} after {before.rounds_played}")
        dealer, ranks = self._dealer(before), before.last_ranks
        if started.dealer != dealer:
            self._say(F.DEAL, f"seat {started.dealer} deals, not {dealer}")
        if list(started.totals) != before.totals:
            self._say(F.SCORE, f"totals {list(started.totals)} at a start, not {before.totals}")
        order = order_by_ranks(ranks, alternating=rules.says("gs_seating", "alternating"))
        seats = seats_of(rules.variant, rules.seats, started.dealer, order)
        told = (tuple(started.turn_order), tuple(started.teams), tuple(started.ranks))
        if told != (seats.order, seats.teams, ranks):
            self._say(
                F.DEAL, f"order, teams, ranks {told}, not {seats.order} {seats.teams} {ranks}"
            )
        n = rules.seats
        self.at = Position(
            round=started.round,
            dealer=started.dealer,
            seats=seats,
            ranks=ranks,
            phase=Phase.GREAT_GRAND if rules.on("great_grand") else Phase.GRAND,
            hands=[0] * n,
            counts=[0] * n,
            won=[0] * n,
            totals=before.totals[:],
            rounds_played=before.rounds_played,
            first_out=before.first_out,
            last_ranks=ranks,
            ranks_before=before.ranks_before,
        )

    def _dealer(self, before: Position) -> int:
        """Who deals the next round (A2, G9, I1)."""
        if self.rules.variant == "trichu":
            return SOLOISTS[before.rounds_played % 3]
        if self.rules.variant == "grand_seigneur":
            return before.last_ranks[-1] if before.last_ranks else 0
        return before.first_out if before.first_out is not None else 0

    def _cards_dealt(self, told: Sequence[match_pb2.CardsDealt | None]) -> None:
        at, rules = self.at, self.rules
        complete = any(dealt and dealt.complete for dealt in told)
        self._deal_in_time(complete=complete)
        masks = self._told_masks(told, complete=complete)
        sizes = self._sizes(complete=complete)
        for dealt in told:
            if dealt is not None and list(dealt.counts) != sizes:
                self._say(F.DEAL, f"so many cards to each: {list(dealt.counts)}, not {sizes}")
        known = self.dealt[at.round - 1] if 0 < at.round <= len(self.dealt) else None
        if known is not None:
            should = self._should(known, complete=complete)
            for seat, mask in enumerate(masks):
                if mask not in (should[seat], UNKNOWN):
                    self._say(F.DEAL, f"seat {seat} got {text_of(mask)}, not what the seed says")
            masks = should
        self._take(masks, sizes, complete=complete)
        self._dealt(complete=complete)
        if complete and not any(self.slots(seat) for seat in range(rules.seats)):
            self._begin_play()

    def _sizes(self, *, complete: bool) -> list[int]:
        """How many cards each hand gets now (A3, H1, H2, I1)."""
        at, n = self.at, self.rules.seats
        if not complete:
            return [self.rules.first_cards] * n
        order = dealt_first(self.rules, at.dealer, at.seats.order)
        whole = [0] * n
        for place in range(self._cards):
            whole[order[place % n]] += 1
        return [cards - had for cards, had in zip(whole, at.counts, strict=True)]

    def _should(self, known: tuple[list[int], list[int]], *, complete: bool) -> list[int]:
        """What each hand is told to be dealt now by the seed; the Tisch all at once (G3)."""
        at, (first, rest) = self.at, known
        if not complete:
            return first
        return [
            r if count and seat != at.seats.tisch else a | r
            for seat, (a, r, count) in enumerate(zip(first, rest, at.counts, strict=True))
        ]

    def _told_masks(
        self, told: Sequence[match_pb2.CardsDealt | None], *, complete: bool
    ) -> list[int]:
        seats, masks = self.at.seats, [UNKNOWN] * self.rules.seats
        for seat, dealt in enumerate(told):
            if dealt is None:
                continue
            own = seats.hands_of(seat) if complete else (seat,)
            if tuple(gift.seat for gift in dealt.hands if complete or gift.cards) != own:
                self._say(F.PRIVATE_EVENT, f"seat {seat} was dealt other hands than its own")
                continue
            for gift in dealt.hands[: len(own)]:
                masks[gift.seat] = mask_of(gift.cards)
                if masks[gift.seat] == -1:
                    self._say(F.DEAL, f"seat {seat} was dealt {list(gift.cards)}")
        return masks

    def _take(self, masks: Sequence[int], sizes: Sequence[int], *, complete: bool) -> None:
        at = self.at
        for seat, (mask, size) in enumerate(zip(masks, sizes, strict=True)):
            at.counts[seat] += size
            if complete and seat == at.seats.tisch:  # told all at once
                at.hands[seat] = 0
            due = at.counts[seat] if complete and seat == at.seats.tisch else size
            if mask == UNKNOWN or at.hands[seat] == UNKNOWN:
                at.hands[seat] = UNKNOWN
            else:
                if mask.bit_count() != due or mask & at.hands[seat]:
                    self._say(F.DEAL, f"seat {seat} was dealt {text_of(mask)}")
                at.hands[seat] |= mask
        known = [hand for hand in at.hands if hand != UNKNOWN]
        union = 0
        for hand in known:
            if union & hand:
                self._say(F.DEAL, f"{text_of(union & hand)} twice")
            union |= hand
        if complete and len(known) == len(at.hands) - 1:
            rest = sum(1 << card for card in pack_of(self.rules)) & ~union
            at.hands[at.hands.index(UNKNOWN)] = rest

    # -- the exchange -------------------------------------------------------------------------

    def _cards_exchanged(self, told: Sequence[match_pb2.CardsExchanged | None]) -> None:
        at = self.at
        if at.phase is not Phase.EXCHANGE:
            self._say(F.EXCHANGE, "cards move, but no exchange is owed")
        moved: _Moved = {}
        if at.round in self.gifts:
            moved = {(giver, taker): mask for giver, taker, mask in self.gifts[at.round]}
        for seat, exchanged in enumerate(told):
            if exchanged is not None:
                self._note_gifts(seat, exchanged, moved)
        self._move(moved)
        at.show_due = at.seats.tisch is not None
        self._begin_play()

    def _note_gifts(self, seat: int, exchanged: match_pb2.CardsExchanged, moved: _Moved) -> None:
        own = self.at.seats.hands_of(seat)
        if tuple(hand.seat for hand in exchanged.hands) != own:
            self._say(F.PRIVATE_EVENT, f"seat {seat} was told another hand's exchange")
            return
        for hand in exchanged.hands:
            giver = hand.seat
            gifts = [((giver, gift.seat), gift.cards) for gift in hand.gave]
            gifts += [((gift.seat, giver), gift.cards) for gift in hand.received]
            due = sorted([(giver, slot.to) for slot in self.slots(giver)])
            due += sorted(self._owed_to(giver))
            ways = sorted(way for way, _ in gifts if way[0] == giver)
            ways += sorted(way for way, _ in gifts if way[0] != giver)
            if ways != due:
                self._say(F.EXCHANGE, f"seat {giver} exchanged {ways}, not {due}")
            for way, cards in gifts:
                mask = mask_of(cards)
                if moved.setdefault(way, mask) != mask:
                    self._say(F.EXCHANGE, f"{way} gave {list(cards)}, told differently")

    def _owed_to(self, taker: int) -> list[tuple[int, int]]:
        return [
            (giver, taker)
            for giver in range(self.rules.seats)
            if any(slot.to == taker for slot in self.slots(giver))
        ]

    def _move(self, moved: _Moved) -> None:
        at = self.at
        hands = at.hands[:]
        for seat in range(self.rules.seats):
            slots = self.slots(seat)
            gave = [moved.get((seat, slot.to)) for slot in slots]
            got = [moved.get(way) for way in self._owed_to(seat)]
            if None in gave or None in got or at.hands[seat] == UNKNOWN:
                hands[seat] = UNKNOWN
                continue
            left = hands[seat]
            for slot, mask in zip(slots, gave, strict=True):
                assert mask is not None
                if not fits(slot, left, mask, self.rules):
                    text = f"seat {seat} gave {text_of(max(0, mask))} for {slot} of {text_of(left)}"
                    self._say(F.EXCHANGE, text)
                left &= ~mask
            for mask in got:
                left |= mask or 0
            hands[seat] = left
        at.hands = hands
        at.counts = [
            count
            - sum(slot.count for slot in self.slots(seat))
            + sum(s.count for g, _ in self._owed_to(seat) for s in self.slots(g) if s.to == seat)
            for seat, count in enumerate(at.counts)
        ]

    def _begin_play(self) -> None:
        at = self.at
        at.phase = Phase.PLAY
        holders = [
            seat for seat, hand in enumerate(at.hands) if hand != UNKNOWN and hand >> MAH_JONG & 1
        ]
        at.turn = holders[0] if holders else None

    def _hand_shown(self, shown: match_pb2.HandShown) -> None:
        at, mask = self.at, mask_of(shown.cards)
        if not at.show_due or shown.seat != at.seats.tisch:
            self._say(F.PRIVATE_EVENT, f"the hand of seat {shown.seat} is shown")
            return
        at.show_due = False
        if at.hands[shown.seat] == UNKNOWN:
            at.hands[shown.seat] = mask
        elif at.hands[shown.seat] != mask:
            self._say(
                F.CARDS, f"shown {text_of(max(0, mask))}, not {text_of(at.hands[shown.seat])}"
            )

    def slots(self, giver: int, at: Position | None = None) -> list[Slot]:
        """What a hand owes in the exchange of the round."""
        at = at or self.at
        return slots_of(self.rules, at.seats, at.ranks, giver)

"""A position from which a round can start: what a vector's `start` says, in masks."""

import msgspec

from referee.rules.cards import MAHJONG, Seat, count
from referee.rules.notation import format_cards, format_rank
from referee.rules.option_values import TrichuGrand, Variant
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions, columns, seats
from referee.rules.phases import MADE_CALLS, CallKind, Phase
from referee.rules.scoring import is_double_victory, is_team_out
from referee.rules.seating import TRICHU_PLAYERS, Seating, seating

START_PHASES = (Phase.GREAT_GRAND, Phase.GRAND, Phase.EXCHANGE, Phase.PLAY)


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A round between two actions, with an empty table. Cards named nowhere do not exist."""

    hands: tuple[int, ...]  # masks, one a seat; empty exactly for the seats in `out`
    phase: Phase = Phase.PLAY  # one of START_PHASES
    dealt_first: tuple[int, ...] = ()  # the cards seen at the Grand decision (A3)
    won: tuple[int, ...] = ()  # masks captured so far; () = nothing
    out: tuple[Seat, ...] = ()  # in the order of going out
    lead: Seat | None = None  # None = the holder of the Mah Jong when play begins (A8)
    calls: tuple[tuple[Seat, CallKind], ...] = ()
    played: tuple[Seat, ...] = ()  # who has played a card; those out always have
    wish: int = 0  # open wish 2..14, 0 = none
    scores: tuple[int, ...] = ()  # before this round; () = zeros
    dealer: Seat = Seat(0)  # in Trichu the soloist (G1)
    ranks: tuple[Seat, ...] = ()  # of the round before, first to last (I2)
    turn_order: tuple[Seat, ...] | None = None  # of Grand Seigneur; None = by number
    options: RuleOptions = DEFAULT_OPTIONS

    @property
    def seating(self) -> Seating:
        """Who sits where. Raises `RefereeBug` for a dealer or turn order named in `faults`."""
        return seating(self.options, self.dealer, self.turn_order)

    def faults(self) -> list[str]:
        """Return everything that is wrong with the position, not only the first."""
        n = seats(self.options)
        if len(self.hands) != n:
            return [f"hands: {len(self.hands)} given, {n} seats play"]
        found = self._card_faults() + self._shape_faults(n)
        found += self._seat_faults(n) + self._order_faults(n)
        if not found:
            found += self._out_faults() + self._call_faults() + self._lead_faults()
        return found

    def _card_faults(self) -> list[str]:
        seen = twice = 0
        for cards in (*self.hands, *self.won):
            twice |= seen & cards
            seen |= cards
        return [f"in two places: {format_cards(twice)}"] if twice else []

    def _shape_faults(self, n: int) -> list[str]:
        found = []
        if self.phase not in START_PHASES:
            found.append(f"phase: no round starts in {self.phase}")
        if self.won and len(self.won) != n:
            found.append(f"won: {len(self.won)} given, {n} seats play")
        if self.scores and len(self.scores) != columns(self.options):
            found.append(f"scores: {len(self.scores)} given, {columns(self.options)} columns")
        if self.wish and not 2 <= self.wish <= 14:
            found.append(f"wish: {self.wish} is no rank from 2 to A")
        if self.wish and self.phase is not Phase.PLAY:
            found.append(f"wish: {format_rank(self.wish)} is open before play has begun")
        return found

    def _seat_faults(self, n: int) -> list[str]:
        named: dict[str, tuple[Seat, ...]] = {
            "out": self.out,
            "played": self.played,
            "calls": tuple(seat for seat, _ in self.calls),
            "lead": () if self.lead is None else (self.lead,),
        }
        found = []
        for key, listed in named.items():
            found += [f"{key}: there is no seat {seat}" for seat in listed if not 0 <= seat < n]
            if len(set(listed)) != len(listed):
                found.append(f"{key}: a seat is named twice")
        return found

    def _order_faults(self, n: int) -> list[str]:
        found = []
        of_ranks = self.options.variant is Variant.GRAND_SEIGNEUR
        for key, listed in {"ranks": self.ranks, "turn_order": self.turn_order or ()}.items():
            if listed and not of_ranks:
                found.append(f"{key} belongs to grand_seigneur")
            elif listed and sorted(listed) != list(range(n)):
                found.append(f"{key}: not every seat once")
        if of_ranks and self.phase in (Phase.GREAT_GRAND, Phase.GRAND):
            found.append(f"phase: grand_seigneur has no calls, so no phase {self.phase} (I)")
        if of_ranks and self.phase is Phase.EXCHANGE and not self.ranks:
            found.append("ranks: say who was first to last; the first round has no exchange (I2)")
        soloists = TRICHU_PLAYERS if self.options.variant is Variant.TRICHU else range(n)
        if self.dealer not in soloists:
            found.append(f"dealer: seat {self.dealer} cannot deal")
        return found

    def _out_faults(self) -> list[str]:
        found = []
        for seat, hand in enumerate(self.hands):
            if hand and seat in self.out:
                found.append(f"out: seat {seat} still holds {count(hand)} cards")
            if not hand and seat not in self.out:
                found.append(f"hands: seat {seat} holds nothing and is not out")
        if self.phase is not Phase.PLAY and (self.out or self.played):
            found.append(f"out, played: nobody has played in phase {self.phase}")
        if self._is_over():
            found.append("out: the round is over already (F1)")
        return found

    def _is_over(self) -> bool:
        if len(self.hands) - len(self.out) < 2 or is_double_victory(self.out, self.seating):
            return True
        return self.options.tientsin_end_when_team_out and is_team_out(self.out, self.seating)

    def _call_faults(self) -> list[str]:
        found = []
        soloist, tisch = self.seating.soloist, self.seating.tisch
        for seat, call in self.calls:
            name = f"calls: seat {seat} {call}"
            if call not in MADE_CALLS:
                found.append(f"{name} is no call that was made")
            elif self.options.variant is Variant.GRAND_SEIGNEUR:
                found.append(f"{name}: grand_seigneur has no calls (I)")
            elif call is CallKind.GREAT_GRAND and not self.options.great_grand:
                found.append(f"{name}: the options have no Great Grand (A6)")
            elif call is CallKind.GRAND and not self.options.grand_allowed:
                found.append(f"{name}: the options have no Grand (A3)")
            elif call is not CallKind.TICHU and seat in (soloist, tisch):
                found.append(f"{name}: only the opponents of the soloist call Grand (G2)")
            elif call is not CallKind.TICHU and self.options.trichu_grand is TrichuGrand.NOBODY:
                found.append(f"{name}: the options have no Grand (G2)")
            elif self.phase in _TOO_EARLY[call]:
                found.append(f"{name} cannot have been made in phase {self.phase}")
        if not self.options.both_partners_may_call:
            callers = [seat for seat, _ in self.calls]
            found += [
                f"calls: seats {seat} and {partner} are partners; the options allow one call"
                for seat in callers
                for partner in self.seating.partners[seat]
                if seat < partner and partner in callers
            ]
        if self.phase is Phase.GREAT_GRAND and not self.options.great_grand:
            found.append("phase: great_grand needs the option great_grand (A6)")
        return found

    def _lead_faults(self) -> list[str]:
        if self.lead is not None:
            return [] if self.hands[self.lead] else [f"lead: seat {self.lead} holds no cards"]
        if self.phase is Phase.PLAY and not any(hand & MAHJONG for hand in self.hands):
            return ["lead: nobody holds the Mah Jong, so say who leads"]
        return []


_TOO_EARLY = {
    CallKind.TICHU: (Phase.GREAT_GRAND, Phase.GRAND),
    CallKind.GRAND: (Phase.GREAT_GRAND,),
    CallKind.GREAT_GRAND: (),
}

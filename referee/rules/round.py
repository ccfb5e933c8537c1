"""One deal of Tichu: the state, what may be done, what can be done, and the actions.

    round_ = Round.deal(order, dealer=Seat(0), options=DEFAULT_OPTIONS)
    refusal = round_.call(Seat(0), CallKind.NO_GRAND)

An action returns None when it was applied, else the refusal; a refused action changes nothing.
"""

from collections.abc import Sequence
from typing import Self

from referee.rules.cards import DOG, DRAGON, PHOENIX, RANK_MASKS, Seat
from referee.rules.combinations import BOMB, Combination
from referee.rules.errors import RefereeBug
from referee.rules.every import every_follow, every_lead
from referee.rules.legal import beating_bombs, follows, highest_readings, leads, under_wish
from referee.rules.option_values import PhoenixChoice
from referee.rules.options import partners_of
from referee.rules.phases import (
    GRAND_DECISIONS,
    GREAT_GRAND_DECISIONS,
    MADE_CALLS,
    CallKind,
    Phase,
)
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round_checks import RoundChecks
from referee.rules.round_state import CLOSING, PLAY

__all__ = ["CallKind", "Phase", "Position", "Refusal", "Round"]


_HIGHEST = PhoenixChoice.HIGHEST


class Round(RoundChecks):
    """A round, changed in place by its actions."""

    __slots__ = ()

    # What can be done

    def legal_plays(self, seat: Seat) -> list[Combination]:
        """Return one legal play for each pattern in canonical order; [] where none is open.

        For a seat that is not on turn its legal bombs. Other suits of a pattern are as legal.
        """
        if self.phase is not PLAY or seat != self.turn:
            return self._out_of_turn_plays(seat)
        table, hand = self.table, self.hands[seat]
        plays = list(leads(hand)) if table is None else follows(hand, table)
        if hand & PHOENIX and self.options.phoenix_choice is _HIGHEST:
            plays = highest_readings(plays)
        if self.wish and hand & RANK_MASKS[self.wish]:
            return under_wish(plays, self.wish, bombs_exempt=self._bomb_is_exempt(seat))
        return plays

    def _out_of_turn_plays(self, seat: Seat) -> list[Combination]:
        if self.table is None or not self._may_overtake_own(seat):
            return self.legal_bombs(seat)
        return self._off_turn(seat, follows(self.hands[seat], self.table))

    def _off_turn(self, seat: Seat, plays: list[Combination]) -> list[Combination]:
        """Apply options and wish where nobody is on turn: only a bomb with the rank obliges."""
        if self.options.phoenix_choice is _HIGHEST:
            plays = highest_readings(plays)
        if not self.wish or self._bomb_is_exempt(seat):
            return plays
        bound = under_wish([p for p in plays if p.kind is BOMB], self.wish, bombs_exempt=False)
        return [play for play in plays if play.kind is not BOMB or play in bound]

    def every_play(self, seat: Seat) -> list[Combination]:
        """Return every legal set of cards in every distinct reading, in no stated order."""
        table, hand = self.table, self.hands[seat]
        if self.phase is PLAY and seat == self.turn:
            plays = every_lead(hand) if table is None else every_follow(hand, table)
            if self.options.phoenix_choice is _HIGHEST:
                plays = highest_readings(plays)
            if not self.wish:
                return plays
            return under_wish(plays, self.wish, bombs_exempt=self._bomb_is_exempt(seat))
        if table is not None and self._may_overtake_own(seat):
            return self._off_turn(seat, every_follow(hand, table))
        if table is None or not self._bombs_are_open():
            return []
        bombs = [play for play in every_follow(hand, table) if play.kind is BOMB]
        return self._off_turn(seat, bombs)

    def legal_bombs(self, seat: Seat) -> list[Combination]:
        """Return the bombs a seat could throw at the table now, in canonical order (D1 to D3)."""
        if self.table is None or not self._bombs_are_open():
            return []
        found = beating_bombs(self.hands[seat], self.table)
        return self._off_turn(seat, found) if found and self.wish else found

    # Play

    def play(
        self, seat: Seat, cards: int, *, phoenix_rank: int | None = None, wish: int | None = None
    ) -> Refusal | None:
        """Play a set of cards, with a wish named or None (B, C, D, E)."""
        judged = self.check_play(seat, cards, phoenix_rank=phoenix_rank, wish=wish)
        if isinstance(judged, Refusal):
            return judged
        self.play_checked(seat, judged, wish)
        return None

    def play_checked(self, seat: Seat, play: Combination, wish: int | None = None) -> None:
        """Apply a play that `check_play` or a legal list gave for this very state.

        A wish may come only with the Mah Jong, as `check_play` makes sure.
        """
        cards, hand = play.cards, self.hands[seat]
        if cards & ~hand or (self.phase is not PLAY and self.phase is not CLOSING):
            raise RefereeBug(f"seat {seat} cannot play {play} in phase {self.phase}")
        hand ^= cards
        self.hands[seat] = hand
        self.has_played[seat] = True
        self.passes = 0
        if self.wish and cards & RANK_MASKS[self.wish]:
            self.wish = 0  # E2
        if wish:
            self.wish = wish  # E1: it starts after this play
        if cards == DOG:
            self._play_dog(seat)
            return
        self.phase = PLAY
        self.table, self.owner = play, seat
        self.trick |= cards
        if hand or not self._goes_out(seat):
            self.turn = self._holder_from(seat + 1)

    def _play_dog(self, seat: Seat) -> None:
        """The lead passes at once; the Dog is no trick and nobody gets the card (C4)."""
        if not self.hands[seat] and self._goes_out(seat):
            return
        heirs = self.dog_recipients(seat)
        if len(heirs) > 1:
            self.phase, self.turn = Phase.DOG, seat
        else:
            partner = partners_of(self.options, seat)[0]
            self.turn = heirs[0] if heirs else self._holder_from(partner + 1)

    def _goes_out(self, seat: Seat) -> bool:
        """Note who went out; True when that ended the play (F1)."""
        self.out.append(seat)
        one_left = len(self.out) >= self.n - 1
        if not one_left and not self.double_victory:
            return False
        if self.double_victory or not self._owes_last_gift():
            self._take_trick(seat)
            self._end()
        else:
            self.phase, self.turn = Phase.DRAGON, seat
        return True

    def _owes_last_gift(self) -> bool:
        return self._dragon_on_top() and self.options.dragon_last_trick_gift

    def _dragon_on_top(self) -> bool:
        return self.table is not None and self.table.cards == DRAGON

    def _end(self) -> None:
        self.phase, self.turn = Phase.ROUND_OVER, None

    def _take_trick(self, seat: Seat) -> None:
        self.won[seat] |= self.trick
        self.trick, self.passes = 0, 0
        self.table = self.owner = None

    def pass_turn(self, seat: Seat) -> Refusal | None:
        """Pass; the last required pass closes the trick (C1, C2)."""
        refusal = self.check_pass(seat)
        if refusal is not None:
            return refusal
        self.passes += 1
        if self.passes >= self.passes_required():
            self.phase, self.turn = CLOSING, None
        else:
            self.turn = self._holder_from(seat + 1)
            if self.turn == self.owner:
                raise RefereeBug("the turn came round to the owner of the table")
        return None

    def collect(self) -> Refusal | None:
        """Close the window after the last required pass: the trick is taken, or owed (C2, C5)."""
        if self.phase is not CLOSING or self.owner is None:
            return Refusal.WRONG_PHASE
        if self._dragon_on_top():
            self.phase, self.turn = Phase.DRAGON, self.owner
            return None
        winner = self.owner
        self._take_trick(winner)
        self.phase, self.turn = PLAY, self._holder_from(winner)
        return None

    def collect_leader(self) -> tuple[Seat, bool]:
        """Return who acts after the collect of this closing trick, and True if a gift is owed."""
        if self.phase is not CLOSING or self.owner is None:
            raise RefereeBug(f"no trick is closing in phase {self.phase}")
        if self._dragon_on_top():
            return self.owner, True
        return self._holder_from(self.owner), False

    def after_collect(self) -> Self:
        """Return a copy in which the closing trick has been collected."""
        later = self.copy()
        if later.collect() is not None:
            raise RefereeBug(f"no trick is closing in phase {self.phase}")
        return later

    # Gifts

    def give_dragon(self, seat: Seat, to: Seat) -> Refusal | None:
        """Give the trick won with the Dragon to an opponent (C5)."""
        refusal = self.check_dragon(seat, to)
        if refusal is not None:
            return refusal
        self._take_trick(to)
        if len(self.out) >= self.n - 1:
            self._end()
        else:
            self.phase, self.turn = PLAY, self._holder_from(seat)
        return None

    def give_dog(self, seat: Seat, to: Seat) -> Refusal | None:
        """Give the lead to one of several partners (H5)."""
        refusal = self.check_dog(seat, to)
        if refusal is not None:
            return refusal
        self.phase, self.turn = PLAY, to
        return None

    # Before play

    def call(self, seat: Seat, call: CallKind) -> Refusal | None:
        """Make or decline a call (A3 to A6)."""
        refusal = self.check_call(seat, call)
        if refusal is not None:
            return refusal
        if call in MADE_CALLS:
            self.calls[seat] = call
        if call in GREAT_GRAND_DECISIONS:
            self.great_grand_decided[seat] = True
            # who called it owes no Grand decision (A6)
            self.grand_decided[seat] |= call is CallKind.GREAT_GRAND
        elif call in GRAND_DECISIONS:
            self.grand_decided[seat] = True
        elif self.phase is Phase.EXCHANGE:
            self._let_others_rechoose(seat)
        self._leave_decided_phases()
        return None

    def _let_others_rechoose(self, caller: Seat) -> None:
        """A7: every other player who had given may replace his choice."""
        for seat, choice in enumerate(self.exchange_choices):
            if choice is not None and seat != caller:
                self.may_rechoose[seat] = True

    def exchange(self, seat: Seat, choice: Sequence[int]) -> Refusal | None:
        """Choose the cards to give, one mask a slot; all move when the last has chosen (A7)."""
        refusal = self.check_exchange(seat, choice)
        if refusal is not None:
            return refusal
        self.exchange_choices[seat] = tuple(choice)
        self.may_rechoose[seat] = False
        if all(given is not None for given in self.exchange_choices):
            self._move_cards()
            self._begin_play()
        return None

    def _move_cards(self) -> None:
        received: list[list[tuple[Seat, int]]] = [[] for _ in range(self.n)]
        for giver in map(Seat, range(self.n)):
            for to, card in zip(
                self.exchange_slots(giver), self.exchange_choices[giver] or (), strict=True
            ):
                self.hands[giver] ^= card
                received[to].append((giver, card))
        for seat, cards in enumerate(received):
            for _, card in cards:
                self.hands[seat] |= card
        self.received = [tuple(cards) for cards in received]

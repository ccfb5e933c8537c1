"""One deal of Tichu: the state, what may be done, what can be done, and the actions.

    round_ = Round.deal(order, dealer=Seat(0), options=DEFAULT_OPTIONS)
    refusal = round_.call(Seat(0), CallKind.NO_GRAND)

An action returns None when it was applied, else the refusal; a refused action changes nothing.
"""

from collections.abc import Sequence
from typing import Self

from referee.rules.cards import DOG, DRAGON, PHOENIXES, RANK_MASKS, Seat
from referee.rules.combinations import BOMB, Combination
from referee.rules.errors import RefereeBug
from referee.rules.every import every_follow, every_lead
from referee.rules.legal import beating_bombs, follows, highest_readings, leads, under_wish
from referee.rules.option_values import PhoenixChoice, TientsinDogNoPartner
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round_calls import RoundCalls
from referee.rules.round_state import CLOSING, PLAY
from referee.rules.scoring import is_team_out

__all__ = ["CallKind", "Phase", "Position", "Refusal", "Round"]


_HIGHEST = PhoenixChoice.HIGHEST


class Round(RoundCalls):
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
        two = self.options.gs_two_phoenix_in_combo
        if table is None:
            plays = list(leads(hand, two_phoenixes=two))
        else:
            plays = follows(hand, table, two_phoenixes=two)
        if hand & PHOENIXES and self.options.phoenix_choice is _HIGHEST:
            plays = highest_readings(plays)
        if self.wish and hand & RANK_MASKS[self.wish] and seat != self.seating.tisch:
            return under_wish(plays, self.wish, bombs_exempt=self._bomb_is_exempt(seat))
        return plays

    def _out_of_turn_plays(self, seat: Seat) -> list[Combination]:
        if self.table is None or not self._may_overtake_own(seat):
            return self.legal_bombs(seat)
        two = self.options.gs_two_phoenix_in_combo
        return self._off_turn(seat, follows(self.hands[seat], self.table, two_phoenixes=two))

    def _off_turn(self, seat: Seat, plays: list[Combination]) -> list[Combination]:
        """Apply options and wish where nobody is on turn: only a bomb with the rank obliges."""
        if self.options.phoenix_choice is _HIGHEST:
            plays = highest_readings(plays)
        if not self.wish or self._bomb_is_exempt(seat) or seat == self.seating.tisch:
            return plays
        bound = under_wish([p for p in plays if p.kind is BOMB], self.wish, bombs_exempt=False)
        return [play for play in plays if play.kind is not BOMB or play in bound]

    def every_play(self, seat: Seat) -> list[Combination]:
        """Return every legal set of cards in every distinct reading, in no stated order."""
        table, hand = self.table, self.hands[seat]
        two = self.options.gs_two_phoenix_in_combo
        if self.phase is PLAY and seat == self.turn:
            if table is None:
                plays = every_lead(hand, two_phoenixes=two)
            else:
                plays = every_follow(hand, table, two_phoenixes=two)
            if self.options.phoenix_choice is _HIGHEST:
                plays = highest_readings(plays)
            if not self.wish or seat == self.seating.tisch:
                return plays
            return under_wish(plays, self.wish, bombs_exempt=self._bomb_is_exempt(seat))
        if table is not None and self._may_overtake_own(seat):
            return self._off_turn(seat, every_follow(hand, table, two_phoenixes=two))
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
            self.turn = self.next_holder(seat)

    def _play_dog(self, seat: Seat) -> None:
        """The lead passes at once; the Dog is no trick and nobody gets the card (C4)."""
        if not self.hands[seat] and self._goes_out(seat):
            return
        heirs = self.dog_recipients(seat)
        if len(heirs) > 1:
            self.phase, self.turn = Phase.DOG, seat
        else:
            self.turn = heirs[0] if heirs else self._leader_without_partner(seat)

    def _leader_without_partner(self, seat: Seat) -> Seat:
        """Return who leads after a Dog whose player has no partner with cards (C4, H5).

        With four next(partner); with six next(Dog player), or with `tientsin_dog_no_partner` left
        the first with cards on his other side, against the turn order. In Grand Seigneur, which
        has no partners, next(Dog player) too (`gs_dog` one).
        """
        if self.options.tientsin_dog_no_partner is TientsinDogNoPartner.LEFT:
            return next(s for s in (*reversed(self.seating.others[seat]), seat) if self.hands[s])
        partners = self.seating.partners[seat]
        return self.next_holder(partners[0] if len(partners) == 1 else seat)

    def _goes_out(self, seat: Seat) -> bool:
        """Note who went out; True when that ended the play (F1)."""
        self.out.append(seat)
        if not self.play_is_over() and not self.double_victory:
            return False
        if self.double_victory or not self._owes_last_gift():
            self._take_trick(seat)
            self._end()
        else:
            self.phase, self.turn = Phase.DRAGON, seat
        return True

    def play_is_over(self) -> bool:
        """True when a round ends without a double victory (F1b, `tientsin_end_when_team_out`)."""
        if len(self.out) >= self.n - 1:
            return True
        return self.options.tientsin_end_when_team_out and is_team_out(self.out, self.seating)

    def _owes_last_gift(self) -> bool:
        return self._dragon_on_top() and self.options.dragon_last_trick_gift

    def _dragon_on_top(self) -> bool:
        return self.table is not None and self.table.cards == DRAGON and bool(self.seating.teams)

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
            self.turn = self.next_holder(seat)
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
        self.phase, self.turn = PLAY, self.first_holder(winner)
        return None

    def collect_leader(self) -> tuple[Seat, bool]:
        """Return who acts after the collect of this closing trick, and True if a gift is owed."""
        if self.phase is not CLOSING or self.owner is None:
            raise RefereeBug(f"no trick is closing in phase {self.phase}")
        if self._dragon_on_top():
            return self.owner, True
        return self.first_holder(self.owner), False

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
        if self.play_is_over():
            self._end()
        else:
            self.phase, self.turn = PLAY, self.first_holder(seat)
        return None

    def give_dog(self, seat: Seat, to: Seat) -> Refusal | None:
        """Give the lead to one of several partners (H5)."""
        refusal = self.check_dog(seat, to)
        if refusal is not None:
            return refusal
        self.phase, self.turn = PLAY, to
        return None

    # Exchange

    def exchange(self, seat: Seat, choice: Sequence[int]) -> Refusal | None:
        """Choose the cards to give, one mask a slot; all move when the last has chosen (A7)."""
        refusal = self.check_exchange(seat, choice)
        if refusal is not None:
            return refusal
        self.exchange_choices[seat] = tuple(choice)
        self.may_rechoose[seat] = False
        if all(c is not None or not self.slots[s] for s, c in enumerate(self.exchange_choices)):
            self._move_cards()
            self._begin_play()
        return None

    def _move_cards(self) -> None:
        received: list[list[tuple[Seat, int]]] = [[] for _ in range(self.n)]
        for giver in map(Seat, range(self.n)):
            for slot, cards in zip(
                self.slots[giver], self.exchange_choices[giver] or (), strict=True
            ):
                self.hands[giver] ^= cards
                received[slot.to].append((giver, cards))
        for seat, gifts in enumerate(received):
            for _, cards in gifts:
                self.hands[seat] |= cards
        self.received = [tuple(gifts) for gifts in received]

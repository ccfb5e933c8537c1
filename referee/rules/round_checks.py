"""What a seat may do: the fast validator and the checks of every other action. Nothing changes.

Where several refusals apply the first is given, in the order of the vectors.
"""

from collections.abc import Sequence

from referee.rules.call_checks import CallChecks
from referee.rules.cards import DOG, DUPLICATE, MAHJONG, RANK_MASKS, Seat
from referee.rules.combinations import BOMB, LYING_ON, Combination, beats, lying_on, read
from referee.rules.exchanges import fits
from referee.rules.hands import hand_has_bomb
from referee.rules.legal import beating_bombs
from referee.rules.option_values import (
    DragonGiftToFinished,
    ExchangeRechoose,
    PhoenixChoice,
    SelfOvertake,
    WishBombExempt,
)
from referee.rules.phases import Phase
from referee.rules.refusals import Refusal
from referee.rules.round_state import CLOSING, PLAY
from referee.rules.wish import can_bomb_with, can_fulfil

_NEVER, _INTERRUPT = WishBombExempt.NEVER, WishBombExempt.INTERRUPT
_ALSO_LEAD = WishBombExempt.ALSO_LEAD


class RoundChecks(CallChecks):
    """Every question "may I?", answered without listing a single play."""

    __slots__ = ()

    def check_play(
        self, seat: Seat, cards: int, *, phoenix_rank: int | None = None, wish: int | None = None
    ) -> Combination | Refusal:
        """Return the play as it would lie on the table, or why not.

        `wish` names a rank 2..14, None = no wish is named (E1).
        """
        return self._judge(seat, cards, phoenix_rank, wish, on_turn=seat == self.turn)

    def check_bomb(
        self, seat: Seat, cards: int, *, phoenix_rank: int | None = None, wish: int | None = None
    ) -> Combination | Refusal:
        """Judge a bomb as thrown out of turn, from the seat's own hand and the table alone."""
        return self._judge(seat, cards, phoenix_rank, wish, on_turn=False)

    def bomb_refusal(
        self, seat: Seat, cards: int, *, phoenix_rank: int | None = None, wish: int | None = None
    ) -> Refusal | None:
        """Return why `check_bomb` refuses, None when it does not."""
        judged = self._judge(seat, cards, phoenix_rank, wish, on_turn=False)
        return judged if isinstance(judged, Refusal) else None

    def _judge(
        self, seat: Seat, cards: int, phoenix_rank: int | None, wish: int | None, *, on_turn: bool
    ) -> Combination | Refusal:
        phase = self.phase
        if phase is not PLAY and phase is not CLOSING:
            return Refusal.WRONG_PHASE
        if cards & ~self.hands[seat]:
            return Refusal.CARDS_NOT_HELD
        two = self.options.gs_two_phoenix_in_combo
        play = read(cards, phoenix_rank, two_phoenixes=two)
        if isinstance(play, Refusal):
            return play
        if phoenix_rank and self._names_lower_reading(play):
            return Refusal.PHOENIX_RANK
        table = self.table
        if not on_turn and not self._may_overtake_own(seat):
            if play.kind is not BOMB:
                return Refusal.NOT_YOUR_TURN
            if table is None or not self._window_is_open():
                return Refusal.NO_BOMB_HERE
        if table is not None:
            if not beats(play, table):
                return _why_too_weak(play, table)
            if cards in LYING_ON:
                play = lying_on(play, table)
        if self.wish and not cards & RANK_MASKS[self.wish] and self._wish_binds(seat, play):
            return Refusal.MUST_FULFIL_WISH
        return self.check_named_wish(cards, wish) or play

    def check_named_wish(self, cards: int, wish: int | None) -> Refusal | None:
        """Return why `wish` cannot be named with a play that is legal but for it (E1)."""
        if wish is not None:
            if not cards & MAHJONG:
                return Refusal.WISH_WITHOUT_MAH_JONG
            if not 2 <= wish <= 14:
                return Refusal.BAD_WISH
        elif cards & MAHJONG and not self.options.wish_optional:
            return Refusal.BAD_WISH
        return None

    def _names_lower_reading(self, play: Combination) -> bool:
        """`phoenix_choice` highest: the lower reading of B7 cannot be chosen."""
        if self.options.phoenix_choice is PhoenixChoice.PLAYER:
            return False
        highest = read(play.cards, two_phoenixes=self.options.gs_two_phoenix_in_combo)
        return highest != play

    def _may_overtake_own(self, seat: Seat) -> bool:
        """C3, `self_overtake` any: the owner may beat his own play with any higher one."""
        return (
            self.phase is CLOSING
            and self.options.self_overtake is SelfOvertake.ANY
            and seat == self.owner
        )

    def _window_is_open(self) -> bool:
        """D3: bombs after the last required pass, unless the options close that window."""
        return self.phase is PLAY or self.options.bomb_after_all_pass

    def _wish_binds(self, seat: Seat, play: Combination) -> bool:
        """True when the open wish forbids a play that lacks its rank (E3, E6 to E8)."""
        if play.kind is BOMB and self._bomb_is_exempt(seat):
            return False
        if seat == self.turn:
            return self._must_fulfil(seat)
        # out of turn only bombs are open, so only a bomb with the rank can oblige
        return seat != self.seating.tisch and play.kind is BOMB and self._must_bomb_with_rank(seat)

    def _bomb_is_exempt(self, seat: Seat) -> bool:
        exempt = self.options.wish_bomb_exempt
        if seat != self.turn:
            return exempt is not _NEVER
        if self.table is None:
            return exempt is _ALSO_LEAD
        return exempt is _INTERRUPT or exempt is _ALSO_LEAD

    def _must_bomb_with_rank(self, seat: Seat) -> bool:
        return self.table is not None and can_bomb_with(self.hands[seat], self.table, self.wish)

    def check_pass(self, seat: Seat) -> Refusal | None:
        """Return why a seat may not pass, None when it may (C1, E3)."""
        if self.phase is not PLAY:
            return Refusal.WRONG_PHASE
        if seat != self.turn:
            return Refusal.NOT_YOUR_TURN
        if self.table is None:
            return Refusal.MUST_LEAD
        if self.wish and self._must_fulfil(seat):
            return Refusal.MUST_FULFIL_WISH
        return None

    def _must_fulfil(self, seat: Seat) -> bool:
        """True when a seat on turn must play a card of the wished rank (E3); never the Tisch."""
        if seat == self.seating.tisch:
            return False
        two = self.options.gs_two_phoenix_in_combo
        return can_fulfil(self.hands[seat], self.table, self.wish, two_phoenixes=two)

    def may_pass(self, seat: Seat) -> bool:
        """True when a seat is on turn, follows, and no wish binds it."""
        return self.check_pass(seat) is None

    def holds_legal_bomb(self, seat: Seat) -> bool:
        """True when a seat could throw a bomb at the table now, in turn or not (D1 to D3)."""
        if seat not in self.bomb_seats or not hand_has_bomb(self.hands[seat]):
            return False
        table = self.table
        if table is None or not self._bombs_are_open():
            return False
        return table.kind is not BOMB or bool(beating_bombs(self.hands[seat], table))

    def bomb_holders(self) -> list[Seat]:
        """Return every seat for which `holds_legal_bomb` is true, from next(owner) to the owner."""
        if not self.bomb_seats or self.owner is None:
            return []
        order = self.seating.after[self.owner]
        return [seat for seat in order if self.holds_legal_bomb(seat)]

    def _bombs_are_open(self) -> bool:
        if self.table is None or (self.phase is not PLAY and self.phase is not CLOSING):
            return False
        return self._window_is_open()

    # Exchange and gifts

    def check_exchange(self, seat: Seat, choice: Sequence[int]) -> Refusal | None:
        """Return why a seat may not give these cards: one mask a slot (A7, I3)."""
        if self.phase is not Phase.EXCHANGE:
            return Refusal.WRONG_PHASE
        hand, given = self.hands[seat], 0
        for cards in choice:
            given |= cards
        if given & ~hand & ~DUPLICATE:
            return Refusal.CARDS_NOT_HELD
        if not fits(self.slots[seat], hand, choice, self.options):
            return Refusal.BAD_EXCHANGE
        if self.exchange_choices[seat] is not None and not self.may_replace_exchange(seat):
            return Refusal.BAD_EXCHANGE
        return None

    def may_replace_exchange(self, seat: Seat) -> bool:
        """True when a seat that has given may choose anew (A7, `exchange_rechoose`)."""
        rechoose = self.options.exchange_rechoose
        if rechoose is ExchangeRechoose.AFTER_CALL:
            return self.may_rechoose[seat]
        return rechoose is ExchangeRechoose.UNTIL_ALL_GAVE

    def check_dragon(self, seat: Seat, to: int) -> Refusal | None:
        """Return why a seat may not give the Dragon's trick to another (C5)."""
        return self._check_gift(Phase.DRAGON, seat, to, self.dragon_recipients(seat))

    def check_dog(self, seat: Seat, to: int) -> Refusal | None:
        """Return why a seat may not give the lead to a partner (H5)."""
        return self._check_gift(Phase.DOG, seat, to, self.dog_recipients(seat))

    def _check_gift(
        self, phase: Phase, seat: Seat, to: int, recipients: tuple[Seat, ...]
    ) -> Refusal | None:
        if self.phase is not phase:
            return Refusal.WRONG_PHASE
        if seat != self.turn:
            return Refusal.NOT_YOUR_TURN
        return None if to in recipients else Refusal.BAD_RECIPIENT

    def dragon_recipients(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the opponents who may get the Dragon's trick, in turn order from the giver."""
        opponents = self.seating.opponents[seat]
        if self.options.dragon_gift_to_finished is DragonGiftToFinished.ALLOWED:
            return opponents
        return tuple([s for s in opponents if self.hands[s]]) or opponents

    def dog_recipients(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the partners with cards, who may get the lead from the Dog (C4, H5)."""
        return tuple([s for s in self.seating.partners[seat] if self.hands[s]])


def _why_too_weak(play: Combination, table: Combination) -> Refusal:
    if play.cards == DOG:
        return Refusal.DOG_ONLY_LEADS
    if play.kind is BOMB or (play.kind is table.kind and play.length == table.length):
        return Refusal.TOO_LOW
    return Refusal.WRONG_COMBINATION

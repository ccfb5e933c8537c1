"""The rules of play and score, applied to what the seats were told happened (RULES B to F)."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.cards import DOG, DRAGON, MAH_JONG, NATURAL, mask_of, points_of, text_of
from tests.simulation.audit.combos import BOMB, Reading, beats, binds, count, on_table, readings
from tests.simulation.audit.dealing import Dealing
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.patterns import patterns
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.scoring import Score, final_trick, winner_after

Private = Sequence[match_pb2.Event | None]  # by seat: what each was told under the number


class Ruling(Dealing):
    """Follows a match event by event and says what is against the rules."""

    def apply(self, told: Private) -> None:
        """Apply one event, as each seat was told it."""
        event = next(event for event in told if event is not None)
        kind = str(event.WhichOneof("event"))
        handler = getattr(self, f"_{kind}", None)
        if handler is None:
            return  # an event of a later referee
        if kind not in ("cards_dealt", "cards_exchanged"):
            self._due(kind)
            handler(getattr(event, kind))
        else:
            handler([event and getattr(event, kind) for event in told])

    def _due(self, kind: str) -> None:
        """What has to follow at once must follow."""
        at = self.at
        if kind in ("match_ended", "call_made"):
            return
        if at.out_due is not None and kind != "went_out":
            self._say(F.ROUND_END, f"seat {at.out_due} has no cards, and {kind} follows")
            at.out_due = None
        elif at.lead_due is not None and kind not in ("lead_handed", "went_out", "round_ended"):
            self._say(F.TRICK, f"{kind} after the Dog of seat {at.lead_due}")
            at.lead_due = None
        elif at.gift_due and kind not in ("dragon_given",):
            self._say(F.TRICK, f"{kind} before the Dragon's trick is given away")
            at.gift_due = False

    # -- play ---------------------------------------------------------------------------------

    def _played(self, played: match_pb2.Played) -> None:
        at, seat = self.at, played.seat
        mask = mask_of(played.play.cards)
        if mask <= 0 or list(played.play.cards) != sorted(played.play.cards):
            self._say(F.CARDS, f"seat {seat} played {list(played.play.cards)}")
            return
        reading = self._read(played.play, mask)
        if why := self.play_fault(seat, mask, reading):
            self._say(why[0], f"seat {seat} played {text_of(mask)}: {why[1]}")
        if reading is None:
            return
        if bad := self.wish_fault(mask, played.wish if played.HasField("wish") else None):
            self._say(F.WISH, f"seat {seat} played {text_of(mask)}: {bad}")
        self._put(seat, mask, reading, played.wish)
        if at.counts[seat] != played.cards_left:
            self._say(F.CARDS, f"seat {seat} has {at.counts[seat]} cards, not {played.cards_left}")

    def _read(self, play: match_pb2.Play, mask: int) -> Reading | None:
        """The reading that was told, if it is one."""
        table = self.at.table
        fitting = [on_table(reading, mask, table) for reading in readings(mask)]
        rank = play.phoenix_rank if play.HasField("phoenix_rank") else 0
        told = Reading(play.kind, mask.bit_count(), play.rank_halves, rank)
        if told not in fitting:
            self._say(F.READING, f"{text_of(mask)} told as {tuple(told)}, it is {fitting}")
            return fitting[0] if fitting else None
        if self.rules.says("phoenix_choice", "highest") and told != fitting[0]:
            self._say(F.READING, f"{text_of(mask)}: not its highest reading")
        return told

    def play_fault(
        self, seat: int, mask: int, reading: Reading | None, at: Position | None = None
    ) -> tuple[F, str] | None:
        """Why a play is against the rules, in the order of judgement; None if it is not."""
        at = at or self.at
        hand = at.hands[seat]
        if at.phase not in (Phase.PLAY, Phase.CLOSING) or at.over:
            return F.TURN, f"in phase {at.phase.name}"
        if hand != UNKNOWN and mask & ~hand:
            return F.CARDS, f"not held: {text_of(mask & ~hand)}"
        if reading is None:
            return F.READING, "no combination"
        bomb = reading.kind == BOMB
        if at.table is None:
            if at.turn not in (None, seat):
                return F.TURN, f"seat {at.turn} leads"
        else:
            own = at.phase is Phase.CLOSING and seat == at.owner
            overtakes = own and self.rules.says("self_overtake", "any")
            if seat != at.turn and not bomb and not overtakes:
                return F.TURN, f"seat {at.turn} is on turn"
            if not beats(reading, mask, at.table):
                return F.TOO_LOW, f"on {tuple(at.table)}"
        if self._owes_wish(seat, mask, bomb, at):
            return F.WISH, f"the wish for {at.wish} binds"
        return None

    def _owes_wish(self, seat: int, mask: int, bomb: bool, at: Position) -> bool:
        """Whether this play leaves a wish that binds its seat unfulfilled (E3, E6, E7)."""
        hand = at.hands[seat]
        if not at.wish or count(mask, at.wish) or hand == UNKNOWN:
            return False
        if at.phase is not Phase.PLAY or at.turn != seat:
            return bomb and at.table is not None and mask not in self.bombs(hand, at.table, at.wish)
        exempt = self.rules.options["wish_bomb_exempt"]
        if bomb and (exempt == "also_lead" or (exempt == "interrupt" and at.table is not None)):
            return False
        return binds(hand, at.table, at.wish)

    def bombs(self, hand: int, table: Reading | None, wish: int) -> frozenset[int]:
        """The bombs that a hand may throw out of turn: where the options free none of the wish,
        one with the rank goes before one without (E6)."""
        found = patterns(hand, table)[1]
        if not wish or not self.rules.says("wish_bomb_exempt", "never"):
            return found
        return frozenset(bomb for bomb in found if count(bomb, wish)) or found

    def wish_fault(self, mask: int, wish: int | None) -> str:
        """What is wrong with the wish of a play; nothing if it is right (E1)."""
        if not mask >> MAH_JONG & 1:
            return "a wish without the Mah Jong" if wish is not None else ""
        if wish is None:
            return "" if self.rules.on("wish_optional") else "no wish"
        return "" if 2 <= wish <= 14 else f"a wish for {wish}"

    def _put(self, seat: int, mask: int, reading: Reading, wish: int) -> None:
        at = self.at
        at.actions += 1
        if at.hands[seat] != UNKNOWN:
            at.hands[seat] &= ~mask
        at.counts[seat] = max(0, at.counts[seat] - mask.bit_count())
        if at.counts[seat] == 0:
            at.out_due = seat
        if at.wish and count(mask & NATURAL, at.wish):
            at.wish = 0
        if mask >> MAH_JONG & 1 and wish:
            at.wish = wish
        at.phase = Phase.PLAY
        at.passes = 0
        at.owner = seat
        if mask == 1 << DOG:
            at.lead_due, at.table, at.owner, at.turn = seat, None, None, None
            return
        at.table, at.table_mask, at.trick = reading, mask, at.trick | mask
        at.turn = at.next_seat(seat)

    def _passed(self, passed: match_pb2.Passed) -> None:
        at, seat = self.at, passed.seat
        at.actions += 1
        if at.phase is not Phase.PLAY or at.table is None or at.turn not in (None, seat):
            self._say(F.TURN, f"a pass of seat {seat}; turn {at.turn}, phase {at.phase.name}")
            return
        if not self.may_pass(seat):
            self._say(F.WISH, f"a pass of seat {seat}, but the wish for {at.wish} binds")
        at.passes += 1
        others = [other for other in at.active if other != at.owner]
        if at.passes >= len(others):
            at.phase, at.turn = Phase.CLOSING, None
        else:
            at.turn = at.next_seat(seat)

    def may_pass(self, seat: int, at: Position | None = None) -> bool:
        at = at or self.at
        if at.table is None:
            return False
        hand = at.hands[seat]
        return not at.wish or hand == UNKNOWN or not binds(hand, at.table, at.wish)

    def _went_out(self, went: match_pb2.WentOut) -> None:
        at = self.at
        if at.out_due != went.seat or went.place != len(at.out) + 1:
            self._say(F.ROUND_END, f"seat {went.seat} out on place {went.place}, not so")
        at.out_due = None
        if went.seat not in at.out:
            at.out.append(went.seat)
        if at.is_over:
            at.over, at.turn = True, None
            owes = at.table_mask == 1 << DRAGON and not at.double
            if owes and self.rules.on("dragon_last_trick_gift"):
                at.phase, at.turn = Phase.DRAGON, went.seat

    def _trick_taken(self, taken: match_pb2.TrickTaken) -> None:
        at = self.at
        if at.phase is not Phase.CLOSING and not at.over:
            self._say(F.TRICK, f"a trick is taken in phase {at.phase.name}")
        if at.owner != taken.seat or points_of(at.trick) != taken.points:
            self._say(
                F.TRICK,
                f"seat {taken.seat} takes {taken.points}, not {at.owner} {points_of(at.trick)}",
            )
        at.gift_due = at.table_mask == 1 << DRAGON and not (at.over and at.double)
        if at.gift_due:  # until it is given the trick lies there and is nobody's
            at.phase, at.turn = Phase.DRAGON, at.owner
            return
        at.won[taken.seat] |= at.trick
        at.phase, at.turn = Phase.PLAY, at.leader
        self._clear()

    def _clear(self) -> None:
        at = self.at
        at.table, at.table_mask, at.owner, at.trick, at.passes = None, 0, None, 0, 0

    def _dragon_given(self, given: match_pb2.DragonGiven) -> None:
        at = self.at
        last = at.over and at.table_mask == 1 << DRAGON  # of a round: not taken before
        if not (at.gift_due or last) or at.owner != given.seat:
            self._say(F.TRICK, f"seat {given.seat} gives a trick that is no Dragon's")
        if given.to_seat not in self.gift_seats(given.seat):
            self._say(F.TRICK, f"seat {given.seat} gives the Dragon's trick to {given.to_seat}")
        if points_of(at.trick) != given.points:
            self._say(F.TRICK, f"{given.points} points given away, not {points_of(at.trick)}")
        at.actions += 1
        at.won[given.to_seat] |= at.trick
        at.gift_due, at.phase, at.turn = False, Phase.PLAY, at.leader
        self._clear()

    def gift_seats(self, giver: int, at: Position | None = None) -> list[int]:
        """Who may get the Dragon's trick (C5)."""
        at = at or self.at
        opponents = [(giver + 1) % 4, (giver + 3) % 4]
        if self.rules.says("dragon_gift_to_finished", "forbidden"):
            with_cards = [seat for seat in opponents if at.counts[seat]]
            return with_cards or opponents
        return opponents

    def _lead_handed(self, handed: match_pb2.LeadHanded) -> None:
        at = self.at
        partner = (handed.seat + 2) % 4
        to = partner if at.counts[partner] else at.next_seat(partner)
        if at.lead_due != handed.seat or handed.to_seat != to:
            self._say(F.TRICK, f"the lead goes from {handed.seat} to {handed.to_seat}, not {to}")
        at.lead_due, at.turn = None, handed.to_seat

    # -- the end ------------------------------------------------------------------------------

    def _round_ended(self, ended: match_pb2.RoundEnded) -> None:
        at = self.at
        if not at.over:
            self._say(F.ROUND_END, f"round {ended.round} ends with {len(at.out)} seats out")
        final_trick(at, self.rules)
        score = Score.of(at, self.rules)
        for code, text in score.differences(ended, at):
            self._say(code, text)
        at.totals = [total + points for total, points in zip(at.totals, score.points, strict=True)]
        if list(ended.totals) != at.totals:
            self._say(F.SCORE, f"totals {list(ended.totals)}, not {at.totals}")
        at.rounds_played += 1
        at.first_out = at.out[0] if at.out else None
        at.phase, at.over, at.turn = Phase.OVER, True, None
        at.lead_due, at.out_due, at.gift_due = None, None, False

    def _match_ended(self, ended: match_pb2.MatchEnded) -> None:
        at = self.at
        if ended.ending == match_pb2.ENDING_COMPLETED:
            over, winner = winner_after(at, self.rules)
            told = ended.winner if ended.HasField("winner") else None
            if at.phase is not Phase.OVER or not over:
                self._say(F.MATCH_END, f"completed at {at.totals} after {at.rounds_played} rounds")
            elif told != winner:
                self._say(F.WINNER, f"team {told} wins at {at.totals}, not {winner}")
        if list(ended.totals) != at.totals or ended.rounds != at.rounds_played:
            self._say(
                F.MATCH_END,
                f"totals {list(ended.totals)} after {ended.rounds} rounds, not {at.totals} after "
                f"{at.rounds_played}",
            )
        at.match_over = True

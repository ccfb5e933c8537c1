"""The rules of play and score, applied to what the seats were told happened (RULES B to I)."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.cards import (
    DOG,
    MAH_JONG,
    NATURALS,
    is_dragon,
    mask_of,
    points_of,
    text_of,
)
from tests.simulation.audit.combos import (
    BOMB,
    Reading,
    beats,
    binds,
    count,
    folded,
    on_table,
    readings,
)
from tests.simulation.audit.dealing import Dealing
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.patterns import patterns
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.scoring import Score, final_trick, winner_after

PRIVATE = ("cards_dealt", "cards_exchanged", "bids_shown")
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
        if kind not in PRIVATE:
            self._due(kind)
            handler(getattr(event, kind))
        else:
            handler([event and getattr(event, kind) for event in told])

    def _due(self, kind: str) -> None:
        """What has to follow at once must follow."""
        at = self.at
        if kind == "match_ended":
            return
        if at.show_due and kind != "hand_shown":
            self._say(F.EXCHANGE, f"{kind} before the Tisch's hand is shown")
            at.show_due = False
        if kind == "call_made":
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
        fitting = self.readings_of(mask, table)
        told = told_reading(play)
        if told not in fitting:
            self._say(F.READING, f"{text_of(mask)} told as {tuple(told)}, it is {fitting}")
            return fitting[0] if fitting else None
        if self.rules.says("phoenix_choice", "highest") and told != fitting[0]:
            self._say(F.READING, f"{text_of(mask)}: not its highest reading")
        return told

    def readings_of(self, mask: int, table: Reading | None) -> list[Reading]:
        """Every reading of cards that are put on the table, the highest first."""
        found = readings(mask, two_phoenixes=self.rules.two_phoenixes)
        return [on_table(reading, mask, table) for reading in found]

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
        hand, wish = at.hands[seat], self.wish_for(seat, at)
        if not wish or count(mask, wish) or hand == UNKNOWN:
            return False
        if at.phase is not Phase.PLAY or at.turn != seat:
            free = at.table is None or folded(mask) in self.bombs(hand, at.table, wish)
            return bomb and not free
        exempt = self.rules.options["wish_bomb_exempt"]
        if bomb and (exempt == "also_lead" or (exempt == "interrupt" and at.table is not None)):
            return False
        return self.binds(hand, at.table, wish)

    def wish_for(self, hand: int, at: Position) -> int:
        """The wish that a hand may have to fulfil: the Tisch never has to (G7)."""
        return 0 if hand == at.seats.tisch else at.wish

    def binds(self, hand: int, table: Reading | None, wish: int) -> bool:
        """Whether a hand on turn can fulfil the wish."""
        return bool(wish) and binds(hand, table, wish, two_phoenixes=self.rules.two_phoenixes)

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
        at.played.add(seat)
        if at.hands[seat] != UNKNOWN:
            at.hands[seat] &= ~mask
        at.counts[seat] = max(0, at.counts[seat] - mask.bit_count())
        if at.counts[seat] == 0:
            at.out_due = seat
        if at.wish and count(mask & NATURALS, at.wish):
            at.wish = 0
        if mask >> MAH_JONG & 1 and wish:
            at.wish = wish
        at.phase = Phase.PLAY
        at.passes = 0
        at.owner = seat
        if mask == 1 << DOG:
            at.lead_due, at.table, at.owner, at.turn = seat, None, None, None
            if len(self.heirs(seat)) > 1 and not self._is_over_with(seat):
                at.phase, at.turn = Phase.DOG, seat
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
        hand, wish = at.hands[seat], self.wish_for(seat, at)
        return not wish or hand == UNKNOWN or not self.binds(hand, at.table, wish)

    def _went_out(self, went: match_pb2.WentOut) -> None:
        at = self.at
        if at.out_due != went.seat or went.place != len(at.out) + 1:
            self._say(F.ROUND_END, f"seat {went.seat} out on place {went.place}, not so")
        at.out_due = None
        if went.seat not in at.out:
            at.out.append(went.seat)
        if self._is_over():
            at.over, at.turn = True, None
            owes = is_dragon(at.table_mask) and not at.double and self.rules.has_teams
            if owes and self.rules.on("dragon_last_trick_gift"):
                at.phase, at.turn = Phase.DRAGON, went.seat

    def _is_over(self) -> bool:
        """Whether the play ends here (F1, H7, I4)."""
        at = self.at
        early = self.rules.on("tientsin_end_when_team_out") and at.team_is_out
        return at.one_is_left or at.double or early

    def _is_over_with(self, seat: int) -> bool:
        """Whether the play ends with this seat, if it goes out now."""
        if self.at.counts[seat]:
            return False
        self.at.out.append(seat)
        over = self._is_over()
        self.at.out.pop()
        return over

    def _trick_taken(self, taken: match_pb2.TrickTaken) -> None:
        at = self.at
        if at.phase is not Phase.CLOSING and not at.over:
            self._say(F.TRICK, f"a trick is taken in phase {at.phase.name}")
        if at.owner != taken.seat or points_of(at.trick) != taken.points:
            self._say(
                F.TRICK,
                f"seat {taken.seat} takes {taken.points}, not {at.owner} {points_of(at.trick)}",
            )
        given = is_dragon(at.table_mask) and self.rules.has_teams
        at.gift_due = given and not (at.over and at.double)
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
        last = at.over and is_dragon(at.table_mask)  # of a round: not taken before
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
        opponents = list(at.seats.opponents[giver])
        if self.rules.says("dragon_gift_to_finished", "forbidden"):
            with_cards = [seat for seat in opponents if at.counts[seat]]
            return with_cards or opponents
        return opponents

    def heirs(self, seat: int, at: Position | None = None) -> list[int]:
        """The partners with cards, who may get the lead from the Dog (C4, H5)."""
        at = at or self.at
        return [partner for partner in at.seats.partners[seat] if at.counts[partner]]

    def _lead_handed(self, handed: match_pb2.LeadHanded) -> None:
        at = self.at
        due = self.heirs(handed.seat) or [self._leader_without_partner(handed.seat)]
        if at.lead_due != handed.seat or handed.to_seat not in due:
            self._say(F.TRICK, f"the lead goes from {handed.seat} to {handed.to_seat}, not {due}")
        at.actions += at.phase is Phase.DOG
        at.lead_due, at.turn, at.phase = None, handed.to_seat, Phase.PLAY

    def _leader_without_partner(self, seat: int) -> int:
        """Who leads after a Dog whose player has no partner with cards (C4, H5, `gs_dog`)."""
        at = self.at
        if self.rules.says("tientsin_dog_no_partner", "left"):
            backwards = [*reversed(at.seats.after[seat]), seat]
            return next((other for other in backwards if at.counts[other]), seat)
        partners = at.seats.partners[seat]
        return at.next_seat(partners[0] if len(partners) == 1 else seat)

    # -- the end ------------------------------------------------------------------------------

    def _round_ended(self, ended: match_pb2.RoundEnded) -> None:
        at = self.at
        if not at.over:
            self._say(F.ROUND_END, f"round {ended.round} ends with {len(at.out)} seats out")
        if ended.HasField("refused_seat") != (at.refused is not None) or (
            at.refused is not None and ended.refused_seat != at.refused
        ):
            self._say(F.ROUND_END, f"the call of seat {at.refused} was refused, told otherwise")
        final_trick(at, self.rules)
        score = Score.of(at, self.rules)
        for code, text in score.differences(ended, at):
            self._say(code, text)
        at.totals = [total + points for total, points in zip(at.totals, score.points, strict=True)]
        if list(ended.totals) != at.totals:
            self._say(F.SCORE, f"totals {list(ended.totals)}, not {at.totals}")
        at.rounds_played += 1
        at.first_out = at.out[0] if at.out else at.dealer  # where a call was refused
        self._ranks(ended)
        at.phase, at.over, at.turn = Phase.OVER, True, None
        at.lead_due, at.out_due, at.gift_due = None, None, False

    def _ranks(self, ended: match_pb2.RoundEnded) -> None:
        """The ranks of a round of Grand Seigneur (I2)."""
        at = self.at
        ranks = () if self.rules.has_teams else (*at.out, *at.active)
        if tuple(ended.ranks) != ranks:
            self._say(F.ROUND_END, f"ranks {list(ended.ranks)}, not {ranks}")
        at.ranks_before, at.last_ranks = at.last_ranks, ranks

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


def told_reading(play: match_pb2.Play) -> Reading:
    """The reading that a message says."""
    second = play.second_phoenix_rank
    return Reading(play.kind, len(play.cards), play.rank_halves, play.phoenix_rank, second)

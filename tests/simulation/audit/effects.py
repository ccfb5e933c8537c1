"""What happened is what was answered, or the substitute for it."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit import gifts
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.asked import HOLD, Asked
from tests.simulation.audit.cards import mask_of, text_of
from tests.simulation.audit.combos import BOMB, can_follow
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lawful import NOTHING, UNSAID, Deed, deed, kind_of, substitute
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.story import Story

SUBSTITUTED = (match_pb2.CANCEL_REASON_TIMED_OUT, match_pb2.CANCEL_REASON_SUBSTITUTED)
_NO = (r.NO_GRAND, r.NO_GREAT_GRAND, r.ACCEPT)


class Effects:
    """Compares each event with the answer that led to it."""

    def __init__(self, story: Story, history: History, desk: Desk, report: Report) -> None:
        self._story, self._history, self._desk, self._report = story, history, desk, report
        self._number = 0
        self.causes: dict[int, Asked] = {}  # by event number: the ask whose answer it is

    def judge(self) -> None:
        """Judge every event of the match."""
        for number, kind in enumerate(self._history.kinds, 1):
            self._number = number
            event, before = self._history.events[number - 1], self._history.after[number - 1]
            if kind == "played":
                self._played(event.played, before)
            elif kind == "passed":
                self._passed(event.passed, before)
            elif kind == "dragon_given":
                self._given(event.dragon_given)
            elif kind == "call_made":
                self._called(event.call_made, before)
            elif kind == "cards_exchanged":
                self._exchanged(before)
            elif kind == "lead_handed" and before.phase is Phase.DOG:
                self._handed(event.lead_handed)
            elif kind == "bids_shown":
                self._bidden()

    def _say(self, code: F, text: str) -> None:
        at = self._history.first_told[self._number - 1]
        self._report.add(code, at, f"event {self._number}: {text}")

    def _asks(self, seat: int, *, kind: str, over_trick: bool) -> list[Asked]:
        """The asks of a seat about the position before this event, the last first."""
        place = self._history.place(self._number - 1)
        asks = self._desk.by_place.get((place, seat), [])
        taken = place and self._history.kinds[place - 1] == "trick_taken"
        if over_trick and not asks and taken and not self._unseen(seat):
            asks = self._desk.by_place.get((self._history.place(place - 1), seat), [])
        return [asked for asked in reversed(asks) if asked.kind == kind]

    def _unseen(self, seat: int) -> bool:
        """Whether the seat's ask may have come and gone while it had no stream."""
        at = self._history.first_told[self._number - 1]
        place = self._history.place(self._number - 1)
        since = self._history.happened[place - 1] if place else at
        link = self._story.links[self._history.after[self._number].seats.player(seat)]
        return not link.was_there(since - HOLD, at + HOLD)

    def _outcome(self, asked: Asked) -> Deed | int | None:
        """What the ask came to: the deed answered or substituted; None if nothing came of it."""
        if asked.cancelled == match_pb2.CANCEL_REASON_BOMBED:
            return None
        if asked.cancelled in SUBSTITUTED:
            return substitute(asked.ask, asked.at, asked.hand)
        if asked.accepted is None:
            return None
        answer = asked.accepted.what
        assert isinstance(answer, referee_pb2.Answer)
        kind = kind_of(answer)
        if kind == "default_action":
            return substitute(asked.ask, asked.at, asked.hand)
        if kind == "choose_seat":
            return answer.choose_seat.seat
        if kind == "call":
            return int(answer.call.choice)
        return deed(asked.ask, answer, asked.at, self._history.ruling)

    def _played(self, played: match_pb2.Played, before: Position) -> None:
        mask, seat = mask_of(played.play.cards), played.seat
        bomb = played.play.kind == BOMB
        done = f"seat {seat} played {text_of(max(0, mask))}"
        out_of_turn = bomb and before.table is not None and seat != before.turn
        if out_of_turn or (bomb and before.phase is Phase.CLOSING):
            self._bombed(seat, mask, done)
            return
        for asked in self._asks(seat, kind="act", over_trick=True):
            outcome = self._outcome(asked)
            if isinstance(outcome, Deed):
                self.causes[self._number] = asked
                self._compare(asked, outcome, played, done)
                return
        if not self._unseen(seat):
            self._say(F.NOT_AS_ANSWERED, f"{done} without having decided so")

    def _compare(self, asked: Asked, outcome: Deed, played: match_pb2.Played, done: str) -> None:
        mask, wish = mask_of(played.play.cards), played.wish
        reading = outcome.reading
        if outcome == UNSAID:
            return
        ranks = (reading.phoenix, reading.second) if reading is not None else (0, 0)
        told = (played.play.phoenix_rank, played.play.second_phoenix_rank)
        if (outcome.mask, outcome.wish) != (mask, wish) or ranks != told:
            text = f"{done} (wish {wish}); it decided {text_of(outcome.mask)}, {outcome[1:]}"
            self._say(F.NOT_AS_ANSWERED, text)
        self._rode(asked)

    def _rode(self, asked: Asked) -> None:
        """A Tichu that rode on an act counts just before it."""
        sent = asked.accepted
        if sent is None or asked.cancelled in SUBSTITUTED:
            return
        called = isinstance(sent.what, referee_pb2.Answer) and sent.what.act.tichu
        if called and asked.hand not in self._history.after[self._number].bets:
            self._say(F.NOT_AS_ANSWERED, f"the Tichu of seat {asked.hand} is missing")

    def _bombed(self, seat: int, mask: int, done: str) -> None:
        asks = self._asks(seat, kind="bomb", over_trick=False)
        asks += self._asks(seat, kind="act", over_trick=False)  # of an owner who may overtake
        for asked in asks:
            outcome = self._outcome(asked)
            if isinstance(outcome, Deed) and (outcome.mask == mask or outcome == UNSAID):
                self.causes[self._number] = asked
                return
        if not self._unseen(seat):
            self._say(F.NOT_AS_ANSWERED, f"{done} out of turn without an answer that says so")

    def _passed(self, passed: match_pb2.Passed, before: Position) -> None:
        seat = passed.seat
        for asked in self._asks(seat, kind="act", over_trick=False):
            outcome = self._outcome(asked)
            if isinstance(outcome, Deed):
                self.causes[self._number] = asked
                if outcome not in (NOTHING, UNSAID):
                    self._say(F.NOT_AS_ANSWERED, f"seat {seat} passed, it had decided otherwise")
                self._rode(asked)
                return
        hand = before.hands[seat]
        two = self._history.rules.two_phoenixes
        idle = hand == UNKNOWN or before.table is None
        idle = idle or not can_follow(hand, before.table, two_phoenixes=two)
        if not (idle and not self._history.fair) and not self._unseen(seat):
            self._say(F.NOT_AS_ANSWERED, f"seat {seat} passed without having decided so")

    def _given(self, given: match_pb2.DragonGiven) -> None:
        for asked in self._asks(given.seat, kind="choose_seat", over_trick=True):
            outcome = self._outcome(asked)
            if isinstance(outcome, int):
                self.causes[self._number] = asked
                if outcome != given.to_seat:
                    self._say(F.NOT_AS_ANSWERED, f"given to {given.to_seat}, not to {outcome}")
                return
        if not self._unseen(given.seat):
            self._say(F.NOT_AS_ANSWERED, f"seat {given.seat} gives without having decided so")

    def _handed(self, handed: match_pb2.LeadHanded) -> None:
        for asked in self._asks(handed.seat, kind="choose_seat", over_trick=False):
            outcome = self._outcome(asked)
            if isinstance(outcome, int):
                self.causes[self._number] = asked
                if outcome != handed.to_seat:
                    self._say(F.NOT_AS_ANSWERED, f"the lead to {handed.to_seat}, not {outcome}")
                return
        if not self._unseen(handed.seat):
            self._say(F.NOT_AS_ANSWERED, f"seat {handed.seat} hands over without having decided so")

    # -- before play ----------------------------------------------------------------------------

    def _of_round(self, seat: int, kind: str) -> list[Asked]:
        """The asks of a kind that a seat had in this round, the last first."""
        at = self._history.after[self._number]
        asks = [a for a in self._desk.asked[at.seats.player(seat)].values() if a.hand == seat]
        return [a for a in reversed(asks) if a.kind == kind and a.at.round == at.round]

    def _called(self, made: match_pb2.CallMade, before: Position) -> None:
        if made.call == r.TICHU:
            self._tichu(made.seat, before)
            return
        if made.call == r.GRAND and self._history.rules.on("chaos"):
            return  # by the bids
        for asked in self._of_round(made.seat, "call"):
            if not self._is_about(asked, made.call, before):
                continue
            outcome = self._outcome(asked)
            if outcome is None:
                continue
            if outcome != made.call and not self._shut_out(made, before):
                self._say(F.NOT_AS_ANSWERED, f"seat {made.seat}: call {made.call}, not {outcome}")
            return
        if not self._unseen(made.seat) and made.call not in _NO:
            self._say(F.NOT_AS_ANSWERED, f"seat {made.seat}: call {made.call} without an answer")

    def _is_about(self, asked: Asked, call: int, before: Position) -> bool:
        """Whether an ask is the one that a decision or answer was made for."""
        choices = asked.ask.call.choices
        if call in r.ANSWERS:
            return r.ACCEPT in choices and asked.at.judged == before.judged
        grand = call in (r.GRAND, r.NO_GRAND)
        return (r.NO_GRAND if grand else r.NO_GREAT_GRAND) in choices

    def _bidden(self) -> None:
        """The bids that partners are shown are those that were made (chaos)."""
        for seat, bid in self._history.after[self._number].bids.items():
            for asked in self._of_round(seat, "call"):
                outcome = self._outcome(asked)
                if outcome is None:
                    continue
                if outcome != r.BIDS[bid]:
                    self._say(F.NOT_AS_ANSWERED, f"seat {seat}: a bid of {bid}, not {outcome}")
                break

    def _shut_out(self, made: match_pb2.CallMade, before: Position) -> bool:
        """With one call a team the later of two partners is turned down (A5)."""
        one = not self._history.rules.on("both_partners_may_call")
        partners = before.seats.partners[made.seat]
        return one and made.call in _NO and any(seat in before.bets for seat in partners)

    def _tichu(self, seat: int, before: Position) -> None:
        player = before.seats.player(seat)
        for request in self._desk.requests[player]:
            if request.hand == seat and isinstance(request.sent.what, referee_pb2.Call):
                return
        for asked in self._desk.asked[player].values():
            if asked.at.round != before.round or asked.hand != seat:
                continue
            for sent in self._desk.answers.get((player, asked.ask.ask_id), ()):
                # A call stands, though another choice has replaced the one that it rode on.
                answer = sent.what
                if isinstance(answer, referee_pb2.Answer) and (
                    answer.act.tichu or answer.exchange.tichu
                ):
                    return
        if not self._unseen(seat):
            self._say(F.NOT_AS_ANSWERED, f"seat {seat} calls Tichu, it never said so")

    def _exchanged(self, before: Position) -> None:
        for seat in self._story.seats:
            entry = self._story.events[seat].get(self._number)
            if entry is None:
                continue
            for hand in entry[0].cards_exchanged.hands:
                gave = {gift.seat: mask_of(gift.cards) for gift in hand.gave}
                due = self._gifts(hand.seat, before)
                if due is not None and gave != due:
                    text = f"seat {hand.seat} gave {gave}, it had chosen {due}"
                    self._say(F.NOT_AS_ANSWERED, text)

    def _gifts(self, seat: int, before: Position) -> dict[int, int] | None:
        asks = self._of_round(seat, "exchange")
        if before.hands[seat] == UNKNOWN:
            return None
        if not asks or any(asked.presumed or not asked.exact for asked in asks):
            return None
        last = asks[0]
        standing = {gift.seat: mask_of(gift.cards) for gift in last.ask.exchange.standing}
        sent = last.accepted
        if sent is None and last.cancelled is None and not standing:
            return None
        if sent is not None and last.cancelled not in SUBSTITUTED:
            answer = sent.what
            assert isinstance(answer, referee_pb2.Answer)
            if kind_of(answer) == "exchange":
                return {gift.seat: mask_of(gift.cards) for gift in answer.exchange.gifts}
        if standing:
            return standing
        ruling = self._history.ruling
        return gifts.substitute(ruling.slots(seat, before), before.hands[seat], ruling.rules)

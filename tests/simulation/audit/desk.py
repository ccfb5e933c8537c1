"""Asks with their answers and acknowledgements, as they went between one seat and the referee."""

from collections import deque

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.asked import HOLD, LOST, Asked, Request, hand_of, status_of, subject_of
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lawful import is_lawful, kind_of
from tests.simulation.audit.retelling import Retelling
from tests.simulation.audit.story import Sent, Story, Told
from tests.simulation.audit.timing import Timing

_LATER = ("act", "choose_seat")
_VOID = (match_pb2.ACK_STATUS_TOO_LATE, match_pb2.ACK_STATUS_STALE)
_EARLY = ("call", "exchange")  # asks that a call of somebody can lead to


class Desk:
    """Follows all seats' asks, answers and requests."""

    def __init__(self, story: Story, history: History, report: Report) -> None:
        self._story, self._history, self._report = story, history, report
        self.timing = Timing(story, history, report)
        self.asked: list[dict[int, Asked]] = [{} for _ in story.hands]  # by player and number
        self.by_place: dict[tuple[int, int], list[Asked]] = {}  # by event and hand
        self.requests: list[list[Request]] = [[] for _ in story.hands]
        self.answers: dict[tuple[int, int], list[Sent]] = {}
        self.unknown: list[deque[Sent]] = [deque() for _ in story.hands]
        self.stood: dict[tuple[int, int], int] = {}  # by round and hand
        self._processes = [0] * len(story.hands)  # of the referee, by seat
        self.retelling = Retelling(story, history, self, report)
        self.maybe_stood: set[tuple[int, int]] = set()  # round, hand: if so, nobody was told
        self._resends = story.transcript.limits.max_resends
        self._store_failed = bool(story.lives.failures)
        self._last_told = [0] * len(story.hands)
        self._cancels: dict[tuple[int, int], tuple[int, int]] = {}
        for told in story.told():
            for cancelled in told.update.cancelled:
                self._cancels.setdefault((told.seat, cancelled.ask_id), (told.at, cancelled.reason))

    # -- what bots sent -----------------------------------------------------------------------

    def sent(self, sent: Sent) -> None:
        """Note what a bot sent."""
        if not isinstance(sent.what, referee_pb2.Answer):
            self.requests[sent.seat].append(Request(sent, hand_of(sent)))
            return
        asked = self.asked[sent.seat].get(sent.what.ask_id)
        self.answers.setdefault((sent.seat, sent.what.ask_id), []).append(sent)
        (asked.pending if asked else self.unknown[sent.seat]).append(sent)

    # -- what the referee said ------------------------------------------------------------------

    def told(self, told: Told) -> None:
        """Judge the acknowledgements of an update, and note its asks."""
        self._last_told[told.seat] = told.order
        if told.process != self._processes[told.seat]:
            self._new_process(told)
        refused = [subject_of(refused) for refused in told.update.refused]
        for ack in told.update.acks:
            self._acknowledged(told, ack, refused)
        known = self.asked[told.seat]
        before = [c for c in told.update.cancelled if c.ask_id in known]
        for cancelled in before:
            self._cancelled(told, cancelled)
        for ask in told.update.asks:
            self._asked(told, ask)
        for cancelled in told.update.cancelled:
            if cancelled not in before:
                self._cancelled(told, cancelled)
        if refused:
            self._report.add(F.REFUSAL_ALONE, told.at, f"seat {told.seat}: {refused} unmarked")
        self.retelling.told(told)

    def _new_process(self, told: Told) -> None:
        """What was unacknowledged when the referee was killed may have been kept, or not."""
        seat = told.seat
        self._processes[seat] = told.process
        if self._kept(told):
            self.timing.kept.update((seat, hand) for hand in self._story.hands)
        for asked in self.asked[seat].values():
            while asked.pending and asked.pending[0].process < told.process:
                lost = asked.pending.popleft()
                asked.presumed = True
                if self._may_be_taken(asked, lost):
                    asked.accepted = lost
        while self.unknown[seat] and self.unknown[seat][0].process < told.process:
            self.unknown[seat].popleft()
        for request in self.requests[seat]:
            if request.status is None and request.sent.process < told.process:
                request.status = LOST
                if isinstance(request.sent.what, referee_pb2.StandDown):
                    at = self._history.after[self.count_at(request.sent.at)]
                    self.maybe_stood.add((at.round, request.hand))

    def _kept(self, told: Told) -> bool:
        """Whether all that a seat's time was spent for before a kill is known to it."""
        again = {ask.ask_id for ask in told.update.asks}
        ends = {restart.killed.at for restart in self._story.lives.restarts}
        seen = {low for low, high in self._story.links[told.seat].losses if high == told.since}
        open_asks = (asked for asked in self.asked[told.seat].values() if not asked.followed)
        return (
            bool(seen)
            and seen <= ends
            and not any(
                asked.pending or (asked.cancelled is None and asked.ask.ask_id not in again)
                for asked in open_asks
                if asked.kind != "bomb" and (asked.accepted is None or asked.kind not in _EARLY)
            )
        )

    def _may_be_taken(self, asked: Asked, sent: Sent) -> bool:
        """Whether an answer without an acknowledgement may count: it is legal and not too late."""
        if asked.accepted is not None or self._lawful(asked, sent) is False:
            return False
        return not self._open_at(asked, sent)[1]

    def _lawful(self, asked: Asked, sent: Sent) -> bool | None:
        assert isinstance(sent.what, referee_pb2.Answer)
        return is_lawful(asked.ask, sent.what, asked.at, self._history.ruling, asked.hand)

    def _asked(self, told: Told, ask: match_pb2.Ask) -> None:
        known = self.asked[told.seat].get(ask.ask_id)
        if known is not None:
            self.retelling.again(known, ask, told)
            return
        history, place = self._history, self._history.place(told.known)
        cause = min(told.known, len(history.kinds)) if ask.WhichOneof("kind") in _EARLY else place
        began = history.happened[cause - 1] if cause else told.at
        busy = HOLD + self.timing.stalled(told.since, told.at)
        late = began < told.since and told.at <= told.since + busy  # it came back to find it
        late = late and not self.retelling.goes_on(told)  # else it is handed over now
        asked = Asked(
            ask=ask,
            kind=ask.WhichOneof("kind") or "unknown",
            seat=told.seat,
            hand=self._hand_of(told, ask),
            sent=began if late else told.at,
            told=told.at,
            exact=not late,
            place=place,
            at=history.after[min(told.known, len(history.kinds))],
            life=told.life,
        )
        self.asked[told.seat][ask.ask_id] = asked
        self.by_place.setdefault((place, asked.hand), []).append(asked)
        self.timing.asked(asked, told)

    def _hand_of(self, told: Told, ask: match_pb2.Ask) -> int:
        """The hand that an ask is about: one that its player plays, or it is found elsewhere."""
        at = self._history.after[min(told.known, len(self._history.kinds))]
        own = at.seats.hands_of(told.seat)
        return ask.for_seat if ask.for_seat in own else told.seat

    def _cancelled(self, told: Told, cancelled: match_pb2.AskCancelled) -> None:
        asked = self.asked[told.seat].get(cancelled.ask_id)
        if asked is None:
            return  # asked and cancelled while the seat had no stream
        if asked.cancelled is not None:
            self._report.add(F.ACKNOWLEDGED_TWICE, told.at, f"{asked.name} cancelled twice")
        asked.cancelled, asked.cancelled_at = cancelled.reason, told.at
        if cancelled.reason == match_pb2.CANCEL_REASON_TIMED_OUT:
            self.timing.timed_out(asked, told)
        elif asked.refused > self._resends and asked.accepted is None and asked.kind != "bomb":
            if cancelled.reason == match_pb2.CANCEL_REASON_MATCH_ENDED and asked.kind in _LATER:
                asked.exact = False  # a play is charged when it takes effect, which this never does
            self.timing.charge_until(asked, asked.refused_at)
        elif (failed := self.failed_at_the_end(asked)) is not False:
            self.timing.spend(asked, surely=failed is True)

    def failed_at_the_end(self, asked: Asked) -> bool | None:
        """Whether this is an ask whose time was over in the step that ended the match; None where
        its limit is not known well enough. Of a step that the store refused nothing counts."""
        history, first, last = self._history, asked.no_sooner, asked.no_later
        ended = asked.cancelled == match_pb2.CANCEL_REASON_MATCH_ENDED
        settled = asked.accepted is not None or asked.refused > self._resends
        if not ended or settled or asked.kind == "bomb":
            return False
        if history.events[-1].match_ended.ending == match_pb2.ENDING_STORE_FAILED:
            return False
        if first is None or last is None or first > history.happened[-1]:
            return False
        return True if last <= history.happened[-1] else None

    def _acknowledged(
        self, told: Told, ack: match_pb2.Acknowledgement, refused: list[tuple[str, int]]
    ) -> None:
        subject = subject_of(ack)
        if ack.status == match_pb2.ACK_STATUS_REFUSED:
            if subject in refused:
                refused.remove(subject)
            else:
                self._report.add(F.REFUSAL_ALONE, told.at, f"{subject} REFUSED without a reason")
        if subject[0] == "request_id":
            self._request(told, ack)
            return
        asked = self.asked[told.seat].get(ack.ask_id)
        unknown = self.unknown[told.seat]
        if asked is None or (
            not asked.pending and any(s.what.ask_id == ack.ask_id for s in unknown)  # type: ignore[union-attr]
        ):
            self._unknown(told, ack)
        elif self._follows(asked, ack.status):
            asked.followed = asked.acked = True
            self.timing.applied(asked, ack, told)
        elif not asked.pending:
            if not asked.presumed:
                text = f"{asked.name}: {status_of(ack)} and no answer"
                self._report.add(F.ACKNOWLEDGED_TWICE, told.at, text)
        else:
            self._judge(asked, asked.pending.popleft(), ack, told)

    def _follows(self, asked: Asked, status: int) -> bool:
        if asked.accepted is None or asked.followed:
            return False
        if status == match_pb2.ACK_STATUS_APPLIED:
            return asked.kind != "bomb"
        if status == match_pb2.ACK_STATUS_STALE and not asked.pending:
            called = self._cancel_of(asked)[1] == match_pb2.CANCEL_REASON_CALLED
            return self._store_failed or called  # what had waited will never be applied
        if status == match_pb2.ACK_STATUS_VOID_BOMBED:
            return self._cancel_of(asked)[1] == match_pb2.CANCEL_REASON_BOMBED
        return False

    def _take_unknown(self, seat: int, number: int) -> bool:
        """Take the first answer to an ask that the seat had not been told."""
        queue = self.unknown[seat]
        found = next((s for s in queue if s.what.ask_id == number), None)  # type: ignore[union-attr]
        if found is not None:
            queue.remove(found)
        return found is not None

    def _unknown(self, told: Told, ack: match_pb2.Acknowledgement) -> None:
        if not self._take_unknown(told.seat, ack.ask_id):
            text = (
                f"seat {told.seat}: {status_of(ack)} for ask {ack.ask_id}, which it never answered"
            )
            self._report.add(F.ACKNOWLEDGED_TWICE, told.at, text)
        elif ack.status in _VOID and ack.ask_id < max(self.asked[told.seat], default=0):
            return  # over before it went out, or before the seat came: its number was used up
        elif ack.status != match_pb2.ACK_STATUS_REFUSED and not self._over(told):
            text = f"seat {told.seat}: {status_of(ack)} for ask {ack.ask_id}, which it never got"
            self._report.add(F.WRONGLY_ACCEPTED, told.at, text)

    def _over(self, told: Told) -> bool:
        """Whether the seat was told the end of the match: all numbers are stale after it."""
        kinds = self._history.kinds
        return bool(kinds) and kinds[-1] == "match_ended" and told.known >= len(kinds)

    def _request(self, told: Told, ack: match_pb2.Acknowledgement) -> None:
        mine = [
            request
            for request in self.requests[told.seat]
            if request.sent.what.request_id == ack.request_id  # type: ignore[union-attr]
        ]
        fresh = next((request for request in mine if request.status is None), None)
        # a bot may use a number again: the newest that still waits
        waiting = [q for q in mine if q.status == match_pb2.ACK_STATUS_RECEIVED and not q.followed]
        held = waiting[-1] if waiting else None
        ends = ack.status in (match_pb2.ACK_STATUS_APPLIED, match_pb2.ACK_STATUS_REFUSED)
        ends |= ack.status == match_pb2.ACK_STATUS_STALE and self._unkept(told)
        if held is not None and ends and fresh is None:
            held.followed = True  # a held call may turn out to come after that of the partner
        elif fresh is not None:
            fresh.status = ack.status
            self._stand_down(fresh, ack)
        else:
            text = f"seat {told.seat}: {status_of(ack)} for request {ack.request_id}, never sent"
            self._report.add(F.ACKNOWLEDGED_TWICE, told.at, text)

    def _stand_down(self, request: Request, ack: match_pb2.Acknowledgement) -> None:
        sent, applied = request.sent, ack.status == match_pb2.ACK_STATUS_APPLIED
        if applied and isinstance(sent.what, referee_pb2.StandDown):
            at = self._history.after[self.count_at(sent.at)]
            self.stood.setdefault((at.round, request.hand), sent.at)

    def count_at(self, at: int) -> int:
        """How many events had been told to somebody by then."""
        first = self._history.happened
        low, high = 0, len(first)
        while low < high:
            middle = (low + high) // 2
            if first[middle] <= at:
                low = middle + 1
            else:
                high = middle
        return low

    # -- statuses -------------------------------------------------------------------------------

    def _cancel_of(self, asked: Asked) -> tuple[int, int]:
        """When the seat heard that the ask is closed, and why; a far time if never."""
        return self._cancels.get((asked.seat, asked.ask.ask_id), (1 << 62, 0))

    def _judge(self, asked: Asked, sent: Sent, ack: match_pb2.Acknowledgement, told: Told) -> None:
        status, lawful = ack.status, self._lawful(asked, sent)
        what = f"{asked.name}: {status_of(ack)} for {kind_of(sent.what)}"  # type: ignore[arg-type]
        again = asked.accepted is not None and asked.accepted.what == sent.what
        if again or (asked.accepted is not None and not self._may_replace(asked)):
            if ack.status != match_pb2.ACK_STATUS_STALE or not self._unkept(told):
                self._judge_repeat(asked, sent, ack, what)
            return
        is_open, is_shut = self._open_at(asked, sent)
        if asked.accepted is None and asked.refused > self._resends:
            is_open, is_shut = False, True  # one refusal more than may be corrected closes it
        if status == match_pb2.ACK_STATUS_RECEIVED:
            if is_shut or lawful is False:
                self._report.add(F.WRONGLY_ACCEPTED, sent.at, what + (" late" if is_shut else ""))
            first, asked.accepted, asked.acked = asked.accepted is None, sent, True
            if first:
                self.timing.received(asked, ack, told)
            return
        if status == match_pb2.ACK_STATUS_REFUSED:
            asked.refused, asked.refused_at = asked.refused + 1, sent.at
            bad = is_open and lawful is True
        elif status in (match_pb2.ACK_STATUS_TOO_LATE, match_pb2.ACK_STATUS_STALE):
            kept = status != match_pb2.ACK_STATUS_STALE or not self._unkept(told)
            bad = is_open and kept
        elif status == match_pb2.ACK_STATUS_VOID_BOMBED:
            bad = self._cancel_of(asked)[1] != match_pb2.CANCEL_REASON_BOMBED
        else:
            self._report.add(F.ACK_STATUS, told.at, what + ", its first answer")
            return
        if bad:
            self._report.add(F.WRONGLY_REFUSED, sent.at, what)

    def _unkept(self, told: Told) -> bool:
        """Whether a frame tells that the store failed: what was said to it came to nothing."""
        return self._store_failed and any(e.HasField("match_ended") for e in told.update.events)

    def _may_replace(self, asked: Asked) -> bool:
        """Whether a second answer may replace the first one."""
        free = self._history.rules.says("exchange_rechoose", "until_all_gave")
        used_up = asked.followed or asked.refused > self._resends
        return asked.kind == "exchange" and free and not used_up

    def _judge_repeat(
        self, asked: Asked, sent: Sent, ack: match_pb2.Acknowledgement, what: str
    ) -> None:
        assert asked.accepted is not None
        same = sent.what == asked.accepted.what
        usual = match_pb2.ACK_STATUS_DUPLICATE if same else match_pb2.ACK_STATUS_STALE
        others = {match_pb2.ACK_STATUS_STALE, match_pb2.ACK_STATUS_VOID_BOMBED}
        others.add(match_pb2.ACK_STATUS_TOO_LATE)
        closed = asked.followed or asked.kind == "bomb" or self._cancel_of(asked)[0] < 1 << 62
        if asked.presumed or ack.status == usual or (closed and ack.status in others):
            return
        self._report.add(F.ACK_STATUS, sent.at, what + ", answered before")

    def _open_at(self, asked: Asked, sent: Sent) -> tuple[bool, bool]:
        """Whether the ask was surely open, and whether it was surely shut, at a stamp."""
        at, cancelled = sent.at, self._cancel_of(asked)[0]
        end = self._history.first_told[-1] if self._history.kinds else 1 << 62
        if self._history.kinds and self._history.kinds[-1] != "match_ended":
            end = 1 << 62
        low, high = asked.no_sooner, asked.no_later
        early = at < cancelled - HOLD and at < end - HOLD and (low is None or at < low)
        early = early and self.timing.still_open(asked, sent.until)
        early = early and not self.timing.was_asked_anew(asked, at)
        late = at > end or at > cancelled or (high is not None and at >= high)
        if asked.kind == "bomb":
            stood = self.stood.get((asked.at.round, asked.hand))
            waiting = any(
                isinstance(q.sent.what, referee_pb2.StandDown) for q in self.requests[asked.seat]
            )
            early = early and (stood is None or at < stood) and not waiting
        return early, late

    # -- the end --------------------------------------------------------------------------------

    def close(self) -> None:
        """What was never acknowledged."""
        for seat in self._story.seats:
            for asked in self.asked[seat].values():
                for sent in asked.pending:
                    self._unacknowledged(sent, asked.name)
                    if self._may_be_taken(asked, sent):
                        asked.accepted, asked.presumed = sent, True
            for sent in self.unknown[seat]:
                self._unacknowledged(sent, f"seat {seat}: an answer to an ask it never got")
            for request in self.requests[seat]:
                if request.status is None:
                    self._unacknowledged(request.sent, f"a request of seat {seat}")

    def _unacknowledged(self, sent: Sent, what: str) -> None:
        link = self._story.links[sent.seat]
        if link.lazy and sent.order > self._last_told[sent.seat]:
            return  # it comes with the next ask
        due = self._story.lives.told_by(sent.until)
        if due > self._story.end - HOLD or not link.was_there(sent.at - HOLD, due):
            return
        ends = [at for at, _ in link.closings]
        ends += self._story.lives.failures
        if any(sent.at - HOLD <= at <= sent.until + HOLD for at in ends):
            return
        self._report.add(F.UNACKNOWLEDGED, sent.at, f"{what}, sent at {sent.at}")

"""Calls that stand alone: taken when they are in time, refused when they are not (A4 to A6)."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.asked import HOLD, Request
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.position import Phase

_TAKEN = (match_pb2.ACK_STATUS_RECEIVED, match_pb2.ACK_STATUS_APPLIED)


class Requests:
    """Judges every call by the positions just before and just after its stamp."""

    def __init__(self, history: History, desk: Desk, report: Report) -> None:
        self._history, self._desk, self._report = history, desk, report

    def judge(self) -> None:
        """Judge the calls of all seats."""
        for requests in self._desk.requests:
            for request in requests:
                if isinstance(request.sent.what, referee_pb2.Call) and request.status is not None:
                    self._call(request, request.sent.what)

    def _call(self, request: Request, call: referee_pb2.Call) -> None:
        sent, desk = request.sent, self._desk
        instants = (sent.at - HOLD, sent.at, max(sent.at, sent.until) + HOLD)
        around = [self._history.after[desk.count_at(at)] for at in instants]
        may = [
            call.call == r.TICHU
            and request.hand in at.seats.hands_of(sent.seat)
            and not at.match_over
            and self._history.ruling.may_call(request.hand, at)
            for at in around
        ]
        what = f"a call of seat {sent.seat}: status {request.status}"
        surely = all(may) and around[0].round == around[2].round and not self._held(request)
        if surely and request.status == match_pb2.ACK_STATUS_REFUSED:
            self._report.add(F.WRONGLY_REFUSED, sent.at, what)
        before = around[0].bets if around[0].round == around[2].round else {}
        counted = request.hand in around[2].bets and request.hand not in before
        if not any(may) and not counted and request.status in _TAKEN:
            self._report.add(F.WRONGLY_ACCEPTED, sent.at, what)

    def _held(self, request: Request) -> bool:
        """Whether another call of the seat may be held with the exchange."""
        sent = request.sent
        at = self._history.after[self._desk.count_at(sent.at)]
        if at.phase is not Phase.EXCHANGE:
            return False
        others = self._desk.requests[sent.seat]
        calls = any(q is not request and isinstance(q.sent.what, referee_pb2.Call) for q in others)
        rode = any(
            isinstance(answer.what, referee_pb2.Answer) and answer.what.exchange.tichu
            for (seat, _), answers in self._desk.answers.items()
            if seat == sent.seat
            for answer in answers
        )
        return calls or rode

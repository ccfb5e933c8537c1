"""Told only once it is kept: every event and acknowledgement against the facts in the store."""

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.asked import HOLD
from tests.simulation.audit.events import UNRECORDED, History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.record import AS_EVENT, Record, whole
from tests.simulation.audit.story import Story, Told

_RECEIVED, _APPLIED = match_pb2.ACK_STATUS_RECEIVED, match_pb2.ACK_STATUS_APPLIED
_TIMED_OUT = match_pb2.CANCEL_REASON_TIMED_OUT


class Keeping:
    """Judges what was told by how many facts the store held then."""

    def __init__(self, story: Story, history: History, record: Record, report: Report) -> None:
        self._story, self._history, self._report = story, history, report
        self._record = record
        self._lines = self._lines_of_events()
        self._answers: dict[tuple[int, int], int] = {}  # seat, ask: the fact of its answer
        self._time_outs: dict[tuple[int, int], int] = {}
        for line, fact in enumerate(record.facts):
            if fact["t"] == "answered" and fact.get("status") == "received":
                self._answers.setdefault((whole(fact, "seat"), whole(fact, "ask")), line)
            elif fact["t"] == "timed_out":
                self._time_outs.setdefault((whole(fact, "seat"), whole(fact, "ask")), line)

    def _lines_of_events(self) -> list[int | None]:
        """By event, number 1 first: the fact that it tells of; what is dealt comes with a round."""
        lines, found = iter(self._record.lines), []
        last: int | None = 0
        for kind in self._history.kinds:
            if kind not in (*UNRECORDED, "unknown"):
                last = next(lines, None)
            elif kind == "unknown":  # nobody was told, it may have been either
                last = None
                lines = iter(())
            found.append(last)
        return found

    def judge(self) -> None:
        """Judge every update, and what the store held at each kill."""
        over = min(self._story.lives.failures, default=None)
        for told in self._story.told():
            kept = self._kept_before(told)
            if kept is None or (over is not None and told.at >= over - HOLD):
                continue  # the end of a match that the store failed is told all the same
            self._events(told, kept)
            self._answered(told, kept)

    def _kept_before(self, told: Told) -> int | None:
        """How many facts were kept when an update went out; what is known the least of it."""
        kept = self._story.lives.kept_at(told.order)
        most = next((w.lines for order, w in self._story.kills if order > told.order), None)
        return most if kept is None else kept

    def _events(self, told: Told, kept: int) -> None:
        for event in told.update.events:
            place = event.number - 1
            if place >= len(self._lines):
                continue
            line = self._lines[place]
            if self._history.kinds[place] in AS_EVENT.values() and line is None:
                continue
            if line is not None and line >= kept:
                text = f"seat {told.seat} is told event {event.number}, fact {line} of {kept}"
                self._say(told, text)

    def _answered(self, told: Told, kept: int) -> None:
        for ack in told.update.acks:
            if ack.HasField("ask_id") and ack.status in (_RECEIVED, _APPLIED):
                self._is_kept(told, self._answers.get((told.seat, ack.ask_id)), ack.ask_id, kept)
        for cancelled in told.update.cancelled:
            if cancelled.reason == _TIMED_OUT:
                line = self._time_outs.get((told.seat, cancelled.ask_id))
                self._is_kept(told, line, cancelled.ask_id, kept)

    def _is_kept(self, told: Told, line: int | None, ask: int, kept: int) -> None:
        if line is None or line >= kept:
            where = "no fact" if line is None else f"fact {line} of {kept}"
            self._say(told, f"seat {told.seat} is told what became of ask {ask}: {where}")

    def _say(self, told: Told, text: str) -> None:
        self._report.add(F.UNKEPT, told.at, text)

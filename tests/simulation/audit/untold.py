"""What no frame shows: instants of the record, a block passed over, an end that nobody heard."""

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.asked import HOLD, Asked
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.endings import Endings
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lives import Block
from tests.simulation.audit.record import Fact, Record, whole
from tests.simulation.audit.story import Story

_SUBSTITUTED = match_pb2.CANCEL_REASON_SUBSTITUTED
_REFEREE, _TIMED_OUT = match_pb2.CANCEL_REASON_REFEREE, match_pb2.CANCEL_REASON_TIMED_OUT


class Untold:
    """Judges what the record and the world tell and the seats do not."""

    def __init__(
        self, story: Story, history: History, desk: Desk, endings: Endings, report: Report
    ) -> None:
        self._story, self._history, self._desk = story, history, desk
        self._endings, self._report = endings, report

    # -- instants -----------------------------------------------------------------------------

    def judge_instants(self, record: Record) -> None:
        """In pace fair windows close, and answers take effect, at their instants to the ns."""
        window = self._history.window
        if not window:
            return  # no seat was ever told how long it is
        for line, fact in enumerate(record.facts):
            kind, at = fact["t"], whole(fact, "at")
            if kind == "released" and whole(fact, "asked", -1) >= 0:
                late = at - whole(fact, "asked")
                if late <= 0 or late % window:
                    self._say(line, fact, f"took effect {late} ns after its ask")
            elif kind == "window_closed" and whole(fact, "opened", -1) >= 0 and self._fair:
                lasted = at - whole(fact, "opened")
                if lasted != window:
                    self._say(line, fact, f"a window lasted {lasted} ns")

    @property
    def _fair(self) -> bool:
        return self._history.seating.pace == match_pb2.PACE_FAIR

    def _say(self, line: int, fact: Fact, text: str) -> None:
        at = self._story.lives.clock(line, whole(fact, "at"))
        self._report.add(F.GRID, at, f"record: {text}")

    # -- blocks -------------------------------------------------------------------------------

    def judge_blocks(self) -> None:
        """Who owed an answer through a block over the limit is asked anew and loses nothing."""
        if not self._desk.timing.clocked:
            return
        limit, over = self._story.transcript.limits.loop_limit, self._endings.at
        for block in self._story.lives.blocks:
            long = block.anew or (block.length > limit and block in self._story.lives.stalls)
            if long and (over is None or over > block.end + HOLD):
                self._passed_over(block)

    def _passed_over(self, block: Block) -> None:
        end = block.end
        for seat in self._story.seats:
            if not self._story.links[seat].was_up(end, margin=block.length + HOLD):
                continue
            for asked in self._desk.asked[seat].values():
                if self._ran_through(asked, block.at, end):
                    text = f"{asked.name} ran through a block of {block.length} ns"
                    self._report.add(F.CLOCK, end, text)

    def _ran_through(self, asked: Asked, began: int, end: int) -> bool:
        if not asked.exact or asked.kind == "bomb" or asked.sent >= began:
            return False
        if asked.accepted is not None and asked.accepted.at <= began:
            return False  # answered before, or while nobody could read it
        if asked.cancelled == _SUBSTITUTED and asked.refused_at <= began:
            return False  # its last answer waited through the block
        if asked.no_sooner is None or asked.no_sooner <= began:
            return False  # its time was over before, in an earlier block
        if asked.cancelled is None:
            return asked.accepted is not None or asked.refused_at > end
        if asked.cancelled == _TIMED_OUT:
            return asked.cancelled_at >= end
        return asked.cancelled_at > end + HOLD and asked.cancelled != _REFEREE

    # -- an end that nobody was there to hear ---------------------------------------------------

    def judge_end(self, record: Record) -> None:
        """The result of the record, where all seats had lost their links before."""
        last = record.facts[-1]
        if self._endings.at is not None or last["t"] != "match_ended":
            return
        ending = match_pb2.Ending.Value(f"ENDING_{str(last['ending']).upper()}")
        word = str(last.get("blame", "none")).upper()
        blame = match_pb2.Blame.Value("BLAME_UNSPECIFIED" if word == "NONE" else f"BLAME_{word}")
        seat = whole(last, "seat", -1)
        at = self._story.lives.clock(len(record.facts) - 1, whole(last, "at"))
        self._endings.judge_untold(ending, blame, seat if seat >= 0 else None, at)

"""A store that refuses facts: nobody is told anything, time stands still, and all is asked anew."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.asked import HOLD
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lives import Pause
from tests.simulation.audit.record import Fact, Record, whole
from tests.simulation.audit.story import Story, Told
from tests.simulation.audit.transcript import World

_REFEREE = match_pb2.CANCEL_REASON_REFEREE


class Pausing:
    """Judges each pause, and everything that the referee cancels by its own fault."""

    def __init__(
        self, story: Story, history: History, record: Record | None, report: Report
    ) -> None:
        self._story, self._history, self._report = story, history, report
        self._facts: Sequence[Fact] = record.facts if record is not None else ()

    def judge(self) -> None:
        """Judge every pause of the store."""
        for pause in self._story.lives.pauses:
            self._quiet(pause)
            if pause.back is not None and self._facts:
                self._fact(pause, pause.back)
        for told in self._story.told():
            self._asked_anew(told)

    def _say(self, code: F, at: int, text: str) -> None:
        self._report.add(code, at, text)

    def _quiet(self, pause: Pause) -> None:
        for told in self._story.told():
            if self._story.lives.paused_at(told.order) is not pause:
                continue
            if pause.back is not None or told.at < pause.end - HOLD:
                text = f"seat {told.seat} is told something that is not kept"
                self._say(F.STILL, told.at, text)

    def _fact(self, pause: Pause, back: World) -> None:
        """The pause is a fact, as long as it was, at the instant at which it began."""
        if self._facts[back.lines - 1]["t"] == "match_ended":
            return
        off = pause.at - pause.refused
        if abs(off) > HOLD + self._blocked(pause):
            self._say(F.STILL, back.at, f"match time moved by {off} ns while the store was away")
        lasted, until = back.at - pause.at, back.at - back.began
        here = [fact for fact in self._facts[pause.lines :] if fact["t"] == "stalled"]
        if not any(
            abs(whole(fact, "at") - until) <= HOLD
            and abs(whole(fact, "blocked_ns") - lasted) <= HOLD
            for fact in here
        ):
            self._say(F.STILL, back.at, f"a pause of {lasted} ns is no fact, but {here[:1]}")

    def _blocked(self, pause: Pause) -> int:
        stalls = self._story.lives.stalls
        return sum(b.length for b in stalls if b.at <= pause.end and b.end >= pause.at)

    def _asked_anew(self, told: Told) -> None:
        """What the referee cancels by its own fault it asks anew, in the same breath."""
        gone = [c.ask_id for c in told.update.cancelled if c.reason == _REFEREE]
        over = any(event.HasField("match_ended") for event in told.update.events)
        if not gone or over:
            return
        asks = [ask.ask_id for ask in told.update.asks if ask.ask_id > min(gone)]
        if len(asks) < len(gone):
            text = f"seat {told.seat}: asks {gone} are cancelled, and {asks} put for them"
            self._say(F.RETOLD, told.at, text)

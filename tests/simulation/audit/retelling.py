"""What a new stream of a seat tells again: all that is open, under its number, and no more."""

from typing import TYPE_CHECKING

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.asked import HOLD, Asked
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.story import Story, Told

if TYPE_CHECKING:
    from tests.simulation.audit.desk import Desk

_TIMES = ("time_left_ms", "bank_left_ms")


class Retelling:
    """Judges the first update of each stream of a seat, and every ask that comes again."""

    def __init__(self, story: Story, history: History, desk: "Desk", report: Report) -> None:
        self._story, self._history, self._desk = story, history, desk
        self._report = report
        self._lives = [0] * len(story.hands)  # of the match, by seat
        self._playing: set[int] = set()  # seats that know of the match and not of its end

    def goes_on(self, told: Told) -> bool:
        """Whether this is the first that a seat is told after a restart."""
        return told.life != self._lives[told.seat]

    def told(self, told: Told) -> None:
        """Judge an update whose asks and acknowledgements have been noted."""
        if told.first and told.seat in self._playing:
            self._first(told)
        self._lives[told.seat] = told.life
        self._playing.add(told.seat)
        if any(event.HasField("match_ended") for event in told.update.events):
            self._playing.discard(told.seat)

    def _say(self, told: Told, text: str, code: F = F.RETOLD) -> None:
        self._report.add(code, told.at, text)

    def _first(self, told: Told) -> None:
        update, what = told.update, f"stream {told.stream} of seat {told.seat}"
        over = any(event.HasField("match_ended") for event in update.events)
        if not update.HasField("seating"):
            self._say(told, f"{what} begins without the seating")
        if not over and not update.HasField("snapshot"):
            self._say(told, f"{what} begins without a snapshot")
        if not over:
            self._missing(told)

    def judge(self) -> None:
        """Every stream that comes while the match runs is told of it, as soon as it goes on."""
        lives, over = self._story.lives, self._story.over
        for seat, link in enumerate(self._story.links):
            fed = {told.stream for told in self._story.told() if told.seat == seat}
            for stream, since in enumerate(link.ups, 1):
                due = lives.told_by(since)
                if stream in fed or since <= self._story.transcript.began or due >= over:
                    continue
                if link.lasted(since, due):
                    text = f"stream {stream} of seat {seat} is told nothing"
                    self._report.add(F.RETOLD, since, text)

    # -- asks that come again -------------------------------------------------------------------

    def again(self, known: Asked, ask: match_pb2.Ask, told: Told) -> None:
        """Judge an ask that comes once more."""
        if not told.first:
            self._say(told, f"{known.name} comes again on the same stream")
        if not self._same(known, ask):
            self._say(told, f"{known.name} comes again as another")
        if known.cancelled is not None or known.followed:
            self._say(told, f"{known.name} comes again although it is closed")
        self._answered(known, told)
        if self.goes_on(told):
            self._anew(known, ask, told)
        else:
            self._desk.timing.again(known, ask, told)

    def _answered(self, known: Asked, told: Told) -> None:
        """An ask that is open again has no answer: one that was acknowledged must not be lost."""
        if known.accepted is None:
            return
        surely = known.acked or not known.presumed
        if surely:
            self._say(told, f"the answer to {known.name} is lost", F.LOST_ANSWER)
        known.accepted, known.acked = None, False

    def _anew(self, known: Asked, ask: match_pb2.Ask, told: Told) -> None:
        """After a restart its clock begins again, with all the time that it had."""
        known.ask = ask
        known.sent = known.told = told.at
        known.exact, known.life, known.lag = True, told.life, 0
        self._desk.timing.asked(known, told)

    def _same(self, known: Asked, ask: match_pb2.Ask) -> bool:
        return _bare(known.ask, ask) == _bare(ask, known.ask)

    # -- asks that should ------------------------------------------------------------------------

    def _missing(self, told: Told) -> None:
        again = {ask.ask_id for ask in told.update.asks}
        for number, asked in self._desk.asked[told.seat].items():
            if number not in again and self._is_open(asked, told):
                self._say(told, f"{asked.name} is open and not told again")

    def _is_open(self, asked: Asked, told: Told) -> bool:
        """Whether an ask is surely open; of bombs and of what was just answered nobody can say."""
        timing = self._desk.timing
        if asked.told == told.at or asked.kind == "bomb" or asked.presumed or asked.pending:
            return False
        if asked.cancelled is not None or asked.accepted is not None:
            return False
        if asked.refused > self._story.transcript.limits.max_resends:
            return False
        killed = [restart.killed.at for restart in self._story.lives.restarts]
        at = killed[-1] if self.goes_on(told) and killed else told.at
        if asked.no_sooner is not None and asked.no_sooner <= at + HOLD:
            return False
        return timing.still_open(asked, told.at) and not timing.was_asked_anew(asked, told.at)


def _bare(ask: match_pb2.Ask, other: match_pb2.Ask) -> match_pb2.Ask:
    """An ask without what may change while it is open: its times, whether a window stands, and a
    call that was made meanwhile; without lists where the other has none."""
    bare = match_pb2.Ask()
    bare.CopyFrom(ask)
    for name in (*_TIMES, "provisional"):
        bare.ClearField(name)  # type: ignore[arg-type]
    kind = bare.WhichOneof("kind")
    if kind in ("act", "exchange"):
        getattr(bare, kind).may_call_tichu = False
    if kind in ("act", "bomb") and not getattr(other, kind).plays:
        del getattr(bare, kind).plays[:]
    return bare

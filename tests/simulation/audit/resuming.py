"""A referee that was killed: what its successor goes on with, when, and with whom."""

from collections.abc import Iterator, Sequence

from tests.simulation.audit.asked import HOLD, MS
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lives import Restart
from tests.simulation.audit.record import Fact, Record, whole
from tests.simulation.audit.story import Story

_SETTLED = ("answered", "timed_out", "released")


class Resuming:
    """Judges each restart."""

    def __init__(
        self, story: Story, history: History, record: Record | None, report: Report
    ) -> None:
        self._story, self._history, self._report = story, history, report
        self._facts: Sequence[Fact] = record.facts if record is not None else ()
        self._restarts = story.lives.restarts

    def judge(self) -> None:
        """Judge every restart by the frames, and by the record if there is one."""
        for restart in self._restarts:
            self._quiet(restart)
            if restart.resumed is not None:
                self._all_are_back(restart)
        self._tokens()
        if self._facts:
            self._facts_of_restarts()
            self._answered_once()
            self._strikes_go_on()
            self._banks()

    def _say(self, code: F, at: int, text: str) -> None:
        self._report.add(code, at, text)

    # -- while it stands still ------------------------------------------------------------------

    def _quiet(self, restart: Restart) -> None:
        """Nothing of the match goes out until it goes on, but for the end of one that is over."""
        ended = self._restart_ended(restart)
        for told in self._story.told():
            if not restart.order < told.order < restart.wait_order:
                continue
            if restart.started is None or told.order < restart.started_order:
                text = f"seat {told.seat} is told something by a referee that was killed"
                self._say(F.STILL, told.at, text)
            elif ended is None or told.at < ended:
                text = f"seat {told.seat} is told something while others are waited for"
                self._say(F.STILL, told.at, text)

    def _restart_ended(self, restart: Restart) -> int | None:
        """When a match ended that never went on, or from when on it may."""
        if restart.over or restart.resumed is not None or restart.started is None:
            return None
        return restart.started.at + self._story.transcript.limits.resume_grace - HOLD

    def _all_are_back(self, restart: Restart) -> None:
        assert restart.resumed is not None
        at = restart.resumed.at
        missing = self._story.absent[restart.resumed_order]
        if missing:
            self._say(F.STILL, at, f"the match goes on without seats {missing}")
        back = max(self._since(seat, at) for seat in self._story.seats)
        late = at - back - HOLD - self._blocked(back, at)
        if late > 0:
            self._say(F.HANG, at, f"the match goes on {late} ns after all were back")

    def _since(self, seat: int, at: int) -> int:
        """Since when a seat has had a stream, at an instant."""
        downs = self._story.links[seat].downs
        return max((high for _, high in downs if high is not None and high <= at), default=at)

    def _blocked(self, low: int, high: int) -> int:
        stalls = self._story.lives.stalls
        return sum(block.length for block in stalls if low <= block.end and block.at <= high)

    # -- sessions -------------------------------------------------------------------------------

    def _tokens(self) -> None:
        """A session token holds for as long as the match, through restarts too."""
        over = self._story.over
        for seat, link in enumerate(self._story.links):
            gaps = {high: low for low, high in link.losses}
            for at, known, resumed in link.welcomes:
                if at not in gaps or not self._is_kept(gaps[at], at):
                    continue
                if self._story.transcript.began < at < over - HOLD and known is not resumed:
                    word = "is not" if known else "is"
                    self._say(F.STREAM, at, f"the session of seat {seat} {word} resumed")

    def _is_kept(self, low: int, high: int) -> bool:
        """Whether a session whose stream ended is surely there still."""
        killed = any(low <= restart.killed.at <= high for restart in self._restarts)
        return killed or high - low < self._story.transcript.limits.grace

    # -- facts ----------------------------------------------------------------------------------

    def _facts_of_restarts(self) -> None:
        due = {r.killed.lines: r for r in self._restarts if r.resumed is not None}
        epoch = 0
        for line, fact in enumerate(self._facts):
            if fact["t"] != "resumed":
                continue
            restart = due.pop(line, None)
            at = self._story.lives.clock(line, whole(fact, "at"))
            if restart is None:
                self._say(F.RESUMED, at, f"fact {line} is a restart that was none")
                continue
            self._fact(line, fact, restart, after=epoch)
            epoch = max(epoch, whole(fact, "epoch"))
            self._times_anew(line, whole(fact, "at"))
        for line, restart in due.items():
            self._say(F.RESUMED, restart.end, f"fact {line} is no restart")
        for restart in self._restarts:
            if restart.started is not None and restart.started.lines != restart.killed.lines:
                text = f"{restart.killed.lines} facts were kept, {restart.started.lines} are found"
                self._say(F.UNKEPT, restart.started.at, text)

    def _fact(self, line: int, fact: Fact, restart: Restart, *, after: int) -> None:
        assert restart.started is not None
        assert restart.resumed is not None
        now, epoch = restart.resumed.at, whole(fact, "epoch")
        if epoch <= after or epoch != restart.started.epoch:
            self._say(F.RESUMED, now, f"fact {line} has epoch {epoch}, after {after}")
        before = whole(self._facts[line - 1], "at") if line else 0
        if whole(fact, "at") != before:
            text = f"fact {line} is at {fact['at']}, the one before at {before}"
            self._say(F.RESUMED, now, text)
        off = restart.resumed.began + before - now
        if not -HOLD <= off <= 0:
            self._say(F.STILL, now, f"match time moved by {-off} ns over a restart")

    def _times_anew(self, line: int, at: int) -> None:
        """Of what was open, the clocks and the window begin after the restart."""
        before = _answered(self._facts[:line])
        for fact in self._later(line):
            seat, ask, kind = whole(fact, "seat"), whole(fact, "ask"), fact["t"]
            started = [whole(fact, "sent", -1)] if kind in _SETTLED else []
            if kind == "released" or (seat, ask) in before:
                started = []  # it was answered before
            started += [whole(fact, "opened", -1)] if kind == "window_closed" else []
            started += [whole(fact, "asked", -1)] if kind == "released" else []
            if any(0 <= start < at for start in started):
                text = f"{kind} of seat {seat}, ask {ask}: its time is from before the restart"
                self._say(F.RESUMED, self._story.lives.clock(line, at), text)

    def _later(self, line: int) -> Iterator[Fact]:
        for fact in self._facts[line + 1 :]:
            if fact["t"] == "resumed":
                return
            yield fact

    def _answered_once(self) -> None:
        """An answer that is a fact stands: no ask is answered or timed out after it."""
        if self._history.rules.says("exchange_rechoose", "until_all_gave"):
            return
        found: dict[tuple[int, int], int] = {}
        for line, fact in enumerate(self._facts):
            taken = fact["t"] == "timed_out" or fact.get("status") == "received"
            if fact["t"] in ("answered", "timed_out") and taken:
                key = (whole(fact, "seat"), whole(fact, "ask"))
                if key in found:
                    at = self._story.lives.clock(line, whole(fact, "at"))
                    text = f"ask {key[1]} of seat {key[0]} is settled by facts {found[key]}, {line}"
                    self._say(F.LOST_ANSWER, at, text)
                found[key] = line

    def _strikes_go_on(self) -> None:
        counts = [0] * self._story.transcript.seats
        for line, fact in enumerate(self._facts):
            if fact["t"] == "strike":
                seat = whole(fact, "seat")
                counts[seat] += 1
                if whole(fact, "count") != counts[seat]:
                    at = self._story.lives.clock(line, whole(fact, "at"))
                    text = f"strike {counts[seat]} of seat {seat} is counted as {fact['count']}"
                    self._say(F.STRIKES, at, text)

    def _banks(self) -> None:
        """What a seat is told to have left after a restart is what its facts have left it."""
        bank = self._history.seating.bank_ms * MS
        first: dict[tuple[int, int], int] = {}
        for told in self._story.told():
            asks = [a for a in told.update.asks if a.HasField("bank_left_ms")]
            asks = [a for a in asks if not a.exchange.standing]
            if len(self._story.hands) > len(self._story.seats):
                break  # facts say the player, not the hand whose bank it was
            if not told.life or not asks or (told.life, told.seat) in first:
                continue
            first[told.life, told.seat] = told.order
            resumed = [r for r in self._restarts if r.resumed_order < told.order][-1]
            if not told.first or told.at > resumed.end + HOLD:
                continue
            facts = self._facts[: resumed.killed.lines]
            spent = sum(whole(f, "charged") for f in facts if f.get("seat") == told.seat)
            left = bank - spent
            if abs(asks[0].bank_left_ms * MS - left) > MS:
                text = f"seat {told.seat} has {asks[0].bank_left_ms} ms left after a restart, "
                self._say(F.CHARGES, told.at, text + f"by the facts before {left / MS}")


def _answered(facts: Sequence[Fact]) -> set[tuple[int, int]]:
    return {
        (whole(fact, "seat"), whole(fact, "ask"))
        for fact in facts
        if fact["t"] == "answered" and fact.get("status") == "received"
    }

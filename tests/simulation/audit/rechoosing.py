"""Tichu calls while the exchange is owed: held, told together, and who chooses again (RULES A7)."""

from tests.simulation.audit import rulebook as r
from tests.simulation.audit.asked import HOLD
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.seats import Seats
from tests.simulation.audit.story import Story


class Rechoosing:
    """Judges each exchange of a match by the instants of its calls."""

    def __init__(self, story: Story, history: History, desk: Desk, report: Report) -> None:
        self._story, self._history, self._desk = story, history, desk
        self._report = report

    def judge(self) -> None:
        """Calls of one barrier have one instant; asking again follows, or the cards move."""
        calls: dict[int, list[int]] = {}
        owed = False
        for n, kind in enumerate(self._history.kinds):
            event, at = self._history.events[n], self._history.happened[n]
            if kind == "cards_dealt":
                owed, calls = event.cards_dealt.complete, {}
            elif kind == "unknown":
                owed, calls = False, {}
            elif kind == "call_made" and owed and event.call_made.call == r.TICHU:
                calls.setdefault(at, []).append(event.call_made.seat)
            elif kind == "cards_exchanged":
                self._exchange(calls, at, self._history.after[n].seats)
                owed, calls = False, {}

    def _exchange(self, calls: dict[int, list[int]], moved: int, seats: Seats) -> None:
        again = self._history.rules.says("exchange_rechoose", "after_call")
        if self._history.rules.on("refuse_call"):
            again_once = again and len(calls) == 1
            calls = calls if again_once else {}  # those of one refusal are told one after another
        instants = [*calls, moved]
        for (at, callers), following in zip(calls.items(), instants[1:], strict=True):
            if not again and at != moved:
                self._say(at, f"seats {callers} were heard {moved - at} ns before all had given")
            elif again and at == moved:
                self._say(at, f"seats {callers} called, and nobody could choose again")
            elif again:
                self._asked_again(callers, at, following, seats)

    def _asked_again(self, callers: list[int], at: int, following: int, seats: Seats) -> None:
        margin = HOLD + following - at
        for seat in self._story.hands:
            player = seats.player(seat)
            if not self._story.links[player].was_up(at, margin=margin):
                continue
            asked = any(
                asked.kind == "exchange"
                and self._desk.timing.asked_again(asked)
                and at <= asked.told < following
                for asked in self._desk.asked[player].values()
                if asked.hand == seat
            )
            if asked is (callers == [seat]):
                word = "chooses again" if asked else "cannot choose again"
                self._say(at, f"seat {seat} {word} after the call of seats {callers}")

    def _say(self, at: int, text: str) -> None:
        self._report.add(F.EXCHANGE, at, text)

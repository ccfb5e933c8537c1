"""Which bomb landed (D5), and in pace fair at which instant things took effect."""

from referee._gen.tichu.referee.v1 import referee_pb2
from tests.simulation.audit.asked import HOLD, Asked
from tests.simulation.audit.asks import window_opens
from tests.simulation.audit.cards import mask_of, text_of
from tests.simulation.audit.combos import BOMB
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.effects import SUBSTITUTED, Effects
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.lawful import Deed, deed, kind_of
from tests.simulation.audit.story import Story


class Windows:
    """Judges bomb windows and the instants of pace fair."""

    def __init__(
        self, story: Story, history: History, desk: Desk, effects: Effects, report: Report
    ) -> None:
        self._story, self._history, self._desk = story, history, desk
        self._effects, self._report = effects, report

    def judge(self) -> None:
        """Judge every window, and every instant of effect."""
        history = self._history
        for place in range(1, len(history.kinds) + 1):
            if history.place(place) == place and window_opens(history.after[place], history):
                self._landing(place)
        if history.fair:
            for number, asked in self._effects.causes.items():
                self._grid(number, asked)
            self._together()

    def _attempts(self, place: int) -> list[tuple[int, Deed]]:
        found = []
        for seat in self._story.hands:
            for asked in self._desk.by_place.get((place, seat), []):
                sent = asked.accepted
                if sent is None or not isinstance(sent.what, referee_pb2.Answer):
                    continue
                decided = (
                    deed(asked.ask, sent.what, asked.at, self._history.ruling)
                    if self._is_try(asked)
                    else None
                )
                if decided is None or decided.reading is None or decided.reading.kind != BOMB:
                    continue
                follows = asked.kind == "act" and not asked.ask.act.leading
                if asked.kind == "bomb" or (follows and self._in_window(place, sent.order)):
                    found.append((seat, decided))
        return found

    def _is_try(self, asked: Asked) -> bool:
        assert asked.accepted is not None
        kind = kind_of(asked.accepted.what)  # type: ignore[arg-type]
        return asked.kind in ("bomb", "act") and kind in ("bomb", "act")

    def _in_window(self, place: int, order: int) -> bool:
        """Whether an act answer came before the close."""
        asks = [a for s in self._story.hands for a in self._desk.by_place.get((place, s), [])]
        bombs = [asked for asked in asks if asked.kind == "bomb"]
        act = next(a for a in asks if a.accepted is not None and a.accepted.order == order)
        assert act.accepted is not None
        if not bombs:
            return False
        opened = max(asked.sent for asked in bombs)
        in_time = act.accepted.at < opened + self._history.window
        if self._history.fair:
            return in_time
        last = max((a.accepted.order if a.accepted else 1 << 62) for a in bombs)
        in_time = in_time or not self._desk.timing.clocked
        return in_time and order <= last

    def _landing(self, place: int) -> None:
        history, at = self._history, self._history.after[place]
        following = place + 1
        while following <= len(history.kinds) and not history.moves(following):
            following += 1
        if following > len(history.kinds) or at.owner is None:
            return
        kind, event = history.kinds[following - 1], history.events[following - 1]
        now = history.first_told[following - 1]
        if kind == "match_ended":
            return
        attempts = self._attempts(place)
        if not attempts:
            return  # what was played without an attempt has no cause
        best = self._best(attempts, at.seats.after[at.owner])
        landed = (event.played.seat, mask_of(event.played.play.cards)) if kind == "played" else None
        if landed not in {(seat, decided.mask) for seat, decided in [best]}:
            text = f"after event {place} {landed} landed, not {best[0]}: {text_of(best[1].mask)}"
            self._report.add(F.LANDING, now, text)

    def _best(self, attempts: list[tuple[int, Deed]], after: tuple[int, ...]) -> tuple[int, Deed]:
        strongest = self._history.rules.says("bomb_arbitration", "strongest")

        def rank(attempt: tuple[int, Deed]) -> tuple[int, int, int]:
            seat, decided = attempt
            assert decided.reading is not None
            place = after.index(seat) if seat in after else len(after)  # the owner is last
            if not strongest:
                return (place, 0, 0)
            return (-decided.reading.size, -decided.reading.halves, place)

        return min(attempts, key=rank)

    def _grid(self, number: int, asked: Asked) -> None:
        """An answer takes effect at the first multiple of the window after its stamp."""
        history, window = self._history, self._history.window
        now = history.happened[number - 1]
        if asked.kind == "bomb" or not asked.exact or asked.accepted is None:
            return
        if asked.cancelled in SUBSTITUTED or self._desk.timing.stalled(asked.sent, now):
            return
        asks = [
            a
            for seat in self._story.hands
            for a in self._desk.by_place.get((asked.place, seat), [])
        ]
        together = [a.sent for a in asks if a.exact and a.told <= asked.told + HOLD]
        origin = max(asked.sent, *together)  # when the last of the asks had left
        steps = max(0, asked.accepted.at - origin) // window + 1
        effect = origin + steps * window
        if not effect <= now <= effect + HOLD:
            off = now - effect
            self._report.add(F.GRID, now, f"event {number}, {asked.name}: {off} ns off the grid")

    def _together(self) -> None:
        """All seats that have a stream hear of an event at the same instant."""
        for number, first in enumerate(self._history.first_told, 1):
            for seat in self._story.seats:
                link = self._story.links[seat]
                entry = self._story.events[seat].get(number)
                if entry is None or entry[2] < 0 or entry[1] <= first + 2 * HOLD:
                    continue  # a frame waits for its pace, and for what the loop does meanwhile
                if entry[1] <= first + 2 * HOLD + self._desk.timing.stalled(first, entry[1]):
                    continue
                if not link.lazy and link.was_up(first, margin=HOLD):
                    off = entry[1] - first
                    text = f"seat {seat} heard of event {number} {off} ns after the first"
                    self._report.add(F.TOLD_APART, entry[1], text)

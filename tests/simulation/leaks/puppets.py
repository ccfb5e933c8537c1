"""The three seats that are not watched: they follow the script, and make their own noise.

What they do beside the script differs between the two worlds: when in a window they decline or
whether at all, what illegal things they try first, who is how fast where answers are released
together, who stands down or loses its stream for a moment. In pace `fair` nobody may notice.
"""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.instances import Instance
from referee.match.values import MS
from tests.simulation.leaks.script import Director, Move
from tests.simulation.leaks.seats import WINDOW, Process, Request, play_answer
from tests.simulation.leaks.table import PASS
from tests.unit.app.world import World

_GRAND, _GREAT_GRAND = match_pb2.CALL_KIND_GRAND, match_pb2.CALL_KIND_GREAT_GRAND
_TICHU = match_pb2.CALL_KIND_TICHU
_LATEST = WINDOW - 12 * MS  # in a window, so that what a lost stream delays still falls into it


class Table:
    """The bomb asks of the three that are open together; shared by the puppets of a world."""

    def __init__(self, director: Director, *, fair: bool, together: bool, may_drop: bool) -> None:
        self.director = director
        self.may_drop = may_drop  # else a stream that is lost would say whose fault another is
        self.fair = fair
        self.together = together  # bets are released together
        self.puppets: list[Puppet] = []

    def asked_to_bomb(self) -> list[int]:
        """Which of the three may throw now."""
        return [p.seat for p in self.puppets if any(a.HasField("bomb") for a in p.open.values())]


class Puppet(Process):
    """One seat that follows the script."""

    def __init__(
        self, world: World, instance: Instance, table: Table, *, hello: referee_pb2.Hello
    ) -> None:
        super().__init__(world, instance, hello)
        self._table = table
        self._director = table.director
        self._noise = table.director.noise
        self._exchanges = (0, 0)  # round, and how often it was asked to give in it
        self._stood_down = 0  # in which round
        table.puppets.append(self)

    def heard(self, update: match_pb2.Update) -> None:
        """Know what is open, and let go of asks of windows that are over."""
        self._director.note(update.events, self.seat, self.world.clock.now())
        if any(e.HasField("played") or e.HasField("passed") for e in update.events):
            for number in [n for n, ask in self.open.items() if ask.HasField("bomb")]:
                del self.open[number]

    def asked(self, ask: match_pb2.Ask) -> None:
        """Answer by the script."""
        kind = ask.WhichOneof("kind")
        if kind == "call":
            self._bet(ask)
        elif kind == "exchange":
            self._give(ask)
        elif kind == "act":
            self._act(ask, self._director.move(self.seat, leading=ask.act.leading))
        elif kind == "bomb":
            self._bomb(ask)
        else:
            self._choose(ask)

    # --- before play

    def _bet(self, ask: match_pb2.Ask) -> None:
        choices = ask.call.choices
        kind = "great" if _GREAT_GRAND in choices else "grand"
        bold = self._director.bet(kind, self.seat) and max(choices) != min(choices)
        frame, answer = self.answer(ask)
        answer.call.choice = next(c for c in choices if (c in (_GRAND, _GREAT_GRAND)) is bold)
        delay = self._director.delay(kind, 0, self.seat, together=self._table.together)
        self.send_answer(ask, delay, frame)

    def _give(self, ask: match_pb2.Ask) -> None:
        number, times = self._exchanges
        times = times + 1 if number == self._director.table.round else 0
        self._exchanges = (self._director.table.round, times)
        gifts, call = self._director.gifts(times, self.seat)
        frame, answer = self.answer(ask)
        for slot in ask.exchange.slots:
            answer.exchange.gifts.add(seat=slot.to_seat, cards=[gifts[slot.to_seat]])
        may = ask.exchange.may_call_tichu
        if call == "rides" and may:
            answer.exchange.tichu = True
        elif call == "alone" and may:
            self.send_answer(ask, 500_000, self._call(), keep=True)
        delay = self._director.delay("exchange", times, self.seat, together=True)
        if self._table.fair and self._noise.random() < 0.3:
            self.send_answer(ask, delay - 600_000, self._wrong(ask), keep=True)
        self.send_answer(ask, delay, frame)

    def _call(self) -> Request:
        frame = Request()
        frame.calls.add(match=self.number, call=_TICHU, request_id=5)
        return frame

    # --- in turn

    def _act(self, ask: match_pb2.Ask, move: Move) -> None:
        start = move.cell * WINDOW if self._table.fair else 3 * MS  # after all window answers
        latest = _LATEST if self._table.fair else 5 * MS
        at = start + self._noise.randrange(3 * MS, latest)
        if move.tichu == "alone" and ask.act.may_call_tichu:
            self.send_answer(ask, 2 * MS, self._call(), keep=True)
        if move.way == "silence":
            return
        if move.way == "thrice wrong":
            for extra in (0, 100_000, 200_000):
                self.send_answer(ask, start + 3 * MS + extra, self._wrong(ask), keep=True)
            return
        if move.way == "resigns":
            frame = Request()
            frame.resigns.add(match=self.number, request_id=9)
            self.send_answer(ask, start + 3 * MS, frame)
            return
        if move.way == "leaves":
            self.later(start + 3 * MS, self.drop)
            return
        frame, answer = self.answer(ask)
        if move.way == "default":
            answer.default_action.SetInParent()
        elif move.act[0] == PASS:
            getattr(answer.act, "pass").SetInParent()
        else:
            play_answer(answer, *move.act, move.wish)
        if move.tichu == "rides" and ask.act.may_call_tichu:
            answer.act.tichu = True
        if self._noise.random() < 0.2:
            self.send_answer(ask, at - 300_000, self._wrong(ask), keep=True)
        self.send_answer(ask, at, frame)
        if self._noise.random() < 0.2:
            self.later(at + 200_000, lambda: self.say(frame))

    def _wrong(self, ask: match_pb2.Ask) -> Request:
        """An answer that is refused whatever the seat holds: a card twice."""
        frame, answer = self.answer(ask)
        if ask.HasField("exchange"):
            for slot in ask.exchange.slots:
                answer.exchange.gifts.add(seat=slot.to_seat, cards=[8])
        else:
            answer.act.play.cards.extend([8, 8])  # type: ignore[list-item]
        return frame

    def _choose(self, ask: match_pb2.Ask) -> None:
        to, said = self._director.choose_seat(self.seat, ask.choose_seat.seats)
        frame, answer = self.answer(ask)
        if said:
            answer.choose_seat.seat = to
        else:
            answer.default_action.SetInParent()
        latest = _LATEST if self._table.fair else 5 * MS
        self.send_answer(ask, self._noise.randrange(3 * MS, latest), frame)

    # --- out of turn

    def _bomb(self, ask: match_pb2.Ask) -> None:
        mask = self._director.throw(self.seat, self._table.asked_to_bomb())
        frame, answer = self.answer(ask)
        if mask:
            answer.bomb.play.cards.extend(c for c in range(64) if mask >> c & 1)  # type: ignore[misc]
        else:
            answer.bomb.decline.SetInParent()
        if not self._table.fair:
            self.send_answer(ask, self._noise.randrange(3 * MS, 5 * MS), frame)
        elif mask or self._noise.random() < 0.6:
            self.send_answer(ask, self._noise.randrange(MS, WINDOW - 3 * MS), frame)
        if self._table.fair and not mask:
            self._disturb(ask)

    def _disturb(self, ask: match_pb2.Ask) -> None:
        """Be away for a moment, or stand down, or throw what is no bomb."""
        drawn = self._noise.random()
        if drawn < 0.04 and self._table.may_drop:
            self.later(MS, self.drop)
            self.later(4 * MS, lambda: self.dial() if self.away else None)
        elif drawn < 0.06 and self._table.may_drop:
            self.later(2 * MS, self.dial)  # in place of the stream that stands
        elif drawn < 0.09 and self._director.may_stand_down(self.seat):
            frame = Request()
            frame.stand_downs.add(match=self.number, request_id=6)
            self.later(2 * MS, lambda: self.say(frame))
        elif drawn < 0.2:
            frame, answer = self.answer(ask)
            answer.bomb.play.cards.extend([8, 8])  # type: ignore[list-item]
            late = self._noise.choice((MS, WINDOW - 300_000))  # its next frame would be held back
            self.send_answer(ask, late, frame, keep=True)

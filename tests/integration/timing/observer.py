"""OBSERVER: plays like the others and times all that it can, in a process of its own.

python -m tests.integration.timing.observer

It is told `Watch` on stdin, says `Joined`, and `Watched` when it has seen enough windows.
"""

import asyncio
from collections import deque
from pathlib import Path

import msgspec

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.bench.child import orders, report
from tests.integration.timing.deals import Role
from tests.integration.timing.plan import Plan
from tests.integration.timing.players import Joined
from tests.integration.timing.stream import Stream
from tests.integration.timing.table import Place

PROBES_S = (0.020, 0.042)  # after the opening; the second follows the answer of a slow decliner
NOT_SEEN = -1


class Watch(msgspec.Struct, frozen=True):
    """Order: dial, play, and write what was seen to a file."""

    address: str
    token: str
    plan: Plan
    path: str


class Watched(msgspec.Struct, frozen=True):
    """Report: the file is written."""


class Window(msgspec.Struct, array_like=True):
    """One window, or an exchange, as the observer saw it. Times in nanoseconds, or -1.

    `began` is the number of the event that came with its opening, `turn` the role that acted.
    """

    match: int
    round: int
    began: int
    turn: int = NOT_SEEN
    next: int = NOT_SEEN  # from the frame that opened it to the frame with the next event
    ack: int = NOT_SEEN  # from the writing of the own answer to its acknowledgement
    probe: int = NOT_SEEN  # from a repeat of that answer, early in the window, to DUPLICATE
    late: int = NOT_SEEN  # the same late in the window
    gap: int = NOT_SEEN  # to the frame with the next event from the one before it, of any match
    place: int = NOT_SEEN  # of the match among those of that frame
    call: int = NOT_SEEN  # from the opening to a call of another seat
    exchange: int = NOT_SEEN  # no window: from the ask to exchange until the cards came


class Seat(Place):
    """A match as it is timed."""

    def __init__(self, number: int, plan: Plan) -> None:
        super().__init__(number, plan)
        self.opened = 0  # when the running window's first frame came
        self.window: Window | None = None
        self.answer: referee_pb2.Answer | None = None  # the last one
        self.written: deque[int] = deque()  # when the answer and its repeats were
        self.exchange: tuple[int, int] | None = None  # its ask: when it came, after what event


class Observer:
    """The stream of the observer."""

    def __init__(self, stream: Stream, plan: Plan) -> None:
        self.seen: list[Window] = []
        self.enough: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._plan = plan
        self._stream = stream
        self._places: dict[int, Seat] = {}
        self._last_frame = 0
        self._missing = dict.fromkeys(plan.kinds(), plan.windows)

    def handle(self, frame: referee_pb2.PlayResponse, came: int) -> None:
        """Time a frame and answer it."""
        reply, answered = referee_pb2.PlayRequest(), list[Seat]()
        if frame.HasField("ping"):
            reply.pong.number = frame.ping.number
        for index, update in enumerate(frame.updates):
            place = self._places.setdefault(update.match, Seat(update.match, self._plan))
            place.take(update)
            self._acks(place, update, came)
            self._events(place, update, came, index)
            for ask in update.asks:
                if ask.HasField("exchange"):
                    place.exchange = came, place.event
                reply.answers.append(self._answer(place, ask))
                answered.append(place)
        self._last_frame = came
        if reply.ByteSize():
            self._stream.send(reply, lambda at: _written(answered, at))

    def _acks(self, place: Seat, update: match_pb2.Update, came: int) -> None:
        window, answer = place.window, place.answer
        for ack in update.acks:
            if window is None or answer is None or ack.ask_id != answer.ask_id:
                continue
            if ack.status == match_pb2.ACK_STATUS_RECEIVED and window.ack == NOT_SEEN:
                window.ack = came - place.written.popleft()
            elif ack.status == match_pb2.ACK_STATUS_DUPLICATE and place.written:
                took = came - place.written.popleft()
                if window.probe == NOT_SEEN:
                    window.probe = took
                else:
                    window.late = took

    def _events(self, place: Seat, update: match_pb2.Update, came: int, index: int) -> None:
        for event in update.events:
            window = place.window
            if event.HasField("played") or event.HasField("passed"):
                acted = event.played.seat if event.HasField("played") else event.passed.seat
                if window is not None:
                    window.turn = place.role_of(acted)
                    window.next = came - place.opened
                    window.gap, window.place = came - self._last_frame, index
                    self._keep(window)
                place.window = Window(place.match, place.round, update.events[-1].number)
                place.opened = came
            elif event.HasField("call_made") and window is not None:
                window.call = came - place.opened
            elif event.HasField("cards_exchanged") and place.exchange is not None:
                asked, began = place.exchange
                took = came - asked
                self.seen.append(Window(place.match, place.round, began, exchange=took))
            elif event.HasField("round_ended"):
                place.window = None
            elif event.HasField("match_ended") and not self.enough.done():
                self.enough.set_exception(RuntimeError(f"a match ended: {event.match_ended}"))

    def _keep(self, window: Window) -> None:
        self.seen.append(window)
        kind = self._plan.kind(window.match, window.round)
        self._missing[kind] -= not self._plan.channels or window.turn == Role.HOLDER
        if not self.enough.done() and max(self._missing.values()) <= 0:
            self.enough.set_result(None)

    def _answer(self, place: Seat, ask: match_pb2.Ask) -> referee_pb2.Answer:
        place.written.clear()
        if ask.HasField("act"):
            assert not ask.act.leading, "the observer never wins a trick"
            place.answer = place.passing(ask)
        elif ask.HasField("bomb"):
            place.answer = place.declining(ask)
        else:
            return place.prelude(ask)
        for after in PROBES_S:
            asyncio.get_running_loop().call_later(after, self._repeat, place, place.answer)
        return place.answer

    def _repeat(self, place: Seat, answer: referee_pb2.Answer) -> None:
        """Say again what was said: its acknowledgement tells how busy the referee is."""
        if place.answer is answer and place.window is not None:
            frame = referee_pb2.PlayRequest(answers=[answer])
            self._stream.send(frame, lambda at: _written([place], at))


def _written(answered: list[Seat], at: int) -> None:
    for place in answered:
        place.written.append(at)


# --- the process


async def main() -> None:
    """Watch until enough was seen, then play on until stdin ends."""
    async for watch in orders(Watch):
        stream = Stream(watch.address, watch.token)
        await stream.hello(watch.plan.matches)
        observer = Observer(stream, watch.plan)
        report(Joined())
        playing = asyncio.create_task(stream.run(observer.handle))
        await asyncio.wait((playing, observer.enough), return_when=asyncio.FIRST_COMPLETED)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        observer.enough.result()  # raises where the stream ended before
        _write(Path(watch.path), observer.seen)
        report(Watched())


def _write(path: Path, seen: list[Window]) -> None:
    path.write_bytes(msgspec.msgpack.encode(seen))


if __name__ == "__main__":
    asyncio.run(main())

"""A seat as a process in virtual time: its stream, its session, and what it is asked."""

from collections.abc import Callable

from google.protobuf.message import Message

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.instances import Instance
from referee.app.streams import Stream
from referee.match.values import MS
from referee.ports import StreamEnd
from tests.unit.app.world import World

Request = referee_pb2.PlayRequest
Response = referee_pb2.PlayResponse
Sent = tuple[int, bytes]  # when a frame left the referee, ns, and its bytes
_DECIDES = 1_000  # ns after a frame; by then all frames of its pass have arrived
_TAKEN = (match_pb2.ACK_STATUS_RECEIVED, match_pb2.ACK_STATUS_APPLIED)


class Line:
    """A `SeatLink` that hands each frame to its seat as soon as it is written."""

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[StreamEnd], None]) -> None:
        self._take, self._ended = take, ended
        self.over = False

    def send(self, frame: bytes) -> None:
        """Deliver a frame."""
        self._take(frame)

    @property
    def unsent(self) -> int:
        """Nothing waits: everything is read at once."""
        return 0

    def end(self, end: StreamEnd) -> None:
        """Take the end of the stream."""
        self.over = True
        self._ended(end)


class Process:
    """One bot process with one seat. Subclasses decide what it says."""

    def __init__(self, world: World, instance: Instance, hello: referee_pb2.Hello) -> None:
        self.world = world
        self.sent: list[Sent] = []
        self.ends: list[tuple[int, StreamEnd]] = []
        self.open: dict[int, match_pb2.Ask] = {}
        self.number = 1
        self.seat = -1
        self.over = False
        self._instance = instance
        self._hello = hello
        self._token = ""
        self._stream: Stream | None = None

    # --- the stream

    def dial(self) -> None:
        """Open a stream, in place of the one that is open if there is any."""
        line: Line
        line = Line(lambda frame: self._took(line, frame), self._ended)
        self._stream = self.world.service.reception.connect(line, self._instance)
        self.open.clear()
        self._line = line
        hello = referee_pb2.Hello()
        hello.CopyFrom(self._hello)
        if self._token:
            hello.session_token = self._token
        self.say(Request(hello=hello))

    def drop(self) -> None:
        """Lose the stream."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            stream.lost()

    @property
    def away(self) -> bool:
        """True while it has no stream."""
        return self._stream is None or self._line.over

    def say(self, frame: Message | bytes) -> None:
        """Send a frame now."""
        if self._stream is not None and not self._line.over:
            data = frame if isinstance(frame, bytes) else frame.SerializeToString()
            self._stream.receive(data)

    def later(self, delay: int, what: Callable[[], None]) -> None:
        """Do something after so many nanoseconds."""
        self.world.clock.call_at(self.world.clock.now() + delay, what)

    def _ended(self, end: StreamEnd) -> None:
        self.ends.append((self.world.clock.now(), end))

    def _took(self, line: Line, data: bytes) -> None:
        self.sent.append((self.world.clock.now(), data))
        if line is not self._line:
            return  # a last word on the stream before
        frame = Response.FromString(data)
        if frame.HasField("welcome"):
            self._token = frame.welcome.session_token
        if frame.HasField("ping"):
            number = frame.ping.number
            self.later(0, lambda: self.say(Request(pong=referee_pb2.Pong(number=number))))
        for update in frame.updates:
            self._update(update)

    def _update(self, update: match_pb2.Update) -> None:
        self.number = update.match
        if update.HasField("seating"):
            self.seat = update.seating.seat
        for cancelled in update.cancelled:
            self.open.pop(cancelled.ask_id, None)
        for ack in update.acks:
            if ack.status in _TAKEN:
                self.open.pop(ack.ask_id, None)
        self.heard(update)
        for event in update.events:
            self.over = self.over or event.HasField("match_ended")
        for ask in update.asks:
            self.open[ask.ask_id] = ask
            self.later(_DECIDES, lambda ask=ask: self._decide(ask))  # type: ignore[misc]

    def _decide(self, ask: match_pb2.Ask) -> None:
        if self.open.get(ask.ask_id) is ask and not self.over:
            self.asked(ask)

    # --- what subclasses do

    def heard(self, update: match_pb2.Update) -> None:
        """An update came; its asks follow."""

    def asked(self, ask: match_pb2.Ask) -> None:
        """An ask is open and everything that came with it has arrived."""

    # --- answers

    def answer(self, ask: match_pb2.Ask) -> tuple[referee_pb2.PlayRequest, referee_pb2.Answer]:
        """An empty answer to an ask, and the frame that holds it."""
        frame = Request()
        return frame, frame.answers.add(match=self.number, ask_id=ask.ask_id)

    def send_answer(
        self, ask: match_pb2.Ask, delay: int, frame: Message | bytes, *, keep: bool = False
    ) -> None:
        """Send a frame about an ask after a while, if the ask is still open then."""

        def send() -> None:
            if self.open.get(ask.ask_id) is ask and not self.over:
                if not keep:
                    del self.open[ask.ask_id]
                self.say(frame)

        self.later(delay, send)


def play_answer(answer: referee_pb2.Answer, mask: int, phoenix: int, wish: int) -> None:
    """Fill in a play named by its cards."""
    play = answer.act.play
    play.cards.extend(card for card in range(64) if mask >> card & 1)  # type: ignore[misc]
    if phoenix:
        play.phoenix_rank = phoenix
    if wish:
        answer.act.wish = wish


WINDOW = 50 * MS

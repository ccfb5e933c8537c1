"""The referee's reading end of a stream, as the transport's reader task does it."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from referee.app.streams import Stream
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.clock import SimClock
from tests.simulation.service.network import SimLink


class Desk(Protocol):
    """What a reader needs of the simulation."""

    @property
    def clock(self) -> SimClock:
        """The clock of the referee's process."""

    def at(self, when: int, callback: Callable[[], None]) -> None:
        """Let something happen outside the referee."""

    def arrive(self, callback: Callable[[], None]) -> None:
        """Have the referee's loop find something in its next turn."""

    def was_read(self, link: SimLink, frame: bytes) -> None:
        """A frame is about to be given to the service."""

    def happened(self, what: WorldEvent, *, bot: int | None = None, stream: int = 0) -> None:
        """Write down what happened beside the frames."""


class Reader:
    """Reads one frame after the other; a bot that sends too much waits where it is."""

    def __init__(self, desk: Desk, stream: Stream, link: SimLink) -> None:
        self._desk = desk
        self._stream = stream
        self._link = link
        self._waiting: deque[bytes | None] = deque()  # None: the end of the stream
        self._paused = False

    def frame(self, data: bytes) -> None:
        """A frame has arrived."""
        self._waiting.append(data)
        self._read()

    def lost(self) -> None:
        """The stream has ended."""
        self._waiting.append(None)
        self._read()

    def _read(self) -> None:
        while self._waiting and not self._paused and not self._stream.ended:
            if self._link.killed:
                return
            data = self._waiting.popleft()
            if data is None:
                if self._stream.session is not None:  # else nothing was begun that could be lost
                    link = self._link
                    self._desk.happened(WorldEvent.LOST, bot=link.bot, stream=link.number)
                self._stream.lost()
                return
            self._desk.was_read(self._link, data)
            wait = self._stream.receive(data)
            if wait:
                self._paused = True
                self._desk.at(self._desk.clock.time + wait, self._rested)

    def _rested(self) -> None:
        self._desk.arrive(self._go_on)

    def _go_on(self) -> None:
        more = 0 if self._link.killed else self._stream.hold_ns()
        if more:
            self._desk.at(self._desk.clock.time + more, self._rested)
        else:
            self._paused = False
            self._read()

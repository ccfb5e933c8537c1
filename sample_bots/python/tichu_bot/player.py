"""All seats of a process, and two ways to play them: in the loop, or all in one thread."""

import os
import queue
import threading
from collections.abc import Callable
from typing import Protocol

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.answers import take_default
from tichu_bot.bot import Bot
from tichu_bot.exit_code import ExitCode
from tichu_bot.outbox import holds_news
from tichu_bot.report import say_failure
from tichu_bot.seat import SeatPlayer

Post = Callable[[pb.PlayRequest], None]


class Player(Protocol):
    """Plays what the frames of a session ask."""

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Take a frame in; what is answered at once goes to `out`."""

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """A Welcome came; without `resumed` all matches of an earlier stream are lost."""


class SeatsPlayer:
    """Keeps one SeatPlayer, and so one strategy, for each match number of the session."""

    def __init__(self, make_bot: Callable[[], Bot], *, plays_listed: bool = True) -> None:
        self._make_bot = make_bot
        self._plays_listed = plays_listed
        self._seats: dict[int, SeatPlayer] = {}

    def new_seat(self, match: int) -> SeatPlayer:
        """Make the seat of a new match, with a strategy of its own."""
        return SeatPlayer(match, self._make_bot(), plays_listed=self._plays_listed)

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Answer all asks of the frame."""
        for update in frame.updates:
            self.update(update, out)

    def update(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        """Answer the asks of one update."""
        number = update.match
        seat = self._seats.get(number)
        if seat is None:
            if not update.HasField("seating"):
                self._answer_unseated(update, out)
                return
            seat = self._seats[number] = self.new_seat(number)
        seat.update(update, out)
        if seat.over:
            del self._seats[number]

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Go on where the last stream broke, or forget it."""
        if not resumed:
            for seat in self._seats.values():
                seat.forget()
            self._seats.clear()
        for seat in self._seats.values():
            seat.came_back(out)

    def _answer_unseated(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        """Nothing is known of this seat; an ask still gets an answer."""
        for ask in update.asks:
            take_default(out.answers.add(match=update.match, ask_id=ask.ask_id))


class ThreadedPlayer:
    """Plays in one worker thread, so that the loop answers pings while a strategy thinks.

    Answers leave one update at a time. An ask that is cancelled while it waits is skipped.
    """

    def __init__(self, player: SeatsPlayer, post: Post) -> None:
        """`post` is called in the worker thread, once for each part of the outgoing frame."""
        self._player = player
        self._post = post
        self._session = 0  # counts sessions; answers for an earlier one are dropped
        self._cancelled: set[tuple[int, int]] = set()
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="strategy", daemon=True).start()

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Queue the frame."""
        for update in frame.updates:
            for cancelled in update.cancelled:
                self._cancelled.add((update.match, cancelled.ask_id))
        session = self._session
        self._jobs.put(lambda: self._play(frame, session))

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Queue the news behind the frames that came before."""
        if not resumed:
            self._session += 1
            self._cancelled.clear()
        session = self._session
        self._jobs.put(lambda: self._come_back(session, resumed=resumed))

    def _work(self) -> None:
        try:
            while True:
                self._jobs.get()()
                if self._jobs.empty():
                    self._cancelled.clear()
        except BaseException:
            say_failure("the library failed; this is a bug of tichu_bot")
            os._exit(ExitCode.BUG)  # a bot without its thread would hang until the grace is over

    def _play(self, frame: pb.PlayResponse, session: int) -> None:
        for update in frame.updates:
            if session != self._session:
                return
            self._skip_cancelled(update)
            part = pb.PlayRequest()
            self._player.update(update, part)
            self._send(part, session)

    def _skip_cancelled(self, update: match_pb.Update) -> None:
        for at in reversed(range(len(update.asks))):
            if (update.match, update.asks[at].ask_id) in self._cancelled:
                del update.asks[at]

    def _come_back(self, session: int, *, resumed: bool) -> None:
        part = pb.PlayRequest()
        self._player.came_back(part, resumed=resumed)
        self._send(part, session)

    def _send(self, part: pb.PlayRequest, session: int) -> None:
        if holds_news(part) and session == self._session:
            self._post(part)

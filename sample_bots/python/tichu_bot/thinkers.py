"""Who decides for deferred seats: tasks of the loop, or one thread for all tables."""

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Sequence

from tichu_bot.acts import Decision
from tichu_bot.async_bot import AsyncBot
from tichu_bot.bot import Bot, Strategy
from tichu_bot.deferred import DeferredSeat, Forwarding, OpenAsk, Thinker
from tichu_bot.exit_code import ExitCode
from tichu_bot.many_bot import ManyBot
from tichu_bot.outbox import Outbox
from tichu_bot.player import SeatsPlayer
from tichu_bot.report import say, say_failure
from tichu_bot.seat import SeatPlayer
from tichu_bot.traits import Traits, traits_of
from tichu_bot.view import View


class DeferredPlayer(SeatsPlayer):
    """Plays seats whose strategy decides elsewhere."""

    def __init__(self, thinker: Thinker, *, plays_listed: bool = True) -> None:
        super().__init__(Bot, plays_listed=plays_listed)
        self._thinker = thinker

    def new_seat(self, match: int) -> SeatPlayer:
        """Make the seat of a new match."""
        return DeferredSeat(match, self._thinker, plays_listed=self._plays_listed)


class AsyncThinker:
    """A task of the loop for each ask; one AsyncBot for each match."""

    def __init__(self, make_bot: Callable[[], AsyncBot], traits: Traits, outbox: Outbox) -> None:
        self.traits = traits
        self._make_bot = make_bot
        self._outbox = outbox
        self._tasks: dict[OpenAsk, asyncio.Task[None]] = {}

    def seated(self, match: int) -> Strategy:
        """Make the bot of a new match."""
        return self._make_bot()

    def quick(self) -> Bot | None:
        """Bombs are asked as all else: tasks do not wait for each other."""
        return None

    def think(self, opened: OpenAsk) -> None:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(self._think(opened))
        self._tasks[opened] = task
        task.add_done_callback(lambda _: self._tasks.pop(opened, None))

    def drop(self, opened: OpenAsk) -> None:
        """Cancel the task."""
        if opened in self._tasks:
            self._tasks[opened].cancel()

    def forgotten(self, match: int) -> None:
        """Nothing: the seat held the bot."""

    async def _think(self, opened: OpenAsk) -> None:
        bot = opened.seat.listener
        assert isinstance(bot, AsyncBot), f"{bot} is no AsyncBot"
        try:
            decided = await bot.decide(opened.view)
        except (Exception, asyncio.CancelledError):
            if opened.over:
                raise  # taken back: nobody wants an answer
            match = opened.view.match_id
            say_failure("the strategy failed", match=match, ask=opened.ask.ask_id)
            opened.seat.give_up(opened, self._outbox.frame)
        else:
            opened.seat.settle(opened, decided, self._outbox.frame)
        self._outbox.ring()


Waiting = OpenAsk | Callable[[], None]  # to be answered; or to be called, so that the bot hears
Decided = list[tuple[OpenAsk, Decision | Exception]]


class ManyThinker:
    """A thread that takes all open asks at once; one ManyBot for all matches."""

    def __init__(self, bot: ManyBot, outbox: Outbox) -> None:
        self.traits = traits_of(bot)
        self._bot = bot
        self._outbox = outbox
        self._loop = asyncio.get_running_loop()
        self._frame: list[Waiting] = []  # of the frame that is being read
        self._waiting: queue.SimpleQueue[list[Waiting]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="strategy", daemon=True).start()

    def seated(self, match: int) -> Strategy:
        """Forward to the one bot."""
        return Forwarding(self._tell)

    def quick(self) -> Bot | None:
        """Ask the bot's `bomb` beside its thread, where it says that it is quick."""
        return self._bot if self._bot.slow and self._bot.quick_bomb else None

    def think(self, opened: OpenAsk) -> None:
        """Queue it, with all that is asked in the same frame."""
        self._queue(opened)

    def drop(self, opened: OpenAsk) -> None:
        """Nothing: what is over is skipped."""

    def forgotten(self, match: int) -> None:
        """Nothing: the bot is for all matches."""

    def _tell(self, method: str, view: View, arguments: tuple[object, ...]) -> None:
        def tell() -> None:
            try:
                getattr(self._bot, method)(view, *arguments)
            except Exception:
                say_failure(f"the strategy failed in {method}", match=view.match_id)

        self._queue(tell)

    def _queue(self, waiting: Waiting) -> None:
        if not self._frame:
            self._loop.call_soon(self._hand_over)  # after the frame
        self._frame.append(waiting)

    def _hand_over(self) -> None:
        self._waiting.put(self._frame)
        self._frame = []

    def _work(self) -> None:
        try:
            while True:
                opened = self._take()
                if opened and not self._loop.is_closed():
                    decided = self._decide(opened)
                    self._loop.call_soon_threadsafe(self._settle, decided)
        except RuntimeError:
            if not self._loop.is_closed():  # else the process ends just now
                _fail()
        except BaseException:
            _fail()

    def _take(self) -> list[OpenAsk]:
        """Wait until something is there; take all, and pass on what the bot is to hear."""
        taken = self._waiting.get()
        while not self._waiting.empty():
            taken += self._waiting.get()
        opened = []
        for one in taken:
            if isinstance(one, OpenAsk):
                opened.append(one)
            else:
                one()
        return [one for one in opened if not one.over]

    def _decide(self, opened: Sequence[OpenAsk]) -> Decided:
        """Ask for all; where that fails, for each half, so that only the culprit's asks fail."""
        try:
            decided = list(self._bot.act_many([one.view for one in opened]))
            if len(decided) != len(opened):
                raise ValueError(f"{len(opened)} asks got {len(decided)} answers from act_many")
        except Exception as error:
            if len(opened) == 1:
                match = opened[0].view.match_id
                say_failure("the strategy failed", match=match, ask=opened[0].ask.ask_id)
                return [(opened[0], error)]
            say(f"act_many failed for {len(opened)} asks, and is called anew with each half")
            middle = len(opened) // 2
            return self._decide(opened[:middle]) + self._decide(opened[middle:])
        return list(zip(opened, decided, strict=True))

    def _settle(self, decided: Decided) -> None:
        for opened, decision in decided:
            if isinstance(decision, Exception):
                opened.seat.give_up(opened, self._outbox.frame)
            else:
                opened.seat.settle(opened, decision, self._outbox.frame)
        self._outbox.ring()


def _fail() -> None:
    """End the process: without its thread the bot would hang until the grace is over."""
    say_failure("the library failed; this is a bug of tichu_bot")
    os._exit(ExitCode.BUG)

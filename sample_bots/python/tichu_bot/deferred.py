"""Seats whose strategy decides elsewhere or later: in a task, in a thread, in other processes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tichu_bot import answers
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.acts import Decision
from tichu_bot.bot import Bot, Strategy
from tichu_bot.report import say_failure
from tichu_bot.seat import SeatPlayer
from tichu_bot.traits import Traits
from tichu_bot.view import View

# With one of these the window of an earlier bomb ask is over; such an ask ends without a word.
_ENDS_WINDOW = frozenset(("played", "passed", "trick_taken", "dragon_given", "round_ended"))


@dataclass(eq=False, slots=True, kw_only=True)
class OpenAsk:
    """An ask that somebody thinks about, with a view of its own."""

    seat: "DeferredSeat"
    ask: match_pb.Ask
    view: View
    over: bool = False  # answered, or taken back: no answer is wanted any more


class Thinker(Protocol):
    """Decides elsewhere. All of it is called in the loop's thread."""

    traits: Traits

    def seated(self, match: int) -> Strategy:
        """Return who listens to a new match."""

    def quick(self) -> Bot | None:
        """Return who answers a new match's bomb asks at once; None: they are thought about."""

    def think(self, opened: OpenAsk) -> None:
        """Begin to decide; `settle` or `give_up` of its seat is called later, unless it is over."""

    def drop(self, opened: OpenAsk) -> None:
        """Stop thinking: the ask is over."""

    def forgotten(self, match: int) -> None:
        """The match is over, or lost; nothing is open in it any more."""


class DeferredSeat(SeatPlayer):
    """One seat of one match: asks go out to a thinker, and come back decided."""

    def __init__(self, match: int, thinker: Thinker, *, plays_listed: bool = True) -> None:
        listener = thinker.seated(match)
        super().__init__(match, listener, traits=thinker.traits, plays_listed=plays_listed)
        self.listener = listener
        self._thinker = thinker
        self._quick = thinker.quick()
        self._open: dict[int, OpenAsk] = {}

    def update(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        """Take one update in; what it takes back is no longer thought about."""
        for cancelled in update.cancelled:
            self._drop(cancelled.ask_id)
        if self._open and any(e.WhichOneof("event") in _ENDS_WINDOW for e in update.events):
            bombs = [number for number, it in self._open.items() if it.ask.HasField("bomb")]
            for number in bombs:
                self._drop(number)
        super().update(update, out)
        if self.over:
            self.forget()

    def forget(self) -> None:
        """Drop all that is open: the match is over, or lost."""
        for number in list(self._open):
            self._drop(number)
        self._thinker.forgotten(self.match)

    def settle(self, opened: OpenAsk, decided: Decision, out: pb.PlayRequest) -> None:
        """Write a decision down; nothing happens where the ask is over."""
        if self._closed(opened):
            return
        answer = self._new_answer(opened.ask, out)
        try:
            answers.write(answer, opened.ask, decided)
        except Exception:
            self._failed("the strategy failed", ask=opened.ask.ask_id)
            answers.take_default(answer)
        self._send_requests(opened.view, out)

    def give_up(self, opened: OpenAsk, out: pb.PlayRequest) -> None:
        """Leave an ask to the referee: the strategy failed, and that was reported."""
        if not self._closed(opened):
            self._failures += 1
            answers.take_default(self._new_answer(opened.ask, out))

    def _think(self, ask: match_pb.Ask, out: pb.PlayRequest) -> None:
        if ask.ask_id in self._open:
            return  # asked again after a lost link; the answer comes
        if not answers.read(ask, self.view):
            answers.take_default(self._new_answer(ask, out))
            return
        opened = self._open[ask.ask_id] = OpenAsk(seat=self, ask=ask, view=self.view.copy())
        if self._quick is not None and ask.HasField("bomb"):
            self._bomb_at_once(self._quick, opened, out)
        else:
            self._thinker.think(opened)

    def _bomb_at_once(self, bot: Bot, opened: OpenAsk, out: pb.PlayRequest) -> None:
        try:
            decided = bot.decide(opened.view)
        except Exception:
            say_failure("the strategy failed", match=self.view.match_id, ask=opened.ask.ask_id)
            self.give_up(opened, out)
        else:
            self.settle(opened, decided, out)

    def _drop(self, number: int) -> None:
        opened = self._open.pop(number, None)
        if opened is not None:
            opened.over = True
            self._thinker.drop(opened)

    def _closed(self, opened: OpenAsk) -> bool:
        """Close an ask that comes back; True if it was closed already."""
        if opened.over:
            return True
        opened.over = True
        del self._open[opened.ask.ask_id]
        return False


class Forwarding(Strategy):
    """Listens for a strategy that lives elsewhere; each message has a view of its own."""

    def __init__(self, tell: Callable[[str, View, tuple[object, ...]], None]) -> None:
        """`tell` gets the name of the method, the view, and the other arguments."""
        self._tell = tell

    def event(self, view: View, event: object) -> None:
        """Pass an event on."""
        self._tell("event", view.copy(), (event,))

    def match_started(self, view: View) -> None:
        """Pass the start on."""
        self._tell("match_started", view.copy(), ())

    def match_over(self, view: View, result: object) -> None:
        """Pass the end on."""
        self._tell("match_over", view.copy(), (result,))

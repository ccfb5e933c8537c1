"""`chaos:signals-by-time` tells its partner a bit with each play: it answers at once, or waits.

The partner, another process, reads when the play becomes public. First come two bits that say that
somebody signals, then which high cards the hand holds. In pace fast a short wait gets through. In
pace fair only whole windows do, so there it waits for one.
"""

import asyncio
from collections.abc import Callable

from chaos.process import run
from tichu_bot import Act, Kind, Pace, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.cards import ACE, DRAGON, PHOENIX
from tichu_bot.events import CardsExchanged, Event, MatchEnded, Passed, Played, RoundStarted
from tichu_bot.outbox import Outbox
from tichu_bot.player import SeatsPlayer
from tichu_bot.report import say

GREETING = (True, False)
WORDS = (DRAGON, PHOENIX, *range(4 * ACE, 4 * ACE + 4), *range(4 * ACE - 4, 4 * ACE))
_BEFORE_ASKS = (CardsExchanged, Played, Passed)  # a trick is taken when its next lead is known
WAIT_S = 0.06  # in pace fast, for a bit that is true


class Timing:
    """Between the strategy, which knows the bits, and the player, which knows the time."""

    def __init__(self) -> None:
        self.now = 0.0  # when the frame came that is being read, seconds
        self.wait_s = 0.0  # for the answer that is being given


class SignallingBot(GreedyBot):
    """Plays as greedy does, with the partner's high cards in mind as far as it was told."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._word: tuple[bool, ...] = ()  # what there is to tell in this round
        self._told = 0  # bits of it
        self._heard: list[bool] = []
        self._last = 0.0  # when the event came after which the next seat was asked
        self._log: dict[str, list[str]] = {"sent": [], "read": []}

    def event(self, view: View, event: Event) -> None:
        """Read the partner's bits, and count the own ones."""
        match event:
            case RoundStarted():
                self._word, self._told, self._heard = (), 0, []
            case CardsExchanged():
                hand = view.hands[view.own_seat]
                self._word = (*GREETING, *(card in hand for card in WORDS))
            case Played(seat=seat, play=play) if play.kind != Kind.BOMB:
                self._played(view, seat)
            case _:
                pass
        if isinstance(event, _BEFORE_ASKS):
            self._last = self._timing.now

    def _played(self, view: View, seat: int) -> None:
        if seat == view.own_seat and self._told < len(self._word):
            self._log["sent"].append(_digit(self._word[self._told]))
            self._told += 1
        elif seat in view.partners and len(self._heard) < len(GREETING) + len(WORDS):
            bit = self._timing.now - self._last > limit_s(view)
            self._log["read"].append(_digit(bit))
            self._heard.append(bit)

    def told(self) -> list[int]:
        """Return the cards that the partner says it holds; none without a greeting."""
        heard = self._heard
        if tuple(heard[: len(GREETING)]) != GREETING:
            return []
        said = zip(WORDS, heard[len(GREETING) :], strict=False)
        return [card for card, holds in said if holds]

    def act(self, view: View) -> Act:
        """Play, and let the time of the answer say the next bit.

        The partner's cards are as good as played: no opponent has them.
        """
        played = view.played
        view.played = played + [card for card in self.told() if card not in played]
        act = super().act(view)
        view.played = played
        speaks = act.play is not None and act.play.kind != Kind.BOMB
        if speaks and self._told < len(self._word) and self._word[self._told]:
            self._timing.wait_s = wait_s(view)
        return act

    def match_over(self, view: View, result: MatchEnded) -> None:
        """Say what went over the channel."""
        say("signals", **{way: "".join(bits) or "none" for way, bits in self._log.items()})


def _digit(bit: bool) -> str:
    return "1" if bit else "0"


def wait_s(view: View) -> float:
    """Return how long a true bit takes; 0 where the clock does not leave the time."""
    wait = view.window_ms / 1000 if view.pace == Pace.FAIR else WAIT_S
    left = view.time_left_ms
    return wait if left is None or left > 4000 * wait else 0.0


def limit_s(view: View) -> float:
    """Return the time from the event before to a play from which on it tells a true bit.

    In pace fair a play takes a window at least.
    """
    return 1.5 * view.window_ms / 1000 if view.pace == Pace.FAIR else WAIT_S / 2


class SignallingPlayer:
    """Holds an answer back for as long as its strategy says."""

    def __init__(self, outbox: Outbox, make_bot: Callable[[Timing], GreedyBot]) -> None:
        self._outbox = outbox
        self._timing = Timing()
        self._player = SeatsPlayer(lambda: make_bot(self._timing))

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Note when the frame came, and answer."""
        loop = asyncio.get_running_loop()
        self._timing.now = loop.time()
        for update in frame.updates:
            part = pb.PlayRequest()
            self._timing.wait_s = 0.0
            self._player.update(update, part)
            held = self._take_acts(update, part) if self._timing.wait_s else []
            out.MergeFrom(part)
            if held:
                later = pb.PlayRequest(answers=held)
                loop.call_later(self._timing.wait_s, self._outbox.merge, later)

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Go on; what was held back and got lost is asked again."""
        self._player.came_back(out, resumed=resumed)

    def _take_acts(self, update: match_pb2.Update, part: pb.PlayRequest) -> list[pb.Answer]:
        acts = {ask.ask_id for ask in update.asks if ask.HasField("act")}
        answers = [*part.answers]
        del part.answers[:]
        part.answers.extend(answer for answer in answers if answer.ask_id not in acts)
        return [answer for answer in answers if answer.ask_id in acts]


if __name__ == "__main__":
    run("signals-by-time", lambda outbox: SignallingPlayer(outbox, SignallingBot))

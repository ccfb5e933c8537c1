"""A player that knows its answer at once and gives it at a time of its choice."""

import asyncio
from collections.abc import Callable

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.outbox import Outbox
from tichu_bot.player import SeatsPlayer

# When to answer an ask that has a limit: seconds from now. None: at once.
When = Callable[[match_pb.Ask], float | None]


def left_s(ask: match_pb.Ask) -> float:
    """Return the time that an ask leaves, bank included."""
    return ask.time_left_ms / 1000


def base_s(ask: match_pb.Ask) -> float:
    """Return the time of an ask that costs nothing."""
    return max(0, ask.time_left_ms - ask.bank_left_ms) / 1000


class TimedPlayer:
    """Plays as `greedy` does, but holds each answer back. Windows are answered at once."""

    def __init__(self, outbox: Outbox, when: When) -> None:
        self._outbox = outbox
        self._when = when
        self._player = SeatsPlayer(GreedyBot)
        self._held: dict[tuple[int, int], asyncio.TimerHandle] = {}

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Take a frame in; what is not held back goes to `out`."""
        for update in frame.updates:
            self._keep(update)
            part = pb.PlayRequest()
            self._player.update(update, part)
            asks = {ask.ask_id: ask for ask in update.asks}
            answers = list(part.answers)
            del part.answers[:]
            out.MergeFrom(part)
            for answer in answers:
                self._give(answer, asks.get(answer.ask_id), out)

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Asks that are still open come again, and with them their answers."""
        self._player.came_back(out, resumed=resumed)

    def _keep(self, update: match_pb.Update) -> None:
        """Drop the answers to asks that are no longer open. Late ones are kept: that is a sin."""
        for cancelled in update.cancelled:
            if cancelled.reason != match_pb.CANCEL_REASON_TIMED_OUT:
                held = self._held.pop((update.match, cancelled.ask_id), None)
                if held is not None:
                    held.cancel()

    def _give(self, answer: pb.Answer, ask: match_pb.Ask | None, out: pb.PlayRequest) -> None:
        wait_s = None
        if ask is not None and ask.HasField("time_left_ms") and not ask.HasField("bomb"):
            wait_s = self._when(ask)
        if wait_s is None:
            out.answers.append(answer)
            return
        loop = asyncio.get_running_loop()
        self._held[answer.match, answer.ask_id] = loop.call_later(wait_s, self._send, answer)

    def _send(self, answer: pb.Answer) -> None:
        self._held.pop((answer.match, answer.ask_id), None)
        self._outbox.merge(pb.PlayRequest(answers=[answer]))

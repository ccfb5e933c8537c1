"""Plays random legal plays straight from the wire, without views: the bot of a benchmark.

`python -m tichu_bot.minimal` answers by index, gives the lowest cards away, bombs and calls
now and then. The same seed of the match gives the same answers to the same asks.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.answers import decline, take_default
from tichu_bot.cards import MAH_JONG
from tichu_bot.outbox import Outbox
from tichu_bot.run import PROTOCOL_VERSION, play, sdk_name, settings_or_exit

PASSES_ONE_IN = 8  # where passing and playing are both allowed
BOMBS_ONE_IN = 4
CALLS_ONE_IN = 64

_PASS = pb.ActAnswer()
_CALLS = frozenset(match_pb.CallKind.values())  # a later protocol may list others
getattr(_PASS, "pass").SetInParent()  # a Python keyword


class MinimalPlayer:
    """Knows nothing of a match but its random numbers.

    They come from a linear congruential generator: an int a match, 0.1 us a number.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Answer all asks of the frame."""
        answers = out.answers
        for update in frame.updates:
            match = update.match
            if update.HasField("seating"):
                self._numbers[match] = int.from_bytes(update.seating.bot_seed[:4], "big")
            for ask in update.asks:
                kind = ask.WhichOneof("kind")
                answer = answers.add(match=match, ask_id=ask.ask_id)
                if kind == "act":
                    self._act(match, ask.act, answer)
                else:
                    _OTHERS.get(kind or "", _default)(self, match, ask, answer)
            for refused in update.refused:
                if refused.resends_left:
                    take_default(answers.add(match=match, ask_id=refused.ask_id))

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Nothing is kept that could be wrong."""

    def _below(self, match: int, bound: int) -> int:
        number = (self._numbers.get(match, 1) * 1103515245 + 12345) & 0x7FFFFFFF
        self._numbers[match] = number
        return (number >> 8) % bound

    def _act(self, match: int, asked: match_pb.ActAsk, answer: pb.Answer) -> None:
        plays = asked.plays
        count = len(plays)
        if not count or (asked.may_pass and not self._below(match, PASSES_ONE_IN)):
            answer.act.CopyFrom(_PASS)
            return
        index = self._below(match, count)
        act = answer.act
        act.index = index
        if asked.leading and MAH_JONG in plays[index].cards:
            act.wish = 2 + self._below(match, 13)
        if asked.may_call_tichu and not self._below(match, CALLS_ONE_IN):
            act.tichu = True

    def bomb(self, match: int, ask: match_pb.Ask, answer: pb.Answer) -> None:
        """Throw any of the bombs, or none."""
        count = len(ask.bomb.plays)
        if count and not self._below(match, BOMBS_ONE_IN):
            answer.bomb.index = self._below(match, count)
        else:
            decline(answer)

    def call(self, match: int, ask: match_pb.Ask, answer: pb.Answer) -> None:
        """Bet or refuse now and then; bid anything."""
        choices = [choice for choice in ask.call.choices if choice in _CALLS]
        if not choices:
            take_default(answer)
            return
        if match_pb.CALL_KIND_BID_0 in choices:
            answer.call.choice = choices[self._below(match, len(choices))]
            return
        rare = not self._below(match, CALLS_ONE_IN)
        rare_first = match_pb.CALL_KIND_REFUSE not in choices
        answer.call.choice = choices[0 if rare == rare_first else len(choices) - 1]

    def choose_seat(self, match: int, ask: match_pb.Ask, answer: pb.Answer) -> None:
        """Choose any of the seats."""
        seats = ask.choose_seat.seats
        answer.choose_seat.seat = seats[self._below(match, len(seats))]


def _default(player: MinimalPlayer, match: int, ask: match_pb.Ask, answer: pb.Answer) -> None:
    take_default(answer)


_OTHERS: Mapping[str, Callable[[MinimalPlayer, int, match_pb.Ask, pb.Answer], None]] = {
    "bomb": MinimalPlayer.bomb,
    "call": MinimalPlayer.call,
    "choose_seat": MinimalPlayer.choose_seat,
}


def main() -> None:
    """Run as a process."""
    settings = settings_or_exit()
    hello = pb.Hello(
        protocol_version=PROTOCOL_VERSION,
        bot_name=settings.bot_name or "minimal",
        max_matches=512,
        without_snapshots=True,
        event_delivery=pb.EVENT_DELIVERY_WITH_ASKS,
        sdk=sdk_name(),
    )

    def make_player(outbox: Outbox) -> MinimalPlayer:
        return MinimalPlayer()

    sys.exit(asyncio.run(play(settings, hello, make_player)))


if __name__ == "__main__":
    main()

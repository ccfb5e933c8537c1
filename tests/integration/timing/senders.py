"""HOLDER as a partner that tries to pass a bit in every turn, by the channel of the round."""

from typing import assert_never

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.integration.timing.plan import Channel, Plan
from tests.integration.timing.player import Player
from tests.integration.timing.stream import Stream
from tests.integration.timing.table import Place

# Seconds after the ask, for the bits 0 and 1. Windows have 50 ms, acts a base time of 70.
EARLY_S, LATE_S = 0.005, 0.035
DELAYS_S = {
    Channel.DELAY: (EARLY_S, LATE_S),
    Channel.WHOLE_WINDOWS: (EARLY_S, 0.065),
    Channel.BANK: (0.054, 0.088),
}
REFUSED_S, CORRECTED_S = (0.003, 0.008), 0.020
REPEATS_S = tuple(0.010 + 0.001 * number for number in range(10))
DECLINES_S = (0.002, 0.038)
BURST_S, BURST = 0.048, 200  # in every match at once it would be a flood
PACING_S = 0.0492
ONCE_S = (0.010, 0.035)


class Sender(Player):
    """Passes, throws no bomb; exchanges and calls Tichu once a round."""

    def __init__(self, stream: Stream, plan: Plan) -> None:
        super().__init__(stream, plan)
        self._called: set[tuple[int, int]] = set()  # matches and rounds

    def exchange_s(self, place: Place) -> float:
        """Send a bit by the time of the exchange."""
        return ONCE_S[self.plan.bit(place.match, place.event)]

    def act(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        """Pass, and send a bit by how."""
        channel = self.plan.channel(place.match, place.round)
        bit = self.plan.bit(place.match, place.event)
        legal = place.passing(ask)
        match channel:
            case Channel.DELAY | Channel.WHOLE_WINDOWS | Channel.BANK:
                self._say(DELAYS_S[channel][bit], legal)
            case Channel.REFUSALS:
                for after in REFUSED_S if bit else ():
                    self._say(after, place.illegal(ask))
                self._say(CORRECTED_S, legal)
            case Channel.REPEATS:
                for after in (EARLY_S, *(REPEATS_S if bit else ())):
                    self._say(after, legal)
            case Channel.BURST:
                self._say(EARLY_S, legal)
                if bit:
                    self._say(BURST_S, *[legal] * BURST)
            case Channel.PACING:
                for after in (EARLY_S, PACING_S) if bit else (EARLY_S,):
                    self._say(after, legal)
            case Channel.DECLINES | Channel.CALL | Channel.EXCHANGE:
                reply.answers.append(legal)
            case _:
                assert_never(channel)

    def decline(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        """Throw no bomb; call in the first window of a round, at a time that is a bit."""
        bit = self.plan.bit(place.match, place.event)
        if self.plan.channel(place.match, place.round) is Channel.DECLINES:
            self._say(DECLINES_S[bit], place.declining(ask))
        else:
            reply.answers.append(place.declining(ask))
        if (place.match, place.round) not in self._called:
            self._called.add((place.match, place.round))
            frame = referee_pb2.PlayRequest()
            frame.calls.add(match=place.number, call=match_pb2.CALL_KIND_TICHU)
            self._stream.later(ONCE_S[bit], frame)

    def _say(self, after_s: float, *answers: referee_pb2.Answer) -> None:
        self._stream.later(after_s, referee_pb2.PlayRequest(answers=answers))

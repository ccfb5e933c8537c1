"""HOLDER as a seat that meets bomb asks in the manner of the round."""

from typing import assert_never

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.integration.timing.plan import SLOW_S, Manner, Plan
from tests.integration.timing.player import Player
from tests.integration.timing.stream import Stream
from tests.integration.timing.table import Place


class Mannered(Player):
    """HOLDER, as the arm of the round says."""

    def __init__(self, stream: Stream, plan: Plan) -> None:
        super().__init__(stream, plan)
        self._stood_down: set[tuple[int, int]] = set()  # matches and rounds

    def decline(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        """Meet a bomb ask."""
        arm = self.plan.arm(place.match, place.round)
        assert bool(ask.bomb.plays) is arm.holds, f"{arm} has {ask.bomb.plays}"
        match arm.manner:
            case Manner.INSTANT:
                reply.answers.append(place.declining(ask))
            case Manner.SLOW:
                frame = referee_pb2.PlayRequest(answers=[place.declining(ask)])
                self._stream.later(SLOW_S, frame)
            case Manner.SILENT:
                pass
            case Manner.STOOD_DOWN:
                self._stand_down(place, reply)
            case _:
                assert_never(arm.manner)

    def _stand_down(self, place: Place, reply: referee_pb2.PlayRequest) -> None:
        if (place.match, place.round) not in self._stood_down:
            self._stood_down.add((place.match, place.round))
            reply.stand_downs.add(match=place.number)

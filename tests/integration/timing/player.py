"""A bot that plays one role in all matches of a stream."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.integration.timing.deals import Role
from tests.integration.timing.plan import Plan
from tests.integration.timing.stream import Stream
from tests.integration.timing.table import Place


class Player:
    """One role in all matches: leads its cards one by one, else passes; throws no bomb."""

    def __init__(self, stream: Stream, plan: Plan) -> None:
        self.plan = plan
        self._stream = stream
        self._places: dict[int, Place] = {}

    def handle(self, frame: referee_pb2.PlayResponse, came: int) -> None:
        """Answer a frame."""
        reply = referee_pb2.PlayRequest()
        if frame.HasField("ping"):
            reply.pong.number = frame.ping.number
        for update in frame.updates:
            place = self._places.setdefault(update.match, Place(update.match, self.plan))
            place.take(update)
            for ask in update.asks:
                self._meet(place, ask, reply)
        if reply.ByteSize():
            self._stream.send(reply)

    def _meet(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        if ask.HasField("act"):
            self.act(place, ask, reply)
        elif ask.HasField("bomb"):
            self.decline(place, ask, reply)
        elif ask.HasField("exchange"):
            frame = referee_pb2.PlayRequest(answers=[place.prelude(ask)])
            self._stream.later(self.exchange_s(place), frame)
        else:
            reply.answers.append(place.prelude(ask))

    def exchange_s(self, place: Place) -> float:
        """How long to think about the exchange."""
        idle = place.role_of(place.seat) is Role.IDLER
        return self.plan.phase_s(place.match, place.round) if idle else 0.0

    def act(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        """Lead the next card, or pass."""
        reply.answers.append(place.leading(ask) if ask.act.leading else place.passing(ask))

    def decline(self, place: Place, ask: match_pb2.Ask, reply: referee_pb2.PlayRequest) -> None:
        """Throw no bomb, at once."""
        reply.answers.append(place.declining(ask))

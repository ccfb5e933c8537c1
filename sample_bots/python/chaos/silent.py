"""`chaos:silent` takes its seat, reads everything, and never answers an ask."""

from chaos.process import run
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb


class SilentPlayer:
    """Reads and says nothing. Pings are answered by the library: the link is alive."""

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Say nothing."""

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Say nothing."""


if __name__ == "__main__":
    run("silent", lambda outbox: SilentPlayer())

"""`chaos:other-seat` plays in order, and tries to speak for the other seats beside it."""

from chaos.process import PLAYS_GREEDY, run
from tichu_bot._gen.tichu.referee.v1 import match_pb2
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.player import Player

MATCHES = 4  # numbers of a session, from 1; ours is one of them
ASKS_AHEAD = 3  # asks are numbered for each seat: another may have been asked more
SEATS = 4


class MeddlingPlayer:
    """Sends with each own answer a few that belong to others."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._seats: dict[int, int] = {}  # ours, by match

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Meddle, then answer what is asked."""
        for update in frame.updates:
            if update.HasField("seating"):
                self._seats[update.match] = update.seating.seat
            for ask in update.asks:
                if ask.HasField("act"):
                    self._meddle(update.match, ask, out)
        self._player.frame(frame, out)

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Go on."""
        self._player.came_back(out, resumed=resumed)

    def _meddle(self, match: int, ask: match_pb2.Ask, out: pb.PlayRequest) -> None:
        """Name other matches, asks that were put to others at most, and other hands."""
        numbers = [(other, ask.ask_id) for other in range(1, MATCHES + 1) if other != match]
        numbers += [(match, ask.ask_id + ahead) for ahead in range(1, ASKS_AHEAD + 1)]
        for other, ask_id in numbers:
            out.answers.add(match=other, ask_id=ask_id).default_action.SetInParent()
        for seat in range(SEATS):
            if seat != self._seats.get(match):
                out.stand_downs.add(match=match, for_seat=seat)
                out.calls.add(match=match, for_seat=seat, call=match_pb2.CALL_KIND_TICHU)


if __name__ == "__main__":
    run("other-seat", lambda outbox: MeddlingPlayer(PLAYS_GREEDY(outbox)))

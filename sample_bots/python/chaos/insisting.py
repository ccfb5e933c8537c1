"""A player whose answers are refused, and who gives them again as often as it may."""

from collections.abc import Callable, Mapping

from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb

Fill = Callable[[pb.Answer, match_pb.Ask], None]


class InsistingPlayer:
    """Answers each ask by `fill`, and each refusal that may be corrected by the same answer."""

    def __init__(self, fill: Fill) -> None:
        self._fill = fill
        self._given: dict[tuple[int, int], pb.Answer] = {}  # by match and ask

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Answer all asks and refusals of the frame."""
        for update in frame.updates:
            for refused in update.refused:
                given = self._given.get((update.match, refused.ask_id))
                if given is not None and refused.resends_left:
                    out.answers.append(given)
            for ask in update.asks:
                answer = pb.Answer(match=update.match, ask_id=ask.ask_id)
                self._fill(answer, ask)
                self._given[update.match, ask.ask_id] = answer
                out.answers.append(answer)

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """Open asks come again by themselves."""


def by_kind(fills: Mapping[str, Fill]) -> Fill:
    """Return what fills an answer by the kind of its ask; an unknown kind gets an empty one."""

    def fill(answer: pb.Answer, ask: match_pb.Ask) -> None:
        known = fills.get(ask.WhichOneof("kind") or "")
        if known is not None:
            known(answer, ask)

    return fill

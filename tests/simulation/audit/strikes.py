"""The failures of each seat that its own frames show."""

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.story import Story


class Strikes:
    """The failures of each seat that its own frames show: when, and for time or not."""

    def __init__(self, story: Story, desk: Desk) -> None:
        self.by_seat: list[list[tuple[int, bool]]] = [[] for _ in story.hands]
        self.unsure: set[int] = set()  # seats that may have failed at the very end, or not
        resends = story.transcript.limits.max_resends
        for seat in story.seats:
            for asked in desk.asked[seat].values():
                reason, when = asked.cancelled, asked.cancelled_at
                late = reason == match_pb2.CANCEL_REASON_TIMED_OUT
                failed = desk.failed_at_the_end(asked)
                if failed is None:
                    self.unsure.add(seat)
                elif late or failed:
                    if not desk.timing.asked_again(asked):
                        self.by_seat[seat].append((when, True))
                elif reason == match_pb2.CANCEL_REASON_SUBSTITUTED or asked.refused > resends:
                    self.by_seat[seat].append((when or asked.told, False))
            self.by_seat[seat].sort()

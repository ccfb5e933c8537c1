"""Whose fault a lost session is (PROTOCOL 5): the bot's, unless we can show otherwise.

A link that is lost alone says nothing: a bot that is behind may have cut it. Two owners that lose
theirs within a second did not agree on it, and where our own loop was blocked we may have lost it
ourselves.
"""

import enum
from collections import deque

from referee.app.instances import Instance
from referee.app.limits import SECOND
from referee.match.values import Blame

NEAR_NS = SECOND  # two losses are at most so far apart


class Cut(enum.Enum):
    """Why a stream ended without Goodbye."""

    LINK = enum.auto()  # the peer or the network; they look alike
    PROTOCOL = enum.auto()  # the bot sent what is no frame
    OURS = enum.auto()  # we failed it


class Loss:
    """One lost link, and what else happened around it."""

    __slots__ = ("at", "blocked_ns", "instance", "ours", "witnesses")

    def __init__(self, instance: Instance, at: int, *, ours: bool) -> None:
        self.instance = instance
        self.at = at
        self.ours = ours  # our bug ended the stream
        self.blocked_ns = 0  # the longest block of the loop that it may come from
        self.witnesses: set[Instance] = set()  # of other owners, lost as well

    def blame(self, lag_limit_ns: int) -> Blame:
        """Return who is to blame if the session does not come back."""
        if any(not witness.exited for witness in self.witnesses):
            return Blame.NETWORK
        return Blame.REFEREE if self.ours or self.blocked_ns > lag_limit_ns else Blame.BOT


class LossBook:
    """Losses and blocks of the last second.

    A block excuses what was lost while it lasted and no longer: the asks that are put anew tell
    every bot of it, and who is behind would cut its link then.
    """

    def __init__(self) -> None:
        self._losses: deque[Loss] = deque()
        self._blocks: deque[tuple[int, int, int]] = deque()  # began, ended, length

    def lost(self, instance: Instance, at: int, *, stamp: int, ours: bool) -> Loss:
        """Note a loss at a time of the clock, with the stamp that a frame would have had then."""
        loss = Loss(instance, at, ours=ours)
        while self._losses and at - self._losses[0].at > NEAR_NS:
            self._losses.popleft()
        for other in self._losses:
            if other.instance.owner != instance.owner:
                other.witnesses.add(instance)
                loss.witnesses.add(other.instance)
        for began, ended, length in self._blocks:
            if began <= stamp < ended:
                loss.blocked_ns = max(loss.blocked_ns, length)
        self._losses.append(loss)
        return loss

    def blocked(self, began: int, ended: int) -> None:
        """Note that the loop was blocked."""
        length = ended - began
        while self._blocks and began - self._blocks[0][1] > NEAR_NS:
            self._blocks.popleft()
        self._blocks.append((began, ended, length))
        for loss in self._losses:
            if began <= loss.at < ended:
                loss.blocked_ns = max(loss.blocked_ns, length)

"""What one measurement is: agreed before it begins by the three processes that take part."""

import hashlib
import random
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

import msgspec

from referee.match.values import Pace
from tests.integration.timing.deals import Pair, pairs

MATCHES = 32
WINDOW_MS = 50
SLOW_S = 0.040  # a slow decliner: late in the window, but in it
SECRET = hashlib.sha256(b"timing").digest()
_T = TypeVar("_T")


class Manner(StrEnum):
    """How HOLDER meets a bomb ask, whether or not it holds one."""

    INSTANT = "instant"  # declines at once
    SLOW = "slow"  # declines after SLOW_S
    SILENT = "silent"  # says nothing
    STOOD_DOWN = "stood down"  # is not asked


class Arm(msgspec.Struct, frozen=True):
    """What a round is one example of."""

    holds: bool
    manner: Manner

    def __str__(self) -> str:
        return f"{'holder' if self.holds else 'non-holder'}, {self.manner}"


class Plant(StrEnum):
    """A fault that the referee is given on purpose."""

    NONE = "none"
    LATE_10 = "the close is 10 ms late where somebody holds a bomb"
    LATE_1 = "the close is 1 ms late where somebody holds a bomb"
    ASK_LATER = "the asks of a holder are sent 1 ms later"
    HOLDER_FIRST = "the frame of a holder is written first"
    AT_ONCE = "an act takes effect at once instead of on the grid"
    REFUSALS_COUNT = "each refusal delays the act by 10 ms"
    REPEATS_COUNT = "each repeat delays the act by 2 ms"
    BANK_COUNTS = "an act that costs bank takes effect 20 ms late"
    DECLINES_COUNT = "a window with a late decline closes 20 ms late"


class Channel(StrEnum):
    """How HOLDER tries to pass a bit to OBSERVER, its partner."""

    DELAY = "delay in the window"
    WHOLE_WINDOWS = "delay over windows"
    REFUSALS = "refusals"
    REPEATS = "repeats"
    BANK = "bank, within the second window"
    DECLINES = "time of a decline"
    BURST = "burst before the close"
    PACING = "held frame at the close"
    CALL = "time of a call"
    EXCHANGE = "time of an exchange"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement. With `channels` rounds are examples of these instead of `manners`."""

    windows: int  # a side: in each arm; of a channel: bits
    manners: tuple[Manner, ...] = (Manner.INSTANT,)
    channels: tuple[Channel, ...] = ()
    pace: Pace = Pace.FAIR
    plant: Plant = Plant.NONE
    matches: int = MATCHES
    window_ms: int = WINDOW_MS
    seed: int = 1  # of the order in which arms and bits come

    def again(self) -> "Plan":
        """The same with another order: what chance gave to one it does not give to both."""
        return msgspec.structs.replace(self, seed=self.seed + 1)

    def arms(self) -> list[Arm]:
        """All examples, holders first."""
        return [Arm(holds, manner) for holds in (True, False) for manner in self.manners]

    def arm(self, match: int, round_number: int) -> Arm:
        """What a round is an example of; the rounds of a number share the arms out evenly."""
        return _dealt_out(self.arms(), self.matches, f"{self.seed} arm {round_number}")[match]

    def kinds(self) -> list[Arm | Channel]:
        """What rounds are examples of."""
        return [*self.channels] if self.channels else [*self.arms()]

    def kind(self, match: int, round_number: int) -> Arm | Channel:
        """What a round is an example of."""
        if self.channels:
            return self.channel(match, round_number)
        return self.arm(match, round_number)

    def channel(self, match: int, round_number: int) -> Channel:
        """By which channel bits are sent in a round."""
        return _dealt_out(self.channels, self.matches, f"{self.seed} {round_number}")[match]

    def bit(self, match: int, event: int) -> bool:
        """The bit to be sent in the turn, or window, that began with an event."""
        text = f"{self.seed} bit {match} {event}"
        return bool(hashlib.sha256(text.encode()).digest()[0] & 1)

    def pair(self, match: int, round_number: int) -> Pair:
        """The deals from which a round takes one."""
        return pairs()[(match + round_number) % len(pairs())]

    def holds(self, match: int, round_number: int) -> bool:
        """True where HOLDER is dealt a bomb."""
        return not self.channels and self.arm(match, round_number).holds

    def phase_s(self, match: int, round_number: int) -> float:
        """How long IDLER holds up the exchange, below a window.

        Acts keep to the grid, so this alone moves the windows of a match against those of others.
        """
        if self.channels:
            return 0.0  # HOLDER does so, with a bit
        text = f"{self.seed} phase {match} {round_number}"
        return random.Random(text).random() * self.window_ms / 1e3


def _dealt_out(kinds: Sequence[_T], matches: int, text: str) -> list[_T]:
    """One kind for each match: each as often as the others, in an order drawn from a text."""
    return [kinds[place % len(kinds)] for place in _order(matches, text)]


@lru_cache(1 << 10)
def _order(count: int, text: str) -> tuple[int, ...]:
    order = list(range(count))
    random.Random(text).shuffle(order)
    return tuple(order)

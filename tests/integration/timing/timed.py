"""What a seat can time, and how holders and non-holders compare in it."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from tests.integration.timing.observer import Window
from tests.integration.timing.plan import Arm, Plan, Plant
from tests.integration.timing.statistics import PERMUTATIONS, Block, Comparison, Finding


class Timed(StrEnum):
    """A quantity that a seat can time in every window. Values are the fields of `Window`."""

    NEXT = "next"
    ACK = "ack"
    PROBE = "probe"
    LATE = "late"
    GAP = "gap"
    PLACE = "place"


MEANING = {
    Timed.NEXT: "from one event to the next, and to the ask and acknowledgement that come with it",
    Timed.ACK: "from the own answer to its acknowledgement",
    Timed.PROBE: "from a repeat of the answer after 20 ms to its acknowledgement",
    Timed.LATE: "from a repeat after 42 ms to its acknowledgement",
    Timed.GAP: "from the frame before, of any match, to the one with the next event",
    Timed.PLACE: "place of the match among those of that frame",
}


# Faults by which time tells who holds a bomb, the plainest first.
PLANTED = (Plant.LATE_10, Plant.LATE_1, Plant.ASK_LATER, Plant.HOLDER_FIRST)


class Compared(NamedTuple):
    """One quantity of two arms."""

    timed: Timed
    holder: Arm
    other: Arm
    finding: Finding

    def __str__(self) -> str:
        found = self.finding
        unit = "" if self.timed is Timed.PLACE else f", medians {found.shift / 1e3:+.0f} us apart"
        return (
            f"{self.timed}: {self.holder} against {self.other}: "
            f"distance {found.distance:.4f}, p {found.p:.3f}{unit}, of {found.sizes}"
        )


def sample(plan: Plan, seen: Sequence[Window], arm: Arm, timed: Timed) -> dict[Block, list[int]]:
    """The values of a quantity in an arm, by round."""
    read: Callable[[Window], int] = lambda window: getattr(window, timed.value)  # noqa: E731
    found: dict[Block, list[int]] = {}
    for window in seen:
        if (value := read(window)) >= 0 and plan.arm(window.match, window.round) == arm:
            found.setdefault((window.round, window.match), []).append(value)
    return found


def comparison(
    plan: Plan, seen: Sequence[Window], timed: Timed, holder: Arm, other: Arm
) -> Comparison:
    """Two arms side by side."""
    return Comparison(sample(plan, seen, holder, timed), sample(plan, seen, other, timed))


def compare(
    plan: Plan, seen: Sequence[Window], *, permutations: int = PERMUTATIONS
) -> list[Compared]:
    """Every quantity of every arm of holders against every arm of non-holders."""
    pairs = [
        (holder, other)
        for holder in plan.arms()
        for other in plan.arms()
        if holder.holds and not other.holds
    ]
    return [
        Compared(timed, *pair, comparison(plan, seen, timed, *pair).finding(permutations))
        for timed in Timed
        for pair in pairs
    ]


def over_twice(found: Sequence[Compared], again: Sequence[Compared]) -> list[Compared]:
    """Comparisons that were over the limit in both of two measurements of one plan."""
    return [
        second
        for first, second in zip(found, again, strict=True)
        if first.finding.over and second.finding.over
    ]

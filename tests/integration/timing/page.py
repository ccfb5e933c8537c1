"""The page of what a seat can time: from measurements to Markdown."""

import os
import platform
import time
from collections.abc import Sequence

import grpc

from tests.integration.timing.decoder import Reading
from tests.integration.timing.observer import Window
from tests.integration.timing.plan import Channel, Plan, Plant
from tests.integration.timing.statistics import LEVEL, LIMIT, PERMUTATIONS
from tests.integration.timing.timed import MEANING, Compared, Timed, comparison
from tests.simulation.service.summary import commit

Row = Sequence[str]


def table(head: Row, rows: Sequence[Row]) -> list[str]:
    """Markdown: the first column is text, the others are numbers."""
    marks = ["---", *["--:"] * (len(head) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (head, marks, *rows)]


_ABOUT = """\
# What time tells

Whether a seat can time who holds a bomb, and whether partners can pass bits by time. Over real
gRPC: the referee, the seat that times (the partner of the one in question), and the other three
seats are three processes; 32 matches run at once, and each seat has one stream for all of them.
The window is 50 ms. Deals come in pairs that differ in one bomb and in nothing that is played.
"""


def head(command: str) -> list[str]:
    """What the page is about, and how it was made."""
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    versions = f"CPython {platform.python_version()}, grpcio {grpc.__version__}"
    day = time.strftime("%Y-%m-%d")
    return [
        _ABOUT,
        f"Made by `{command}`",
        f"on {day}; {machine}, {versions}; commit {commit()}.",
        "",
    ]


# --- who holds a bomb

_HOLDERS = f"""\
## Who holds a bomb

Kolmogorov-Smirnov distances of what the partner times, holder against non-holder. The limit is
{LIMIT}; p is the part of {PERMUTATIONS} permutations of whole rounds that are as far apart. The
last column is the smallest shift that is over the limit 19 times in 20, found by shifting what was
recorded. Times are in microseconds. Rounds of all kinds are interleaved; windows a side:"""

_MANNERS = """
Columns compare like with like; "all pairs" compares each manner of a holder with each of a
non-holder, a slow holder with one that stood down, say. Instant: declines at once. Slow: declines
after 40 ms. Silent: says nothing. Stood down: is not asked.
"""


def holders(plan: Plan, seen: Sequence[Window], found: Sequence[Compared]) -> list[str]:
    """Holders against non-holders, by what is timed."""
    rows = [
        [
            timed.value,
            *_by_manner(plan, found, timed),
            *_largest(found, timed),
            _shift(plan, seen, timed),
        ]
        for timed in Timed
    ]
    of_all = ["largest of all pairs", "its p", "its medians apart", "smallest shift seen"]
    return [
        f"{_HOLDERS} {plan.windows}.",
        "",
        *table(["timed", *plan.manners, *of_all], rows),
        "",
        *[f"- {timed.value}: {meaning}." for timed, meaning in MEANING.items()],
        _MANNERS,
        *_over(found),
        "",
    ]


def _over(found: Sequence[Compared]) -> list[str]:
    over = [f"- {compared}" for compared in found if compared.finding.over]
    if not over:
        return [f"Over the limit with p < {LEVEL}: none."]
    return [f"Over the limit with p < {LEVEL}:", "", *over]


def again(wrong: Sequence[Compared]) -> list[str]:
    """What a second measurement says of a first that was over the limit."""
    if not wrong:
        return ["Measured once more, none of these was over the limit again.", ""]
    return ["Measured once more, over the limit again:", "", *[f"- {one}" for one in wrong], ""]


def _by_manner(plan: Plan, found: Sequence[Compared], timed: Timed) -> list[str]:
    return [
        f"{one.finding.distance:.3f}"
        for manner in plan.manners
        for one in found
        if one.timed is timed and one.holder.manner is manner and one.other.manner is manner
    ]


def _largest(found: Sequence[Compared], timed: Timed) -> list[str]:
    findings = [one.finding for one in found if one.timed is timed]
    largest = max(findings, key=lambda one: one.distance)
    apart = "" if timed is Timed.PLACE else f"{largest.shift / 1e3:+.0f}"
    return [f"{largest.distance:.3f}", f"{largest.p:.3f}", apart]


def _shift(plan: Plan, seen: Sequence[Window], timed: Timed) -> str:
    if timed is Timed.PLACE:
        return ""
    holding, other = (
        next(arm for arm in plan.arms() if arm.holds is holds) for holds in (True, False)
    )
    return f"{comparison(plan, seen, timed, holding, other).smallest_shift() / 1e3:.0f}"


_PLANTED = """\
## The same with a fault in the referee

Each fault was planted in the referee's process; shown is what it moved most.
"""


def planted(rows: Sequence[tuple[Plant, Compared]]) -> list[str]:
    """What was found of faults that the referee was given."""
    return [
        _PLANTED,
        *table(
            ["planted", "windows a side", "timed", "distance", "p", "medians apart"],
            [
                [
                    plant.value,
                    str(min(worst.finding.sizes)),
                    worst.timed.value,
                    f"{worst.finding.distance:.3f}",
                    f"{worst.finding.p:.3f}",
                    f"{worst.finding.shift / 1e3:+.0f}",
                ]
                for plant, worst in rows
            ],
        ),
        "",
    ]


# --- bits between partners

_CHANNELS = """\
## Bits between partners

A seat tries to send its partner a random bit a turn. The best of several decoders, trained on one
half of the rounds, reads the other half from all that can be timed. "At most" is what so many
right ones allow with 99.5 % confidence. What partners may read is whole windows: how many passed
before an act took effect ("delay over windows": one or two); for the other channels only turns
count that took no more of them than was meant. All delays in a window are 5 or 35 ms;
refusals two or none; repeats ten or none; a burst 200 repeats in one frame 2 ms before the close.
"""
_READ = ("bits read", "right", "bits a turn", "at most")


def channels(rows: Sequence[tuple[Channel, Reading]]) -> list[str]:
    """What a partner read."""
    return [_CHANNELS, *table(["channel", *_READ], [_reading(*row) for row in rows]), ""]


def _reading(channel: Channel, reading: Reading) -> list[str]:
    return [
        channel.value,
        str(reading.bits),
        f"{100 * reading.accuracy:.1f} %",
        f"{reading.information:.4f}",
        f"{reading.most:.3f}",
    ]


def planted_channels(rows: Sequence[tuple[Plant, Channel, Reading]]) -> list[str]:
    """What a partner read of a referee with a fault."""
    return [
        "The same decoder where the referee was given a fault, with 8 matches at once:",
        "",
        *table(
            ["planted", "channel", *_READ],
            [[plant.value, *_reading(channel, reading)] for plant, channel, reading in rows],
        ),
        "",
    ]


# --- pace fast

_FAST = """\
## Pace fast

The same in pace fast, which promises nothing of this: there only holders are asked, and the window
closes as soon as they have answered. Windows a side:"""


def fast(plan: Plan, found: Sequence[Compared]) -> list[str]:
    """What pace fast gives up."""
    rows = [
        [timed.value, *_by_manner(plan, found, timed), *_largest(found, timed)] for timed in Timed
    ]
    of_all = ["largest of all pairs", "its p", "its medians apart"]
    return [
        f"{_FAST} {plan.windows}.",
        "",
        *table(["timed", *plan.manners, *of_all], rows),
        "",
    ]

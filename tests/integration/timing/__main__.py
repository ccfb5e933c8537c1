"""Measures what a seat can time, and writes the page of it.

python -m tests.integration.timing [--windows N] [--page docs/evidence/leak.md]

prints the page; exit code 1 where holders and non-holders differ over the limit twice in a row, or
a partner reads what it should not.
"""

import argparse
import sys
from pathlib import Path

from referee.match.values import Pace
from tests.integration.timing import page
from tests.integration.timing.covert import (
    ALLOWED,
    FEW_MATCHES,
    SENT_BY_TURN,
    read_channel,
)
from tests.integration.timing.covert import (
    PLANTED as PLANTED_CHANNELS,
)
from tests.integration.timing.measure import measure
from tests.integration.timing.plan import Channel, Manner, Plan
from tests.integration.timing.timed import PLANTED, Compared, compare, over_twice

WINDOWS = 5_000
BITS = 1_500  # a channel: half of them train
LIMIT_S = 1_800.0


class Findings:
    """The page as it grows, and what is wrong."""

    def __init__(self, command: str, windows: int, bits: int) -> None:
        self.lines = page.head(command)
        self.wrong: list[str] = []
        self._windows = windows
        self._bits = bits

    def holders(self) -> None:
        """Holders against non-holders; once more where they differ."""
        plan = Plan(windows=self._windows, manners=tuple(Manner))
        seen = measure(plan, limit_s=LIMIT_S)
        found = compare(plan, seen)
        self.lines += page.holders(plan, seen, found)
        if any(one.finding.over for one in found):
            again = plan.again()
            twice = over_twice(found, compare(again, measure(again, limit_s=LIMIT_S)))
            self.lines += page.again(twice)
            self.wrong += map(str, twice)

    def planted(self) -> None:
        """What each fault moves most."""
        rows = []
        for plant in PLANTED:
            plan = Plan(windows=self._windows, plant=plant)
            found = compare(plan, measure(plan, limit_s=LIMIT_S))
            rows.append((plant, max(found, key=_plainness)))
        self.lines += page.planted(rows)

    def channels(self) -> None:
        """What a partner reads; once more where it is more than it should be."""
        plan = Plan(windows=self._bits, channels=SENT_BY_TURN)
        seen = measure(plan, limit_s=LIMIT_S)
        readings = [(channel, read_channel(plan, seen, channel)) for channel in Channel]
        self.lines += page.channels(readings)
        self.wrong += [
            f"{channel}: {reading.accuracy:.3f} of {reading.bits} bits read right"
            for channel, reading in readings
            if channel not in ALLOWED and reading.above_chance
        ]

    def planted_channels(self) -> None:
        """What a partner reads of a referee with a fault."""
        rows = []
        for plant, channel in PLANTED_CHANNELS:
            plan = Plan(
                windows=self._bits // 3, channels=(channel,), plant=plant, matches=FEW_MATCHES
            )
            reading = read_channel(plan, measure(plan, limit_s=LIMIT_S), channel)
            rows.append((plant, channel, reading))
        self.lines += page.planted_channels(rows)

    def fast(self) -> None:
        """What pace fast gives up."""
        manners = (Manner.INSTANT, Manner.SLOW)
        plan = Plan(windows=self._windows, manners=manners, pace=Pace.FAST)
        self.lines += page.fast(plan, compare(plan, measure(plan, limit_s=LIMIT_S)))


def _plainness(one: Compared) -> tuple[float, float]:
    return -one.finding.p, one.finding.distance


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.integration.timing")
    parser.add_argument("--windows", type=int, default=WINDOWS, help=f"a side [{WINDOWS}]")
    parser.add_argument("--bits", type=int, default=BITS, help=f"a channel [{BITS}]")
    parser.add_argument("--page", type=Path, help="write the page there too")
    given = parser.parse_args()
    words = [f"--{name} {value}" for name, value in vars(given).items() if value is not None]
    command = " ".join(["python -m tests.integration.timing", *words])
    findings = Findings(command, given.windows, given.bits)
    findings.holders()
    findings.planted()
    findings.channels()
    findings.planted_channels()
    findings.fast()
    text = "\n".join(findings.lines).rstrip() + "\n"
    print(text)
    if given.page is not None:
        given.page.write_text(text)
    for error in findings.wrong:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(1 if findings.wrong else 0)


if __name__ == "__main__":
    main()

"""What durability costs, and how soon the next ask comes, with the store as it is in `serve`."""

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from referee.match.values import Pace
from referee.ports import Durability
from tests.bench.child import Child
from tests.bench.figures import Measured, Table, Target
from tests.bench.referee_process import BOTS, NEXT_ASK, OFF, Ready, Serve, Served, Tokens
from tests.bench.referee_table import referee_table
from tests.bench.thinking_bots import Measure, Waits

KEPT = (OFF, Durability.PROCESS.value, Durability.POWER.value)
_MATCHES = 128
_LEAST_OF_OFF = 0.8  # durability costs a fifth at most
_WINDOW_MS = 1_000  # of pace fast
_THINK_MS = 20
_THINKING_MATCHES = 32
_MOST_P50_MS, _MOST_P99_MS = 1.0, 5.0


class Spans(NamedTuple):
    """How long, and how often."""

    seconds: float
    warm_up_s: float
    passes: int


# --- durability


def measure_durability(spans: Spans) -> dict[str, list[Served]]:
    """Return what was served with each way of keeping facts, an entry a pass, in turns."""
    found: dict[str, list[Served]] = {kept: [] for kept in KEPT}
    for number in range(spans.passes):
        for kept in (*KEPT[number % 3 :], *KEPT[: number % 3]):
            with referee_table(kept) as table:
                run = table.run(_MATCHES, Pace.FAST, _WINDOW_MS, spans.warm_up_s, spans.seconds)
            found[kept].append(run[0])
    return found


def durability_table(found: dict[str, list[Served]]) -> Table:
    """Return a row for each way of keeping facts."""
    off = found[OFF]
    rows = [
        (
            kept,
            Measured.of([one.rounds_s for one in served]).text(),
            Measured.of([one.actions_s for one in served]).text(),
            Measured.of(_against(served, off)).text(2),
            Measured.of([one.us_an_action for one in served]).text(1),
            Measured.of([one.append_p50_us for one in served]).text(),
            Measured.of([one.append_p99_us for one in served]).text(),
        )
        for kept, served in found.items()
    ]
    return Table(
        title=f"Durability: {_MATCHES} matches, fast",
        head=("durability", "rounds/s", "actions/s", "x off", "referee us/action",
              "append p50 us", "append p99 us"),
        rows=rows,
        notes=(
            "off: facts are kept in memory. Records are written in all three. An append is one",
            "transaction with the facts of a pass. x off compares runs of the same pass. The store",
            "lies in the folder for temporary files.",
        ),
    )  # fmt: skip


def durability_targets(found: dict[str, list[Served]]) -> list[Target]:
    """Return how much of the rate is left with the durability that `serve` has unless told."""
    ratios = _against(found[Durability.PROCESS.value], found[OFF])
    return [
        Target(
            name=f"{_MATCHES} matches, fast: actions/s with durability process",
            value=Measured.of(ratios).median,
            unit="x",
            bound=_LEAST_OF_OFF,
            at_least=True,
            against="actions/s with durability off",
        )
    ]


def _against(served: Sequence[Served], off: Sequence[Served]) -> list[float]:
    return [one.actions_s / base.actions_s for one, base in zip(served, off, strict=True)]


# --- the next ask


class Latency(NamedTuple):
    """A run of bots that think: what the referee measured, and what they did."""

    served: Served
    waits: Waits


def measure_latency(spans: Spans) -> list[Latency]:
    """Return an entry a pass."""
    found = []
    for _ in range(spans.passes):
        with _thinking_table() as (referee, bots):
            # the bots measure in the middle of what the referee measures
            bots.tell(Measure(warm_up_s=2 * spans.warm_up_s, seconds=spans.seconds))
            served = referee.ask(
                Serve(
                    matches=_THINKING_MATCHES,
                    pace=Pace.FAST,
                    window_ms=_WINDOW_MS,
                    warm_up_s=spans.warm_up_s,
                    seconds=spans.seconds + 2 * spans.warm_up_s,
                ),
                Served,
            )
            found.append(Latency(served, bots.hear(Waits)))
    return found


@contextlib.contextmanager
def _thinking_table() -> Iterator[tuple[Child, Child]]:
    with tempfile.TemporaryDirectory(prefix="tichu-bench-") as folder:
        address = f"unix:{Path(folder) / 'socket'}"
        referee = Child(
            "tests.bench.referee_process", (address, folder, Durability.PROCESS.value, NEXT_ASK)
        )
        bots: Child | None = None
        try:
            tokens = referee.hear(Tokens).tokens
            assert len(tokens) == BOTS
            bots = Child("tests.bench.thinking_bots", (address, str(_THINK_MS), *tokens))
            referee.hear(Ready)
            yield referee, bots
        finally:
            for child in (bots, referee):
                if child is not None:
                    child.stop()


def latency_table(found: Sequence[Latency]) -> Table:
    """Return how soon the next ask comes."""
    rows = [
        (
            where,
            Measured.of([p50 / 1e3 for p50, _ in waits]).text(2),
            Measured.of([p99 / 1e3 for _, p99 in waits]).text(2),
        )
        for where, waits in (
            ("in the referee", _of_referee(found)),
            ("at the bots", _of_bots(found)),
        )
    ]
    asks_s = Measured.of([one.served.asks_s for one in found]).text()
    return Table(
        title=f"Next ask: {_THINKING_MATCHES} matches, fast, bots answer after {_THINK_MS} ms",
        head=("last answer to next ask", "p50 ms", "p99 ms"),
        rows=rows,
        notes=(
            f"{asks_s} asks/s; durability process. In the referee: from when the answer's frame",
            "was read to when the frame with the ask was handed to gRPC. At the bots: from when an",
            "answer was given to gRPC to when the ask was decoded; all four bots in one process.",
        ),
    )


def latency_targets(found: Sequence[Latency]) -> list[Target]:
    """Return the figures to reach, as the referee measures them and as the bots do."""
    targets = []
    for where, waits in (("referee", _of_referee(found)), ("bots", _of_bots(found))):
        for name, bound, column in (("p50", _MOST_P50_MS, 0), ("p99", _MOST_P99_MS, 1)):
            value = Measured.of([one[column] / 1e3 for one in waits]).median
            targets.append(
                Target(
                    name=f"{_THINKING_MATCHES} matches, fast: last answer to next ask, {name}, "
                    f"by the {where}",
                    value=value,
                    unit="ms",
                    bound=bound,
                    at_least=False,
                )
            )
    return targets


def _of_referee(found: Sequence[Latency]) -> list[tuple[float, float]]:
    return [(one.served.next_ask_p50_us, one.served.next_ask_p99_us) for one in found]


def _of_bots(found: Sequence[Latency]) -> list[tuple[float, float]]:
    return [(one.waits.p50_us, one.waits.p99_us) for one in found]

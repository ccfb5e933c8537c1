"""Measures the referee and prints tables; nothing is asserted.

    python -m tests.bench [SECTION ...] [--seconds S] [--json FILE] [--page FILE]

The echo is measured in the same run, in turns with the matches, because machines differ and their
speed wanders: trust the ratios.
"""

import argparse
import datetime
import os
import platform
import sys
from pathlib import Path

import grpc
import msgspec

from tests.bench.figures import Table, Target, targets_table
from tests.bench.ladder_section import ladder_table, ladder_target, measure_ladder
from tests.bench.live_section import Plan, live_tables, live_targets, measure_live
from tests.bench.machine_section import MachineFigures, machine_table, measure_machine
from tests.bench.rules_section import rules_section
from tests.bench.store_section import (
    Spans,
    durability_table,
    durability_targets,
    latency_table,
    latency_targets,
    measure_durability,
    measure_latency,
)
from tests.bench.variants_section import measure_variants, variants_table, variants_targets

SECTIONS = ("rules", "variants", "machine", "echo", "matches", "store", "latency", "ladder")


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` writes."""

    date: str
    command: str
    machine: str
    tables: list[Table]
    targets: list[Target]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure the referee, section by section.",
    )
    parser.add_argument(
        "sections",
        nargs="*",
        type=_section,
        metavar="SECTION",
        help=f"{', '.join(SECTIONS)}; default all",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds before each")
    parser.add_argument("--passes", type=int, default=3, help="the medians are over these")
    parser.add_argument("--matches", type=_counts, default=(1, 32, 128), help="1,32,128")
    parser.add_argument("--seed", type=int, default=1, help="of rules, variants and machine")
    parser.add_argument("--json", type=Path, help="write the same figures to a file")
    parser.add_argument("--page", type=Path, help="write the same tables as a Markdown page")
    return parser.parse_args()


def _section(text: str) -> str:
    if text not in SECTIONS:
        raise argparse.ArgumentTypeError(f"{text}: no section; use {', '.join(SECTIONS)}")
    return text


def _counts(text: str) -> tuple[int, ...]:
    counts = tuple(sorted({int(part) for part in text.split(",")}))
    if not counts or not all(1 <= count <= 512 for count in counts):
        raise argparse.ArgumentTypeError(f"{text}: numbers from 1 to 512, with commas")
    return counts


def describe_machine() -> str:
    """Say what kind of machine this is, and nothing that names it."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"{platform.python_implementation()} {platform.python_version()}, grpcio {grpc.__version__}"
    )


def main() -> None:
    """Run the sections asked for, in an order in which each can use what it is compared with."""
    arguments = _arguments()
    sections = tuple(arguments.sections) or SECTIONS
    tables: list[Table] = []
    targets: list[Target] = []
    print(f"{_today()}, {describe_machine()}\n", flush=True)

    def show(*found: Table) -> None:
        for table in found:
            print(table.text() + "\n", flush=True)
        tables.extend(found)

    total_s = arguments.seconds * arguments.passes
    if "rules" in sections:
        found, reached = rules_section(
            seconds=total_s, passes=arguments.passes, seed=arguments.seed
        )
        targets += reached
        show(*found)
    if "variants" in sections:
        variants = measure_variants(
            seconds=arguments.seconds, passes=arguments.passes, seed=arguments.seed
        )
        targets += variants_targets(variants)
        show(variants_table(variants))
    figures: MachineFigures | None = None
    if "machine" in sections:
        figures = measure_machine(seconds=total_s, passes=arguments.passes, seed=arguments.seed)
    echo_us: float | None = None
    if "echo" in sections or "matches" in sections:
        live = measure_live(_plan(arguments, sections))
        echo_us = live.echo_us(live.highest)
        targets += live_targets(live)
        show(*live_tables(live))
    if figures is not None:
        show(machine_table(figures, echo_us))
    spans = Spans(arguments.seconds, arguments.warm_up, arguments.passes)
    if "store" in sections:
        durable = measure_durability(spans)
        targets += durability_targets(durable)
        show(durability_table(durable))
    if "latency" in sections:
        latencies = measure_latency(spans)
        targets += latency_targets(latencies)
        show(latency_table(latencies))
    if "ladder" in sections:
        written = measure_ladder(spans)
        targets.append(ladder_target(written))
        show(ladder_table(written))
    if targets:
        show(targets_table(targets))
    if arguments.json:
        _write(arguments.json, tables, targets)
    if arguments.page:
        _write_page(arguments.page, tables)


def _plan(arguments: argparse.Namespace, sections: tuple[str, ...]) -> Plan:
    return Plan(
        counts=arguments.matches,
        seconds=arguments.seconds,
        warm_up_s=arguments.warm_up,
        passes=arguments.passes,
        echo="echo" in sections,
        matches="matches" in sections,
    )


def _write(file: Path, tables: list[Table], targets: list[Target]) -> None:
    result = Result(
        date=_today(),
        command=_command(),
        machine=describe_machine(),
        tables=tables,
        targets=targets,
    )
    file.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")


_PAGE_HEAD = """# Speed and cost

Made by `{command}`
on {date}; {machine}; shared with other work. Medians of the passes (lowest to highest).
Bots and referee run on the same cores. The echo is the floor: a bare `grpc.aio` server that asks
its four clients in cycles over the same kind of stream, with the options, batching and message
sizes of the referee. Trust the ratios; rates move with the machine.
"""


def _write_page(file: Path, tables: list[Table]) -> None:
    head = _PAGE_HEAD.format(command=_command(), date=_today(), machine=describe_machine())
    file.write_text("\n".join([head, *(table.text() + "\n" for table in tables)]))


def _command() -> str:
    """Return the command without what it wrote, which names a place."""
    given = sys.argv[1:]
    for option in ("--json", "--page"):
        if option in given:
            at = given.index(option)
            del given[at : at + 2]
    return " ".join([".venv/bin/python -m tests.bench", *given])


def _today() -> str:
    return datetime.date.today().isoformat()


if __name__ == "__main__":
    main()

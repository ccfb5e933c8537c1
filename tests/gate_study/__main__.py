"""`python -m tests.gate_study`: how often the gate is wrong, and how many boards it takes.

    python -m tests.gate_study [--seed TEXT] [--runs N] [--gates N] [--live N] [--page FILE]

The same seed and numbers give the same figures on any machine, but for the times of the last table.
"""

import argparse
import datetime
import os
import platform
import shlex
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from referee.ladder.gate import SAME_BOARDS, GateTerms
from tests.bench.figures import Measured, Table
from tests.gate_study.played import close_gates, live_gate
from tests.gate_study.simulated import MUCH, SLIPS, Share, close, gates, rare

_CASES = ((0.0, 5.0, 7_000), (-5.0, 0.0, 7_000), (0.0, 10.0, 2_500))
_SELDOM = (50, 100, 150, 200, 300, 400)
_MOST = 2_000

HEAD = """\
# What the gate decides

How often `referee gate` is wrong, and how many boards it takes ([what it does](../GATE.md)).
"""

SIMULATED = """\
{runs:,} gates a row and hypothesis, alpha and beta 0.05. Differences are drawn as close bots bring
them ([boards and luck](ladder.md)): so many boards are exactly 0, the others are steps of 20 to 400
points for both legs, tilted until the mean is that of the hypothesis. A gate that is still open at
the last board that was drawn (7,000, or 2,500 for 0 or 10) counts as neither."""

SELDOM = """\
A candidate that is 5 points a round worse, all of them in few boards, such as one that bets Grand
Tichu otherwise; tested is -5 or 0. The last column is no error of the test: so often the first 100
boards show no difference at all, and the change is accepted as the same play."""

PLAYED = """\
Of `greedy` against a bot that is greedy but in 3 % of its turns makes any legal play or pass: about
5 points a round apart. The service is the real one, in virtual time. 0 or 5 points a round; a gate
ends after {most:,} boards. Every gate has boards of its own.

- The same gates seen from the other side are those of the worse bot as the candidate, under
  `no-worse`: accepted is then rejected, after the same boards.
- Points are those at the end: a gate ends where they are far out, so they are too far from 0."""

LIVE = """\
`referee gate --candidate greedy --baseline random` with processes and sockets as a user has them.
Times depend on the machine and on what else it does; the bots' processor time is in them."""


def main(words: Sequence[str]) -> None:
    """Simulate and play, print the page, and write it where a file is named."""
    args = _arguments(words)
    parts = [HEAD, _made(words), _simulated(args.seed, args.runs).text()]
    parts.append(SIMULATED.format(runs=args.runs))
    parts += [_seldom(args.seed, args.runs).text(), SELDOM]
    if args.gates:
        parts.append(_played(args.seed, args.gates, args.processes).text())
        parts.append(PLAYED.format(most=_MOST))
    if args.live:
        parts += [_live(args.seed, args.live).text(), LIVE]
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    print(text, end="")
    if args.page:
        args.page.write_text(text, encoding="utf-8")


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gate_study", description="Measure what the gate decides."
    )
    parser.add_argument("--seed", default="evidence", help="text that decides draws and deals")
    parser.add_argument("--runs", type=int, default=6_000, help="simulated gates; of 250")
    parser.add_argument("--gates", type=int, default=20, help="gates played in virtual time")
    parser.add_argument("--live", type=int, default=3, help="gates with real processes")
    parser.add_argument("--processes", type=int, default=2, help="that play in virtual time")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of evidence")
    args = parser.parse_args(words)
    if args.runs < 250 or args.runs % 250:
        parser.error(f"--runs {args.runs}: write a multiple of 250")
    if args.gates < 0 or args.live < 0 or args.processes < 1:
        parser.error("--gates, --live: write 0 or more; --processes: 1 or more")
    return args


def _simulated(seed: str, runs: int) -> Table:
    number, rows = crc32(seed.encode()), []
    for zero in (SLIPS, MUCH):
        for points0, points1, most in _CASES:
            terms = GateTerms(points0=points0, points1=points1)
            bad, good = (
                gates(terms, close(zero, mean), most=most, runs=runs, seed=number)
                for mean in (points0, points1)
            )
            rows.append(
                (
                    f"{points0:g} or {points1:g}",
                    f"{zero:.0%}",
                    f"{bad.accepted:.3f}",
                    f"{good.rejected:.3f}",
                    f"{bad.boards:,.0f} and {good.boards:,.0f}",
                    f"{bad.within_2000:.0%} and {good.within_2000:.0%}",
                )
            )
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    head = ("tested", "boards of 0", "accepted at the first", "rejected at the second")
    boards = ("boards on average", "ended within 2,000")
    return Table(title="Errors, simulated", head=(*head, *boards), rows=rows)


def _seldom(seed: str, runs: int) -> Table:
    number, rows = crc32(seed.encode()), []
    for points in _SELDOM:
        worse: Share = gates(
            GateTerms(points0=-5.0, points1=0.0),
            rare(-points, -5.0),
            most=_MOST,
            runs=runs,
            seed=number,
        )
        rows.append(
            (
                f"{points} in one of {points // 5}",
                f"{worse.accepted:.3f}",
                f"{worse.boards:,.0f}",
                f"{(1 - 5 / points) ** SAME_BOARDS:.2f}",
            )
        )
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    head = ("points and boards", "accepted", "boards on average", "taken for the same play")
    return Table(title="Changes that show seldom, simulated", head=head, rows=rows)


def _played(seed: str, number: int, processes: int) -> Table:
    rows, boards = [], []
    for gate, ended in enumerate(close_gates(seed, number, most=_MOST, processes=processes)):
        rows.append((str(gate), ended.decision, f"{ended.boards:,}", f"{ended.points:+.1f}"))
        boards.append(ended.boards)
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    rows.append(("median", "", f"{statistics.median(boards):,.0f}", ""))
    head = ("gate", "ended", "boards", "points a round")
    return Table(title=f"Two bots about 5 points apart, {number} gates", head=head, rows=rows)


def _live(seed: str, number: int) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        ended = [live_gate(f"{seed}-{gate}", Path(folder)) for gate in range(number)]
    rows = [
        ("boards", Measured.of([one.boards for one in ended]).text()),
        ("wall, s", Measured.of([one.wall_s for one in ended]).text(1)),
        ("processor, s", Measured.of([one.processor_s for one in ended]).text(1)),
    ]
    title = f"greedy against random, {number} gates: {', '.join(one.verdict for one in ended)}"
    return Table(title=title, head=("figure", "median (lowest to highest)"), rows=rows)


def _made(words: Sequence[str]) -> str:
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return (
        f"Made by `{shlex.join(['python', '-m', 'tests.gate_study', *words])}`\n"
        f"on {datetime.date.today().isoformat()}; {machine}, "
        f"{platform.python_implementation()} {platform.python_version()}."
    )


if __name__ == "__main__":
    main(sys.argv[1:])

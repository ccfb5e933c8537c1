"""`python -m tests.ladder_study`: what boards take away of luck, and the constants of the ladder.

    python -m tests.ladder_study [--seed TEXT] [--boards N] [--page FILE]

The same seed and number of boards give the same figures on any machine, but for the last table: how
fast results are written.
"""

import argparse
import datetime
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.figures import Table
from tests.bench.ladder_section import ladder_table, measure_ladder
from tests.bench.store_section import Spans
from tests.ladder_study.boards import play
from tests.ladder_study.page import PAIRINGS, Found, page

_FEWEST = 10  # boards: with less there is no interval to speak of


def main(words: Sequence[str]) -> None:
    """Play, print the page, and write it where a file is named."""
    args = _arguments(words)
    began = time.monotonic()
    played = []
    all_legs = play(args.seed, args.boards, PAIRINGS, processes=args.processes)
    for pairing, legs in zip(PAIRINGS, all_legs, strict=True):
        print(f"{pairing.name}, {pairing.seeds.name.lower()}: played", file=sys.stderr, flush=True)
        played.append(legs)
    found = Found.of(args.seed, dict(zip(PAIRINGS, played, strict=True)))
    wall_s = time.monotonic() - began
    text = page(_made(words, wall_s), found, _writes(args.seconds))
    print(text, end="")
    if args.page:
        args.page.write_text(text, encoding="utf-8")


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder_study", description="Measure what boards take away of luck."
    )
    parser.add_argument("--seed", default="evidence", help="text that decides deals and draws")
    parser.add_argument("--boards", type=_at_least(_FEWEST), default=2_000, help="of each pairing")
    parser.add_argument("--processes", type=_at_least(1), default=2, help="that play")
    parser.add_argument(
        "--seconds", type=_at_least(0), default=3, help="of each pass of writing results; 0: none"
    )
    parser.add_argument("--page", type=_page, metavar="FILE", help="write the page of evidence")
    return parser.parse_args(words)


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and least <= int(text) <= 1_000_000):
            raise argparse.ArgumentTypeError(f"{text}: write a number from {least} to 1000000")
        return int(text)

    return number


def _page(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: write the name of a file in a folder that is")
    return path


def _writes(seconds: int) -> Table | None:
    spans = Spans(seconds=seconds, warm_up_s=1, passes=3)
    return ladder_table(measure_ladder(spans)) if seconds else None


def _made(words: Sequence[str], wall_s: float) -> str:
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return (
        f"Made by `{shlex.join(['python', '-m', 'tests.ladder_study', *words])}`\n"
        f"on {datetime.date.today().isoformat()}; {machine}, "
        f"{platform.python_implementation()} {platform.python_version()}; played in {wall_s:.0f} s."
    )


if __name__ == "__main__":
    main(sys.argv[1:])

"""`python -m tests.integration.kills`: kill a referee many times while bots play, and judge it.

Exit status 0: nothing found, or with --plant something. 1: the other way round. 2: usage.
"""

import argparse
import asyncio
import datetime
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from referee.match.values import Pace
from referee.ports import Durability
from tests.integration.kills.campaign import Plan, run_campaign
from tests.integration.kills.judge import judge
from tests.integration.kills.plants import Plant
from tests.integration.kills.processes import LIMIT_S
from tests.integration.kills.summary import Run, page, totals

_KILLS = 50  # of one campaign: what one store is made to survive in a row
_MOST_SHOWN = 20
_PATIENCE_S = 10.0  # for matches that a planted mistake has brought to a stop


def main() -> int:
    """Do what the arguments say."""
    args = _arguments()
    began = time.monotonic()
    runs = [_run(plan, args.keep) for plan in _plans(args)]
    wall_s = time.monotonic() - began
    planted = [_run(plan, None) for plan in _planted(args)] if args.page else []
    if args.page:
        command = "python -m tests.integration.kills " + shlex.join(sys.argv[1:])
        day = datetime.date.today().isoformat()
        text = page(command, runs, planted, wall_s=wall_s, day=day)
        args.page.write_text(text, encoding="utf-8")
    for line in totals(runs, wall_s):
        print(line)
    found = [(run, finding) for run in runs for finding in run.verdict.findings]
    for run, (code, text) in found[:_MOST_SHOWN]:
        print(f"{run.outcome.plan.seed} {run.outcome.plan.pace}: {code}: {text}")
    if len(found) > _MOST_SHOWN:
        print(f"and {len(found) - _MOST_SHOWN} more")
    return int(bool(found) is (args.plant is None))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.integration.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=_KILLS, metavar="N", help="how many in all")
    parser.add_argument("--seed", default="1", help="text that everything is drawn from")
    parser.add_argument("--pace", choices=[*Pace, "both"], default="both", help="of the matches")
    parser.add_argument("--tcp", action="store_true", help="over a port, not a unix socket")
    parser.add_argument("--durability", choices=list(Durability), default="process")
    parser.add_argument("--plant", choices=[one.name for one in Plant], help="a planted mistake")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep logs and records there")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write a page of evidence")
    return parser.parse_args()


def _plans(args: argparse.Namespace) -> Iterator[Plan]:
    """Campaigns of at most 50 kills; with both paces they take turns."""
    paces = list(Pace) if args.pace == "both" else [Pace(args.pace)]
    plants = (Plant[args.plant],) if args.plant else ()
    left, number = args.kills, 0
    while left > 0:
        yield Plan(
            kills=min(left, _KILLS),
            seed=args.seed if args.kills <= _KILLS else f"{args.seed}/{number}",
            pace=paces[number % len(paces)],
            tcp=args.tcp,
            durability=Durability(args.durability),
            plants=plants,
            patience_s=_PATIENCE_S if plants else LIMIT_S,
        )
        left, number = left - _KILLS, number + 1


def _planted(args: argparse.Namespace) -> Iterator[Plan]:
    for plant in Plant:
        yield Plan(
            kills=10,
            seed=args.seed,
            pace=Pace.FAST,
            long_outages=0,
            plants=(plant,),
            patience_s=_PATIENCE_S,
        )


def _run(plan: Plan, keep: Path | None) -> Run:
    with tempfile.TemporaryDirectory(prefix="kills") as scratch:
        folder = Path(scratch)
        if keep is not None:
            folder = keep / f"{plan.seed.replace('/', '-')}-{plan.pace}"
            folder.mkdir(parents=True)
        outcome = asyncio.run(run_campaign(plan, folder))
        return Run(outcome=outcome, verdict=judge(outcome))


if __name__ == "__main__":
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # links break all the time, on purpose
    sys.exit(main())

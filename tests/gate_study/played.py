"""Gates between real bots: over the real service in virtual time, and as a user runs them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from referee.ladder.gate import Decision, GateTerms, Walk
from tests.ladder_study.boards import GREEDY, SLIP, Pairing, play
from tests.simulation.boards import BotSeeds

_STEP = 250  # boards that are played before it is looked whether they decide
_CLOSE = Pairing(GREEDY, SLIP, BotSeeds.COMMON)
_REFEREE = [sys.executable, "-c", "from referee.cli.main import main; main()"]


class Ended(NamedTuple):
    """How a gate ended."""

    decision: str
    boards: int
    points: float  # a round, candidate less baseline


class Live(NamedTuple):
    """How `referee gate` ended; times in seconds, of the processor that of all its processes."""

    verdict: str
    boards: int
    wall_s: float
    processor_s: float


def close_gates(seed: str, number: int, *, most: int, processes: int) -> Iterator[Ended]:
    """Yield gates of 0 or 5 points a round between `greedy` and a bot that errs in 3 %."""
    terms = GateTerms(max_boards=most)
    for gate in range(number):
        yield _close_gate(f"{seed}-{gate}", terms, processes)


def _close_gate(seed: str, terms: GateTerms, processes: int) -> Ended:
    walk = Walk(terms)
    for step in range(0, terms.max_boards, _STEP):
        (boards,) = play(f"{seed}-{step}", _STEP, [_CLOSE], processes)
        for legs in boards:
            walk.add(sum(legs), alike=False)
            decision = walk.decision()
            if decision is not None:
                return Ended(decision.value, walk.boards, walk.mean)
    return Ended(Decision.UNDECIDED.value, walk.boards, walk.mean)


def live_gate(seed: str, folder: Path) -> Live:
    """Run `referee gate` for greedy against random, with real processes."""
    report = folder / "gate.json"
    words = ["--candidate", "greedy", "--baseline", "random", "--seed", seed]
    began, used = time.monotonic(), _processor_s()
    subprocess.run(
        [*_REFEREE, "gate", *words, "--json", report],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,  # 0: accepted
    )
    wall_s, processor_s = time.monotonic() - began, _processor_s() - used
    found = json.loads(report.read_text(encoding="utf-8"))
    return Live(found["verdict"], found["boards"]["played"], wall_s, processor_s)


def _processor_s() -> float:
    times = os.times()
    return times.children_user + times.children_system

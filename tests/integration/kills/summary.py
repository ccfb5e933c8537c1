"""What many campaigns come to, as text."""

import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from tests.integration.kills.campaign import Life, Outcome
from tests.integration.kills.judge import Verdict
from tests.simulation.service.summary import commit


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A campaign and its verdict."""

    outcome: Outcome
    verdict: Verdict

    @property
    def killed(self) -> list[Life]:
        """The processes that were killed."""
        return [life for life in self.outcome.lives if life.way is not None]


def totals(runs: Sequence[Run], wall_s: float) -> list[str]:
    """Return the sums of a run, a line each."""
    killed = [life for run in runs for life in run.killed]
    verdicts = [run.verdict for run in runs]
    returns = sum((verdict.returns for verdict in verdicts), Counter[str]())
    playing = sum(life.playing > 0 for life in killed)
    sums = [sum(counts) for counts in zip(*map(_counts, verdicts), strict=True)] or [0] * 6
    matches, facts, resumed, events, acks, findings = sums
    most = max((verdict.most_resumed for verdict in verdicts), default=0)
    return [
        f"{len(killed)} kills, {playing} of them with matches running, in {wall_s:.0f} s",
        f"{matches} matches, each with one record that verifies, {facts} facts",
        f"{resumed} times a match went on in another process, one of them {most} times",
        f"{events} events and {acks} acknowledgements of bots held against the records",
        *[f"{times} times a bot {how}" for how, times in sorted(returns.items())],
        f"findings: {findings}",
    ]


def _counts(verdict: Verdict) -> tuple[int, ...]:
    one = verdict
    return one.matches, one.facts, one.resumed, one.events, one.acks, len(one.findings)


def page(
    command: str, runs: Sequence[Run], planted: Sequence[Run], *, wall_s: float, day: str
) -> str:
    """Return the page of evidence."""
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    killed = [life for run in runs for life in run.killed]
    points = [life.death.point.value for life in killed if life.death is not None]
    paces = [f"pace {run.outcome.plan.pace.value}" for run in runs for _ in run.killed]
    lines = [
        "# Kills",
        "",
        "A real `referee serve` is killed with SIGKILL again and again while bots play, and",
        "started anew on the same store; the last process plays to the end. Then what every bot",
        "was told, in all its streams, is held against the records. What is done is in",
        "`tests/integration/kills`, what is judged in its `judge.py`.",
        "",
        f"Made by `{command}`",
        f"on {day}; {machine}, CPython {platform.python_version()}; commit {commit()}.",
        "",
        *[f"- {line}" for line in totals(runs, wall_s)],
        *_table("How they died", "way", [life.way.value for life in killed if life.way]),
        *_table("At a point", "point", points),
        *_table("Paces", "matches", paces),
        *_plants(planted),
        "",
    ]
    return "\n".join(lines)


def _table(title: str, column: str, names: Iterable[str]) -> list[str]:
    counted = Counter(names).most_common()
    width = max([len(name) for name, _ in counted] + [len(column)])
    return [
        "",
        f"## {title}",
        "",
        f"| {column:{width}} | times |",
        f"|{'-' * (width + 2)}|------:|",
        *[f"| {name:{width}} | {times:5} |" for name, times in counted],
    ]


def _plants(runs: Sequence[Run]) -> list[str]:
    rows = [
        (run.outcome.plan.plants[0].value, ", ".join(sorted(run.verdict.codes)) or "nothing")
        for run in runs
    ]
    left = max([len(what) for what, _ in rows] + [len("mistake")])
    right = max([len(found) for _, found in rows] + [len("what was found in ten kills")])
    return [
        "",
        "## Planted mistakes",
        "",
        f"| {'mistake':{left}} | {'what was found in ten kills':{right}} |",
        f"|{'-' * (left + 2)}|{'-' * (right + 2)}|",
        *[f"| {what:{left}} | {found:{right}} |" for what, found in rows],
    ]

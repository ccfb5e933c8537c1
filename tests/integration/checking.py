"""Probes of `referee bot check`, run in this process on bots of a test."""

import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

from referee.check.exam import Terms
from referee.check.examinee import Waiting
from referee.check.probes import PROBES
from referee.check.runner import Result, Runner
from referee.cli.bot_check_hall import RealHall
from tests.repo.tree import ROOT

BY_ID = {probe.id: probe for probe in PROBES}
START_S = 30.0  # a busy machine starts slowly
SOURCES = f"{ROOT}:{ROOT / 'sample_bots' / 'python'}"  # PYTHONPATH of bots of the tests


def faulty(*faults: str) -> tuple[str, ...]:
    """The command of a bot with these faults; it needs `SOURCES` as its PYTHONPATH."""
    return (sys.executable, "-m", "tests.integration.faulty_bot", *faults)


@contextlib.asynccontextmanager
async def runner(argv: Sequence[str], **terms: float) -> AsyncIterator[Runner]:
    """A runner for a bot; all that it started is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="tichu-") as name:
        waiting = Waiting(Path(name))
        hall = RealHall(Path(name), waiting, bytes(32))
        try:
            what: dict[str, float] = {"start_s": START_S, **terms}
            bot = Terms(argv=tuple(argv), **what)  # type: ignore[arg-type]
            yield Runner(bot, waiting, hall, keep_going=True)
        finally:
            await hall.close()
            await waiting.stop()


async def examine(argv: Sequence[str], ids: Iterable[str], **terms: float) -> list[Result]:
    """Run single probes on a bot, several at once as the check does."""
    async with runner(argv, **terms) as one:
        return [result async for result in one.run([BY_ID[name] for name in ids])]

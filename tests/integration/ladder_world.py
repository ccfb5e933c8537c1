"""A ladder of real bot processes, and what stands in its folder and database afterwards.

`python -m tests.integration.ladder_world FOLDER BOARDS` plays one of two house bots, to be killed;
with `dialled` behind it one of a bot that dials in. It prints what it is told.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from chaos import CHAOS
from referee.bootstrap import Isolation
from referee.bootstrap.ladder import (
    BotPlan,
    EntryPlan,
    LadderOutcome,
    LadderPlan,
    LadderRun,
    Notice,
    NoticeKind,
    Progress,
    SchedulePlan,
)
from referee.clock import new_loop
from referee.formats.records import Record, read_record
from referee.ladder.boards import Resolved, resolve
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import LegPlace, LegResult
from referee.match.values import MS, Clock, Settings
from referee.ports.ladder import StoredEntry
from referee.rules.options import RuleOptions
from referee.store.ladder.schema import open_ladder_store
from tichu_bot import HOUSE

EVENT = "cup"
LIMIT_S = 100.0  # a whole ladder of a test; a busy machine takes long to start eight processes
# Nobody is late on a machine that stalls.
SETTINGS = Settings(
    rules=RuleOptions(rounds=1), clock=Clock(base_ns=30_000 * MS), lag_limit_ns=60_000 * MS
)

Listener = Callable[[LadderRun, Progress | Notice], None]


def ours(name: str, *, called: str | None = None) -> BotPlan:
    """A bot that comes with the referee, under its own name or another."""
    module = {**HOUSE, **CHAOS}[name]
    label = called or name.removeprefix("chaos:")
    return BotPlan(name=label, argv=(sys.executable, "-P", "-m", module), house=name in HOUSE)


def script(path: Path, text: str) -> BotPlan:
    """A bot in a file."""
    path.write_text(text, encoding="utf-8")
    return BotPlan(name=path.stem, argv=(sys.executable, str(path)), artefact=(path,))


def entry(bot: BotPlan, *, other: BotPlan | None = None, owner: str | None = None) -> EntryPlan:
    """A bot with its own copy, or with another one, by an owner of its own."""
    name = bot.name if other is None else f"{bot.name}-{other.name}"
    return EntryPlan(name=name, owner=owner or f"owner of {name}", bots=(bot, other or bot))


def plan(
    folder: Path, entries: Sequence[EntryPlan], *, boards: int = 2, **changes: object
) -> LadderPlan:
    """A ladder in a folder: every pairing so many boards."""
    fields: dict[str, object] = {
        "event": EVENT,
        "entries": tuple(entries),
        "settings": SETTINGS,
        "schedule": SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=boards),
        "folder": folder / "cup.ladder",
        "database": f"sqlite:///{folder / 'cup.db'}",
        "seed": "x",
        **changes,
    }
    return LadderPlan(**fields)  # type: ignore[arg-type]


class Played:
    """A run that is over, and what it told."""

    def __init__(self, what: LadderPlan, outcome: LadderOutcome, news: list[Progress | Notice]):
        self.plan = what
        self.outcome = outcome
        self.news = news

    def notices(self, *kinds: NoticeKind) -> list[str]:
        return [n.text for n in self.news if isinstance(n, Notice) and n.kind in kinds]


async def played(what: LadderPlan, hear: Listener = lambda run, news: None) -> Played:
    """Play a ladder to its end; `hear` may stop it."""
    news: list[Progress | Notice] = []

    def tell(one: Progress | Notice) -> None:
        news.append(one)
        hear(run, one)

    run = LadderRun(what, tell)
    return Played(what, await asyncio.wait_for(run.run(), LIMIT_S), news)


def play(what: LadderPlan, hear: Listener = lambda run, news: None) -> Played:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(played(what, hear))


def stored(what: LadderPlan) -> tuple[tuple[StoredEntry, ...], tuple[LegResult, ...]]:
    """The entries and results in the database."""

    async def read() -> tuple[tuple[StoredEntry, ...], tuple[LegResult, ...]]:
        async with await open_ladder_store(what.database) as store:
            return await store.entries(what.event), await store.results(what.event)

    return asyncio.run(read())


def results(what: LadderPlan) -> tuple[LegResult, ...]:
    return stored(what)[1]


def resolved(what: LadderPlan) -> Resolved:
    return resolve(results(what), (), owners={})


def records(what: LadderPlan) -> list[Record]:
    """All records, each whole and with its chain, in the order of their places."""
    found = []
    for path in (what.folder / "records").glob("*.jsonl"):
        with path.open("rb") as lines:
            found.append(read_record(lines))
    return sorted(found, key=lambda record: leg_place(record).key)


def leg_place(record: Record) -> LegPlace:
    """Where in the ladder a record belongs; all of a ladder have a place."""
    assert record.header.place is not None
    return record.header.place


def cards(record: Record) -> str:
    """The seed of the first deal; "" where there was none."""
    seeds = [msgspec.to_builtins(fact).get("seed", "") for fact in record.facts]
    return next((str(seed) for seed in seeds if seed), "")


def two_house_bots(
    folder: Path, boards: int, *, isolation: Isolation = Isolation.NONE
) -> LadderPlan:
    """With isolation none there are two processes to wait for, not eight."""
    entries = [entry(ours("random")), entry(ours("greedy"))]
    return plan(folder, entries, boards=boards, isolation=isolation)


def dialled(folder: Path, boards: int, **changes: object) -> LadderPlan:
    """A ladder with a bot that dials in at a socket in the folder."""
    entries = [entry(BotPlan(name="away", argv=None)), entry(ours("random"))]
    listen = (f"unix:{folder / 'd.sock'}",)
    return plan(folder, entries, boards=boards, listen=listen, **changes)


def main(folder: Path, boards: int, *kind: str) -> None:
    """Play a ladder, and print what it tells, line by line."""
    isolated = two_house_bots(folder, boards, isolation=Isolation.ISOLATED)
    what = dialled(folder, boards) if kind else isolated
    play(what, lambda run, news: print(msgspec.json.encode(news).decode(), flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])

"""A ladder's database anew, from its records and rulings alone."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.bootstrap.ladder_plan import FACTS, JOURNAL, RECORDS, LadderPlan
from referee.bootstrap.ladder_records import summaries_of
from referee.formats.summary import MatchSummary
from referee.ladder.boards import resolve
from referee.ladder.values import LegKey
from referee.ports.ladder import LadderStoreError, StoredEntry
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from referee.store.ladder.schema import open_ladder_store
from referee.store.owner import OwnerLock


async def rebuild(plan: LadderPlan) -> int:
    """Forget what a database knows of a ladder and add all anew; return how many results there are.

    Everything is read before anything is forgotten. Raises `ConfigError` for a folder without
    records, a record or ruling that was changed, and while a run of the ladder goes on.
    """
    records, facts = plan.folder / RECORDS, plan.folder / FACTS
    if not records.is_dir():
        raise ConfigError(f"{records}: there are no records to rebuild from")
    lock = OwnerLock(facts)
    try:
        return await _rebuild(plan, records)
    except LadderStoreError as error:
        raise ConfigError(f"database: {error}") from None
    finally:
        lock.close()


async def _rebuild(plan: LadderPlan, records: Path) -> int:
    summaries = await summaries_of(records, plan.event)
    rulings = RulingJournal(plan.folder / JOURNAL, plan.event).rulings()
    results = [summary.leg for summary in summaries if summary.leg is not None]
    resolve(results, rulings, owners={})  # raises where they cannot be of one ladder
    async with await open_ladder_store(plan.database) as store:
        kept = await store.entries(plan.event)
        await store.clear_event(plan.event)
        await store.keep_entries(_entries(plan, summaries, kept))
        for summary in sorted(summaries, key=_key):
            await store.add_match(summary)
        for ruling in rulings:
            await store.add_ruling(ruling)
    return len(summaries)


def _key(summary: MatchSummary) -> LegKey:
    assert summary.leg is not None
    return summary.leg.place.key


def _entries(
    plan: LadderPlan, summaries: Sequence[MatchSummary], kept: Sequence[StoredEntry]
) -> list[StoredEntry]:
    """Return all entries: of the file, of records, and those that never played."""
    found = {entry.name: msgspec.structs.replace(entry, versions=()) for entry in kept}
    house = {entry.name for entry in kept if entry.house}
    for summary in sorted(summaries, key=_key):
        for side in summary.leg.place.sides if summary.leg is not None else ():
            one, other = side.players
            earlier = found.get(side.entry)
            version = (one.version, other.version)
            versions = earlier.versions if earlier is not None else ()
            found[side.entry] = StoredEntry(
                event=plan.event,
                name=side.entry,
                owner=side.owner,
                bots=(one.bot, other.bot),
                house=side.entry in house,
                versions=versions if version in versions else (*versions, version),
            )
    for entry in plan.entries:
        first, second = (bot.name for bot in entry.bots)
        versions = found[entry.name].versions if entry.name in found else ()
        found[entry.name] = StoredEntry(
            event=plan.event,
            name=entry.name,
            owner=entry.owner,
            bots=(first, second),
            house=entry.house,
            versions=versions,
        )
    return [found[name] for name in sorted(found)]

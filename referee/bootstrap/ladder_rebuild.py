"""A ladder's database anew, from its records and rulings alone."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from referee.bootstrap.ladder_advice import in_a_ladder, place_of
from referee.bootstrap.ladder_claim import claim
from referee.bootstrap.ladder_damage import rebuilt_lines
from referee.bootstrap.ladder_folder import LadderFolder
from referee.bootstrap.ladder_journal import refuse_lost_rulings, written_rulings
from referee.bootstrap.ladder_plan import (
    FACTS,
    RECORDS,
    RUN_GOES_ON,
    EntryPlan,
    LadderPlan,
)
from referee.bootstrap.ladder_records import event_in, summaries_of
from referee.formats.printable import printable
from referee.formats.summary import MatchSummary
from referee.ladder.boards import resolve
from referee.ladder.values import LegKey
from referee.ports.ladder import LadderStoreError, StoredEntry
from referee.rules.errors import ConfigError
from referee.store.ladder.schema import open_ladder_store
from referee.store.owner import OwnerLock, StoreInUse


async def rebuild(plan: LadderPlan, tell: Callable[[str], None] = lambda line: None) -> int:
    """Forget what a database knows of a ladder and add all anew; return how many results there are.

    `tell` is called with a line for each result that was in it and whose record is gone or another.
    Everything is read before anything is forgotten, and until all is in its place the database
    says what it said before. Raises `ConfigError` for a folder without
    records, a record or ruling that was changed or is of another ladder, where the
    database has another ladder of its name, and while a run of the ladder goes on.
    """
    records, facts = plan.folder / RECORDS, plan.folder / FACTS
    if not records.is_dir():
        raise ConfigError(f"{records}: there are no records to rebuild from")
    try:
        lock = OwnerLock(facts)
    except StoreInUse as error:
        raise ConfigError(f"{error.fact}; {RUN_GOES_ON}") from None
    except ConfigError as error:
        raise in_a_ladder(error) from None
    try:
        return await _rebuild(plan, records, tell)
    except LadderStoreError as error:
        raise ConfigError(str(error)) from None
    finally:
        lock.close()


async def _rebuild(plan: LadderPlan, records: Path, tell: Callable[[str], None]) -> int:
    folder = LadderFolder(plan)
    summaries = await summaries_of(records, plan.event, terms=folder.match_terms())
    if not summaries:
        _refuse_other_name(plan, records)
    rulings = written_rulings(plan)
    written = [one for one in folder.entries() if one.event == plan.event]
    results = [summary.leg for summary in summaries if summary.leg is not None]
    resolve(results, rulings, owners={})  # raises where they cannot be of one ladder
    async with await open_ladder_store(plan.database) as store:
        await claim(store, plan)
        refuse_lost_rulings(plan, rulings, await store.rulings(plan.event))
        kept = await store.entries(plan.event)
        before, digests = await store.results(plan.event), await store.digests(plan.event)
        await store.replace_event(
            plan.event,
            entries=_entries(plan, summaries, kept, written),
            summaries=sorted(summaries, key=_key),
            rulings=rulings,
        )
    for line in rebuilt_lines(plan, before, digests, summaries):
        tell(line)
    return len(summaries)


def _refuse_other_name(plan: LadderPlan, records: Path) -> None:
    """Raise `ConfigError` where records are there, and are all of a ladder of another name."""
    name = event_in(records)
    if name is not None and name != plan.event:
        raise ConfigError(
            f"{place_of(plan, 'name')}name: the records in {records} are of the ladder "
            f'{printable(name)}; write name = "{printable(name)}", or name another folder'
        )


def _key(summary: MatchSummary) -> LegKey:
    assert summary.leg is not None
    return summary.leg.place.key


def _entries(
    plan: LadderPlan,
    summaries: Sequence[MatchSummary],
    kept: Sequence[StoredEntry],
    written: Sequence[StoredEntry],
) -> list[StoredEntry]:
    """Return all entries: of the database, of records, those written down, and of the file.

    Later ones count. Versions are those written down, then what records say.
    """
    played = _played(plan.event, summaries)
    planned = [_planned(plan.event, entry) for entry in plan.entries]
    found = {entry.name: entry for entry in (*kept, *played.values(), *written, *planned)}
    house = {entry.name for entry in kept if entry.house}
    versions = {entry.name: entry.versions for entry in written}
    said = {name: entry.versions for name, entry in played.items()}
    by_us = {entry.name for entry in (*written, *planned)}
    return [
        msgspec.structs.replace(
            found[name],
            house=found[name].house if name in by_us else name in house,
            versions=tuple(dict.fromkeys((*versions.get(name, ()), *said.get(name, ())))),
        )
        for name in sorted(found)
    ]


def _played(event: str, summaries: Sequence[MatchSummary]) -> dict[str, StoredEntry]:
    """Return the entries of records by name, as they were in the last of them."""
    found: dict[str, StoredEntry] = {}
    for summary in sorted(summaries, key=_key):
        for side in summary.leg.place.sides if summary.leg is not None else ():
            earlier = found[side.entry].versions if side.entry in found else ()
            found[side.entry] = StoredEntry(
                event=event,
                name=side.entry,
                owner=side.owner,
                bots=tuple(player.bot for player in side.players),
                versions=(*earlier, tuple(player.version for player in side.players)),
            )
    return found


def _planned(event: str, entry: EntryPlan) -> StoredEntry:
    bots = tuple(bot.name for bot in entry.bots)
    return StoredEntry(
        event=event, name=entry.name, owner=entry.owner, bots=bots, house=entry.house
    )

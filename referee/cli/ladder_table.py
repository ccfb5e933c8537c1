"""What is known of a ladder now: results and rulings from its database, and the table of them."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType

import msgspec

from referee.bootstrap.ladder_advice import command
from referee.bootstrap.ladder_claim import refuse_other
from referee.bootstrap.ladder_damage import Damage, damage_lines, damage_remark, damages_of
from referee.bootstrap.ladder_folder import LadderFolder
from referee.bootstrap.ladder_journal import refuse_lost_rulings, written_rulings
from referee.bootstrap.ladder_plan import FINAL_PLAYED, JOURNAL, RECORDS, LadderPlan
from referee.bootstrap.ladder_records import is_file, record_files
from referee.bootstrap.setup import Isolation
from referee.formats.counting import Counting, counting
from referee.formats.exported import PRACTICE
from referee.formats.records import MAX_LINE_BYTES, RecordError, read_until_fault
from referee.formats.summary import MatchSummary
from referee.ladder.boards import Resolved, resolve
from referee.ladder.final import final_note
from referee.ladder.rulings import decide
from referee.ladder.standings import standings
from referee.ladder.table import Column, Standings
from referee.ladder.values import LegResult, Ruling
from referee.ports.ladder import LadderStore, StoredEntry
from referee.store.journal import RulingJournal
from referee.store.ladder.schema import SchemaState, open_ladder_store, schema_of

TRUST: Mapping[str, str] = MappingProxyType(
    {
        Isolation.DECLARED: "Declared: bots dialled in, and what their processes tell each other "
        "cannot be seen.",
        Isolation.NONE: "Isolation none: one process may have held two hands of a team and both "
        "legs of a board.",
    }
)

_NS_AN_HOUR = 3_600_000_000_000


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """All that stands of an event. `rulings` are those of the journal, if it is here.

    `practice` and `isolation` are those that its matches were played with, as they are marked.
    `damages` are records that are not as they were when the results were taken.
    """

    entries: tuple[StoredEntry, ...]
    results: tuple[LegResult, ...]
    rulings: tuple[Ruling, ...]
    practice: bool
    isolation: str
    damages: tuple[Damage, ...] = ()

    @property
    def owners(self) -> dict[str, str]:
        """Who runs each entry."""
        return {entry.name: entry.owner for entry in self.entries}

    def resolved(self) -> Resolved:
        """Return what counts of the results."""
        return resolve(self.results, self.rulings, owners=self.owners)

    def counting(self) -> Counting:
        """Return which legs count, and of the others why not."""
        return counting(self.results, self.rulings, owners=self.owners)

    def table(
        self, plan: LadderPlan, columns: Collection[Column] = (), *, says_practice: bool = True
    ) -> Standings:
        """Return the table; under it stands how far it can be trusted.

        `says_practice` False: whoever prints it says by itself that it is practice.
        """
        remarks = [note] if (note := self._final_note(plan)) else []
        remarks += [PRACTICE] if self.practice and says_practice else []
        if self.isolation in TRUST:
            remarks.append(TRUST[self.isolation])
        if self.damages:
            remarks.append(damage_remark(self.damages, self.counting().counted))
        return standings(
            self.resolved(),
            self.entries,
            self.rulings,
            unit=plan.unit,
            columns=columns,
            remarks=remarks,
        )

    def _final_note(self, plan: LadderPlan) -> str:
        """Return what stands under the table of a final; "" where none was played."""
        kept = (plan.folder / FINAL_PLAYED).exists()
        return final_note(
            plan.final,
            owners={entry.name: entry.owner for entry in plan.entries},
            decided=decide(self.rulings),
            resolved=self.resolved(),
            hours=LadderFolder(plan).final_ns() / _NS_AN_HOUR if kept else 0.0,
        )

    def warnings(self, plan: LadderPlan) -> Iterator[str]:
        """Yield a line for each damaged record, for the operator: what to do."""
        if self.damages:
            yield from damage_lines(plan, self.damages, self.counting().counted)


@asynccontextmanager
async def _opened(plan: LadderPlan) -> AsyncIterator[LadderStore]:
    """Open the database. Raises `ConfigError` where it has another ladder of this name."""
    async with await open_ladder_store(plan.database) as store:
        await refuse_other(store, plan)
        yield store


async def known(plan: LadderPlan) -> Known | None:
    """Return what stands of a ladder; None where it has no database yet. Nothing is made."""
    if (await schema_of(plan.database)).state is SchemaState.EMPTY:
        return None
    async with _opened(plan) as store:
        entries = await store.entries(plan.event)
        practice, isolation = await _marks(plan, store, entries)
        rulings = await store.rulings(plan.event)
        if plan.folder.is_dir():
            written = written_rulings(plan)
            refuse_lost_rulings(plan, written, rulings)
            rulings = written
        results = await store.results(plan.event)
        digests = await store.digests(plan.event)
        return Known(
            entries=entries,
            results=results,
            rulings=rulings,
            practice=practice or plan.practice,
            isolation=isolation,
            damages=await asyncio.to_thread(damages_of, plan, results, digests),
        )


async def _marks(
    plan: LadderPlan, store: LadderStore, entries: Sequence[StoredEntry]
) -> tuple[bool, str]:
    """Return whether the matches are practice, and their isolation; all are of one secret.

    The head of one record says it, and where there are none the matches of one bot.
    """
    for path in record_files(plan.folder / RECORDS):
        with suppress(RecordError, OSError):  # `rebuild` names those
            if not is_file(path):
                continue
            with path.open("rb") as lines:
                head = lines.readline(MAX_LINE_BYTES)
            header = read_until_fault([head])[0].header
            if header.place is not None and header.place.event == plan.event:
                return header.practice, header.isolation
    for entry in entries:
        for summary in await store.summaries(plan.event, entry.bots[0]):
            return summary.practice, summary.isolation
    return False, ""


async def matches_of(plan: LadderPlan, bot: str) -> tuple[tuple[MatchSummary, ...], Counting]:
    """Return the matches of a bot in the order of their boards, and which legs of all count.

    Without a database there are none.
    """
    now = await known(plan)
    if now is None:
        return (), Counting(counted={}, others={})
    async with _opened(plan) as store:
        matches = await store.summaries(plan.event, bot)
    ids = {result.match_id for result in now.results}  # of others: played since
    return tuple(one for one in matches if one.match_id in ids), now.counting()


async def all_matches(plan: LadderPlan, known: Known) -> tuple[MatchSummary, ...]:
    """Return all matches of a ladder, each once, in the order of their boards."""
    bots = sorted({bot for entry in known.entries for bot in entry.bots})
    keys = {result.match_id: result.place.key for result in known.results}
    found: dict[str, MatchSummary] = {}
    async with _opened(plan) as store:
        for bot in bots:
            for summary in await store.summaries(plan.event, bot):
                if summary.match_id in keys:  # else it was played since
                    found[summary.match_id] = summary
    return tuple(found[match_id] for match_id in sorted(found, key=keys.__getitem__))


def nothing_yet(plan: LadderPlan) -> str:
    """Return why there is no table: nothing was played, or the database does not know it."""
    if any(record_files(plan.folder / RECORDS)):
        return (
            f"the database has no results, but there are records; {command(plan, 'rebuild')} adds "
            "them"
        )
    return f"nothing was played yet; {command(plan, 'run')} plays"


def journal_of(plan: LadderPlan) -> RulingJournal:
    """Return the rulings of a ladder as they lie beside its records."""
    return RulingJournal(Path(plan.folder, JOURNAL), plan.event)

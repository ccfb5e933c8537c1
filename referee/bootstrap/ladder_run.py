"""One run of a ladder, from its plan to an end that the same command goes on from."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from referee.app.season import Season, SeasonPlan
from referee.app.season_news import LadderOutcome, Notice, NoticeKind, OutcomeKind, Progress
from referee.app.season_ports import SeasonPorts
from referee.bootstrap.arena import LadderArena
from referee.bootstrap.arena_pool import Pool
from referee.bootstrap.arena_roles import Role, deal_tokens
from referee.bootstrap.ladder_advice import in_a_ladder
from referee.bootstrap.ladder_claim import claim, refuse_other
from referee.bootstrap.ladder_damage import damage_lines, damages_of
from referee.bootstrap.ladder_doors import check_doors
from referee.bootstrap.ladder_folder import TEMP_PREFIX, LadderFolder
from referee.bootstrap.ladder_journal import refuse_lost_rulings, refuse_other_name
from referee.bootstrap.ladder_logs import keep_left_logs
from referee.bootstrap.ladder_plan import JOURNAL, RUN_GOES_ON, LadderPlan, schedule_of
from referee.bootstrap.ladder_records import summaries_of
from referee.bootstrap.ladder_versions import (
    GONE,
    Versions,
    check_versions,
    fixed_versions,
    playing_versions,
)
from referee.bootstrap.referee import Referee
from referee.bootstrap.setup import Guest, Isolation, RefereeSetup
from referee.clock import LoopClock
from referee.formats.counting import counting
from referee.formats.words import counted
from referee.ladder.rulings import Decided, decide
from referee.ladder.schedule import check_schedule
from referee.ladder.stopping import StopRule
from referee.ladder.values import LegResult, Ruling
from referee.ports.ladder import LadderStore, LadderStoreError, StoredEntry
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from referee.store.ladder.schema import open_ladder_store
from referee.store.owner import StoreInUse

_LONGEST_TEMP_FOLDER = 60  # the path of a unix socket has 100 bytes
_STOP_S = 1.0  # for streams to end after their Closing
_SOCKET = "referee.sock"

_GOES_ON = (OutcomeKind.STOPPED, OutcomeKind.REPLACED)  # bots are to come back

Tell = Callable[[Progress | Notice], None]


class Plays(Protocol):
    """What decides what is played, once everything is there to play it."""

    async def run(self) -> LadderOutcome:
        """Play until it is enough, or until `stop`."""

    def stop(self) -> None:
        """End soon."""


class _Ground(NamedTuple):
    """What a run stands on: where its results, secrets and rulings are, and what plays."""

    store: LadderStore
    folder: LadderFolder
    journal: RulingJournal
    versions: Versions


class LadderRun:
    """Plays a ladder. What an earlier run left, however it ended, is taken up at the start."""

    def __init__(self, plan: LadderPlan, tell: Tell) -> None:
        """`tell` is called in the loop with what is new."""
        if any(entry.dials_in for entry in plan.entries) and plan.isolation is Isolation.ISOLATED:
            plan = msgspec.structs.replace(plan, isolation=Isolation.DECLARED)
        self._plan = plan
        self._tell = tell
        self._stopping = asyncio.Event()
        self._season: Plays | None = None
        self._pool: Pool | None = None
        self._over_for_good = False

    async def run(self) -> LadderOutcome:
        """Play until it is enough, or until `stop`; all that was started is gone on return.

        Raises `ConfigError`, one line, where it cannot be played or kept.
        """
        plan = self._plan
        self._check()
        check_doors(plan)
        journal = RulingJournal(plan.folder / JOURNAL, plan.event)
        refuse_other_name(plan)
        rulings = journal.rulings()  # raises before anything is made where they were changed
        versions = playing_versions(plan, decide(rulings))
        folder = LadderFolder(plan)
        try:
            async with await open_ladder_store(plan.database) as store:
                return await self._with_store(_Ground(store, folder, journal, versions))
        except LadderStoreError as error:
            raise ConfigError(str(error)) from None

    # --- what a tournament does otherwise

    def _check(self) -> None:
        """Refuse what cannot be played. Raises `ConfigError`."""
        owners = {entry.name: entry.owner for entry in self._plan.entries}
        check_schedule(schedule_of(self._plan), owners)

    def _plays(self, ports: SeasonPorts, versions: Versions, played_ns: int) -> Plays:
        """Return what plays; `played_ns` is how long earlier runs did."""
        plan = self._plan
        return Season(
            SeasonPlan(
                event=plan.event,
                owners={entry.name: entry.owner for entry in plan.entries},
                schedule=schedule_of(plan),
                stop=StopRule(hours=plan.stop.hours, separated=plan.stop.separated),
                final=plan.final,
                final_ns=LadderFolder(plan).final_ns(),
                parallel=plan.parallel,
                boards_an_entry=plan.boards_an_entry,
                versions=fixed_versions(versions),
                played_ns=played_ns,
            ),
            ports,
        )

    # --- orders

    def stop(self) -> None:
        """End soon, in good order: running boards are void. The first Ctrl-C."""
        self._stopping.set()
        if self._season is not None:
            self._season.stop()

    def kill_now(self) -> None:
        """SIGKILL the bots without waiting: the second Ctrl-C."""
        self.stop()
        if self._pool is not None:
            self._pool.kill_now()

    def kill_all_now(self) -> None:
        """SIGKILL everything that was started, for this process leaves: the third Ctrl-C."""
        if self._pool is not None:
            self._pool.kill_all_now()

    # --- what it stands on, from the outside in

    async def _with_store(self, ground: _Ground) -> LadderOutcome:
        plan, store, folder = self._plan, ground.store, ground.folder
        await refuse_other(store, plan)  # before anything is drawn under this name
        names = {bot.name for entry in plan.entries for bot in entry.bots if bot.argv is None}
        tokens = deal_tokens(plan, {name: await store.tokens(name) for name in sorted(names)})
        if await store.entries(plan.event):
            folder.has_begun()
        secret = folder.secret()
        folder.check_terms(secret)
        await claim(store, plan)
        guests = _guests(plan, tokens)
        async with self._referee(folder, secret, guests) as (referee, run_folder):
            await self._take_up(ground)
            if len(referee.addresses) > 1:
                self._say(NoticeKind.INFO, f"listening on {', '.join(referee.addresses[1:])}")
            self._pool = Pool(
                plan,
                referee,
                secret=secret,
                tokens=tokens,
                versions=ground.versions,
                run_folder=run_folder,
                tell=self._tell,
            )
            return await self._play(referee, self._pool, ground)

    async def _take_up(self, ground: _Ground) -> None:
        """Bring the database up to what is on record. Raises `ConfigError` where it is no more."""
        plan, store = self._plan, ground.store
        rulings = ground.journal.rulings()
        refuse_lost_rulings(plan, rulings, await store.rulings(plan.event))
        for ruling in rulings:
            await store.add_ruling(ruling)
        added = await take_up(store, ground.folder, plan.event)
        results = await store.results(plan.event)
        await self._tell_damages(store, results, rulings)
        check_versions(plan, ground.versions, results, decide(rulings))
        await store.keep_entries(ground.folder.entries())
        await store.keep_entries([_stored(plan, name, at) for name, at in ground.versions.items()])
        ground.folder.keep_entries(await store.entries(plan.event))
        if added:
            text = f"{counted(added, 'result')} taken up from records of an earlier run"
            self._say(NoticeKind.STARTED, text)

    async def _tell_damages(
        self, store: LadderStore, results: Sequence[LegResult], rulings: Sequence[Ruling]
    ) -> None:
        """Say which records are not as they were; what they brought stands, and play goes on."""
        digests = await store.digests(self._plan.event)
        damages = await asyncio.to_thread(damages_of, self._plan, results, digests)
        if damages:
            owners = {entry.name: entry.owner for entry in self._plan.entries}
            counts = counting(results, rulings, owners=owners).counted
            for line in damage_lines(self._plan, damages, counts):
                self._say(NoticeKind.INFO, f"warning: {line}")

    @asynccontextmanager
    async def _referee(
        self, folder: LadderFolder, secret: bytes, guests: Sequence[Guest]
    ) -> AsyncIterator[tuple[Referee, Path]]:
        """Start a referee, and end it, then what was started beside it. With a folder for the run.

        What a bot left in it that cannot be removed is no reason to fail.
        """
        with tempfile.TemporaryDirectory(
            prefix=TEMP_PREFIX, dir=_temp_folder(), ignore_cleanup_errors=True
        ) as temp:
            setup = _setup(self._plan, folder, secret, Path(temp))
            try:
                referee = await Referee.start(setup, guests=guests)
            except StoreInUse as error:
                raise ConfigError(f"{error.fact}; {RUN_GOES_ON}") from None
            except ConfigError as error:
                raise in_a_ladder(error) from None
            try:
                await self._keep_left_logs(folder, Path(temp))
                folder.note_socket(Path(temp))
                yield referee, Path(temp)
            finally:
                if self._pool is not None:
                    self._pool.ending()
                await referee.stop(_STOP_S, coming_back=not self._over_for_good)
                if referee.unfinished is not None:
                    text = (
                        f"not all is on record: {referee.unfinished}; the next run makes up for it"
                    )
                    self._say(NoticeKind.INFO, text)
                if self._pool is not None:
                    await self._end_processes(self._pool)
                folder.forget_socket()

    async def _keep_left_logs(self, folder: LadderFolder, temp: Path) -> None:
        try:
            await asyncio.to_thread(keep_left_logs, folder.path, temp)
        except OSError as error:
            text = f"logs of a run that was killed could not be kept: {error.strerror or error}"
            self._say(NoticeKind.INFO, text)

    async def _end_processes(self, pool: Pool) -> None:
        for pid in sorted(await pool.stop()):
            self._say(NoticeKind.INFO, f"warning: process {pid} could not be ended")

    async def _play(self, referee: Referee, pool: Pool, ground: _Ground) -> LadderOutcome:
        plan, folder, rulings = self._plan, ground.folder, ground.journal.rulings()
        arena = LadderArena(
            plan,
            referee,
            pool,
            versions=ground.versions,
            journal=ground.journal,
            tell=self._tell,
        )
        ports = SeasonPorts(
            arena=arena,
            store=ground.store,
            journal=ground.journal,
            clock=LoopClock(asyncio.get_running_loop()),
            tell=self._tell,
            keep_played=folder.keep_played,
            keep_final=folder.keep_final,
        )
        self._season = season = self._plays(ports, ground.versions, folder.played_ns())
        await self._wait_for_dialling(pool, decide(rulings))
        if self._stopping.is_set():
            season.stop()
        outcome = await self._unless_fenced(referee, season, folder)
        self._over_for_good = outcome.why not in _GOES_ON
        return outcome

    async def _unless_fenced(
        self, referee: Referee, season: Plays, folder: LadderFolder
    ) -> LadderOutcome:
        """Run a season. Raises `ConfigError` where another process takes the fact store over."""
        running = asyncio.create_task(season.run())
        either: set[asyncio.Future[LadderOutcome] | asyncio.Future[str]]
        either = {running, referee.fenced}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            raise ConfigError(f"store {folder.facts}: {referee.fenced.result()}")
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _wait_for_dialling(self, pool: Pool, decided: Decided) -> None:
        """Wait for bots that dial in, within reason; then they are at fault as they play."""
        entries = frozenset(e.name for e in self._plan.entries if decided.plays(e.name))
        if not pool.missing(entries):
            return
        self._say(NoticeKind.WAITING, f"waiting for {_missing_words(pool.missing(entries))}")

        def came() -> None:
            if missing := pool.missing(entries):
                self._say(NoticeKind.INFO, f"still waiting for {_missing_words(missing)}")

        coming = asyncio.ensure_future(pool.all_dialled_in(entries, came))
        stop = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait({coming, stop}, return_when=asyncio.FIRST_COMPLETED)
        for task in (coming, stop):
            task.cancel()
        await asyncio.gather(coming, stop, return_exceptions=True)
        missing = pool.missing(entries)
        if missing and not self._stopping.is_set():
            text = f"not there after {self._plan.wait_s:g} s: {_missing_words(missing)}"
            self._say(NoticeKind.WAITING, text)

    # --- news

    def _say(self, kind: NoticeKind, text: str) -> None:
        self._tell(Notice(kind=kind, text=text))


async def take_up(store: LadderStore, folder: LadderFolder, event: str) -> int:
    """Add what is on record and has no result yet; return how many were added.

    Raises `ConfigError` for a record that cannot be read, or is of another ladder; then nothing was
    added.
    """
    known = {result.match_id for result in await store.results(event)}
    terms = folder.match_terms()
    summaries = await summaries_of(folder.records, event, but=known, terms=terms)
    return await store.add_matches(summaries)


def _stored(plan: LadderPlan, name: str, versions: tuple[str, ...]) -> StoredEntry:
    entry = next(one for one in plan.entries if one.name == name)
    return StoredEntry(
        event=plan.event,
        name=entry.name,
        owner=entry.owner,
        bots=tuple(bot.name for bot in entry.bots),
        house=entry.house,
        versions=(versions,) if all(versions) and GONE not in versions else (),
    )


def _guests(plan: LadderPlan, tokens: Mapping[Role, Sequence[bytes]]) -> list[Guest]:
    """Return who may dial in; the pool gives each a place among the others of its role."""
    owners = {entry.name: entry.owner for entry in plan.entries}
    return [
        Guest(name=role.bot, owner=owners[role.entry], token_hash=one)
        for role, hashes in tokens.items()
        for one in hashes
    ]


def _setup(plan: LadderPlan, folder: LadderFolder, secret: bytes, temp: Path) -> RefereeSetup:
    return RefereeSetup(
        listen=(f"unix:{temp / _SOCKET}", *plan.listen),
        event_secret=secret,
        practice=plan.practice,
        tls_cert=plan.tls_cert,
        tls_key=plan.tls_key,
        plaintext=plan.plaintext,
        isolation=plan.isolation,
        record_dir=folder.records,
        store=folder.facts,
        durability=plan.durability,
        metrics_port=plan.metrics_port,
        metrics_host=plan.metrics_host,
        grace_ms=plan.grace_ms,
        start_budget_s=plan.start_ms / 1000,
        resume=False,
        limits=plan.limits,
    )


def _temp_folder() -> str | None:
    """A folder in it has mode 0700: the socket is for this user alone."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_TEMP_FOLDER else None


def _missing_words(missing: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(
        f"{bot} ({away} of {of} {'process' if of == 1 else 'processes'})"
        for bot, (away, of) in missing.items()
    )

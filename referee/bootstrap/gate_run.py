"""One gate in this process: a referee, both bots, and the boards between them.

It plays on the arena of the ladders: every place and leg has a process of its own, the legs of a
board have the same cards and bot seeds, and what is void is played again. Nothing is resumed: a
gate that was killed begins anew, so facts lie in memory and records only where they are wanted.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from referee.app.gate import Gate
from referee.app.gate_ports import GatePlan, GatePorts
from referee.app.season_news import Notice, NoticeKind, Progress
from referee.app.seeds import secret_of
from referee.bootstrap.arena import LadderArena
from referee.bootstrap.arena_pool import Pool
from referee.bootstrap.gate_machine import StolenTime
from referee.bootstrap.ladder_folder import TEMP_PREFIX
from referee.bootstrap.ladder_plan import RECORDS, LadderPlan
from referee.bootstrap.ladder_records import namesakes_of
from referee.bootstrap.ladder_versions import Versions, entry_versions, versions_of
from referee.bootstrap.referee import Referee
from referee.bootstrap.setup import RefereeSetup
from referee.clock import LoopClock
from referee.formats.gate_played import played_in
from referee.formats.records import read_record
from referee.formats.summary import MatchSummary
from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateOutcome, GateVerdict
from referee.ladder.values import Ruling, RulingKind
from referee.ports import StoreError
from referee.rules.errors import ConfigError, RefereeBug

_LONGEST_TEMP_FOLDER = 60  # the path of a unix socket has 100 bytes
_SOCKET = "referee.sock"
_STOP_S = 1.0  # for streams to end after their Closing
_KEPT_WORDS = 5  # of what processes said last
_LOGS_IN = re.compile(r" \(logs in [^)]*\)$")

Tell = Callable[[Progress | Notice], None]


class GateBrokenError(Exception):
    """The machine failed the gate, in one line: it says nothing about the bots."""


class NoRulings:
    """The `Journal` of a gate: nobody rules in it."""

    def rulings(self) -> tuple[Ruling, ...]:
        """Return none."""
        return ()

    def append(self, kind: RulingKind, subject: str, reason: str, *, version: str = "") -> Ruling:
        """Refuse it."""
        raise RefereeBug(f"a ruling in a gate: {kind} {subject} {reason} {version}")


class GateRun:
    """Plays a gate; all that was started is gone when `run` returns."""

    def __init__(self, plan: LadderPlan, gate: GatePlan, tell: Tell, *, keep: Path | None) -> None:
        """`plan` has the entries `CANDIDATE` and `BASELINE`, and how a leg is played.

        Its folder is replaced by `keep`, where records and logs stay; None: they go. `tell` is
        called in the loop with what is new.
        """
        self._plan = plan
        self._gate_plan = gate
        self._tell = tell
        self._keep = keep
        self._gate: Gate | None = None
        self._pool: Pool | None = None
        self._stopped = False
        self._said: dict[str, None] = {}  # in order, each once

    # --- orders

    def stop(self) -> None:
        """End soon, in good order: the first Ctrl-C."""
        self._stopped = True
        if self._gate is not None:
            self._gate.stop()

    def kill_now(self) -> None:
        """SIGKILL the bots without waiting: the second Ctrl-C."""
        self.stop()
        if self._pool is not None:
            self._pool.kill_now()

    def kill_all_now(self) -> None:
        """SIGKILL everything that was started, for this process leaves: the third Ctrl-C."""
        if self._pool is not None:
            self._pool.kill_all_now()

    # --- the run

    async def run(self) -> GateOutcome:
        """Play until there is a verdict.

        Raises `ConfigError` where nothing can be played, and `GateBrokenError` where what was
        played cannot be kept.
        """
        with tempfile.TemporaryDirectory(
            prefix=TEMP_PREFIX, dir=_temp_folder(), ignore_cleanup_errors=True
        ) as name:
            temp = Path(name)
            plan = msgspec.structs.replace(self._plan, folder=self._keep or temp / "kept")
            _make(plan.folder / RECORDS)
            versions = versions_of(plan)
            try:
                async with self._referee(plan, temp, versions) as (referee, pool):
                    outcome = await self._play(plan, referee, pool, versions)
                if outcome.verdict is not GateVerdict.STOPPED:
                    _refuse_changed(plan, versions)
                return outcome
            except ConfigError as error:
                if isinstance(error.__cause__ or error.__context__, StoreError | OSError):
                    raise GateBrokenError(str(error)) from error
                _refuse_changed(plan, versions)
                raise

    @asynccontextmanager
    async def _referee(
        self, plan: LadderPlan, temp: Path, versions: Versions
    ) -> AsyncIterator[tuple[Referee, Pool]]:
        """Start a referee, and end it, then what was started beside it."""
        secret = secret_of(self._gate_plan.seed)
        referee = await Referee.start(_setup(plan, self._gate_plan, secret, temp))
        pool: Pool | None = None
        try:
            pool = self._pool = Pool(
                plan,
                referee,
                secret=secret,
                tokens={},
                versions=versions,
                run_folder=temp,
                tell=self._heard,
            )
            yield referee, pool
        finally:
            if pool is not None:
                pool.ending()
            await referee.stop(_STOP_S)
            if pool is not None:
                for pid in sorted(await pool.stop()):
                    text = f"warning: process {pid} could not be ended"
                    self._tell(Notice(kind=NoticeKind.INFO, text=text))

    async def _play(
        self, plan: LadderPlan, referee: Referee, pool: Pool, versions: Versions
    ) -> GateOutcome:
        arena = LadderArena(
            plan, referee, pool, versions=versions, journal=NoRulings(), tell=self._heard
        )
        records = _Records(plan.folder / RECORDS, kept=self._keep is not None)
        ports = GatePorts(
            arena=arena,
            clock=LoopClock(asyncio.get_running_loop()),
            machine=StolenTime(),
            tell=self._tell,
            alike=records.are_alike,
            forget=records.forget,
            unwritten=lambda: referee.unwritten,
            said=lambda: tuple(self._said)[:_KEPT_WORDS],
        )
        self._gate = Gate(_with_versions(self._gate_plan, versions), ports)
        if self._stopped:
            self._gate.stop()
        return await self._gate.run()

    def _heard(self, notice: Notice) -> None:
        """Tell news of processes; their logs are named only where they stay."""
        if self._keep is None:
            notice = msgspec.structs.replace(notice, text=_LOGS_IN.sub("", notice.text))
        if notice.kind is NoticeKind.FAULT:
            self._said[notice.text] = None
        self._tell(notice)


class _Records:
    """The records of the boards of a gate."""

    def __init__(self, folder: Path, *, kept: bool) -> None:
        self._folder = folder
        self._kept = kept

    async def are_alike(self, legs: Sequence[MatchSummary]) -> bool:
        """Return whether the same cards were played in all legs. In a thread, as it reads."""
        return await asyncio.to_thread(self._are_alike, [leg.match_id for leg in legs])

    def _are_alike(self, match_ids: Sequence[str]) -> bool:
        return len({self._played(match_id) for match_id in match_ids}) == 1

    def _played(self, match_id: str) -> tuple[object, ...]:
        path = next(namesakes_of(self._folder, match_id))
        with path.open("rb") as lines:
            return played_in(read_record(lines).facts)

    def forget(self, legs: Sequence[MatchSummary]) -> None:
        """Remove what nobody wants: 20,000 boards are a gigabyte."""
        if not self._kept:
            for leg in legs:
                for path in namesakes_of(self._folder, leg.match_id):
                    path.unlink(missing_ok=True)


def _refuse_changed(plan: LadderPlan, versions: Versions) -> None:
    """Raise `ConfigError` where a bot's files are no longer those that began to play."""
    for entry in plan.entries:
        try:
            now = entry_versions(plan, entry)
        except ConfigError as error:
            raise ConfigError(f"{entry.name}: {error}; it was there when the gate began") from None
        if now != versions[entry.name]:
            raise ConfigError(
                f"{entry.name}: its files were changed while the gate ran; let nothing write into "
                "them, then run the gate again"
            )


def _with_versions(gate: GatePlan, versions: Versions) -> GatePlan:
    """Return a plan whose bots have the versions that play."""
    found = {
        name: msgspec.structs.replace(getattr(gate, name), version=versions[name][0])
        for name in (CANDIDATE, BASELINE)
    }
    return msgspec.structs.replace(gate, **found)


def _setup(plan: LadderPlan, gate: GatePlan, secret: bytes, temp: Path) -> RefereeSetup:
    return RefereeSetup(
        listen=(f"unix:{temp / _SOCKET}",),
        event_secret=secret,
        practice=gate.practice,
        isolation=plan.isolation,
        record_dir=plan.folder / RECORDS,
        grace_ms=plan.grace_ms,
        start_budget_s=plan.start_ms / 1000,
        limits=plan.limits,
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"folder {folder}: {error.strerror}; name another one") from None


def _temp_folder() -> str | None:
    """A folder in it has mode 0700: the socket is for this user alone."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_TEMP_FOLDER else None

"""Runs the match of `referee play`: referee, bots, signals, and an end without leftovers."""

import asyncio
import hashlib
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from referee.bootstrap import Isolation, Referee, RefereeSetup
from referee.cli.play_bots import Bots, StartFailure
from referee.cli.play_report import Report, Watcher
from referee.cli.play_setup import PlayPlan
from referee.cli.play_text import Outcome, who
from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders
from referee.formats.conduct import Conduct, read_conduct
from referee.match.facts import MatchEnded, encode_fact
from referee.match.values import Ending, MatchConfig, Player
from referee.rules.options import columns
from referee.store.records import namesakes

COMPLETED, FAULT = 0, 1  # exit codes
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LONGEST_TEMP_FOLDER = 60  # the path of a unix socket has 100 bytes
_CANCEL_S = 5.0
_STOP_S = 1.0


async def play_match(plan: PlayPlan, report: Report) -> int:
    """Play, and return the exit code. All that was started is gone on return.

    Raises `ConfigError` when the match cannot begin.
    """
    play = _Play(plan, report)
    # Heeded to the very end: a signal may come while the folder is removed.
    with (
        StopOrders(play.ordered).heeded([n for n in _SIGNALS if not _is_kept_out(n)]),
        tempfile.TemporaryDirectory(prefix="tichu-", dir=_temp_folder()) as name,
    ):
        return await play.run(Path(name))


def _temp_folder() -> str | None:
    """A folder in it has mode 0700: the socket is for this user alone."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_TEMP_FOLDER else None


def _is_kept_out(number: signal.Signals) -> bool:
    """True under nohup: the match is to outlive its terminal."""
    return number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN


class _Play:
    def __init__(self, plan: PlayPlan, report: Report) -> None:
        self._plan = plan
        self._report = report
        self._folder: Path | None = None
        # It follows from the seed, since cards depend on it too; records of one name are numbered.
        self._match_id = f"play-{hashlib.sha256(plan.event_secret).hexdigest()[:12]}"
        self._stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._unsaid: OSError | None = None
        self._unkept: Path | None = None  # where the record would be, had it been written
        self._bots: Bots | None = None
        self._watcher = Watcher(plan, report, self._unheard)

    async def run(self, folder: Path) -> int:
        """Play in a folder for the socket and what the bots print; return the exit code."""
        self._folder = folder
        try:
            self._report.begin(self._plan)
            outcome = await self._with_referee(folder)
            self._tell_end(outcome)
        finally:
            self._report.pause()
        if self._stopped.done():
            return self._stopped.result()
        return COMPLETED if outcome.ending is Ending.COMPLETED and not self._unkept else FAULT

    def _tell_end(self, outcome: Outcome) -> None:
        if self._unsaid is not None:
            raise self._unsaid
        self._report.pause()
        if self._bots is not None:
            self._bots.tell_died(logs_kept=self._plan.log_dir is not None)
            self._bots.tell_conduct(outcome)
        self._report.end(self._plan, outcome)
        if self._unkept is not None:
            folder = shlex.quote(str(self._plan.record_dir))
            click.echo(
                f"error: record {self._unkept}: it could not be written, and the match is gone; "
                f"make space in {folder}, or choose another --record-dir",
                err=True,
            )

    def _unheard(self, error: OSError) -> None:
        """Nobody reads our output any more, or the disk is full: no match without a witness."""
        self._unsaid = error
        if not self._stopped.done():
            self._stopped.set_result(FAULT)

    def ordered(self, order: int, number: signal.Signals) -> None:
        """The first ends the match in good order, the second kills the bots, the third us."""
        if order == 1:
            if not self._stopped.done():
                self._stopped.set_result(SIGNAL_EXIT + number)
            return
        if order == 2 and self._bots is not None:
            self._bots.kill_now()
            return
        if self._bots is not None:
            self._bots.kill_all_now()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(SIGNAL_EXIT + number)

    async def _with_referee(self, folder: Path) -> Outcome:
        referee = await Referee.start(
            RefereeSetup(
                listen=(f"unix:{folder / 'referee.sock'}",),
                event_secret=self._plan.event_secret,
                practice=self._plan.practice,
                isolation=self._isolation(),
                record_dir=self._plan.record_dir,
                grace_ms=self._plan.grace_ms,
                start_budget_s=self._plan.start_ms / 1000,
            )
        )
        try:
            return await self._with_bots(referee, folder)
        finally:
            await referee.stop(_STOP_S)

    def _isolation(self) -> Isolation:
        """What we did not start we cannot vouch for."""
        ours = all(bot.argv is not None for bot in self._plan.bots)
        return Isolation.ISOLATED if ours else Isolation.DECLARED

    async def _with_bots(self, referee: Referee, folder: Path) -> Outcome:
        self._bots = Bots(referee, self._plan, self._log_dir(folder))
        try:
            self._bots.start()
            ready = asyncio.create_task(self._bots.ready())
            if not await self._came_before_a_stop(ready):
                ready.cancel()
                return self._unplayed(Ending.CANCELLED)
            failures = ready.result()
            for failed in failures:
                click.echo(f"error: {who(self._plan, failed.seat)} {failed.how}", err=True)
            return await self._play(referee, self._bots.instances, failures)
        finally:
            await self._bots.stop()

    def _log_dir(self, folder: Path) -> Path:
        logs = self._plan.log_dir or folder / "logs"
        logs.mkdir(exist_ok=True)
        return logs.absolute()

    async def _came_before_a_stop(
        self, what: "asyncio.Future[list[StartFailure]] | asyncio.Future[MatchEnded]"
    ) -> bool:
        """Wait for something, or for the order to stop; raises what it raises."""
        await asyncio.wait({what, self._stopped}, return_when=asyncio.FIRST_COMPLETED)
        if what.done():
            what.result()
        return what.done()

    async def _play(
        self, referee: Referee, instances: list[str], failures: Sequence[StartFailure]
    ) -> Outcome:
        """Play the match; one that bots did not start for ends at once, and counts (PROTOCOL 5)."""
        config = MatchConfig(
            match_id=self._match_id,
            settings=self._plan.settings,
            players=tuple(Player(name=name) for name in self._plan.names),
        )
        running = referee.start_match(config, instances, audience=self._watcher)
        for failed in failures:
            running.fault(failed.seat, failed.ending)
        if not await self._came_before_a_stop(running.done):
            running.cancel()
        ended = await asyncio.wait_for(running.done, _CANCEL_S)
        return self._outcome(ended, running.record_path)

    def _outcome(self, ended: MatchEnded, record: Path | None) -> Outcome:
        promised, record = record, _as_written(record, ended)
        if promised is not None and record is None:
            self._unkept = promised
        return Outcome(
            match_id=self._match_id,
            ending=ended.ending,
            totals=ended.totals,
            rounds=ended.rounds,
            winner=ended.winner,
            seat=ended.seat,
            blame=ended.blame,
            failed=ended.failed,
            awarded=ended.awarded,
            record=str(record) if record is not None else None,
            conduct=_conduct(record, seats=len(self._plan.names)),
            ranks=self._watcher.ranks,
        )

    def _unplayed(self, ending: Ending) -> Outcome:
        return Outcome(
            match_id=self._match_id,
            ending=ending,
            totals=(0,) * columns(self._plan.rules),
            rounds=0,
        )


def _as_written(record: Path | None, ended: MatchEnded) -> Path | None:
    """Where the record is: somebody else's of the same name may have come before ours."""
    for path in () if record is None else namesakes(record):
        if not path.exists():
            break
        if path.read_bytes().splitlines()[-2:-1] == [encode_fact(ended)]:
            return path
    return None


def _conduct(record: Path | None, *, seats: int) -> tuple[Conduct, ...]:
    if record is None:
        return ()
    with record.open("rb") as lines:
        return read_conduct(lines, seats=seats)

"""The processes of a ladder: started when they are first needed, kept for many boards."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from referee.app.season_news import Notice, NoticeKind
from referee.bootstrap.arena_roles import Role, bot_of, bot_words, log_tag
from referee.bootstrap.ladder_logs import keep_logs
from referee.bootstrap.ladder_plan import LOGS, LadderPlan
from referee.bootstrap.ladder_versions import Versions, check_unchanged
from referee.bootstrap.referee import Referee
from referee.launch.environment import Access, bot_environment
from referee.launch.launcher import Launcher
from referee.launch.process import BotProcess, LaunchOrder, describe_exit
from referee.rules.errors import ConfigError

_LAST_WORDS_S = 0.3  # from the end of the streams to SIGTERM: time to read it and write a file
_TERM_S = 2.0  # from SIGTERM to SIGKILL for one that plays no more
_SHOWN_LINES = 3  # of what a bot printed last: where, the line, the exception


class Slot:
    """One process of a bot, or the way in for one that dials in; over all that come after it."""

    def __init__(self, role: Role, number: int, instance: str, token: str | None) -> None:
        self.role = role
        self.number = number
        self.instance = instance
        self.token = token  # None: it dials in
        self.process: BotProcess | None = None
        self.seats = 1  # that it takes at once, as far as is known
        self.held = 0
        self.starting = asyncio.Lock()

    @property
    def runs(self) -> bool:
        """True if a process of ours is there."""
        return self.process is not None and self.process.returncode is None


class Pool:
    """Gives seats to processes. One process holds no more at once than its Hello says."""

    def __init__(
        self,
        plan: LadderPlan,
        referee: Referee,
        *,
        secret: bytes,
        tokens: Mapping[Role, tuple[bytes, ...]],
        versions: Versions,
        run_folder: Path,
        tell: Callable[[Notice], None],
    ) -> None:
        """`tokens` are the hashes of those with which processes dial in.

        `versions` are those that are played: no process of another one is started. `run_folder`
        is this run's own, for this user alone: processes write their logs in it.
        """
        self._plan = plan
        self._referee = referee
        self._secret = secret
        self._versions = versions
        self._run_logs = run_folder / LOGS
        self._keeping: set[asyncio.Task[None]] = set()
        self._tell = tell
        self._owners = {entry.name: entry.owner for entry in plan.entries}
        self._slots: dict[Role, list[Slot]] = {}
        self._freed = asyncio.Condition()
        self._leaving: set[BotProcess] = set()  # that we ended ourselves
        self._ending = False
        self._launcher = Launcher(on_exit=self._exited)
        for role, hashes in tokens.items():
            self._slots[role] = [self._admitted(role, one) for one in hashes]

    def _admitted(self, role: Role, token_hash: bytes) -> Slot:
        owner = self._owners[role.entry]
        instance = self._referee.admit_instance(role.bot, owner, token_hash)
        return Slot(role, 1, instance, None)

    # --- seats

    async def reserve(self, role: Role) -> Slot:
        """Return a process for one more seat, which need not be there yet.

        Where all that dial in are taken one of them is waited for: whoever wants several takes them
        in the order of their roles, so that no two boards wait for each other.
        """
        while (slot := self._free(role)) is None:
            async with self._freed:
                await self._freed.wait()
        slot.held += 1
        return slot

    async def make_ready(self, slot: Slot) -> str | None:
        """Start the process if there is none; return None once it said Hello, else why it did not.

        One that hangs is ended, so that it is started again for its next match. Raises
        `ConfigError` where it cannot be started, or its files are no longer those of its version.
        """
        fresh = await self._start_if_gone(slot)
        why = await self._ready(slot)
        if why is not None and not fresh and await self._start_if_gone(slot):
            why = await self._ready(slot)  # it was on its way out: the end of its last match
        hello = self._referee.hello_of(slot.instance)
        if why is None and hello is not None:
            slot.seats = max(1, hello.max_matches)
        elif why is not None:
            self.end(slot)
        return why

    async def _start_if_gone(self, slot: Slot) -> bool:
        """Return whether a process was started now.

        What its files are is looked at each time, in a thread since weights may be large: a new
        process runs what lies there now, whatever the run began with.
        """
        if slot.token is None:
            return False
        async with slot.starting:  # boards that share it must not start it twice
            if slot.runs:
                return False
            role, bot = slot.role, bot_of(self._plan, slot.role)
            await asyncio.to_thread(check_unchanged, self._plan, self._versions, role.entry, bot)
            if self._ending:
                return False
            self._start(slot, slot.token)
            return True

    def _free(self, role: Role) -> Slot | None:
        slots = self._slots.setdefault(role, [])
        found = next((slot for slot in slots if slot.held < slot.seats), None)
        if found is None and bot_of(self._plan, role).argv is not None:
            found = self._add(role, len(slots) + 1)
            slots.append(found)
        return found

    def _add(self, role: Role, number: int) -> Slot:
        issued = self._referee.issue_instance(role.bot, self._owners[role.entry])
        return Slot(role, number, issued.instance_id, issued.token)

    async def give_back(self, slot: Slot) -> None:
        """The seat is free again."""
        slot.held -= 1
        async with self._freed:
            self._freed.notify_all()

    # --- being there

    async def _ready(self, slot: Slot) -> str | None:
        """Return None once its bot has said Hello, or why it has not within the start budget."""
        limit_s = self._plan.start_ms / 1000
        coming = asyncio.create_task(self._referee.wait_ready(slot.instance, limit_s))
        waited: set[asyncio.Task[None] | asyncio.Task[bool]] = {coming}
        process = slot.process
        if process is not None:
            waited.add(asyncio.create_task(process.exited.wait()))
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if coming.done() and coming.exception() is None:
                return None
            if process is not None and process.returncode is not None:
                return f"ended before its Hello: {describe_exit(process.returncode)}"
            return f"said no Hello within {limit_s:g} s"
        finally:
            for task in waited:
                task.cancel()
            await asyncio.gather(*waited, return_exceptions=True)

    async def all_dialled_in(self, entries: frozenset[str], came: Callable[[], None]) -> None:
        """Return once every role of these entries whose bot dials in has a process.

        `came` is called for each that has one now.
        """

        async def wait(slots: Sequence[Slot]) -> None:
            await self._any_ready(slots)
            came()

        await asyncio.gather(*(wait(slots) for slots in self._dialling(entries).values()))

    async def _any_ready(self, slots: Sequence[Slot]) -> None:
        """Return once one of some processes said Hello. Raises `TimeoutError`."""
        limit_s = self._plan.wait_s
        coming = {
            asyncio.ensure_future(self._referee.wait_ready(slot.instance, limit_s))
            for slot in slots
        }
        try:
            over, _ = await asyncio.wait(coming, return_when=asyncio.FIRST_COMPLETED)
            over.pop().result()
        finally:
            for task in coming:
                task.cancel()
            await asyncio.gather(*coming, return_exceptions=True)

    def missing(self, entries: frozenset[str]) -> dict[str, tuple[int, int]]:
        """Return how many processes that dial in are missing, and of how many, by bot.

        One for each role is enough, however many tokens there are.
        """
        found: dict[str, tuple[int, int]] = {}
        for role, slots in self._dialling(entries).items():
            away, of = found.get(role.bot, (0, 0))
            gone = not any(self._referee.is_ready(slot.instance) for slot in slots)
            found[role.bot] = (away + gone, of + 1)
        return {bot: counts for bot, counts in found.items() if counts[0]}

    def _dialling(self, entries: frozenset[str]) -> dict[Role, list[Slot]]:
        """Return the ways in for processes that dial in, of some entries, by role."""
        return {
            role: slots
            for role, slots in self._slots.items()
            if role.entry in entries and any(slot.token is None for slot in slots)
        }

    # --- processes

    def _start(self, slot: Slot, token: str) -> None:
        bot = bot_of(self._plan, slot.role)
        assert bot.argv is not None
        logs = self._run_logs / self._log_place(slot)
        try:
            logs.mkdir(parents=True, exist_ok=True)
            access = Access(
                server=self._referee.addresses[0],
                token=token,
                name=bot.name,
                log_dir=logs.absolute(),
            )
            order = LaunchOrder(
                name=bot.name,
                argv=bot.argv,
                environment=bot_environment(os.environ, access),
                log_dir=logs,
            )
            slot.process = self._launcher.start(order)
        except OSError as error:
            raise ConfigError(f"bot {bot.name}: it cannot be started: {error}") from None

    def _log_place(self, slot: Slot) -> Path:
        """Return where the logs of a process are: in the folder of this run, then in the ladder's.

        The second is nothing that a bot is told, since the event secret lies beside it.
        """
        return Path(slot.role.entry, log_tag(self._secret, slot.role, slot.number))

    async def _keep_logs(self, slot: Slot) -> None:
        async with slot.starting:  # the next process writes to files of the same names
            if not slot.runs:
                await self._keep(self._log_place(slot))

    async def _keep(self, place: Path) -> None:
        logs = self._plan.folder / LOGS
        try:
            await asyncio.to_thread(keep_logs, self._run_logs / place, logs / place)
        except OSError as error:
            text = f"logs of bots could not be kept in {logs}: {error.strerror or error}"
            self._tell(Notice(kind=NoticeKind.INFO, text=text))

    def end(self, slot: Slot) -> None:
        """End the process of a slot, if one of ours is there."""
        process = slot.process
        if process is None or not slot.runs:
            return
        self._leaving.add(process)
        process.signal_group(signal.SIGTERM)
        asyncio.get_running_loop().call_later(_TERM_S, process.signal_group, signal.SIGKILL)

    def retire(self, entry: str) -> None:
        """End all processes of an entry."""
        for role, slots in self._slots.items():
            for slot in slots if role.entry == entry else ():
                self.end(slot)

    def _exited(self, process: BotProcess) -> None:
        """A process is gone: the referee need not wait for its return."""
        slot = next(
            (one for slots in self._slots.values() for one in slots if one.process is process), None
        )
        if slot is None or process.returncode is None or self._ending:
            return
        if process in self._leaving:
            self._leaving.discard(process)
        else:
            self._tell_exit(slot, process, process.returncode)
        self._referee.report_exit(slot.instance, process.returncode)
        task = asyncio.get_running_loop().create_task(self._keep_logs(slot))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    def _tell_exit(self, slot: Slot, process: BotProcess, returncode: int) -> None:
        said = _printed_words(process)
        who = bot_words(slot.role.bot, slot.role.entry)
        text = f"{who} ended: {describe_exit(returncode)}{said}"
        path = self._plan.folder / LOGS / self._log_place(slot) / process.stderr_path.name
        self._tell(Notice(kind=NoticeKind.FAULT, text=f"{text} (logs in {path})"))

    # --- the end

    def kill_now(self) -> None:
        """SIGKILL without waiting: the second Ctrl-C."""
        self._launcher.kill_now()

    def kill_all_now(self) -> None:
        """SIGKILL everything that was started, for this process leaves: the third Ctrl-C."""
        self._launcher.kill_all_now()

    def ending(self) -> None:
        """From here on it is no news that a process ends."""
        self._ending = True

    async def stop(self) -> set[int]:
        """End all processes and what they started; return those that could not be ended."""
        self._ending = True
        await self._launcher.all_exited(_LAST_WORDS_S)
        stuck = await self._launcher.stop()
        await asyncio.gather(*self._keeping)
        await self._keep(Path())
        return stuck


def _printed_words(process: BotProcess) -> str:
    """Return the end of what a process printed, of both its outputs where it used both."""
    ends = {
        "stdout": process.last_output(_SHOWN_LINES),
        "stderr": process.last_errors(_SHOWN_LINES),
    }
    printed = {name: " | ".join(lines) for name, lines in ends.items() if lines}
    if len(printed) < len(ends):
        return "".join(f"; it printed last: {words}" for words in printed.values())
    return f"; it printed last: {', '.join(f'{words} ({to})' for to, words in printed.items())}"
